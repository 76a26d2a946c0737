/*
 * A table on the screen: which rows of an interval it shows and in which order (tree, sorting, filter,
 * selection, scrolling). Drawing is table_draw.c. The same code makes the plain table. Main thread.
 */
#ifndef VIEWS_TABLE_H
#define VIEWS_TABLE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/interval.h"
#include "session/history.h"
#include "session/verdict.h"
#include "views/chart.h"
#include "views/fields.h"
#include "views/keyset.h"
#include "views/surface.h"
#include "views/view.h"
#include "views/zones.h"

#define SORT_NAME (-1)

/* One line: valid until the next table_build(), as long as its interval. */
struct line {
	uint64_t key;		/* of the object at this place in the tree; the same in the next interval */
	const struct row *row;
	int depth;
	bool parent, open;	/* has children; they are shown */
	double rank;		/* what it is sorted by */
	const char *name;	/* display name */
};

/* Where the columns of the view's kind are in another kind (partitions among devices). */
struct column_map {
	const struct kind *kind;
	int *columns;		/* by column of the view's kind; -1: it has none */
};
#define TABLE_MAPS 4

struct table {
	const struct view *view;
	struct column_map maps[TABLE_MAPS];
	struct fields fields;
	int sort;		/* column of the kind, or SORT_NAME */
	bool reverse;
	bool in_file;		/* the configuration has a section for it */
	bool all;		/* hidden objects too, and those taken away */
	enum naming naming;
	size_t limit;		/* lines at most; 0: no limit */
	char *filter_text;	/* NULL: none */
	regex_t filter;
	char *search;		/* NULL: none */
	struct keyset open, away;	/* by line key */

	const struct interval *interval;	/* of the last build */
	size_t n, cap;
	struct line *lines;
	size_t selected;	/* index of the selected line */
	uint64_t selected_key;	/* it stays with this line; 0: with the place at the top */
	size_t top;		/* first line on the screen */
	size_t page;		/* lines on the screen, as drawn last */
	bool trees;		/* some line has children */
	int name_columns;	/* as wide as any name was; starts again with another size */
	int what_columns;
	size_t n_columns;	/* columns drawn last, in order; set by table_layout() */
	int *columns;
};

void table_init(struct table *, const struct view *);
void table_clear(struct table *);

/* The key of an object below the line of key `above`; 0: at the top level. */
uint64_t table_line_key(uint64_t above, uint64_t uid);
/* Makes the lines from an interval. They point into it: the caller holds it until the next build. */
void table_build(struct table *, const struct interval *);
/* The selected row, or NULL where there is none. */
const struct row *table_selected(const struct table *);
/* Moves the selection by so many lines; it stays with the row from then on. */
void table_move(struct table *, int by);
void table_home(struct table *);
void table_end(struct table *);
void table_select(struct table *, size_t line);
/* Selects the line of that object, if there is one; true then. */
bool table_select_object(struct table *, uint64_t uid);
/* Opens or closes the selected line; false where it has no children. The caller builds again. */
bool table_toggle(struct table *);
/* Opens an object that stands at the top level. */
void table_open_object(struct table *, uint64_t uid);
/* Takes the selected line away, until `all`. */
void table_take_away(struct table *);

/* The column of another kind that stands for this one, or -1. */
int table_column_in(struct table *, const struct kind *, int column);
/* What a view is sorted by at the start. */
int table_sort_first(const struct view *);
/* By this column, largest first; names smallest first. */
void table_sort(struct table *, int column);
/* The drawn column to the left (-1) or right (1) of the one sorted by. */
void table_sort_next(struct table *, int by);
/* "cmds_s", "name reverse"; false where it is not understood. */
bool table_sort_parse(struct table *, const char *text);
char *table_sort_format(const struct table *);	/* malloc'd */

/* NULL or "" ends it. 0, or -EINVAL with the reason in why. */
int table_filter(struct table *, const char *regex, char *why, size_t size);
/* NULL or "" ends it. */
void table_search(struct table *, const char *text);
/* Selects the next line that matches, from the selected one on (`again`: behind it); false: there is none. */
bool table_find(struct table *, bool again);

/* What the cells need beside the interval. */
struct table_draw {
	const struct verdicts *verdicts;	/* NULL: no marks */
	const struct history *history;		/* NULL: no sparklines */
	enum charset charset;
	double interval_s;	/* for the title of the sparklines */
	bool cursor;		/* shows the selection */
	struct zones *zones;	/* takes what can be clicked; NULL: nothing */
};

/* Where everything stands in a line of so many columns. */
struct layout {
	int name_x, name_width;
	int what_x, what_width;		/* width 0: not drawn */
	int spark_x, spark_width;	/* likewise */
	size_t n;
	struct place {
		int column, x, width;
	} *places;
};

/* Chooses what fits: the columns of lowest priority go first, the name and the column sorted by never. */
void table_layout(struct table *, int columns, bool spark, struct layout *);
void layout_clear(struct layout *);

/* Title and rows, from line y on, at most `rows` lines high. Returns the lines used. */
int table_draw(struct table *, struct surface *, int y, int rows, const struct table_draw *);

#endif
