/*
 * The end of a test: its result as `run` prints it, the steps of a curve, and earlier runs of the same workload.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/column.h"
#include "core/format.h"
#include "out/result_out.h"
#include "views/screen.h"
#include "views/text.h"

#define NAME 28	/* columns of the name in front of the figures */

/* Lines are counted from the top of the text; those on the screen are drawn. */
struct page {
	struct surface *surface;
	int y, rows;
	size_t top, n;
};

static void
put(struct page *p, unsigned style, const char *text)
{
	if (p->n >= p->top && p->n < p->top + (size_t)p->rows)
		surface_text(p->surface, p->y + (int)(p->n - p->top), 1, style, text);
	p->n++;
}

static void
put_line(void *arg, const char *text)
{
	put(arg, STYLE_NORMAL, text);
}

static void
put_figures(struct page *p, const char *name, double iops, double mib_s, double mean_ms, double p99_ms, const char *end)
{
	char f[4][FORMAT_MAX], fit[160], line[600];
	int pad;

	format_cell(f[0], iops, 8, 0);
	format_cell(f[1], mib_s, 8, 1);
	format_cell(f[2], mean_ms, 7, 2);
	format_cell(f[3], p99_ms, 7, 2);
	text_fit(fit, sizeof(fit), name, NAME, p->surface->utf8);
	pad = NAME - text_columns(fit);
	snprintf(line, sizeof(line), "%s%*s %8s %8s %7s %7s  %s", fit, pad, "", f[0], f[1], f[2], f[3], end);
	put(p, STYLE_NORMAL, line);
}

static void
put_steps(struct page *p, const struct test_page *t)
{
	char title[160];

	snprintf(title, sizeof(title), "%-28s %8s %8s %7s %7s", "STEP", "IOPS", "MiB/s", "mean", "p99");
	put(p, STYLE_TITLE, title);
	for (size_t i = 0; i < t->n_results; i++) {
		const struct result *r = t->results[i];

		put_figures(p, r->workload, result_iops(&r->total, RESULT_BOTH), result_mib_s(&r->total, RESULT_BOTH),
		    result_mean_ms(&r->total, RESULT_BOTH), result_quantile_ms(&r->total, RESULT_BOTH, 0.99), r->state);
	}
	put(p, STYLE_NORMAL, "");
}

static void
warning_words(uint32_t warnings, char *out, size_t size)
{
	out[0] = '\0';
	for (int i = 0; i < WARN_COUNT; i++) {
		size_t len = strlen(out);

		if (warnings & (UINT32_C(1) << i))
			snprintf(out + len, size - len, "%s%s", len > 0 ? ", " : "", result_warning_word[i]);
	}
}

/* Best first; the ratio is to the run that has just ended. */
static void
put_earlier(struct page *p, const struct test_page *t)
{
	const struct test_earlier *e = &t->earlier;
	double own = result_iops(&t->status->result->total, RESULT_BOTH);
	char title[200];

	put(p, STYLE_NORMAL, "");
	snprintf(title, sizeof(title), "%-28s %8s %8s %7s %7s  %s", "EARLIER RUNS, BEST FIRST", "IOPS", "MiB/s", "mean", "p99",
	    "to this one");
	put(p, STYLE_TITLE, title);
	if (e->n == 0 || (e->n == 1 && e->lines[0].id == t->status->run_id))
		put(p, STYLE_DIM, e->why[0] != '\0' ? e->why : "no other of this workload");
	for (int i = 0; i < e->n; i++) {
		const struct run_line *l = &e->lines[i];
		char name[600], words[200], end[300] = "";

		if (l->id == t->status->run_id)
			continue;
		warning_words(l->warnings, words, sizeof(words));
		snprintf(name, sizeof(name), "%lld %s", (long long)l->id, l->target);
		if (own > 0 && !isnan(l->iops))
			snprintf(end, sizeof(end), "%.2f x  %s", l->iops / own, words);
		put_figures(p, name, l->iops, l->mib_s, l->mean_ms, l->p99_ms, end);
	}
}

static void
put_all(struct page *p, struct screen *s)
{
	const struct test_page *t = &s->test;
	const struct test_status *status = t->status;
	char line[800];

	snprintf(line, sizeof(line), "%s on %s: %s", status->title, status->target.path, run_state_name[status->state]);
	put(p, STYLE_STRONG, line);
	if (status->why[0] != '\0')
		put(p, STYLE_CRIT, status->why);
	if (status->run_id > 0) {
		snprintf(line, sizeof(line), "recorded as run %lld", (long long)status->run_id);
		put(p, STYLE_DIM, line);
	}
	put(p, STYLE_NORMAL, "");
	if (t->n_results > 1)
		put_steps(p, t);
	if (status->result == NULL)
		put(p, STYLE_DIM, "it ended before anything was measured");
	else
		result_lines(status->result, RESULT_ALL, p->surface->cols - 2, p->surface->utf8, put_line, p);
	if (t->compare && status->result != NULL)
		put_earlier(p, t);
}

void
test_result_draw(struct screen *s, struct surface *surface, int y, int rows)
{
	struct page count = { .surface = surface, .rows = 0 };
	struct page p = { .surface = surface, .y = y, .rows = rows };
	size_t most;

	put_all(&count, s);
	most = count.n > (size_t)rows ? count.n - (size_t)rows : 0;
	if (s->test.result_top > most)
		s->test.result_top = most;
	s->page = rows;
	p.top = s->test.result_top;
	put_all(&p, s);
}

/* ---- keys ---- */

void
test_scroll(struct screen *s, int by)
{
	size_t *top = &s->test.result_top;

	if (by < 0)
		*top = *top > (size_t)-by ? *top - (size_t)-by : 0;
	else
		*top += (size_t)by;	/* clipped when drawn */
}

void
test_compare(struct screen *s, int argument)
{
	struct test_page *t = &s->test;

	(void)argument;
	t->compare = !t->compare && t->status->result != NULL;
	t->result_top = t->compare ? 100000 : 0;
	if (!t->compare)
		return;
	t->earlier = (struct test_earlier) { .n = 0, .why = "looking" };
	snprintf(t->earlier.workload, sizeof(t->earlier.workload), "%s", t->status->result->workload);
	s->requests.earlier = true;
}

void
test_another(struct screen *s, int argument)
{
	(void)argument;
	s->test.stage = STAGE_WORKLOAD;
	s->test.compare = false;
	s->test.result_top = 0;
	s->requests.clear_test = true;
}

void
test_stop_key(struct screen *s, int argument)
{
	(void)argument;
	s->requests.stop_test = true;
	screen_notice(s, "stopping: what is in flight is waited for");
}
