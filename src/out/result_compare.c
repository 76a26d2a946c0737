/*
 * The same test on several targets, side by side, as ratios to the first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "out/jline.h"
#include "out/page.h"
#include "out/result_out.h"
#include "out/result_set.h"

#define N_COLUMNS 14
#define SERVER 12		/* this column and the next: where a server is on the host */
#define NONE 0.005		/* of the IOPS, and fewer: hardly any */
#define JOINED 0.9		/* fewer than that, and all the bytes */
#define MAX_NAME 32

static const struct page_column columns[N_COLUMNS] = {
	{ "TARGET", 0, 0, true, false }, { "IOPS", 9, 100, false, false }, { "RATIO", 8, 99, false, false },
	{ "READ", 9, 40, false, false }, { "WRITE", 9, 40, false, false }, { "MiB/s", 9, 80, false, false },
	{ "MEAN ms", 9, 95, false, false }, { "RATIO", 8, 60, false, false }, { "P50", 8, 30, false, false },
	{ "P99", 8, 90, false, false }, { "MAX", 8, 35, false, false },
	{ "CPU us/IO", 10, 85, false, false }, { "SERVER", 8, 84, false, true }, { "HOST", 8, 83, false, true },
};

static const char *
own_name(const struct result *r)
{
	return r->label[0] != '\0' ? r->label : r->target.name;
}

/* The name of each, with its number or host where another has the same. */
static char **
names_of(const struct result *const *r, size_t n)
{
	char **names = xcalloc(n, sizeof(*names));

	for (size_t i = 0; i < n; i++) {
		bool alone = true, here = true;

		for (size_t k = 0; k < n; k++) {
			if (k == i || strcmp(own_name(r[k]), own_name(r[i])) != 0)
				continue;
			alone = false;
			here = here && strcmp(r[k]->host, r[i]->host) == 0;
		}
		if (alone)
			names[i] = xstrdup(own_name(r[i]));
		else if (here && r[i]->id > 0)
			names[i] = xasprintf("%lld: %s", (long long)r[i]->id, own_name(r[i]));
		else
			names[i] = xasprintf("%s: %s", r[i]->host, own_name(r[i]));
	}
	return names;
}

static void
free_names(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

static double
over(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

static void
put_row(struct page *p, const struct page_column *c, const char *name, const struct result *r, const struct result *first,
    int decimals)
{
	const struct result_row *t = &r->total, *f = &first->total;

	page_cell(p, &c[0], name);
	page_figure(p, &c[1], result_iops(t, RESULT_BOTH), 0);
	page_figure(p, &c[2], over(result_iops(t, RESULT_BOTH), result_iops(f, RESULT_BOTH)), 2);
	page_figure(p, &c[3], result_iops(t, RESULT_READ), 0);
	page_figure(p, &c[4], result_iops(t, RESULT_WRITE), 0);
	page_figure(p, &c[5], result_mib_s(t, RESULT_BOTH), 2);
	page_figure(p, &c[6], result_mean_ms(t, RESULT_BOTH), decimals);
	page_figure(p, &c[7], over(result_mean_ms(t, RESULT_BOTH), result_mean_ms(f, RESULT_BOTH)), 2);
	page_figure(p, &c[8], result_quantile_ms(t, RESULT_BOTH, 0.5), decimals);
	page_figure(p, &c[9], result_quantile_ms(t, RESULT_BOTH, 0.99), decimals);
	page_figure(p, &c[10], result_quantile_ms(t, RESULT_BOTH, 1), decimals);
	page_figure(p, &c[11], r->cpu.us_per_io, 1);
	page_figure(p, &c[SERVER], result_server_us_per_io(r), 1);
	page_figure(p, &c[SERVER + 1], r->cpu.host_us_per_io, 1);
	page_end(p);
}

/* Reads and writes apart, for a test that does both. */
static void
put_directions(struct page *p, char *const *names, const struct result *const *r, size_t n, int width, int decimals)
{
	const struct page_column c[] = {
		{ "LATENCY, ms", width, 0, true, false }, { "READS", 9, 0, false, false }, { "RATIO", 8, 0, false, false },
		{ "P99", 8, 0, false, false }, { "WRITES", 9, 0, false, false }, { "RATIO", 8, 0, false, false },
		{ "P99", 8, 0, false, false },
	};

	if (r[0]->total.read == NULL || r[0]->total.write == NULL)
		return;
	page_end(p);
	page_titles(p, c, sizeof(c) / sizeof(c[0]));
	for (size_t i = 0; i < n; i++) {
		page_cell(p, &c[0], names[i]);
		for (enum result_dir d = RESULT_READ; d <= RESULT_WRITE; d++) {
			double ms = result_mean_ms(&r[i]->total, d);

			page_figure(p, &c[1 + 3 * d], ms, decimals);
			page_figure(p, &c[2 + 3 * d], over(ms, result_mean_ms(&r[0]->total, d)), 2);
			page_figure(p, &c[3 + 3 * d], result_quantile_ms(&r[i]->total, d, 0.99), decimals);
		}
		page_end(p);
	}
}

/* "uring, iscsi, nfs": each once. */
static void
list_engines(const struct result *const *r, size_t n, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < n && len < size; i++) {
		bool known = false;

		for (size_t k = 0; k < i; k++)
			known = known || strcmp(r[k]->engine, r[i]->engine) == 0;
		if (!known)
			len += (size_t)snprintf(out + len, size - len, "%s%s", len > 0 ? ", " : "", r[i]->engine);
	}
}

static bool
any_remote(const struct result *const *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (result_is_remote(r[i]))
			return true;
	return false;
}

/* Several ways to a disk: did the disk do it, or a cache on the way? */
static void
put_disk(struct page *p, const char *name, int width, const struct result *r)
{
	double device = r->device.read_iops + r->device.write_iops, iops = result_iops(&r->total, RESULT_BOTH);

	page_label(p, name, width);
	if (r->device.name[0] == '\0' || isnan(device))
		page_piece(p, "%.0f IOPS; which disk is below is not known", iops);
	else if (device < NONE * iops)
		page_piece(p, "%.0f IOPS; %s below did none: served from a cache", iops, r->device.name);
	else
		page_piece(p, "%.0f IOPS; %s below did %.0f%s", iops, r->device.name, device,
		    r->warnings & (UINT32_C(1) << WARN_CACHE_SEEN) ? ": the rest from a cache" :
		    device < JOINED * iops ? ", several in one" : "");
	if (r->server.names[0] != '\0')
		page_piece(p, "%s took %.2f s of CPU", r->server.names, r->server.cpu_s);
	page_end(p);
}

static const char libraries[] = "the clients of nfs and iscsi are libraries in this process: they are compared too, not only the ways "
    "to the disk";

static void
put_ways(struct page *p, char *const *names, const struct result *const *r, size_t n, int width)
{
	if (!any_remote(r, n))
		return;
	page_end(p);
	for (size_t i = 0; i < n; i++)
		put_disk(p, names[i], width, r[i]);
	page_label(p, "!", 2);
	page_words(p, libraries);
	page_end(p);
}

static void
put_warnings(struct page *p, const char *name, const struct result *r)
{
	bool first = true;

	for (enum result_warning w = 0; w < WARN_COUNT; w++) {
		if (!(r->warnings & (UINT32_C(1) << w)))
			continue;
		if (first)
			page_label(p, "!", 2);
		page_piece(p, first ? "%s: %s" : "%.0s%s", name, result_warning_word[w]);
		first = false;
	}
	if (!first)
		page_end(p);
}

void
result_compare_table(FILE *file, const struct result *const *r, size_t n)
{
	struct page_column c[N_COLUMNS];
	int width = (int)strlen("LATENCY, ms"), decimals = 2;
	char **names = names_of(r, n), engines[128];
	struct page p;

	for (size_t i = 0; i < n; i++) {
		if ((int)strlen(names[i]) > width)
			width = (int)strlen(names[i]);
		if (result_decimals(r[i]) > decimals)
			decimals = result_decimals(r[i]);
	}
	width = (width < MAX_NAME ? width : MAX_NAME) + 1;
	memcpy(c, columns, sizeof(c));
	c[0].width = width;
	for (size_t i = 0; i < n; i++)
		if (r[i]->server.names[0] != '\0')
			c[SERVER].hidden = c[SERVER + 1].hidden = false;
	page_on_file(&p, file);
	list_engines(r, n, engines, sizeof(engines));
	page_printf(&p, "%s, %s", r[0]->workload, engines);
	page_piece(&p, "ratios are to the first");
	page_end(&p);
	page_end(&p);
	page_fit(&p, c, N_COLUMNS);
	page_titles(&p, c, N_COLUMNS);
	for (size_t i = 0; i < n; i++)
		put_row(&p, c, names[i], r[i], r[0], decimals);
	put_directions(&p, names, r, n, width, decimals);
	put_ways(&p, names, r, n, width);
	page_end(&p);
	for (size_t i = 0; i < n; i++)
		put_warnings(&p, names[i], r[i]);
	page_free(&p);
	free_names(names, n);
}

static void
put_latency(struct line *l, const char *key, const struct result *r, enum result_dir dir)
{
	jline_open(l, key, '{');
	jline_number(l, "mean", result_mean_ms(&r->total, dir) * 1000);
	jline_number(l, "p50", result_quantile_ms(&r->total, dir, 0.5) * 1000);
	jline_number(l, "p99", result_quantile_ms(&r->total, dir, 0.99) * 1000);
	jline_number(l, "max", result_quantile_ms(&r->total, dir, 1) * 1000);
	jline_close(l, '}');
}

static void
put_json(struct line *l, const struct result *r, const struct result *first)
{
	jline_open(l, NULL, '{');
	if (r->id > 0)
		jline_count(l, "run", (uint64_t)r->id);
	else
		jline_null(l, "run");
	jline_text(l, "name", r->label);
	jline_text(l, "target", r->target.name);
	jline_text(l, "host", r->host);
	jline_number(l, "iops", result_iops(&r->total, RESULT_BOTH));
	jline_number(l, "read_iops", result_iops(&r->total, RESULT_READ));
	jline_number(l, "write_iops", result_iops(&r->total, RESULT_WRITE));
	jline_number(l, "mib_s", result_mib_s(&r->total, RESULT_BOTH));
	jline_number(l, "iops_ratio", over(result_iops(&r->total, RESULT_BOTH), result_iops(&first->total, RESULT_BOTH)));
	jline_number(l, "mean_latency_ratio",
	    over(result_mean_ms(&r->total, RESULT_BOTH), result_mean_ms(&first->total, RESULT_BOTH)));
	put_latency(l, "latency_us", r, RESULT_BOTH);
	put_latency(l, "read_latency_us", r, RESULT_READ);
	put_latency(l, "write_latency_us", r, RESULT_WRITE);
	jline_text(l, "engine", r->engine);
	jline_number(l, "cpu_us_per_io", r->cpu.us_per_io);
	jline_number(l, "host_us_per_io", r->cpu.host_us_per_io);
	if (r->server.names[0] != '\0') {
		jline_text(l, "server", r->server.names);
		jline_number(l, "server_us_per_io", result_server_us_per_io(r));
	}
	jline_text(l, "device", r->device.name);
	jline_number(l, "device_iops", r->device.read_iops + r->device.write_iops);
	jline_open(l, "warnings", '[');
	for (enum result_warning w = 0; w < WARN_COUNT; w++)
		if (r->warnings & (UINT32_C(1) << w))
			jline_text(l, NULL, result_warning_word[w]);
	jline_close(l, ']');
	jline_close(l, '}');
}

void
result_compare_json(FILE *file, const struct result *const *r, size_t n)
{
	struct line l = { .buf = NULL };

	jline_open(&l, NULL, '{');
	jline_text(&l, "workload", r[0]->workload);
	jline_text(&l, "engine", r[0]->engine);
	if (any_remote(r, n))
		jline_text(&l, "note", libraries);
	jline_open(&l, "results", '[');
	for (size_t i = 0; i < n; i++)
		put_json(&l, r[i], r[0]);
	jline_close(&l, ']');
	jline_close(&l, '}');
	line_char(&l, '\n');
	fwrite(l.buf, 1, l.len, file);
	line_free(&l);
}
