#include "core/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"

struct snapshot *
snapshot_new(const struct stamp *stamp)
{
	struct snapshot *s = xcalloc(1, sizeof(*s));

	s->stamp = *stamp;
	return s;
}

static void
table_free(struct snapshot_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		object_unref(t->objects[i]);
	if (t->hists != NULL)
		for (size_t i = 0; i < t->n * t->kind->n_metrics; i++)
			hist_free(t->hists[i]);
	free(t->hists);
	free(t->objects);
	free(t->cells);
	free(t);
}

void
snapshot_free(struct snapshot *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n_tables; i++)
		table_free(s->tables[i]);
	free(s->tables);
	free(s);
}

static struct snapshot_table *
find_table(const struct snapshot *s, const struct kind *kind)
{
	for (size_t i = 0; i < s->n_tables; i++)
		if (s->tables[i]->kind == kind)
			return s->tables[i];
	return NULL;
}

struct snapshot_table *
snapshot_table(struct snapshot *s, const struct kind *kind)
{
	struct snapshot_table *t = find_table(s, kind);

	if (t != NULL)
		return t;
	t = xcalloc(1, sizeof(*t));
	t->kind = kind;
	s->tables = xreallocarray(s->tables, s->n_tables + 1, sizeof(struct snapshot_table *));
	s->tables[s->n_tables++] = t;
	return t;
}

const struct snapshot_table *
snapshot_find(const struct snapshot *s, const struct kind *kind)
{
	return find_table(s, kind);
}

void
snapshot_drop(struct snapshot *s, const struct kind *kind)
{
	for (size_t i = 0; i < s->n_tables; i++) {
		if (s->tables[i]->kind != kind)
			continue;
		table_free(s->tables[i]);
		s->tables[i] = s->tables[--s->n_tables];
		return;
	}
}

static void
grow(struct snapshot_table *t)
{
	size_t metrics = t->kind->n_metrics;
	size_t cap = t->cap > 0 ? t->cap * 2 : 32;

	t->objects = xreallocarray(t->objects, cap, sizeof(struct object *));
	if (metrics > 0)
		t->cells = xreallocarray(t->cells, cap, metrics * sizeof(*t->cells));
	if (kind_has_histograms(t->kind))
		t->hists = xreallocarray(t->hists, cap, metrics * sizeof(struct hist *));
	t->cap = cap;
}

uint64_t *
snapshot_add(struct snapshot_table *t, struct object *object)
{
	size_t metrics = t->kind->n_metrics;

	if (t->n == t->cap)
		grow(t);
	t->objects[t->n] = object_ref(object);
	for (size_t i = 0; i < metrics; i++)
		t->cells[t->n * metrics + i] = ABSENT;
	for (size_t i = 0; i < metrics && t->hists != NULL; i++)
		t->hists[t->n * metrics + i] = NULL;
	t->n++;
	return snapshot_last(t);
}

uint64_t *
snapshot_last(struct snapshot_table *t)
{
	return t->cells != NULL ? &t->cells[(t->n - 1) * t->kind->n_metrics] : NULL;
}

void
snapshot_hist(struct snapshot_table *t, int metric, struct hist *hist)
{
	struct hist **place = &t->hists[(t->n - 1) * t->kind->n_metrics + (size_t)metric];

	hist_free(*place);
	*place = hist;
}
