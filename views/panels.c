#include "views/panels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/column.h"
#include "core/format.h"
#include "views/text.h"

#define SAMPLES_MOST 640	/* 320 columns of braille */
#define GAP 2

/* One chart: which columns it sums for its headline, and the two series it draws. */
struct panel {
	const char *title;
	const char *needs;	/* a kind that has this column has this chart */
	const char *sum[2];	/* keys; the second may be NULL */
	const char *keys[2];	/* of the series, for the legend */
	const char *names[2];
	enum history_figure figures[2];
	int whole;		/* figure that holds more than both (discards, flushes), -1: none */
	int decimals;
	bool latency;
};

static const struct panel panel_table[] = {
	{ "IOPS", "cmds_s", { "cmds_s" }, { "reads_s", "writes_s" }, { "read", "write" },
	    { HISTORY_IOPS_READ, HISTORY_IOPS_WRITE }, HISTORY_IOPS, 0, false },
	{ "MB/s", "mbread_s", { "mbread_s", "mbwrtn_s" }, { "mbread_s", "mbwrtn_s" }, { "read", "write" },
	    { HISTORY_MB_READ, HISTORY_MB_WRITE }, -1, 2, false },
	{ "latency ms", "gavg", { "gavg" }, { "gavg_rd", "gavg_wr" }, { "read", "write" },
	    { HISTORY_GAVG_READ, HISTORY_GAVG_WRITE }, HISTORY_GAVG, 2, true },
	{ "DAVG ms", "davg_rd", { "davg" }, { "davg_rd", "davg_wr" }, { "read", "write" },
	    { HISTORY_GAVG_READ, HISTORY_GAVG_WRITE }, HISTORY_GAVG, 2, true },
	{ "packets/s", "pktrx_s", { "pktrx_s", "pkttx_s" }, { "pktrx_s", "pkttx_s" }, { "received", "sent" },
	    { HISTORY_IOPS_READ, HISTORY_IOPS_WRITE }, -1, 0, false },
	{ "Mbit/s", "mbrx_s", { "mbrx_s", "mbtx_s" }, { "mbrx_s", "mbtx_s" }, { "received", "sent" },
	    { HISTORY_MB_READ, HISTORY_MB_WRITE }, -1, 2, false },
	{ "%USED", "usr_pct", { "used_pct" }, { "used_pct", NULL }, { "used", NULL },
	    { HISTORY_IOPS, HISTORY_IOPS }, -1, 1, false },
};
#define N_PANELS (sizeof(panel_table) / sizeof(panel_table[0]))

static bool
applies(const struct panel *p, const struct kind *kind)
{
	return kind_column(kind, p->needs) >= 0;
}

bool
panels_for(const struct kind *kind)
{
	for (size_t i = 0; i < N_PANELS; i++)
		if (applies(&panel_table[i], kind))
			return true;
	return false;
}

static int
count(const struct kind *kind)
{
	int n = 0;

	for (size_t i = 0; i < N_PANELS; i++)
		n += applies(&panel_table[i], kind);
	return n;
}

static double
figure(const struct row *row, const char *key)
{
	return key != NULL ? column_figure(row, key) : 0;
}

/* Three digits tell enough here. */
static void
figure_text(char out[static FORMAT_MAX], double value, int decimals)
{
	format_cell(out, value, 5, decimals > 1 && fabs(value) >= 10 ? 1 : decimals);
}

static void
headline(const struct panel *p, const struct row *row, char out[static FORMAT_MAX])
{
	if (p->latency && row->stalled_ns > 0)
		format_bound(out, row->stalled_ns);
	else
		figure_text(out, figure(row, p->sum[0]) + figure(row, p->sum[1]), p->decimals);
}

/* The series of a panel, at most SAMPLES_MOST figures, and the scale that holds them and the headline's. */
static void
fetch(const struct panels *ps, const struct panel *p, int columns, float *a, float *b, struct chart *c)
{
	size_t n = chart_samples(ps->charset, columns);
	uint64_t uid = ps->row->object->uid;
	struct chart whole;

	n = n < SAMPLES_MOST ? n : SAMPLES_MOST;
	*c = (struct chart) { .a = a, .n = n, .style_a = STYLE_READ, .style_b = STYLE_WRITE,
		.stacked = !p->latency, .logarithmic = p->latency };
	whole = (struct chart) { .a = a, .n = n };
	if (p->whole >= 0)
		history_get(ps->history, uid, (enum history_figure)p->whole, a, n);
	c->peak = p->whole >= 0 ? chart_peak(&whole) : 0;
	history_get(ps->history, uid, p->figures[0], a, n);
	if (p->names[1] == NULL) {
		c->style_a = STYLE_GRAPH;
	} else {
		history_get(ps->history, uid, p->figures[1], b, n);
		c->b = b;
	}
	chart_scale(c);
}

/* The slowest device beside the mean: the one that an average hides. */
static int
draw_worst(const struct panels *ps, struct surface *s, int y, int x, int width)
{
	char value[FORMAT_MAX], text[128];
	double ms;
	enum severity severity;
	unsigned style;

	if (ps->worst == NULL)
		return 0;
	ms = figure(ps->worst, "gavg");
	if (ps->worst->stalled_ns > 0)
		format_bound(value, ps->worst->stalled_ns);
	else
		figure_text(value, ms, 2);
	severity = ps->verdicts != NULL ? verdicts_cell(ps->verdicts, ps->worst, ms) : SEVERITY_NONE;
	style = severity == SEVERITY_CRIT ? STYLE_CRIT : severity == SEVERITY_WARN ? STYLE_WARN : STYLE_NORMAL;
	snprintf(text, sizeof(text), "worst %s%s", value,
	    severity == SEVERITY_NONE ? "" : glyph_text(severity == SEVERITY_CRIT ? GLYPH_CRIT : GLYPH_WARN, s->utf8));
	if (text_columns(text) <= width)
		return surface_text(s, y, x, style, text);
	/* its colour and mark say enough where there is no room for the word */
	if (severity != SEVERITY_NONE && text_columns(text) - 6 <= width)
		return surface_text(s, y, x, style, text + 6);
	return 0;
}

/* What one in a hundred waits for, beside the mean of a row whose I/Os are timed one by one. */
static void
draw_p99(const struct row *row, struct surface *s, int y, int x, int width)
{
	char value[FORMAT_MAX];
	double ms = kind_column(row->object->kind, "p99") >= 0 ? figure(row, "p99") : NAN;

	figure_text(value, ms, 2);
	if (!isnan(ms) && text_columns(value) + 4 <= width)
		surface_print(s, y, x, STYLE_NORMAL, "p99 %s", value);
}

static void
draw_title(const struct panels *ps, const struct panel *p, struct surface *s, int y, int x, int width, double max)
{
	char value[FORMAT_MAX], top[FORMAT_MAX];
	int at = x, right;

	format_cell(top, max, 5, max < 1 ? 2 : 0);
	right = x + width - text_columns(top);
	at += surface_text(s, y, at, STYLE_TITLE, p->title) + 1;
	headline(p, ps->row, value);
	if (at + text_columns(value) < right)
		at += surface_text(s, y, at, p->latency && ps->row->stalled_ns > 0 ? STYLE_CRIT : STYLE_STRONG, value) + 2;
	if (p->latency && draw_worst(ps, s, y, at, right - at - 1) == 0)
		draw_p99(ps->row, s, y, at, right - at - 1);
	surface_text(s, y, right, STYLE_DIM, top);
}

/* What the sum holds beside the two, discards and flushes say: without it the figures would not add up. */
static void
draw_others(const struct panels *ps, const struct panel *p, struct surface *s, int y, int x, int end)
{
	double others = figure(ps->row, p->sum[0]) - figure(ps->row, p->keys[0]) - figure(ps->row, p->keys[1]);
	char value[FORMAT_MAX];

	if (p->whole < 0 || p->latency || !(others >= 0.5))
		return;
	figure_text(value, others, p->decimals);
	if (x + 6 + text_columns(value) <= end)
		surface_print(s, y, x, STYLE_DIM, "other %s", value);
}

static void
draw_legend(const struct panels *ps, const struct panel *p, struct surface *s, int y, int x, int width)
{
	int end = x + width;

	for (int i = 0; i < 2; i++) {
		char value[FORMAT_MAX];

		if (p->names[i] == NULL || p->keys[i] == NULL)
			continue;
		figure_text(value, figure(ps->row, p->keys[i]), p->decimals);
		if (x + text_columns(p->names[i]) + 1 + text_columns(value) > end)
			return;
		x += surface_text(s, y, x, i == 0 ? STYLE_READ : STYLE_WRITE, p->names[i]) + 1;
		x += surface_text(s, y, x, STYLE_NORMAL, value) + 3;
	}
	draw_others(ps, p, s, y, x, end);
}

static void
draw_panel(const struct panels *ps, const struct panel *p, struct surface *s, int y, int x, int width, int rows)
{
	float a[SAMPLES_MOST], b[SAMPLES_MOST];
	struct chart c;

	fetch(ps, p, width, a, b, &c);
	draw_title(ps, p, s, y, x, width, c.max);
	chart_area(s, y + 1, x, rows - 2, width, ps->charset, &c);
	draw_legend(ps, p, s, y + rows - 1, x, width);
}

/* How many charts stand side by side, and how wide each is: where they get too narrow to read, the first ones. */
static int
side_by_side(const struct kind *kind, int columns, int *width)
{
	int n = count(kind), room = columns - 2;

	while (n > 1 && (room - GAP * (n - 1)) / n < 18)
		n--;
	*width = n > 0 ? (room - GAP * (n - 1)) / n : 0;
	return n;
}

size_t
panels_samples(const struct kind *kind, int columns, enum charset charset)
{
	int width;

	side_by_side(kind, columns, &width);
	return chart_samples(charset, width);
}

void
panels_draw(const struct panels *ps, struct surface *s, int y, int rows)
{
	int width, x = 1, n = side_by_side(ps->row->object->kind, s->cols, &width);

	for (size_t i = 0; i < N_PANELS && n > 0; i++) {
		if (!applies(&panel_table[i], ps->row->object->kind))
			continue;
		draw_panel(ps, &panel_table[i], s, y, x, width, rows);
		x += width + GAP;
		n--;
	}
}

int
panels_compact(const struct panels *ps, struct surface *s, int y, int rows)
{
	int used = 0;

	for (size_t i = 0; i < N_PANELS && used < rows; i++) {
		const struct panel *p = &panel_table[i];
		float a[SAMPLES_MOST], b[SAMPLES_MOST];
		char value[FORMAT_MAX];
		struct chart c;
		int x = 24;

		if (!applies(p, ps->row->object->kind))
			continue;
		headline(p, ps->row, value);
		surface_text(s, y + used, 1, STYLE_TITLE, p->title);
		surface_fit(s, y + used, 12, 6, true, STYLE_STRONG, value);
		fetch(ps, p, s->cols - x - 1, a, b, &c);
		format_cell(value, c.max, 4, c.max < 1 ? 1 : 0);
		if (s->cols > x + 8) {
			surface_fit(s, y + used, 19, 4, true, STYLE_DIM, value);
			chart_area(s, y + used, x, 1, s->cols - x - 1, ps->charset, &c);
		}
		used++;
	}
	return used;
}

void
panels_line(const struct panels *ps, struct surface *s, int y)
{
	int x = 1;

	for (size_t i = 0; i < N_PANELS; i++) {
		const struct panel *p = &panel_table[i];
		const char *unit = p->latency ? "ms" : p->title;
		char value[FORMAT_MAX];

		if (!applies(p, ps->row->object->kind))
			continue;
		headline(p, ps->row, value);
		if (x + text_columns(value) + 1 + text_columns(unit) > s->cols)
			return;
		x += surface_text(s, y, x, STYLE_STRONG, value) + 1;
		x += surface_text(s, y, x, STYLE_DIM, unit) + 2;
	}
}
