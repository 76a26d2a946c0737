#include "core/interval.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"

const char *const event_name[EVENT_COUNT] = {
	[EVENT_BIRTH] = "birth",
	[EVENT_DEATH] = "death",
	[EVENT_RESET] = "reset",
	[EVENT_GAP] = "gap",
	[EVENT_STALL] = "stall",
	[EVENT_RESUME] = "resume",
	[EVENT_DROP] = "drop",
	[EVENT_TEST] = "test",
};

struct interval *
interval_new(const struct stamp *end, uint64_t ns)
{
	struct interval *v = xcalloc(1, sizeof(*v));

	atomic_init(&v->refs, 1);
	v->end = *end;
	v->ns = ns;
	return v;
}

/* Place of a kind in the order of tables; unknown kinds (of tests) come last. */
static size_t
kind_place(const struct kind *kind)
{
	size_t i = 0;

	while (kind_table[i] != NULL && kind_table[i] != kind)
		i++;
	return i;
}

static struct interval_table *
insert_table(struct interval *v, const struct kind *kind)
{
	size_t at = v->n_tables, place = kind_place(kind);

	v->tables = xreallocarray(v->tables, v->n_tables + 1, sizeof(*v->tables));
	while (at > 0 && kind_place(v->tables[at - 1].kind) > place)
		at--;
	memmove(v->tables + at + 1, v->tables + at, (v->n_tables - at) * sizeof(*v->tables));
	v->n_tables++;
	return &v->tables[at];
}

struct interval_table *
interval_make_table(struct interval *v, const struct kind *kind, size_t rows, uint64_t ns)
{
	struct interval_table *t = insert_table(v, kind);
	size_t cells = rows * kind->n_metrics;

	*t = (struct interval_table){ .kind = kind, .ns = ns, .n = rows };
	t->rows = xcalloc(rows, sizeof(*t->rows));
	t->cells = xreallocarray(NULL, cells, sizeof(*t->cells));
	for (size_t i = 0; i < cells; i++)
		t->cells[i] = NAN;
	if (kind_has_histograms(kind))
		t->hists = xcalloc(cells, sizeof(*t->hists));
	for (size_t i = 0; i < rows; i++) {
		t->rows[i].ns = ns;
		t->rows[i].cells = t->cells + i * kind->n_metrics;
		t->rows[i].hists = t->hists != NULL ? t->hists + i * kind->n_metrics : NULL;
	}
	return t;
}

struct interval *
interval_ref(struct interval *v)
{
	atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
	return v;
}

static void
table_clear(struct interval_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		object_unref(t->rows[i].object);
	for (size_t i = 0; t->hists != NULL && i < t->n * t->kind->n_metrics; i++)
		hist_free(t->hists[i]);
	free(t->hists);
	free(t->cells);
	free(t->rows);
}

void
interval_unref(struct interval *v)
{
	if (v == NULL || atomic_fetch_sub_explicit(&v->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (size_t i = 0; i < v->n_tables; i++)
		table_clear(&v->tables[i]);
	for (size_t i = 0; i < v->n_events; i++) {
		object_unref(v->events[i].object);
		free(v->events[i].text);
	}
	free(v->tables);
	free(v->events);
	free(v);
}

const struct interval_table *
interval_table(const struct interval *v, const struct kind *kind)
{
	for (size_t i = 0; i < v->n_tables; i++)
		if (v->tables[i].kind == kind)
			return &v->tables[i];
	return NULL;
}

const struct row *
interval_row(const struct interval *v, const struct kind *kind, uint64_t uid)
{
	const struct interval_table *t = interval_table(v, kind);

	for (size_t i = 0; t != NULL && i < t->n; i++)
		if (t->rows[i].object->uid == uid)
			return &t->rows[i];
	return NULL;
}

void
interval_event(struct interval *v, enum event_type type, struct object *object, const char *format, ...)
{
	struct event *e;
	va_list ap;

	v->events = xreallocarray(v->events, v->n_events + 1, sizeof(*v->events));
	e = &v->events[v->n_events++];
	e->type = type;
	e->object = object != NULL ? object_ref(object) : NULL;
	va_start(ap, format);
	if (vasprintf(&e->text, format, ap) < 0)
		e->text = xstrdup(event_name[type]);
	va_end(ap);
}
