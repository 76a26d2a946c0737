#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/column.h"
#include "core/xalloc.h"
#include "views/table.h"

#define DEPTH_MAX 8

/* A row below another object. */
struct link {
	uint64_t above;
	const struct row *row;
};

struct builder {
	struct table *t;
	const struct interval *interval;
	size_t n, cap;
	struct link *links;	/* sorted by `above` */
};

static void
add_link(struct builder *b, uint64_t above, const struct row *row)
{
	if (above == 0)
		return;
	if (b->n == b->cap) {
		b->cap = b->cap > 0 ? b->cap * 2 : 64;
		b->links = xreallocarray(b->links, b->cap, sizeof(*b->links));
	}
	b->links[b->n++] = (struct link) { above, row };
}

static int
by_above(const void *pa, const void *pb)
{
	const struct link *a = pa, *b = pb;

	return a->above < b->above ? -1 : a->above > b->above;
}

/* The row that the label `session` names, or 0. */
static uint64_t
session_of(const struct builder *b, const struct object *o)
{
	const struct interval_table *t = interval_table(b->interval, b->t->view->kind);
	const char *name = object_text(o, LABEL_SESSION);

	for (size_t i = 0; name != NULL && t != NULL && i < t->n; i++)
		if (strcmp(t->rows[i].object->name, name) == 0)
			return t->rows[i].object->uid;
	return 0;
}

/* Only what does I/O of its own hangs in a tree: an adapter's port has no such columns. */
static void
collect_links(struct builder *b)
{
	for (size_t i = 0; i < b->interval->n_tables; i++) {
		const struct interval_table *table = &b->interval->tables[i];

		if (table->kind->completed == 0 || table->kind->rollup != NULL)
			continue;
		for (size_t k = 0; k < table->n; k++) {
			const struct row *row = &table->rows[k];

			add_link(b, row->object->parent, row);
			if (b->t->view->tree == TREE_ADAPTERS)
				add_link(b, row->object->counts_in, row);
			else if (b->t->view->tree == TREE_SESSIONS)
				add_link(b, session_of(b, row->object), row);
		}
	}
	if (b->n > 1)
		qsort(b->links, b->n, sizeof(*b->links), by_above);
}

static const struct link *
first_child(const struct builder *b, uint64_t uid)
{
	size_t low = 0, high = b->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (b->links[middle].above < uid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < b->n && b->links[low].above == uid ? &b->links[low] : NULL;
}

static const struct link *
next_child(const struct builder *b, const struct link *link)
{
	const struct link *next = link + 1;

	return next < b->links + b->n && next->above == link->above ? next : NULL;
}

static bool
shown(const struct builder *b, const struct object *o)
{
	return b->t->all || !o->hidden;
}

static bool
has_children(const struct builder *b, const struct object *o)
{
	for (const struct link *l = first_child(b, o->uid); l != NULL; l = next_child(b, l))
		if (shown(b, l->row->object))
			return true;
	return false;
}

static bool
matches(const struct builder *b, const struct object *o)
{
	const struct table *t = b->t;
	char what[512];

	if (t->filter_text == NULL)
		return true;
	view_what(t->view, o, "", NULL, what, sizeof(what));
	return regexec(&t->filter, o->name, 0, NULL, 0) == 0 || regexec(&t->filter, what, 0, NULL, 0) == 0 ||
	    regexec(&t->filter, object_display_name(o, t->naming), 0, NULL, 0) == 0;
}

static bool
child_matches(const struct builder *b, const struct object *o, int depth)
{
	for (const struct link *l = first_child(b, o->uid); l != NULL && depth < DEPTH_MAX; l = next_child(b, l))
		if (shown(b, l->row->object) &&
		    (matches(b, l->row->object) || child_matches(b, l->row->object, depth + 1)))
			return true;
	return false;
}

static struct line
make_line(struct builder *b, uint64_t above, int depth, const struct row *row)
{
	struct table *t = b->t;
	const struct object *o = row->object;

	return (struct line) {
		.key = table_line_key(above, o->uid),
		.row = row,
		.depth = depth,
		.rank = column_at(o->kind, table_column_in(t, o->kind, t->sort), row),
		.name = object_display_name(o, t->naming),
		.parent = t->view->tree != TREE_NONE && has_children(b, o),
	};
}

static int
compare_ranks(double a, double b)
{
	if (isnan(a) || isnan(b))
		return (isnan(a) != 0) - (isnan(b) != 0);	/* unknown last, whichever way */
	return a > b ? -1 : a < b;
}

static int
compare(const void *pa, const void *pb, void *arg)
{
	const struct line *a = pa, *b = pb;
	const struct table *t = arg;
	int rc;

	if (t->sort >= 0) {
		bool latency = t->view->kind->columns[t->sort].flags & COLUMN_LATENCY;

		/* what stands still is slower than anything that completes */
		if (latency && a->row->stalled_ns != b->row->stalled_ns)
			return a->row->stalled_ns > b->row->stalled_ns ? -1 : 1;
		rc = compare_ranks(a->rank, b->rank);
		if (rc != 0)
			return t->reverse && !isnan(a->rank) && !isnan(b->rank) ? -rc : rc;
	}
	rc = strverscmp(a->name, b->name);
	if (rc == 0)
		rc = a->row->object->uid < b->row->object->uid ? -1 : a->row->object->uid > b->row->object->uid;
	return t->sort < 0 && t->reverse ? -rc : rc;
}

static void
append_line(struct table *t, const struct line *line)
{
	if (t->n == t->cap) {
		t->cap = t->cap > 0 ? t->cap * 2 : 64;
		t->lines = xreallocarray(t->lines, t->cap, sizeof(*t->lines));
	}
	t->lines[t->n++] = *line;
	t->trees = t->trees || line->parent;
}

static void emit_children(struct builder *, const struct line *, bool matched);

/* Sorts the siblings and appends them, with what is open below them. Frees the list. */
static void
emit(struct builder *b, struct line *list, size_t n, bool matched)
{
	struct table *t = b->t;

	if (n > 1)
		qsort_r(list, n, sizeof(*list), compare, t);
	for (size_t i = 0; i < n; i++) {
		bool self = matched || matches(b, list[i].row->object);

		if (list[i].depth == 0 && t->limit > 0 && i >= t->limit)
			break;
		/* kept for the sake of what is below it: that is shown */
		list[i].open = list[i].parent && list[i].depth < DEPTH_MAX &&
		    (keyset_has(&t->open, list[i].key) || !self);
		append_line(t, &list[i]);
		if (list[i].open)
			emit_children(b, &list[i], self && t->filter_text != NULL);
	}
	free(list);
}

static bool
wanted(const struct builder *b, const struct line *line, bool matched)
{
	if (!b->t->all && keyset_has(&b->t->away, line->key))
		return false;
	return matched || matches(b, line->row->object) || child_matches(b, line->row->object, 0);
}

static void
emit_children(struct builder *b, const struct line *above, bool matched)
{
	struct line *list = NULL;
	size_t n = 0;

	for (const struct link *l = first_child(b, above->row->object->uid); l != NULL; l = next_child(b, l)) {
		struct line line;

		if (!shown(b, l->row->object))
			continue;
		line = make_line(b, above->key, above->depth + 1, l->row);
		if (!wanted(b, &line, matched))
			continue;
		list = xreallocarray(list, n + 1, sizeof(*list));
		list[n++] = line;
	}
	emit(b, list, n, matched);
}

/* An adapter without anything to show is not shown either, unless it has a port that may be down. */
static bool
stands_on_top(const struct builder *b, const struct row *row)
{
	const struct view *v = b->t->view;

	if (!shown(b, row->object) || (v->top != NULL && !v->top(row->object)))
		return false;
	return v->tree != TREE_ADAPTERS || b->t->all || has_children(b, row->object) ||
	    object_text(row->object, LABEL_PORTS) != NULL;
}

/* Appends the rows of a table that stand at the top level; the list is grown to hold them. */
static void
add_top(struct builder *b, const struct interval_table *table, struct line **list, size_t *n)
{
	if (table == NULL)
		return;
	*list = xreallocarray(*list, *n + table->n, sizeof(**list));
	for (size_t i = 0; i < table->n; i++) {
		if (!stands_on_top(b, &table->rows[i]))
			continue;
		(*list)[*n] = make_line(b, 0, 0, &table->rows[i]);
		*n += wanted(b, &(*list)[*n], false);
	}
}

static void
emit_top(struct builder *b)
{
	const struct view *v = b->t->view;
	const struct interval_table *table = interval_table(b->interval, v->kind);
	struct line *list = NULL;
	size_t n = 0;

	fields_note(&b->t->fields, table);
	add_top(b, table, &list, &n);
	if (v->also != NULL)
		add_top(b, interval_table(b->interval, v->also), &list, &n);
	emit(b, list, n, false);
}

/* The selection stays with its row, and the row at its place on the screen. */
static void
follow_selection(struct table *t)
{
	size_t below_top = t->selected > t->top ? t->selected - t->top : 0;
	size_t at = t->n;

	for (size_t i = 0; i < t->n && t->selected_key != 0; i++)
		if (t->lines[i].key == t->selected_key)
			at = i;
	if (at < t->n) {
		t->selected = at;
		t->top = at > below_top ? at - below_top : 0;
		return;
	}
	if (t->selected >= t->n)
		t->selected = t->n > 0 ? t->n - 1 : 0;
	if (t->selected_key != 0 && t->n > 0)
		t->selected_key = t->lines[t->selected].key;
	else
		t->selected_key = 0;
}

void
table_build(struct table *t, const struct interval *interval)
{
	struct builder b = { .t = t, .interval = interval };

	t->interval = interval;
	t->n = 0;
	t->trees = false;
	if (t->view->tree != TREE_NONE)
		collect_links(&b);
	emit_top(&b);
	free(b.links);
	follow_selection(t);
}
