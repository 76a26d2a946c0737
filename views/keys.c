#include "views/keys.h"

#include <limits.h>
#include <string.h>

#include "views/chooser.h"
#include "views/panels.h"
#include "views/prompt.h"
#include "views/screen.h"

static void
act_quit(struct screen *s, int argument)
{
	(void)argument;
	if (s->test.running)
		prompt_open(s, PROMPT_QUIT);
	else
		s->requests.quit = true;
}

static void
act_overlay(struct screen *s, int which)
{
	s->overlay = s->overlay == (enum overlay)which ? OVERLAY_NONE : (enum overlay)which;
	s->help_top = 0;
	s->help_search[0] = '\0';
}

static void
act_close(struct screen *s, int argument)
{
	(void)argument;
	s->overlay = OVERLAY_NONE;
}

static void
act_view(struct screen *s, int view)
{
	screen_show(s, (size_t)view);
}

static void
act_cycle(struct screen *s, int by)
{
	screen_show(s, (view_tab(s->view) + (size_t)(by + VIEW_TABS)) % VIEW_TABS);
}

/* Out of a table at its end, into the other part of the screen. True: it did. */
static bool
cross(struct screen *s, int by)
{
	const struct table *t = screen_table(s);
	size_t tab = view_tab(s->view);

	if (!screen_parted(s))
		return false;
	if (by > 0 && s->view == tab && t->selected + 1 >= t->n) {
		screen_show(s, view_below(tab));
		table_home(screen_table(s));
	} else if (by < 0 && s->view != tab && t->selected == 0 && s->tables[tab].n > 0) {
		screen_show(s, tab);
		table_end(screen_table(s));
	} else {
		return false;
	}
	return true;
}

static void
act_move(struct screen *s, int by)
{
	if (!cross(s, by))
		table_move(screen_table(s), by);
}

static void
act_page(struct screen *s, int by)
{
	int page = (int)screen_table(s)->page;

	table_move(screen_table(s), by * (page > 1 ? page - 1 : 1));
}

static void
act_home(struct screen *s, int end)
{
	if (end)
		table_end(screen_table(s));
	else
		table_home(screen_table(s));
}

static void
act_expand(struct screen *s, int argument)
{
	(void)argument;
	if (table_toggle(screen_table(s)))
		screen_rebuild(s);
}

/* From the overview to the row's own view, where it can be expanded. */
static void
act_open(struct screen *s, int argument)
{
	const struct row *row = table_selected(screen_table(s));
	uint64_t uid = row != NULL ? row->object->uid : 0;

	(void)argument;
	for (size_t i = 0; uid != 0 && view_table[i] != NULL; i++) {
		if (view_table[i] == view_table[s->view] || view_table[i]->kind != row->object->kind)
			continue;
		table_open_object(&s->tables[i], uid);
		screen_show(s, i);
		table_select_object(&s->tables[i], uid);
		return;
	}
}

static void
act_take_away(struct screen *s, int argument)
{
	(void)argument;
	if (table_selected(screen_table(s)) == NULL)
		return;
	table_take_away(screen_table(s));
	screen_rebuild(s);
	screen_notice(s, "taken away; a shows it again");
}

static void
act_all(struct screen *s, int argument)
{
	(void)argument;
	s->all = !s->all;
	screen_rebuild(s);
	screen_notice(s, s->all ? "all: hidden devices too" : "without hidden devices");
}

static void
act_sort_name(struct screen *s, int argument)
{
	(void)argument;
	table_sort(screen_table(s), SORT_NAME);
	screen_rebuild(s);
}

static void
act_sort_latency(struct screen *s, int argument)
{
	struct table *t = screen_table(s);

	(void)argument;
	table_sort(t, kind_column_flagged(t->view->kind, COLUMN_GAVG));
	screen_rebuild(s);
}

static void
act_sort_next(struct screen *s, int by)
{
	table_sort_next(screen_table(s), by);
	screen_rebuild(s);
}

static void
act_reverse(struct screen *s, int argument)
{
	struct table *t = screen_table(s);

	(void)argument;
	t->reverse = !t->reverse;
	screen_rebuild(s);
}

static void
act_prompt(struct screen *s, int which)
{
	prompt_open(s, (enum prompt)which);
}

static void
act_find_next(struct screen *s, int argument)
{
	(void)argument;
	if (!table_find(screen_table(s), true))
		screen_notice(s, "%s: no row of that name", screen_table(s)->search);
}

/* One step back: the search first, then the filter. */
static void
act_end_limit(struct screen *s, int argument)
{
	struct table *t = screen_table(s);

	(void)argument;
	if (t->search != NULL)
		table_search(t, NULL);
	else
		table_filter(t, NULL, s->notice, sizeof(s->notice));
	screen_rebuild(s);
}

static const struct kind *
row_kind(struct screen *s)
{
	const struct row *row = table_selected(screen_table(s));

	return row != NULL ? row->object->kind : screen_table(s)->view->kind;
}

static void
act_graph(struct screen *s, int argument)
{
	(void)argument;
	if (s->graph && !s->histogram.on && histogram_for(row_kind(s))) {
		histogram_open(&s->histogram, s->shown);
		return;
	}
	histogram_close(&s->histogram);
	s->graph = !s->graph;
	/* the graph stays with its row when the rows are sorted again */
	if (s->graph && screen_table(s)->n > 0)
		table_select(screen_table(s), screen_table(s)->selected);
}

static void
act_charts(struct screen *s, int argument)
{
	(void)argument;
	s->charts = (enum charset)(s->charts % (CHARSET_COUNT - 1) + 1);
	screen_notice(s, "charts: %s", charset_name[s->charts]);
}

static void
act_names(struct screen *s, int argument)
{
	static const char *const names[] = { "kernel names", "mapper names and mount points", "world wide names" };

	(void)argument;
	s->naming = (enum naming)((s->naming + 1) % 3);
	for (size_t i = 0; i < SCREEN_VIEWS; i++)
		s->tables[i].name_columns = 0;
	screen_rebuild(s);
	screen_notice(s, "names: %s", names[s->naming]);
}

static void
act_pause(struct screen *s, int argument)
{
	(void)argument;
	s->paused = !s->paused;
	if (!s->paused && s->live != NULL)
		screen_feed(s, s->live);
}

static void
act_refresh(struct screen *s, int argument)
{
	(void)argument;
	s->requests.refresh = true;
}

static void
act_redraw(struct screen *s, int argument)
{
	(void)argument;
	s->requests.redraw = true;
}

static void
act_save(struct screen *s, int argument)
{
	(void)argument;
	s->requests.save = true;
}

static void
act_help_move(struct screen *s, int by)
{
	if (by < 0 && s->help_top < (size_t)-by)
		s->help_top = 0;
	else
		s->help_top += (size_t)by;	/* clipped when drawn */
}

static void
act_help_page(struct screen *s, int by)
{
	act_help_move(s, by * (s->page > 2 ? s->page - 1 : 1));
}

static void
act_help_home(struct screen *s, int end)
{
	s->help_top = end ? 100000 : 0;
}

/* The prompt takes these itself; they stand in the table for the footer. */
static void
act_nothing(struct screen *s, int argument)
{
	(void)s;
	(void)argument;
}

#define OVER (IN_HELP | IN_FIELDS)

const struct key key_table[] = {
	{ { 'q', INPUT_F10 }, "q F10 ^C", "quit", "quit", IN_VIEW | OVER, 1, act_quit, 0 },
	{ { 'h', '?', INPUT_F1 }, "h ? F1", "help", "this help: keys and columns of the screen", IN_VIEW, 2, act_overlay,
	    OVERLAY_HELP },
	{ { 'o' }, "o", NULL, "overview: totals, the busiest and the sickest", IN_VIEW, 0, act_view, VIEW_OVERVIEW },
	{ { 'd' }, "d", NULL, "adapters; expand to devices, partitions, paths", IN_VIEW, 0, act_view, VIEW_ADAPTERS },
	{ { 'u' }, "u", NULL, "devices; expand to paths, partitions, layers", IN_VIEW, 0, act_view, VIEW_DEVICES },
	{ { 'm' }, "m", NULL, "NFS mounts and, below, flows on the wire; expand to operations", IN_VIEW, 0, act_view, VIEW_NFS },
	{ { 'i' }, "i", NULL, "iSCSI sessions, own targets; below, flows on the wire; expand", IN_VIEW, 0, act_view, VIEW_ISCSI },
	{ { 'c' }, "c", NULL, "CPU", IN_VIEW, 0, act_view, VIEW_CPU },
	{ { 'n' }, "n", "next match", "the next row that matches the search", IN_SEARCH, 3, act_find_next, 0 },
	{ { 'n' }, "n", NULL, "network interfaces", IN_VIEW, 0, act_view, VIEW_NETWORK },
	{ { INPUT_TAB }, "Tab", NULL, "the next screen", IN_VIEW, 0, act_cycle, 1 },
	{ { INPUT_BACK_TAB }, "Shift-Tab", NULL, "the screen before", IN_VIEW, 0, act_cycle, -1 },
	{ { INPUT_ENTER, 'e', '6' }, "Enter e 6", "open", "open the row on its own screen", IN_OVERVIEW, 3, act_open, 0 },
	{ { INPUT_ENTER, 'e', '6' }, "Enter e 6", "expand", "expand the row, or close it again", IN_TREE, 3,
	    act_expand, 0 },
	{ { 't' }, "t", NULL, "test: choose a workload and a target, watch it, read the result", IN_VIEW, 0, act_view,
	    VIEW_TEST },
	{ { INPUT_ENTER }, "Enter", "choose", "choose the line, or start", IN_FORM, 3, test_choose, 0 },
	{ { INPUT_ESC }, "Esc", "back", "the list before", IN_FORM_BACK, 4, test_back, 0 },
	{ { INPUT_LEFT, '<' }, "left <", "less", "less: quick, half the workers or depth", IN_FORM_START, 5, test_adjust, -1 },
	{ { INPUT_RIGHT, '>' }, "right >", "more", "more: full, twice the workers or depth", IN_FORM_START, 6, test_adjust, 1 },
	{ { INPUT_UP, 'k', '8' }, "up", NULL, "one line up", IN_FORM, 0, test_move, -1 },
	{ { INPUT_DOWN, 'j', '2' }, "down", NULL, "one line down", IN_FORM, 0, test_move, 1 },
	{ { INPUT_PAGE_UP }, "PgUp", NULL, "ten lines up", IN_FORM, 0, test_move, -10 },
	{ { INPUT_PAGE_DOWN }, "PgDn", NULL, "ten lines down", IN_FORM, 0, test_move, 10 },
	{ { INPUT_HOME }, "Home", NULL, "the first line", IN_FORM, 0, test_move, -INT_MAX },
	{ { INPUT_END }, "End", NULL, "the last line", IN_FORM, 0, test_move, INT_MAX },
	{ { 'x' }, "x", "stop", "stop the test; what was measured so far is its result", IN_RUNNING, 3, test_stop_key, 0 },
	{ { INPUT_ENTER }, "Enter", "details", "latencies of reads and of writes, the target, the job", IN_SUMMARY, 4, test_details, 0 },
	{ { INPUT_ENTER, INPUT_ESC }, "Enter Esc", "close", "back to the test", IN_DETAILS, 4, test_details, 0 },
	{ { '=' }, "=", "compare", "earlier runs of the same workload, best first", IN_RESULT, 3, test_compare, 0 },
	{ { INPUT_ESC }, "Esc", "another test", "leave the result and choose another test", IN_RESULT, 5, test_another, 0 },
	{ { INPUT_UP, 'k', '8' }, "up", NULL, "scroll", IN_SCROLL, 0, test_scroll, -1 },
	{ { INPUT_DOWN, 'j', '2' }, "down", "scroll", "scroll", IN_SCROLL, 6, test_scroll, 1 },
	{ { INPUT_PAGE_UP }, "PgUp", NULL, "a page up", IN_SCROLL, 0, test_scroll_page, -1 },
	{ { INPUT_PAGE_DOWN }, "PgDn", NULL, "a page down", IN_SCROLL, 0, test_scroll_page, 1 },
	{ { INPUT_UP, 'k', '8' }, "up k 8", NULL, "one row up", IN_TABLE, 0, act_move, -1 },
	{ { INPUT_DOWN, 'j', '2' }, "down j 2", NULL, "one row down", IN_TABLE, 0, act_move, 1 },
	{ { INPUT_PAGE_UP }, "PgUp", NULL, "a page up", IN_TABLE, 0, act_page, -1 },
	{ { INPUT_PAGE_DOWN }, "PgDn", NULL, "a page down", IN_TABLE, 0, act_page, 1 },
	{ { INPUT_HOME }, "Home", NULL, "the first row, and follow whichever comes first", IN_TABLE, 0, act_home, 0 },
	{ { INPUT_END }, "End", NULL, "the last row", IN_TABLE, 0, act_home, 1 },
	{ { '/' }, "/", "search", "search a name, model or mount point", IN_TABLE, 8, act_prompt, PROMPT_SEARCH },
	{ { '\\' }, "\\", "filter", "show only rows that match a regular expression", IN_TABLE, 6, act_prompt, PROMPT_FILTER },
	{ { INPUT_ESC }, "Esc", "end", "end the search, then the filter", IN_LIMIT, 4, act_end_limit, 0 },
	{ { '<' }, "<", NULL, "sort by the column to the left", IN_TABLE, 0, act_sort_next, -1 },
	{ { '>' }, ">", "sort", "sort by the column to the right", IN_TABLE, 7, act_sort_next, 1 },
	{ { 'I' }, "I", NULL, "sort the other way round", IN_TABLE, 0, act_reverse, 0 },
	{ { 'N' }, "N", NULL, "sort by name", IN_TABLE, 0, act_sort_name, 0 },
	{ { 'L' }, "L", "by latency", "sort by latency, what stands still first", IN_LATENCY, 12, act_sort_latency, 0 },
	{ { 'f', 'F' }, "f", "fields", "choose the columns and their order", IN_TABLE, 9, act_overlay, OVERLAY_FIELDS },
	{ { 'g' }, "g", "graph", "graph of the selected row over the last minutes; again: its latencies, counted one by one", IN_GRAPH, 5, act_graph, 0 },
	{ { 'G' }, "G", NULL, "draw charts in braille, blocks or ASCII", IN_VIEW, 0, act_charts, 0 },
	{ { 'K' }, "K", "names", "names: the kernel's, mapper and mount point, WWN", IN_TABLE, 13, act_names, 0 },
	{ { 'a' }, "a", "all", "show hidden devices too: empty loop, ram, zram, and rows taken away", IN_TABLE, 11, act_all, 0 },
	{ { '4' }, "4", NULL, "take the row away", IN_TABLE, 0, act_take_away, 0 },
	{ { '#' }, "#", NULL, "limit the number of rows", IN_TABLE, 0, act_prompt, PROMPT_ROWS },
	{ { 'C' }, "C", "capture", "watch the packets of a network interface", IN_WIRE, 14, act_prompt, PROMPT_CAPTURE },
	{ { 's' }, "s", "interval", "set the interval", IN_VIEW, 4, act_prompt, PROMPT_INTERVAL },
	{ { ' ' }, "Space", NULL, "measure now", IN_VIEW, 0, act_refresh, 0 },
	{ { 'z' }, "z", "pause", "hold the screen; measuring and recording go on", IN_VIEW, 10, act_pause, 0 },
	{ { 'W' }, "W", NULL, "write the configuration: fields, sorting, interval, screen, names", IN_VIEW, 0, act_save, 0 },
	{ { INPUT_CTRL('L') }, "^L", NULL, "draw the screen anew", IN_VIEW | OVER, 0, act_redraw, 0 },

	{ { INPUT_ESC, 'h', '?', INPUT_F1, INPUT_ENTER }, "Esc h", "close", "close", IN_HELP, 2, act_close, 0 },
	{ { INPUT_DOWN, 'j', '2' }, "down", "scroll", "scroll", IN_HELP, 3, act_help_move, 1 },
	{ { INPUT_UP, 'k', '8' }, "up", NULL, "scroll", IN_HELP, 0, act_help_move, -1 },
	{ { INPUT_PAGE_DOWN, ' ' }, "PgDn", NULL, "a page down", IN_HELP, 0, act_help_page, 1 },
	{ { INPUT_PAGE_UP }, "PgUp", NULL, "a page up", IN_HELP, 0, act_help_page, -1 },
	{ { INPUT_HOME }, "Home", NULL, "the beginning", IN_HELP, 0, act_help_home, 0 },
	{ { INPUT_END }, "End", NULL, "the end", IN_HELP, 0, act_help_home, 1 },
	{ { '/' }, "/", "search", "search in the help", IN_HELP, 4, act_prompt, PROMPT_HELP_SEARCH },
	{ { 'n' }, "n", "next match", "the next line that matches", IN_HELP_SEARCH, 5, act_prompt, PROMPT_NONE },

	{ { INPUT_ESC, 'f', 'F', INPUT_ENTER }, "Esc f", "close", "close", IN_FIELDS, 2, act_close, 0 },
	{ { INPUT_UP, 'k', '8' }, "up", NULL, "one column up", IN_FIELDS, 0, chooser_move, -1 },
	{ { INPUT_DOWN, 'j', '2' }, "down", NULL, "one column down", IN_FIELDS, 0, chooser_move, 1 },
	{ { INPUT_HOME, INPUT_PAGE_UP }, "Home", NULL, "the first column", IN_FIELDS, 0, chooser_move, -1000 },
	{ { INPUT_END, INPUT_PAGE_DOWN }, "End", NULL, "the last column", IN_FIELDS, 0, chooser_move, 1000 },
	{ { ' ' }, "Space", "on or off", "show or hide the column", IN_FIELDS, 3, chooser_toggle, 0 },
	{ { INPUT_LEFT, '<' }, "left <", "earlier", "move it one place to the left", IN_FIELDS, 4, chooser_shift, -1 },
	{ { INPUT_RIGHT, '>' }, "right >", "later", "move it one place to the right", IN_FIELDS, 5, chooser_shift, 1 },
	{ { '=' }, "=", "default", "the default choice again", IN_FIELDS, 6, chooser_reset, 0 },

	{ { INPUT_ENTER }, "Enter", "take it", "take what was typed", IN_PROMPT, 1, act_nothing, 0 },
	{ { INPUT_ESC }, "Esc", "leave it", "leave everything as it was", IN_PROMPT, 2, act_nothing, 0 },
	{ { INPUT_CTRL('U') }, "^U", "clear", "clear the line", IN_PROMPT, 3, act_nothing, 0 },
	{ { 0 }, NULL, NULL, NULL, 0, 0, NULL, 0 },
};

unsigned
keys_where(struct screen *s)
{
	struct table *t = screen_table(s);
	const struct view *v = t->view;
	unsigned where = IN_VIEW;

	if (s->prompt != PROMPT_NONE)
		return IN_PROMPT;
	if (s->overlay == OVERLAY_HELP)
		return IN_HELP | (s->help_search[0] != '\0' ? IN_HELP_SEARCH : 0);
	if (s->overlay == OVERLAY_FIELDS)
		return IN_FIELDS;
	if (v == &view_test)
		return where | test_page_where(s);
	where |= IN_TABLE;
	if (view_below(view_tab(s->view)) < VIEW_COUNT)
		where |= IN_WIRE;
	if (v->tree != TREE_NONE)
		where |= IN_TREE;
	else if (v == &view_overview)
		where |= IN_OVERVIEW;
	if (panels_for(v->kind))
		where |= IN_GRAPH;
	if (kind_column_flagged(v->kind, COLUMN_GAVG) >= 0)
		where |= IN_LATENCY;
	if (t->search != NULL)
		where |= IN_SEARCH;
	if (t->search != NULL || t->filter_text != NULL)
		where |= IN_LIMIT;
	return where;
}

const struct key *
keys_find(struct screen *s, uint32_t code)
{
	unsigned where = keys_where(s);

	for (const struct key *k = key_table; k->action != NULL; k++) {
		if (!(k->where & where))
			continue;
		for (size_t i = 0; i < KEY_CODES && k->codes[i] != 0; i++)
			if (k->codes[i] == code)
				return k;
	}
	return NULL;
}
