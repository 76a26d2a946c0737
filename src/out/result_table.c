/*
 * A result as storage people publish it: a row per worker and the total, and below it what the figures are worth.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/format.h"
#include "core/xalloc.h"
#include "out/page.h"
#include "out/result_out.h"
#include "out/result_set.h"

#define LABEL 14	/* margin of the honesty lines */
#define MAX_NAME 28
#define MERGED 1.05	/* I/Os of the application for one of the device: less is chance */

enum figure { F_NAME, F_IOPS, F_MIB_S, F_MEAN, F_QUANTILE, F_ERRORS };

struct result_column {
	enum figure figure;
	enum result_dir dir;
	double q;
};

#define IOPS_COLUMNS \
	{ "IOPS", 9, 100, false, false }, { "READ", 9, 60, false, false }, { "WRITE", 9, 60, false, false }, \
	{ "MiB/s", 9, 95, false, false }, { "READ", 9, 20, false, false }, { "WRITE", 9, 20, false, false }
#define IOPS_FIGURES \
	{ F_IOPS, RESULT_BOTH, 0 }, { F_IOPS, RESULT_READ, 0 }, { F_IOPS, RESULT_WRITE, 0 }, \
	{ F_MIB_S, RESULT_BOTH, 0 }, { F_MIB_S, RESULT_READ, 0 }, { F_MIB_S, RESULT_WRITE, 0 }
#define LATENCY_COLUMNS \
	{ "MEAN", 8, 90, false, false }, { "P50", 8, 40, false, false }, { "P95", 8, 30, false, false }, \
	{ "P99", 8, 80, false, false }, { "P99.9", 8, 35, false, false }, { "MAX", 8, 70, false, false }
#define LATENCY_FIGURES(dir) \
	{ F_MEAN, dir, 0 }, { F_QUANTILE, dir, 0.5 }, { F_QUANTILE, dir, 0.95 }, \
	{ F_QUANTILE, dir, 0.99 }, { F_QUANTILE, dir, 0.999 }, { F_QUANTILE, dir, 1 }
#define N_IOPS 6
#define N_LATENCY 6
#define N_WIDE (1 + N_IOPS + 2 * N_LATENCY + 1)
#define N_NARROW (1 + N_IOPS + N_LATENCY + 1)

/* Reads and writes apart, where there is room for it. */
static const struct page_column wide_columns[N_WIDE] = {
	{ "WORKER", 0, 0, true, false }, IOPS_COLUMNS, LATENCY_COLUMNS, LATENCY_COLUMNS, { "ERR", 6, 50, false, false },
};
static const struct result_column wide_figures[N_WIDE] = {
	{ F_NAME, RESULT_BOTH, 0 }, IOPS_FIGURES, LATENCY_FIGURES(RESULT_READ), LATENCY_FIGURES(RESULT_WRITE),
	{ F_ERRORS, RESULT_BOTH, 0 },
};
static const struct page_column narrow_columns[N_NARROW] = {
	{ "WORKER", 0, 0, true, false }, IOPS_COLUMNS, LATENCY_COLUMNS, { "ERR", 6, 50, false, false },
};
static const struct result_column narrow_figures[N_NARROW] = {
	{ F_NAME, RESULT_BOTH, 0 }, IOPS_FIGURES, LATENCY_FIGURES(RESULT_BOTH), { F_ERRORS, RESULT_BOTH, 0 },
};

static int
name_width(const struct result *r)
{
	size_t width = strlen("WORKER");

	for (size_t i = 0; i < r->n_rows; i++)
		if (strlen(r->rows[i].name) > width)
			width = strlen(r->rows[i].name);
	return (int)(width < MAX_NAME ? width : MAX_NAME) + 1;
}

int
result_decimals(const struct result *r)
{
	double ms = result_mean_ms(&r->total, RESULT_BOTH);

	return ms < 0.01 ? 5 : ms < 1 ? 3 : 2;
}

static double
figure_of(const struct result_row *row, const struct result_column *c)
{
	switch (c->figure) {
	case F_IOPS:
		return result_iops(row, c->dir);
	case F_MIB_S:
		return result_mib_s(row, c->dir);
	case F_MEAN:
		return result_mean_ms(row, c->dir);
	case F_QUANTILE:
		return result_quantile_ms(row, c->dir, c->q);
	case F_ERRORS:
		return (double)row->errors;
	case F_NAME:
		break;
	}
	return NAN;
}

static void
put_row(struct page *p, const struct page_column *columns, const struct result_column *figures, size_t n,
    const struct result_row *row, int ms_decimals)
{
	page_cell(p, &columns[0], row->name);
	for (size_t i = 1; i < n; i++) {
		enum figure f = figures[i].figure;

		page_figure(p, &columns[i], figure_of(row, &figures[i]), f == F_MIB_S ? 2 : f == F_MEAN || f == F_QUANTILE ?
		    ms_decimals : 0);
	}
	page_end(p);
}

/* What stands over a group of columns: where the first of them begins, and where it has room. */
static void
put_group(struct page *p, const struct page_column *columns, size_t first, size_t n, const char *text)
{
	int at = page_columns_width(columns, first) + 1;

	if (page_columns_width(columns + first, n) <= (int)strlen(text))
		return;
	page_pad(p, at);
	page_text(p, text);
}

static void
put_rows(struct page *p, const struct result *r, struct page_column *columns, const struct result_column *figures, size_t n)
{
	int decimals = result_decimals(r);

	put_group(p, columns, 1, 3, "I/Os per second");
	put_group(p, columns, 4, 3, "MiB per second");
	put_group(p, columns, 1 + N_IOPS, N_LATENCY, n == N_WIDE ? "latency of reads, ms" : "latency, ms");
	if (n == N_WIDE)
		put_group(p, columns, 1 + N_IOPS + N_LATENCY, N_LATENCY, "latency of writes, ms");
	if (p->at > 0)
		page_end(p);
	page_titles(p, columns, n);
	for (size_t i = 0; i < r->n_rows; i++)
		put_row(p, columns, figures, n, &r->rows[i], decimals);
	put_row(p, columns, figures, n, &r->total, decimals);
}

static void
put_latency(struct page *p, const struct page_column *columns, const char *name, const struct hist *h, int decimals)
{
	static const double quantiles[] = { 0.5, 0.95, 0.99, 0.999, 1 };
	struct result_row row = { .read = hist_copy(h) };

	page_cell(p, &columns[0], name);
	page_figure(p, &columns[1], (double)h->count, 0);
	page_figure(p, &columns[2], result_mean_ms(&row, RESULT_READ), decimals);
	for (size_t i = 0; i < 5; i++)
		page_figure(p, &columns[3 + i], result_quantile_ms(&row, RESULT_READ, quantiles[i]), decimals);
	page_end(p);
	hist_free(row.read);
}

/* Below a table that had no room for both directions; the response time of paced workers, and what syncs took. */
static void
put_directions(struct page *p, const struct result *r, bool wide)
{
	struct page_column columns[] = {
		{ "LATENCY, ms", LABEL, 0, true, false }, { "N", 9, 50, false, false }, LATENCY_COLUMNS,
	};
	const struct hist *read = r->total.read, *write = r->total.write, *response = r->total.response, *sync = r->total.sync;
	int decimals = result_decimals(r);
	bool both = !wide && read != NULL && write != NULL;

	if (!both && response == NULL && sync == NULL)
		return;
	page_end(p);
	page_fit(p, columns, sizeof(columns) / sizeof(columns[0]));
	page_titles(p, columns, sizeof(columns) / sizeof(columns[0]));
	if (both) {
		put_latency(p, columns, "reads", read, decimals);
		put_latency(p, columns, "writes", write, decimals);
	}
	if (response != NULL)
		put_latency(p, columns, "since due", response, decimals);
	if (sync != NULL)
		put_latency(p, columns, "syncs", sync, decimals);
}

static void
put_title(struct page *p, const struct result *r)
{
	char bytes[FORMAT_MAX];

	page_piece(p, "%s on %s", r->workload, r->target.name);
	if (r->label[0] != '\0')
		page_piece(p, "\"%s\"", r->label);
	if (r->target.device[0] != '\0' && strstr(r->target.name, r->target.device) == NULL)
		page_piece(p, "%s", r->target.device);
	if (r->target.model[0] != '\0')
		page_piece(p, "%s", r->target.model);
	if (!isnan(r->target.size_bytes)) {
		format_bytes(bytes, r->target.size_bytes);
		page_piece(p, "%s", bytes);
	}
	if (!isnan(r->runtime_s))
		page_piece(p, "%.1f s", r->runtime_s);
	if (r->state[0] != '\0' && strcmp(r->state, "done") != 0)
		page_piece(p, "%s", r->state);
	if (r->id > 0)
		page_piece(p, "run %lld", (long long)r->id);
	page_end(p);
}

static void
figure(char out[static FORMAT_MAX], double value, int decimals)
{
	format_cell(out, value, 8, decimals);
}

static void
put_in_flight(struct page *p, const struct result *r)
{
	double wanted = result_iops(&r->total, RESULT_BOTH) * result_mean_ms(&r->total, RESULT_BOTH) / 1000;

	if (isnan(r->total.in_flight))
		return;
	if (result_littles_law(r))
		page_piece(p, "in flight %.1f = IOPS %s latency", r->total.in_flight, page_times(p));
	else
		page_piece(p, "in flight %.1f, IOPS %s latency %.1f !", r->total.in_flight, page_times(p), wanted);
}

static void
put_application(struct page *p, const struct result *r)
{
	static const char *const steady[] = {
		[STEADY_UNKNOWN] = "steady: not known, too short", [STEADY_YES] = "steady: yes", [STEADY_NO] = "steady: no !",
	};
	char iops[FORMAT_MAX], ms[FORMAT_MAX];

	figure(iops, result_iops(&r->total, RESULT_BOTH), 0);
	figure(ms, result_mean_ms(&r->total, RESULT_BOTH), result_decimals(r));
	page_label(p, "application", LABEL);
	page_piece(p, "%s IOPS", iops);
	if (!isnan(result_mean_ms(&r->total, RESULT_BOTH)))
		page_piece(p, "%s ms", ms);
	put_in_flight(p, r);
	page_piece(p, "%s", r->phased ? "steady: not judged, phases alternate" : steady[r->steady]);
	if (r->depth > 0 && !isnan(r->total.in_flight))
		page_piece(p, "%s, depth %.1f of %u", r->engine, result_in_flight(r), r->depth);
	else
		page_piece(p, "%s", r->engine);
	page_end(p);
}

static void
put_ms(struct page *p, const char *name, double ms)
{
	if (!isnan(ms))
		page_piece(p, "%s %.2f ms", name, ms);
}

static void
put_device(struct page *p, const struct result *r)
{
	bool seen = r->warnings & (UINT32_C(1) << WARN_CACHE_SEEN), more = r->warnings & (UINT32_C(1) << WARN_AMPLIFIED);
	double device = r->device.read_iops + r->device.write_iops, application = result_iops(&r->total, RESULT_BOTH);
	char iops[FORMAT_MAX], mib_s[FORMAT_MAX], name[80];

	if (r->device.name[0] == '\0')
		return;
	snprintf(name, sizeof(name), "device %s", r->device.name);
	figure(iops, device, 0);
	figure(mib_s, r->device.read_mib_s + r->device.write_mib_s, 2);
	page_label(p, name, LABEL);
	page_piece(p, "%s IOPS", iops);
	page_piece(p, "%s MiB/s", mib_s);
	put_ms(p, "GAVG", r->device.gavg_ms);
	put_ms(p, "QAVG", r->device.qavg_ms);
	put_ms(p, "DAVG", r->device.davg_ms);
	if (r->n_rows > 0)
		page_piece(p, "%s", seen ? "cache: seen !" : more ? "more than was asked for !" : "cache: none seen");
	/* The same bytes in fewer I/Os: the kernel joined neighbours on their way. */
	if (!seen && !more && device > 0 && application > MERGED * device)
		page_piece(p, "merged %.1f to 1", application / device);
	page_end(p);
}

static void
put_cpu(struct page *p, const struct result *r)
{
	if (isnan(r->cpu.host_pct))
		return;
	page_label(p, "CPU", LABEL);
	page_piece(p, "%.1f %% of this host", r->cpu.host_pct);
	if (!isnan(r->cpu.us_per_io))
		page_piece(p, "%.*f %s per I/O", r->cpu.us_per_io < 1 ? 3 : 1, r->cpu.us_per_io, page_us(p));
	if (r->server.names[0] != '\0') {
		page_piece(p, "%s %.1f %s per I/O, %.2f s in all", r->server.names, result_server_us_per_io(r), page_us(p),
		    r->server.cpu_s);
		page_piece(p, "the whole host %.1f %s per I/O", r->cpu.host_us_per_io, page_us(p));
	}
	page_end(p);
}

static void
put_set(struct page *p, const struct result *r)
{
	char text[FORMAT_MAX];

	if (isnan(r->working_set_bytes))
		return;
	page_label(p, "working set", LABEL);
	format_bytes(text, r->working_set_bytes);
	page_piece(p, "%s", text);
	if (!isnan(r->host_memory_bytes)) {
		format_bytes(text, r->host_memory_bytes);
		page_piece(p, "this host %s of memory%s", text, r->buffered ? ", page cache in use" : "");
	}
	if (isnan(r->array_cache_bytes)) {
		page_piece(p, "array cache not known");
	} else {
		format_bytes(text, r->array_cache_bytes);
		page_piece(p, "array cache %s", text);
	}
	page_end(p);
}

static void
put_warnings(struct page *p, const struct result *r)
{
	char text[512];

	for (enum result_warning w = 0; w < WARN_COUNT; w++) {
		if (!(r->warnings & (UINT32_C(1) << w)))
			continue;
		result_warning_text(r, w, text, sizeof(text));
		page_text(p, "! ");
		page_text(p, result_warning_word[w]);
		page_text(p, "  ");
		p->indent = 2;
		page_words(p, text);
		page_end(p);
	}
}

static void
put_table(struct page *p, const struct result *r, unsigned parts)
{
	struct page_column wide[N_WIDE], narrow[N_NARROW];
	bool is_wide;

	memcpy(wide, wide_columns, sizeof(wide));
	memcpy(narrow, narrow_columns, sizeof(narrow));
	wide[0].width = narrow[0].width = name_width(r);
	is_wide = p->width == 0 || page_columns_width(wide, N_WIDE) <= p->width;
	page_fit(p, narrow, N_NARROW);
	if (!(parts & RESULT_ROWS))
		;
	else if (is_wide)
		put_rows(p, r, wide, wide_figures, N_WIDE);
	else
		put_rows(p, r, narrow, narrow_figures, N_NARROW);
	if (parts & RESULT_DIRECTIONS) {
		put_directions(p, r, is_wide);
		page_end(p);
	}
}

void
result_page(struct page *p, const struct result *r, unsigned parts)
{
	if (parts & RESULT_TITLE) {
		put_title(p, r);
		page_end(p);
	}
	/* Where nobody made load there is the device, and nothing to put beside it. */
	if (r->n_rows > 0)
		put_table(p, r, parts);
	if (parts & RESULT_HONESTY) {
		if (r->n_rows > 0)
			put_application(p, r);
		put_device(p, r);
		put_cpu(p, r);
		if (r->n_rows > 0)
			put_set(p, r);
	}
	if (parts & RESULT_WARNINGS)
		put_warnings(p, r);
}

void
result_lines(const struct result *r, unsigned parts, int width, bool utf8, void (*line)(void *, const char *), void *arg)
{
	struct page p = { .width = width, .utf8 = utf8, .line = line, .arg = arg };

	result_page(&p, r, parts);
	page_free(&p);
}
