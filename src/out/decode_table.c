/*
 * A decoded capture as a table: each flow with its operations, and what the figures are worth.
 */
#include <math.h>
#include <string.h>

#include "core/format.h"
#include "out/decode_out.h"
#include "out/page.h"

#define NS_PER_MS 1e6
#define MIB 1048576.0
#define LABEL 9

enum { C_OP, C_CALLS, C_MIB, C_MEAN, C_P50, C_P95, C_P99, C_MAX, C_LAST, C_ERRORS, C_AGAIN, C_NO_REPLY, C_COLUMNS };

static const struct page_column op_columns[C_COLUMNS] = {
	[C_OP] = { "OPERATION", 24, 0, true, false }, [C_CALLS] = { "CALLS", 9, 100, false, false },
	[C_MIB] = { "MiB", 9, 80, false, false }, [C_MEAN] = { "MEAN ms", 9, 95, false, false },
	[C_P50] = { "P50", 9, 40, false, false }, [C_P95] = { "P95", 9, 30, false, false }, [C_P99] = { "P99", 9, 70, false, false },
	[C_MAX] = { "MAX", 9, 60, false, false }, [C_LAST] = { "TO LAST", 9, 20, false, false },
	[C_ERRORS] = { "ERR", 7, 90, false, false }, [C_AGAIN] = { "AGAIN", 7, 50, false, false },
	[C_NO_REPLY] = { "NOREPLY", 9, 85, false, false },
};

static double
mean_ms(uint64_t sum_ns, uint64_t count)
{
	return count > 0 ? (double)sum_ns / (double)count / NS_PER_MS : NAN;
}

static void
put_op(struct page *p, const struct page_column *c, const struct decode_op *op)
{
	char name[sizeof(op->name) + 2];

	snprintf(name, sizeof(name), "  %s", op->name);
	page_cell(p, &c[C_OP], name);
	page_figure(p, &c[C_CALLS], (double)op->calls, 0);
	page_figure(p, &c[C_MIB], op->bytes != DECODE_UNKNOWN ? (double)op->bytes / MIB : NAN, 2);
	page_figure(p, &c[C_MEAN], hist_mean_ns(op->hist) / NS_PER_MS, 3);
	page_figure(p, &c[C_P50], hist_quantile_ns(op->hist, 0.5) / NS_PER_MS, 3);
	page_figure(p, &c[C_P95], hist_quantile_ns(op->hist, 0.95) / NS_PER_MS, 3);
	page_figure(p, &c[C_P99], hist_quantile_ns(op->hist, 0.99) / NS_PER_MS, 3);
	page_figure(p, &c[C_MAX], hist_quantile_ns(op->hist, 1) / NS_PER_MS, 3);
	page_figure(p, &c[C_LAST], mean_ms(op->last_sum_ns, op->hist != NULL ? op->hist->count : 0), 3);
	page_figure(p, &c[C_ERRORS], (double)op->errors, 0);
	page_figure(p, &c[C_AGAIN], (double)op->retransmitted, 0);
	page_figure(p, &c[C_NO_REPLY], (double)op->unanswered, 0);
	page_end(p);
}

/* Where the target asked for the data: its time, and that of initiator and network. */
static void
put_phases(struct page *p, const struct decode_op *op)
{
	char text[160], r2t[FORMAT_MAX], data[FORMAT_MAX];

	if (op->r2t_count == 0)
		return;
	format_cell(r2t, mean_ms(op->r2t_sum_ns, op->r2t_count), 8, 3);
	format_cell(data, mean_ms(op->data_sum_ns, op->data_count), 8, 3);
	snprintf(text, sizeof(text), "    %llu waited %s ms for the target to ask for their data%s%s%s",
	    (unsigned long long)op->r2t_count, r2t, op->data_count > 0 ? ", which took " : ", whose end was not seen",
	    op->data_count > 0 ? data : "", op->data_count > 0 ? " ms" : "");
	page_words(p, text);
	page_end(p);
}

static void
put_errors(struct page *p, const struct decode_flow *f)
{
	if (f->n_errors == 0)
		return;
	page_label(p, "  errors", LABEL);
	for (size_t i = 0; i < f->n_errors; i++)
		page_piece(p, "%s %llu", f->errors[i].text, (unsigned long long)f->errors[i].count);
	page_end(p);
}

static void
put_flow(struct page *p, const struct page_column *c, const struct decode_flow *f)
{
	page_end(p);
	page_text(p, f->protocol);
	if (f->client[0] == '\0')
		page_text(p, "  all others");
	else
		page_printf(p, "  %s > %s", f->client, f->server);
	if (f->name[0] != '\0')
		page_printf(p, "  %s", f->name);
	if (f->lun >= 0 && f->client[0] != '\0')
		page_printf(p, "  LUN %d", f->lun);
	page_end(p);
	if (f->initiator[0] != '\0') {
		page_printf(p, "  from %s", f->initiator);
		page_end(p);
	}
	for (size_t i = 0; i < f->n_ops; i++) {
		put_op(p, c, &f->ops[i]);
		put_phases(p, &f->ops[i]);
	}
	put_errors(p, f);
}

static void
put_head(struct page *p, const struct decode_report *r)
{
	char bytes[FORMAT_MAX], seconds[FORMAT_MAX];

	format_bytes(bytes, (double)r->bytes);
	page_printf(p, "%s: %llu packets, %s", r->file, (unsigned long long)r->packets, bytes);
	if (!isnan(r->seconds)) {
		format_cell(seconds, r->seconds, 10, 1);
		page_printf(p, " in %s s", seconds);
	}
	page_end(p);
}

static size_t
flows_of(const struct decode_report *r, const char *protocol)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_flows; i++)
		n += strcmp(r->flows[i].protocol, protocol) == 0;
	return n;
}

/* Of a protocol with one flow they would say the same again. */
static void
put_totals(struct page *p, const struct page_column *c, const struct decode_report *r)
{
	const char *protocol = "";

	for (size_t i = 0; i < r->n_ops; i++) {
		if (flows_of(r, r->ops[i].protocol) < 2)
			continue;
		if (strcmp(protocol, r->ops[i].protocol) != 0) {
			protocol = r->ops[i].protocol;
			page_end(p);
			page_printf(p, "%s  all flows", protocol);
			page_end(p);
		}
		put_op(p, c, &r->ops[i]);
	}
}

static void
put_health(struct page *p, const struct decode_report *r)
{
	bool incomplete = false, any = false;

	for (size_t i = 0; i < r->n_health; i++) {
		any = any || r->health[i].count > 0;
		incomplete = incomplete || (r->health[i].count > 0 && r->health[i].incomplete);
	}
	page_end(p);
	page_label(p, "health", LABEL);
	page_piece(p, "%s", incomplete ? "incomplete: counts are what was seen, not more" : any ? "complete, but" : "nothing missing");
	page_end(p);
	for (size_t i = 0; i < r->n_health; i++) {
		if (r->health[i].count == 0)
			continue;
		page_label(p, "", LABEL);
		page_piece(p, "%llu %s", (unsigned long long)r->health[i].count, r->health[i].words);
		page_end(p);
	}
}

void
decode_print_table(FILE *file, const struct decode_report *r)
{
	struct page_column c[C_COLUMNS];
	struct page p;

	memcpy(c, op_columns, sizeof(c));
	page_on_file(&p, file);
	page_fit(&p, c, C_COLUMNS);
	put_head(&p, r);
	if (r->n_flows == 0) {
		page_end(&p);
		page_text(&p, "no NFS and no iSCSI in it");
		page_end(&p);
	} else {
		page_end(&p);
		page_titles(&p, c, C_COLUMNS);
	}
	for (size_t i = 0; i < r->n_flows; i++)
		put_flow(&p, c, &r->flows[i]);
	put_totals(&p, c, r);
	put_health(&p, r);
	page_free(&p);
}
