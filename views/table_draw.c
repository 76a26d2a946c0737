#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/column.h"
#include "core/format.h"
#include "core/kinds/kinds.h"
#include "views/table.h"
#include "views/text.h"

#define SAMPLES_MOST 64		/* of a sparkline: two a column */

struct cell_text {
	char text[FORMAT_MAX];
	unsigned style;
	int mark;	/* a glyph behind it, -1: none */
};

static const struct { unsigned style; int mark; } marks[] = {
	[SEVERITY_NONE] = { STYLE_NORMAL, -1 },
	[SEVERITY_WARN] = { STYLE_WARN, GLYPH_WARN },
	[SEVERITY_CRIT] = { STYLE_CRIT, GLYPH_CRIT },
};

static void
mark(struct cell_text *cell, enum severity severity)
{
	if (severity == SEVERITY_NONE)
		return;
	cell->style = marks[severity].style;
	cell->mark = marks[severity].mark;
}

/* "3/4": one path is lost. */
static void
text_cell(struct cell_text *cell, const struct column *c, const struct row *row)
{
	const char *text = column_text(c, row);
	unsigned usable;

	if (text == NULL)
		return;
	snprintf(cell->text, sizeof(cell->text), "%s", text);
	cell->style = STYLE_NORMAL;
	if (fields_lost(c, text, &usable))
		mark(cell, usable == 0 ? SEVERITY_CRIT : SEVERITY_WARN);
}

static void
number_cell(struct cell_text *cell, const struct column *c, const struct row *row, int width,
	const struct verdicts *verdicts)
{
	double value = column_value(c, row);

	format_cell(cell->text, value, width, c->decimals);
	cell->style = isnan(value) || value == 0 ? STYLE_DIM : STYLE_NORMAL;
	if ((c->flags & COLUMN_LATENCY) && !isnan(value) && verdicts != NULL)
		mark(cell, verdicts_cell(verdicts, row, value));
	if ((c->flags & COLUMN_WARN_ABOVE_0) && value > 0)
		mark(cell, SEVERITY_WARN);
}

/* The cell of a column of the table's kind in a row of any kind. */
static struct cell_text
cell_of(struct table *t, const struct row *row, int column, int width, const struct verdicts *verdicts)
{
	const struct kind *kind = row->object->kind;
	int own = table_column_in(t, kind, column);
	const struct column *c = own >= 0 ? &kind->columns[own] : NULL;
	struct cell_text cell = { .text = "-", .style = STYLE_DIM, .mark = -1 };

	if (c == NULL)
		cell.text[0] = '\0';
	else if (c->value.per == VALUE_LABEL_TEXT)
		text_cell(&cell, c, row);
	else if ((c->flags & COLUMN_LATENCY) && !(c->flags & COLUMN_OR_GAVG) && row->stalled_ns > 0) {
		format_bound(cell.text, row->stalled_ns);
		mark(&cell, SEVERITY_CRIT);
	} else
		number_cell(&cell, c, row, width, verdicts);
	return cell;
}

static int
indent_of(const struct table *t, const struct line *line)
{
	return 2 * line->depth + (t->trees ? 2 : 0);
}

static const char *
adapter_of(const struct table *t, const struct object *o)
{
	const struct row *adapter = t->view->what_adapter && o->counts_in != 0
	    ? interval_row(t->interval, &kind_adapter, o->counts_in) : NULL;

	return adapter != NULL ? adapter->object->name : NULL;
}

/* The widths only grow, so that nothing shifts from one interval to the next. */
static void
measure(struct table *t, size_t from, size_t to)
{
	char what[512];

	for (size_t i = from; i < to; i++) {
		const struct line *line = &t->lines[i];
		int name = indent_of(t, line) + text_columns(line->name), columns;

		view_what(t->view, line->row->object, line->name, adapter_of(t, line->row->object), what, sizeof(what));
		columns = text_columns(what);
		if (name > t->name_columns)
			t->name_columns = name;
		if (columns > 0 && columns < 4)
			columns = 4;	/* its title */
		if (columns > t->what_columns)
			t->what_columns = columns;
	}
	if (text_columns(t->view->name_title) > t->name_columns)
		t->name_columns = text_columns(t->view->name_title);
}

static void
draw_name_title(struct table *t, struct surface *s, int y, const struct layout *l, struct zones *zones)
{
	int room = l->name_width + (l->what_width > 0 ? l->what_width + 2 : 0);
	int x = l->name_x;

	x += surface_fit(s, y, x, text_columns(t->view->name_title), false,
	    t->sort == SORT_NAME ? STYLE_STRONG : STYLE_TITLE, t->view->name_title);
	zones_add(zones, y, l->name_x, x - l->name_x + 1, ZONE_COLUMN, (uint32_t)SORT_NAME);
	if (t->sort == SORT_NAME)
		surface_glyph(s, y, x, STYLE_STRONG, t->reverse ? GLYPH_DOWN : GLYPH_UP);
	if (t->filter_text != NULL) {
		char text[128];

		snprintf(text, sizeof(text), "\\ %s", t->filter_text);
		surface_fit(s, y, x + 2, l->name_x + room - x - 2, false, STYLE_KEY, text);
	} else if (l->what_width > 0) {
		surface_fit(s, y, l->what_x, l->what_width, false, STYLE_TITLE, "WHAT");
	}
}

static void
draw_spark_title(struct surface *s, int y, const struct layout *l, const struct table_draw *d)
{
	double seconds = (double)chart_samples(d->charset, l->spark_width) * d->interval_s;
	char text[FORMAT_MAX + 16];

	if (l->spark_width == 0)
		return;
	if (seconds < 120)
		snprintf(text, sizeof(text), "%.0f s", seconds);
	else
		snprintf(text, sizeof(text), "%.0f min", seconds / 60);
	surface_fit(s, y, l->spark_x, l->spark_width, false, STYLE_TITLE, text);
}

static void
draw_titles(struct table *t, struct surface *s, int y, const struct layout *l, const struct table_draw *d)
{
	draw_name_title(t, s, y, l, d->zones);
	for (size_t i = 0; i < l->n; i++) {
		const struct place *p = &l->places[i];
		bool sorted = p->column == t->sort;

		surface_fit(s, y, p->x, p->width, true, sorted ? STYLE_STRONG : STYLE_TITLE,
		    t->view->kind->columns[p->column].title);
		if (sorted)
			surface_glyph(s, y, p->x + p->width, STYLE_STRONG, t->reverse ? GLYPH_UP : GLYPH_DOWN);
		zones_add(d->zones, y, p->x, p->width + 1, ZONE_COLUMN, (uint32_t)p->column);
	}
	draw_spark_title(s, y, l, d);
}

static void
draw_name(const struct table *t, struct surface *s, int y, const struct layout *l, const struct line *line)
{
	int indent = indent_of(t, line), most = l->name_width - 4;
	char what[512];

	/* deep in a tree the name still has room */
	if (indent > most)
		indent = most > 0 ? most : 0;
	if (line->parent && indent >= 2)
		surface_glyph(s, y, l->name_x + indent - 2, STYLE_DIM, line->open ? GLYPH_OPEN : GLYPH_CLOSED);
	surface_fit(s, y, l->name_x + indent, l->name_width - indent, false, STYLE_NORMAL, line->name);
	if (l->what_width == 0)
		return;
	view_what(t->view, line->row->object, line->name, adapter_of(t, line->row->object), what, sizeof(what));
	/* the adapter is the first to go: it has a screen of its own */
	if (text_columns(what) > l->what_width)
		view_what(t->view, line->row->object, line->name, NULL, what, sizeof(what));
	surface_fit(s, y, l->what_x, l->what_width, false, STYLE_DIM, what);
}

static void
draw_spark(struct surface *s, int y, const struct layout *l, const struct line *line, const struct table_draw *d)
{
	float values[SAMPLES_MOST];
	size_t n = chart_samples(d->charset, l->spark_width);

	if (l->spark_width == 0 || d->history == NULL)
		return;
	n = n < SAMPLES_MOST ? n : SAMPLES_MOST;
	history_get(d->history, line->row->object->uid, HISTORY_IOPS, values, n);
	chart_spark(s, y, l->spark_x, l->spark_width, d->charset, STYLE_GRAPH, values, n, 0);
}

static void
draw_line(struct table *t, struct surface *s, int y, const struct layout *l, const struct line *line,
	const struct table_draw *d)
{
	draw_name(t, s, y, l, line);
	for (size_t i = 0; i < l->n; i++) {
		const struct place *p = &l->places[i];
		struct cell_text cell = cell_of(t, line->row, p->column, p->width, d->verdicts);

		surface_fit(s, y, p->x, p->width, true, cell.style, cell.text);
		if (cell.mark >= 0)
			surface_glyph(s, y, p->x + p->width, cell.style, (enum glyph)cell.mark);
	}
	draw_spark(s, y, l, line, d);
}

/* Little arrows at the edge where lines lie above or below what is shown. */
static void
draw_more(const struct table *t, struct surface *s, int y, size_t shown)
{
	if (t->top > 0)
		surface_glyph(s, y, s->cols - 1, STYLE_KEY, GLYPH_MORE_UP);
	if (t->top + shown < t->n)
		surface_glyph(s, y + (int)shown - 1, s->cols - 1, STYLE_KEY, GLYPH_MORE_DOWN);
}

static void
scroll_to_selection(struct table *t)
{
	if (t->selected < t->top)
		t->top = t->selected;
	if (t->page > 0 && t->selected >= t->top + t->page)
		t->top = t->selected - t->page + 1;
	if (t->top + t->page > t->n)
		t->top = t->n > t->page ? t->n - t->page : 0;
}

/* The rows from line y on; what is selected is reversed. */
static void
draw_lines(struct table *t, struct surface *s, int y, size_t shown, const struct layout *l, const struct table_draw *d)
{
	for (size_t i = 0; i < shown; i++) {
		int at = y + (int)i;

		draw_line(t, s, at, l, &t->lines[t->top + i], d);
		zones_add(d->zones, at, 0, s->cols, ZONE_LINE, (uint32_t)(t->top + i));
		if (d->cursor && t->top + i == t->selected)
			surface_restyle(s, at, 0, s->cols, STYLE_SELECTED);
	}
	if (shown > 0)
		draw_more(t, s, y, shown);
}

int
table_draw(struct table *t, struct surface *s, int y, int rows, const struct table_draw *d)
{
	int title = rows > 1 ? 1 : 0;	/* a single line is for the row */
	struct layout l;
	size_t shown;

	if (rows < 1)
		return 0;
	t->page = (size_t)(rows - title);
	scroll_to_selection(t);
	shown = t->n - t->top < t->page ? t->n - t->top : t->page;
	measure(t, t->top, t->top + shown);
	table_layout(t, s->cols, t->view->spark && d->history != NULL, &l);
	if (title > 0)
		draw_titles(t, s, y, &l, d);
	draw_lines(t, s, y + title, shown, &l, d);
	layout_clear(&l);
	return title + (int)shown;
}
