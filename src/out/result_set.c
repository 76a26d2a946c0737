/*
 * Several results: repeats and rounds with what they come to, the steps of a curve with its knee.
 */
#include "out/result_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/curve.h"
#include "core/xalloc.h"
#include "out/result_out.h"

#define N_COLUMNS 12

static const struct page_column set_columns[N_COLUMNS] = {
	{ "STEP", 9, 0, true, false }, { "DEPTH", 7, 85, false, false },
	{ "IOPS", 9, 100, false, false }, { "READ", 9, 40, false, false }, { "WRITE", 9, 40, false, false },
	{ "MiB/s", 9, 90, false, false }, { "MEAN ms", 9, 95, false, false }, { "P50", 8, 30, false, false },
	{ "P99", 8, 80, false, false }, { "MAX", 8, 50, false, false }, { "INFL", 8, 45, false, false },
	{ "ERR", 6, 60, false, false },
};

bool
result_set_alike(const struct result *const *r, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (strcmp(r[i]->workload, r[0]->workload) != 0 || strcmp(r[i]->target.name, r[0]->target.name) != 0 ||
		    strcmp(r[i]->engine, r[0]->engine) != 0)
			return false;
	return true;
}

static void
put_step(struct page *p, const struct page_column *c, const struct result *r, size_t step, int decimals)
{
	const struct result_row *t = &r->total;
	char name[32];

	if (r->id > 0)
		snprintf(name, sizeof(name), "run %lld", (long long)r->id);
	else
		snprintf(name, sizeof(name), "%zu", step + 1);
	page_cell(p, &c[0], name);
	page_figure(p, &c[1], r->depth > 0 ? r->depth : NAN, 0);
	page_figure(p, &c[2], result_iops(t, RESULT_BOTH), 0);
	page_figure(p, &c[3], result_iops(t, RESULT_READ), 0);
	page_figure(p, &c[4], result_iops(t, RESULT_WRITE), 0);
	page_figure(p, &c[5], result_mib_s(t, RESULT_BOTH), 2);
	page_figure(p, &c[6], result_mean_ms(t, RESULT_BOTH), decimals);
	page_figure(p, &c[7], result_quantile_ms(t, RESULT_BOTH, 0.5), decimals);
	page_figure(p, &c[8], result_quantile_ms(t, RESULT_BOTH, 0.99), decimals);
	page_figure(p, &c[9], result_quantile_ms(t, RESULT_BOTH, 1), decimals);
	page_figure(p, &c[10], t->in_flight, 1);
	page_figure(p, &c[11], (double)t->errors, 0);
	page_end(p);
}

void
result_summarize(struct set_summary *s, const struct result *const *r, size_t n)
{
	double *iops = xcalloc(n, sizeof(*iops)), *mib_s = xcalloc(n, sizeof(*mib_s)), *mean = xcalloc(n, sizeof(*mean));

	for (size_t i = 0; i < n; i++) {
		iops[i] = result_iops(&r[i]->total, RESULT_BOTH);
		mib_s[i] = result_mib_s(&r[i]->total, RESULT_BOTH);
		mean[i] = result_mean_ms(&r[i]->total, RESULT_BOTH);
	}
	summary_of(&s->iops, iops, n);
	summary_of(&s->mib_s, mib_s, n);
	summary_of(&s->mean_ms, mean, n);
	free(iops);
	free(mib_s);
	free(mean);
}

struct decimals {
	int iops, mib_s, ms;
};

static void
put_summary_row(struct page *p, const struct page_column *c, const char *name, double iops, double mib_s, double ms,
    struct decimals decimals)
{
	page_cell(p, &c[0], name);
	page_cell(p, &c[1], "");
	page_figure(p, &c[2], iops, decimals.iops);
	page_cell(p, &c[3], "");
	page_cell(p, &c[4], "");
	page_figure(p, &c[5], mib_s, decimals.mib_s);
	page_figure(p, &c[6], ms, decimals.ms);
	page_end(p);
}

/* SNIA's steady state: where there are five runs or more. */
static void
put_steady(struct page *p, const struct result *const *r, size_t n)
{
	struct steady_runs s = result_steady_runs(r, n);

	if (s.steady == STEADY_UNKNOWN)
		return;
	page_text(p, s.steady == STEADY_YES ? "steady  " : "! NOT STEADY  ");
	page_printf(p, "the last five: %.0f IOPS, over a range of %.1f %% of that (%.0f allowed), drifting by %.1f %% (%.0f allowed)",
	    s.mean, s.range * 100, STEADY_RANGE * 100, s.drift * 100, STEADY_DRIFT * 100);
	page_end(p);
}

static void
put_summary(struct page *p, const struct page_column *c, const struct result *const *r, size_t n)
{
	const struct decimals d = { 0, 2, result_decimals(r[0]) };
	struct set_summary s;

	result_summarize(&s, r, n);
	put_summary_row(p, c, "mean", s.iops.mean, s.mib_s.mean, s.mean_ms.mean, d);
	put_summary_row(p, c, "sd", s.iops.sd, s.mib_s.sd, s.mean_ms.sd, d);
	put_summary_row(p, c, "CV %", s.iops.cv * 100, s.mib_s.cv * 100, s.mean_ms.cv * 100,
	    (struct decimals){ 1, 1, 1 });
	put_summary_row(p, c, "min", s.iops.min, s.mib_s.min, s.mean_ms.min, d);
	put_summary_row(p, c, "max", s.iops.max, s.mib_s.max, s.mean_ms.max, d);
	page_end(p);
	if (s.iops.cv > SUMMARY_CV_FLAG)
		page_printf(p, "! UNLIKE RUNS  IOPS differ from run to run by %.1f %% (sd of mean), over %.0f %%", s.iops.cv * 100,
		    SUMMARY_CV_FLAG * 100);
	else if (!isnan(s.iops.cv))
		page_printf(p, "the runs agree: IOPS differ by %.1f %% (sd of mean)", s.iops.cv * 100);
	page_end(p);
	put_steady(p, r, n);
}

static void
put_curve(struct page *p, const struct result *const *r, size_t n)
{
	size_t knee = curve_knee(r, n), last = CURVE_NONE;

	page_end(p);
	page_label(p, "knee", 6);
	if (knee == CURVE_NONE)
		page_piece(p, "none up to depth %u: more depth still gave more", r[n - 1]->depth);
	else
		page_piece(p, "depth %u: %.0f IOPS at %.3f ms; the next step gains less than 10 %% and waits over 50 %% longer",
		    r[knee]->depth, result_iops(&r[knee]->total, RESULT_BOTH), result_mean_ms(&r[knee]->total, RESULT_BOTH));
	page_end(p);
	for (size_t i = 0; i < CURVE_LIMITS; i++) {
		size_t best = curve_within(r, n, curve_limits_ms[i]);

		/* A limit that buys nothing over the one before says nothing. */
		if (best == CURVE_NONE || best == last)
			continue;
		last = best;
		page_printf(p, "at p99 <= %g ms: %.0f IOPS (depth %u)", curve_limits_ms[i], result_iops(&r[best]->total, RESULT_BOTH),
		    r[best]->depth);
		page_end(p);
	}
}

/* A warning that one of them has stands once, with the step it is of. */
static void
put_warnings(struct page *p, const struct result *const *r, size_t n)
{
	for (enum result_warning w = 0; w < WARN_COUNT; w++) {
		char text[512];
		size_t had = 0, first = 0;

		for (size_t i = n; i-- > 0;)
			if (r[i]->warnings & (UINT32_C(1) << w)) {
				had++;
				first = i;
			}
		if (had == 0)
			continue;
		result_warning_text(r[first], w, text, sizeof(text));
		page_text(p, "! ");
		page_text(p, result_warning_word[w]);
		page_text(p, "  ");
		if (had < n)
			page_printf(p, "(%zu of %zu) ", had, n);
		p->indent = 2;
		page_words(p, text);
		page_end(p);
	}
}

bool
result_set_repeats(const struct result *const *r, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (r[i]->depth != r[0]->depth)
			return false;
	return true;
}

static void
put_set(struct page *p, const struct result *const *r, size_t n)
{
	struct page_column columns[N_COLUMNS];
	bool curve = curve_is(r, n), repeats = result_set_repeats(r, n);

	memcpy(columns, set_columns, sizeof(columns));
	columns[1].hidden = repeats;
	page_fit(p, columns, N_COLUMNS);
	page_printf(p, "%s on %s, %zu %s of %.1f s, %s", r[0]->workload, r[0]->target.name, n, curve ? "steps" : "runs",
	    r[0]->runtime_s, r[0]->engine);
	page_end(p);
	page_end(p);
	page_titles(p, columns, N_COLUMNS);
	for (size_t i = 0; i < n; i++)
		put_step(p, columns, r[i], i, result_decimals(r[0]));
	/* A curve that was run again has no mean over its depths. */
	if (curve)
		put_curve(p, r, n);
	else if (repeats)
		put_summary(p, columns, r, n);
	put_warnings(p, r, n);
}

static void
put_all(struct page *p, const struct result *const *r, size_t n)
{
	if (n > 1 && result_set_alike(r, n)) {
		put_set(p, r, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			page_end(p);
		result_page(p, r[i], RESULT_ALL);
	}
}

void
result_print_table(FILE *file, const struct result *const *r, size_t n)
{
	struct page p;

	page_on_file(&p, file);
	put_all(&p, r, n);
	page_free(&p);
}

void
result_set_lines(const struct result *const *r, size_t n, int width, bool utf8, void (*line)(void *, const char *), void *arg)
{
	struct page p = { .width = width, .utf8 = utf8, .line = line, .arg = arg };

	put_all(&p, r, n);
	page_free(&p);
}
