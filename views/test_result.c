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

#define ROOMY 36	/* lines of a screen that has some for looks */
#define NAME 28	/* columns of the name in front of the figures */

/* Lines are counted from the top of the text; those on the screen are drawn. */
struct page {
	struct surface *surface;
	int y, rows;
	size_t top, n;
	size_t earlier;		/* line where earlier runs begin */
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
	struct page *p = arg;

	if (p->n >= p->top && p->n < p->top + (size_t)p->rows)
		test_line_draw(p->surface, p->y + (int)(p->n - p->top), text);
	p->n++;
}

/* Over as many lines as it needs. */
static void
put_words(struct page *p, unsigned style, const char *text)
{
	while (*text != '\0') {
		char line[512];

		text += test_text_line(text, p->surface->cols - 2, line, sizeof(line));
		put(p, style, line);
	}
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

/* Its figures, the ratio, and its warnings: on a line of their own where they do not fit. */
static void
put_earlier_run(struct page *p, const struct run_line *l, double own)
{
	char name[600], words[300], end[340] = "", indented[340];
	bool fits;

	result_warning_words(l->warnings, words, sizeof(words));
	fits = NAME + 45 + text_columns(words) <= p->surface->cols - 2;
	snprintf(name, sizeof(name), "%lld %s", (long long)l->id, l->target);
	if (own > 0 && !isnan(l->iops))
		snprintf(end, sizeof(end), "%.2f x  %s", l->iops / own, fits ? words : "");
	put_figures(p, name, l->iops, l->mib_s, l->mean_ms, l->p99_ms, end);
	if (fits)
		return;
	snprintf(indented, sizeof(indented), "  ! %s", words);
	put_words(p, STYLE_DIM, indented);
}

/* Best first; the ratio is to the run that has just ended. */
static void
put_earlier(struct page *p, const struct test_page *t)
{
	const struct test_earlier *e = &t->earlier;
	double own = result_iops(&t->status->result->total, RESULT_BOTH);
	char title[200];

	put(p, STYLE_NORMAL, "");
	p->earlier = p->n;
	snprintf(title, sizeof(title), "%-28s %8s %8s %7s %7s  %s", "EARLIER RUNS, BEST FIRST", "IOPS", "MiB/s", "mean", "p99",
	    "to this one");
	put(p, STYLE_TITLE, title);
	if (e->n == 0 || (e->n == 1 && e->lines[0].id == t->status->run_id))
		put(p, STYLE_DIM, e->why[0] != '\0' ? e->why : "no other of this workload");
	for (int i = 0; i < e->n; i++)
		if (e->lines[i].id != t->status->run_id)
			put_earlier_run(p, &e->lines[i], own);
}

/* What of the result stands below the charts. */
static void
put_summary(struct page *p, const struct screen *s)
{
	const struct test_page *t = &s->test;
	const unsigned parts[] = { RESULT_ROWS, RESULT_HONESTY, RESULT_WARNINGS };
	int width = p->surface->cols - 2;

	if (t->status->result == NULL || (t->n_results == 1 && isnan(t->status->result->runtime_s)))
		put(p, STYLE_DIM, "it ended before anything was measured");
	else if (t->n_results > 1)
		result_set_lines(t->results, t->n_results, width, p->surface->utf8, put_line, p);
	else
		for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
			if (p->surface->rows >= ROOMY)
				put(p, STYLE_NORMAL, "");
			result_lines(t->results[0], parts[i], width, p->surface->utf8, put_line, p);
		}
	if (t->compare && t->status->result != NULL)
		put_earlier(p, t);
}

static void
put_fact(void *arg, const char *name, const char *value)
{
	struct page *p = arg;
	char line[800];

	if (value[0] == '\0')
		return;
	snprintf(line, sizeof(line), "%-13s %s", name, value);
	put(p, STYLE_NORMAL, line);
}

static void
put_job(struct page *p, const char *text)
{
	put(p, STYLE_NORMAL, "");
	put(p, STYLE_TITLE, "JOB");
	while (*text != '\0') {
		char line[256];
		size_t n = strcspn(text, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)n, text);
		put(p, STYLE_NORMAL, line);
		text += n + (text[n] == '\n');
	}
}

/* Each step as `run` prints it, then what it ran on and what ran. */
static void
put_details(struct page *p, const struct screen *s)
{
	const struct test_page *t = &s->test;
	const struct result *last = t->n_results > 0 ? t->results[t->n_results - 1] : t->now;

	for (size_t i = 0; i < t->n_results; i++) {
		result_lines(t->results[i], RESULT_ALL, p->surface->cols - 2, p->surface->utf8, put_line, p);
		put(p, STYLE_NORMAL, "");
	}
	put(p, STYLE_TITLE, "TARGET");
	test_facts_each(&t->status->target, put_fact, p);
	if (last != NULL && last->job_text != NULL)
		put_job(p, last->job_text);
}

static void
put_all(struct page *p, const struct screen *s)
{
	if (s->test.details)
		put_details(p, s);
	else
		put_summary(p, s);
}

/* "failed  00:11  ERRORS, PARTIAL": how it ended, how long was measured, and all that makes the figures doubtful. */
static void
draw_end(const struct test_page *t, struct surface *surface, int y)
{
	const struct test_status *status = t->status;
	int x = 1 + surface_text(surface, y, 1, status->state == RUN_FAILED ? STYLE_CRIT : STYLE_STRONG, run_state_name[status->state]);
	char words[300];
	uint32_t warnings = 0;
	double seconds = 0;

	for (size_t i = 0; i < t->n_results; i++) {
		warnings |= t->results[i]->warnings;
		seconds += isnan(t->results[i]->runtime_s) ? 0 : t->results[i]->runtime_s;
	}
	if (seconds > 0)
		x += surface_print(surface, y, x, STYLE_NORMAL, "  %.1f s", seconds);
	if (t->n_results > 1)
		x += surface_print(surface, y, x, STYLE_NORMAL, "  %zu steps", t->n_results);
	result_warning_words(warnings, words, sizeof(words));
	if (words[0] != '\0')
		surface_print(surface, y, x, STYLE_WARN, "  %s %s", glyph_text(GLYPH_WARN, surface->utf8), words);
}

#define CHART_LEAST 4
#define CHART_MOST 10

/* Rows for the charts: what the text leaves, and few rather than none. */
static int
chart_rows(const struct test_page *t, int rows, size_t lines)
{
	int left = rows - (int)(lines < (size_t)rows ? lines : (size_t)rows);

	if (t->details || rows < 16 || test_series_points(t) < 2)
		return 0;
	return left < CHART_LEAST ? CHART_LEAST : left > CHART_MOST ? CHART_MOST : left;
}

void
test_result_draw(struct screen *s, struct surface *surface, int y, int rows)
{
	struct page count = { .surface = surface }, p;
	size_t most;
	int charts, why;

	if (rows < 3) {
		draw_end(&s->test, surface, y);
		return;
	}
	put_all(&count, s);
	test_title_draw(s->test.status, s->test.running ? NULL : s->test.status->result, surface, y);
	if (s->test.running)
		test_progress_draw(s->test.status, surface, y + 1);
	else
		draw_end(&s->test, surface, y + 1);
	why = test_why_draw(&s->test, surface, y + 2, y + (rows > 5 ? rows - 3 : 3));
	y += 2 + why;
	rows -= 2 + why;
	charts = chart_rows(&s->test, rows, count.n);
	if (charts > 0)
		test_series_draw(s, surface, y, charts);
	p = (struct page) { .surface = surface, .y = y + charts, .rows = rows - charts };
	if (s->test.to_earlier)
		s->test.result_top = count.earlier;
	most = count.n > (size_t)p.rows ? count.n - (size_t)p.rows : 0;
	if (s->test.result_top > most)
		s->test.result_top = most;
	s->page = p.rows;
	p.top = s->test.result_top;
	put_all(&p, s);
}

/* ---- keys ---- */

void
test_scroll(struct screen *s, int by)
{
	size_t *top = &s->test.result_top;

	s->test.to_earlier = false;
	if (by < 0)
		*top = *top > (size_t)-by ? *top - (size_t)-by : 0;
	else
		*top += (size_t)by;	/* clipped when drawn */
}

void
test_scroll_page(struct screen *s, int by)
{
	test_scroll(s, by * (s->page > 1 ? s->page - 1 : 1));
}

void
test_compare(struct screen *s, int argument)
{
	struct test_page *t = &s->test;

	(void)argument;
	t->compare = !t->compare && t->status->result != NULL;
	t->to_earlier = t->compare;
	t->result_top = 0;
	if (!t->compare)
		return;
	t->earlier = (struct test_earlier) { .n = 0, .why = "looking" };
	snprintf(t->earlier.workload, sizeof(t->earlier.workload), "%s", t->status->result->workload);
	s->requests.earlier = true;
}

void
test_details(struct screen *s, int argument)
{
	(void)argument;
	s->test.details = !s->test.details;
	s->test.to_earlier = s->test.compare && !s->test.details;
	s->test.result_top = 0;
}

void
test_another(struct screen *s, int argument)
{
	(void)argument;
	s->test.stage = STAGE_WORKLOAD;
	s->test.compare = s->test.to_earlier = false;
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
