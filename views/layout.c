#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "views/table.h"
#include "views/text.h"

#define NAME_LEAST 8
#define ROOMY 80
#define WHAT_LEAST 12
#define WHAT_MOST 48
#define WHAT_PRIORITY 72
#define WHAT_BETTER 26		/* it gets this wide before the least important columns come */
#define WHAT_BETTER_PRIORITY 48
#define ALARM_PRIORITY 93	/* of a column in which something is wrong */
#define SPARK_LEAST 8
#define SPARK_MOST 30
#define SPARK_PRIORITY 58
#define MARGIN 1	/* on both sides; the right one takes the mark of the last cell */

/* What competes for room: a column, the text behind the name, or the sparkline. */
struct candidate {
	enum { WANT_COLUMN, WANT_WHAT, WANT_MORE_WHAT, WANT_SPARK } want;
	int column, width, priority;
	size_t place;		/* in the order of display */
	bool half;		/* of a pair for reads and writes: both or none */
	bool taken;
};

static int
least_of(int a, int b)
{
	return a < b ? a : b;
}

static int
title_width(const struct column *c)
{
	int title = text_columns(c->title);

	return title > c->width ? title : c->width;
}

static size_t
collect_columns(const struct table *t, struct candidate *list)
{
	const struct fields *f = &t->fields;
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct column *c = &f->kind->columns[f->order[i]];

		if (!fields_drawn(f, f->order[i]))
			continue;
		list[n] = (struct candidate) { WANT_COLUMN, f->order[i], title_width(c), c->priority, n,
			(c->flags & (COLUMN_READ | COLUMN_WRITE)) && !(c->flags & COLUMN_EXTRA), false };
		if (f->order[i] == t->sort || c->priority == 0)
			list[n].priority = INT_MAX;
		else if (f->alarmed[f->order[i]])
			list[n].priority = ALARM_PRIORITY;
		n++;
	}
	return n;
}

/* What stands beside the columns. The text behind the name comes in two helpings. */
static size_t
collect_others(const struct table *t, bool spark, struct candidate *list, size_t n)
{
	int least = least_of(t->what_columns, WHAT_LEAST), better = least_of(t->what_columns, WHAT_BETTER);

	if (t->view->what != NULL && least > 0) {
		list[n] = (struct candidate) { WANT_WHAT, -1, least + 1, WHAT_PRIORITY, n, false, false };
		n++;
	}
	if (t->view->what != NULL && better > least) {
		list[n] = (struct candidate) { WANT_MORE_WHAT, -1, better - least - 1, WHAT_BETTER_PRIORITY, n, false, false };
		n++;
	}
	if (spark) {
		list[n] = (struct candidate) { WANT_SPARK, -1, SPARK_LEAST + 1, SPARK_PRIORITY, n, false, false };
		n++;
	}
	return n;
}

static int
by_priority(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;

	if (a->priority != b->priority)
		return a->priority > b->priority ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static int
by_place(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;

	return a->place < b->place ? -1 : a->place > b->place;
}

/* Takes what fits into `room`, most important first; returns the room that is left. */
static int
take(struct candidate *list, size_t n, int room)
{
	bool what = false;

	for (size_t i = 0; i < n; i++) {
		size_t last = i;
		int need = list[i].width + 1;

		/* the second helping, being smaller, may fit where the first did not */
		if (list[i].want == WANT_MORE_WHAT && !what)
			continue;
		while (list[i].half && last + 1 < n && list[last + 1].half && list[last + 1].priority == list[i].priority) {
			last++;
			need += list[last].width + 1;
		}
		for (size_t k = i; k <= last && need <= room; k++)
			list[k].taken = true;
		what = what || (list[i].want == WANT_WHAT && list[i].taken);
		room -= need <= room ? need : 0;
		i = last;
	}
	return room;
}

/* Gives `width` up to `most`, out of the room that is left. */
static void
grow(int *width, int most, int *room)
{
	int more = least_of(most - *width, *room);

	if (more > 0) {
		*width += more;
		*room -= more;
	}
}

static void
place_all(struct layout *l, const struct candidate *list, size_t n)
{
	int x = l->name_x + l->name_width;

	if (l->what_width > 0) {
		l->what_x = x + 2;
		x = l->what_x + l->what_width;
	}
	for (size_t i = 0; i < n; i++) {
		if (!list[i].taken || list[i].want != WANT_COLUMN)
			continue;
		l->places[l->n++] = (struct place) { list[i].column, x + 1, list[i].width };
		x += 1 + list[i].width;
	}
	l->spark_x = x + 2;
}

static void
note_columns(struct table *t, const struct layout *l)
{
	t->columns = xreallocarray(t->columns, l->n, sizeof(*t->columns));
	t->n_columns = l->n;
	for (size_t i = 0; i < l->n; i++)
		t->columns[i] = l->places[i].column;
}

void
table_layout(struct table *t, int columns, bool spark, struct layout *l)
{
	struct candidate *list = xcalloc(t->fields.n + 3, sizeof(*list));
	size_t n = collect_others(t, spark, list, collect_columns(t, list));
	int name = t->name_columns > NAME_LEAST ? t->name_columns : NAME_LEAST;
	/* Mounts, sessions and flows have long names, and no text behind them. */
	int share = t->view->what == NULL && columns >= ROOMY ? columns * 2 / 5 : columns / 4;
	int room;

	*l = (struct layout) { .name_x = MARGIN, .name_width = least_of(name, share > NAME_LEAST ? share : NAME_LEAST) };
	l->places = xcalloc(n, sizeof(*l->places));
	room = columns - 2 * MARGIN - l->name_width;
	qsort(list, n, sizeof(*list), by_priority);
	room = take(list, n, room);
	for (size_t i = 0; i < n; i++) {
		if (list[i].taken && list[i].want == WANT_WHAT)
			l->what_width += list[i].width - 1;
		if (list[i].taken && list[i].want == WANT_MORE_WHAT)
			l->what_width += list[i].width + 1;
		if (list[i].taken && list[i].want == WANT_SPARK)
			l->spark_width = list[i].width - 1;
	}
	grow(&l->name_width, name, &room);
	if (l->what_width > 0)
		grow(&l->what_width, least_of(t->what_columns, WHAT_MOST), &room);
	if (l->spark_width > 0)
		grow(&l->spark_width, SPARK_MOST, &room);
	qsort(list, n, sizeof(*list), by_place);
	place_all(l, list, n);
	note_columns(t, l);
	free(list);
}

void
layout_clear(struct layout *l)
{
	free(l->places);
}
