#include <stdio.h>

#include "core/column.h"
#include "views/chooser.h"
#include "views/frame.h"
#include "views/help.h"
#include "views/panels.h"
#include "views/screen.h"
#include "views/wire.h"

#define GRAPH_LEAST 5	/* rule, title, two lines, legend */

/* The graph of the selected row, at the bottom of the view. Returns the rows it takes. */
static int
draw_graph(struct screen *s, struct surface *surface, int y, int rows)
{
	const struct row *row = table_selected(screen_table(s));
	int take = rows >= 12 ? rows * 2 / 5 : rows >= 9 ? GRAPH_LEAST : 0;
	struct panels panels = {
		.history = s->history,
		.charset = charset_for(s->charts, surface->utf8),
		.row = row,
		.verdicts = s->verdicts,
	};
	bool counted = s->histogram.on && row != NULL && histogram_for(row->object->kind);
	int x;

	if (counted && rows >= 12)
		take = rows * 3 / 5;
	if (take < GRAPH_LEAST || row == NULL || s->history == NULL || !panels_for(row->object->kind))
		return 0;
	y += rows - take;
	surface_rule(surface, y, 1, surface->cols - 2);
	x = 3 + surface_print(surface, y, 3, STYLE_STRONG, " %s", object_display_name(row->object, s->naming));
	if (counted) {
		surface_print(surface, y, x, STYLE_DIM, "  latencies of the last %.0f s ", histogram_seconds(&s->histogram));
		histogram_draw(&s->histogram, row->object->kind, row->object->uid, surface, y + 1, take - 1);
		return take;
	}
	surface_print(surface, y, x, STYLE_DIM, "  last %.0f s ",
	    (double)panels_samples(row->object->kind, surface->cols, panels.charset) * (double)s->interval_ns / 1e9);
	panels_draw(&panels, surface, y + 1, take - 1);
	return take;
}

/* The cursor and the mouse are in one part of the screen. */
static void
draw_table(struct screen *s, size_t view, struct surface *surface, int y, int rows)
{
	struct table_draw d = screen_table_draw(s, surface);
	struct table *t = &s->tables[view];

	if (view != s->view) {
		d.cursor = false;
		d.zones = NULL;
	}

	table_draw(t, surface, y, rows, &d);
	if (t->n > 0 || rows < 2)
		return;
	if (t->filter_text != NULL)
		surface_print(surface, y + 1, 1, STYLE_DIM, "no row matches %s", t->filter_text);
	else if (t->view->empty != NULL)
		surface_text(surface, y + 1, 1, STYLE_DIM, t->view->empty);
	else
		surface_print(surface, y + 1, 1, STYLE_DIM, "no %s", t->view->kind->one);
}

/* Lines for the upper of two parts, titles included: what it needs, but not more than half where the other needs more. */
static int
upper_lines(const struct table *upper, const struct table *lower, int rows)
{
	int most = rows - 2 - (int)(lower->n > 0 ? lower->n : 1), half = rows / 2;
	int need = 1 + (int)(upper->n > 0 ? upper->n : 1);

	return need <= most || need <= half ? need : most > half ? most : half;
}

#define PARTED_LEAST 8	/* on fewer lines only the part with the cursor is drawn */

static void
draw_parts(struct screen *s, struct surface *surface, int y, int rows)
{
	size_t tab = view_tab(s->view), below = view_below(tab);
	int upper;

	if (!screen_parted(s) || rows < PARTED_LEAST) {
		draw_table(s, s->view, surface, y, rows);
		return;
	}
	upper = upper_lines(&s->tables[tab], &s->tables[below], rows);
	draw_table(s, tab, surface, y, upper);
	wire_head(s, surface, y + upper);
	draw_table(s, below, surface, y + upper + 1, rows - upper - 1);
}

static void
draw_view(struct screen *s, struct surface *surface, int y, int rows)
{
	const struct view *v = screen_table(s)->view;
	int used = 0, graph = 0;

	if (s->shown == NULL) {
		surface_text(surface, y, 1, STYLE_DIM, "measuring");
		surface_glyph(surface, y, 10, STYLE_DIM, GLYPH_DOTS);
		return;
	}
	if (s->graph)
		graph = draw_graph(s, surface, y, rows);
	/* beside the graph of a row that of the totals has no room */
	if (v->head != NULL)
		used = v->head(s, surface, y, graph > 0 && rows - graph < 15 ? 3 : rows - graph);
	draw_parts(s, surface, y + used, rows - graph - used);
}

static void
draw_body(struct screen *s, struct surface *surface, int y, int rows)
{
	if (rows < 1)
		return;
	if (s->overlay == OVERLAY_HELP)
		help_draw(s, surface, y, rows);
	else if (s->overlay == OVERLAY_FIELDS)
		chooser_draw(s, surface, y, rows);
	else
		draw_view(s, surface, y, rows);
}

/*
 * Who and when, tabs, the view, status, keys: on a screen that is too small the tabs go first, then the keys,
 * then the status unless something is wrong, then the header; the rows stay.
 */
void
screen_draw(struct screen *s, struct surface *surface, int *cursor_y, int *cursor_x)
{
	int rows = surface->rows, top = 0, bottom = rows, status;

	*cursor_y = -1;
	*cursor_x = 0;
	zones_reset(&s->zones);
	surface_erase(surface);
	if (rows >= 4)
		frame_header(s, surface, top++);
	if (rows >= 8)
		frame_tabs(s, surface, top++);
	if (rows >= 8 || (rows >= 5 && !frame_has_status(s)))
		frame_footer(s, surface, --bottom);
	status = frame_status_lines(s);
	if (rows < 16)
		status = rows >= 8 || (frame_has_status(s) && rows >= 3) || s->prompt != PROMPT_NONE ? 1 : 0;
	bottom -= status;
	draw_body(s, surface, top, bottom - top);
	frame_status(s, surface, bottom, status, cursor_y, cursor_x);
}
