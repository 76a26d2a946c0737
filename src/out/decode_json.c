/*
 * A decoded capture as one JSON object.
 */
#include <math.h>

#include "out/decode_out.h"
#include "out/jline.h"

#define NS_PER_US 1e3

static double
mean_us(uint64_t sum_ns, uint64_t count)
{
	return count > 0 ? (double)sum_ns / (double)count / NS_PER_US : NAN;
}

static void
put_times(struct line *l, const struct decode_op *op)
{
	if (op->hist == NULL)
		return;
	jline_number(l, "min_us", (double)op->hist->min_ns / NS_PER_US);
	jline_number(l, "mean_us", hist_mean_ns(op->hist) / NS_PER_US);
	jline_number(l, "p50_us", hist_quantile_ns(op->hist, 0.5) / NS_PER_US);
	jline_number(l, "p95_us", hist_quantile_ns(op->hist, 0.95) / NS_PER_US);
	jline_number(l, "p99_us", hist_quantile_ns(op->hist, 0.99) / NS_PER_US);
	jline_number(l, "max_us", (double)op->hist->max_ns / NS_PER_US);
	jline_number(l, "last_mean_us", mean_us(op->last_sum_ns, op->hist->count));
	jline_number(l, "r2t_mean_us", mean_us(op->r2t_sum_ns, op->r2t_count));
	jline_number(l, "data_mean_us", mean_us(op->data_sum_ns, op->data_count));
}

static void
put_op(struct line *l, const struct decode_op *op)
{
	jline_open(l, NULL, '{');
	jline_text(l, "protocol", op->protocol);
	jline_text(l, "op", op->name);
	jline_count(l, "calls", op->calls);
	jline_count(l, "replies", op->replies);
	if (op->bytes != DECODE_UNKNOWN)
		jline_count(l, "bytes", op->bytes);
	jline_count(l, "errors", op->errors);
	jline_count(l, "retransmitted", op->retransmitted);
	jline_count(l, "unanswered", op->unanswered);
	put_times(l, op);
	jline_close(l, '}');
}

static void
put_ops(struct line *l, const struct decode_op *ops, size_t n)
{
	jline_open(l, "ops", '[');
	for (size_t i = 0; i < n; i++)
		put_op(l, &ops[i]);
	jline_close(l, ']');
}

static void
put_errors(struct line *l, const struct decode_flow *f)
{
	if (f->n_errors == 0)
		return;
	jline_open(l, "errors", '{');
	for (size_t i = 0; i < f->n_errors; i++)
		jline_count(l, f->errors[i].text, f->errors[i].count);
	jline_close(l, '}');
}

static void
put_flow(struct line *l, const struct decode_flow *f)
{
	jline_open(l, NULL, '{');
	jline_text(l, "protocol", f->protocol);
	jline_text(l, "client", f->client);
	jline_text(l, "server", f->server);
	jline_text(l, "initiator", f->initiator);
	jline_text(l, f->lun >= 0 ? "target" : "export", f->name);
	if (f->lun >= 0)
		jline_count(l, "lun", (uint64_t)f->lun);
	put_ops(l, f->ops, f->n_ops);
	put_errors(l, f);
	jline_close(l, '}');
}

void
decode_print_json(FILE *file, const struct decode_report *r)
{
	struct line l = { .buf = NULL };

	jline_open(&l, NULL, '{');
	jline_text(&l, "file", r->file);
	jline_count(&l, "packets", r->packets);
	jline_count(&l, "bytes", r->bytes);
	jline_number(&l, "seconds", r->seconds);
	put_ops(&l, r->ops, r->n_ops);
	jline_open(&l, "flows", '[');
	for (size_t i = 0; i < r->n_flows; i++)
		put_flow(&l, &r->flows[i]);
	jline_close(&l, ']');
	jline_open(&l, "health", '{');
	for (size_t i = 0; i < r->n_health; i++)
		jline_count(&l, r->health[i].key, r->health[i].count);
	jline_close(&l, '}');
	jline_close(&l, '}');
	line_char(&l, '\n');
	fwrite(l.buf, 1, l.len, file);
	line_free(&l);
}
