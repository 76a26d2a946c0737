#include "out/choice.h"

#include <stdlib.h>

#include "core/xalloc.h"

bool
choice_wants(const struct out_options *o, const struct kind *kind)
{
	if (o->kinds == NULL)
		return !kind->detail;
	for (size_t i = 0; i < o->n_kinds; i++)
		if (o->kinds[i] == kind)
			return true;
	return false;
}

const char *
choice_label(const struct out_options *o, const struct object *object)
{
	return object_display_name(object, o->naming == NAMING_KERNEL ? NAMING_MAPPER : o->naming);
}

static bool
matches(const regex_t *filter, const char *text)
{
	return text != NULL && regexec(filter, text, 0, NULL, 0) == 0;
}

static bool
chosen(const struct out_options *o, const struct object *object, const char *parent)
{
	if (object->hidden && !o->all)
		return false;
	return o->filter == NULL || matches(o->filter, object->name) ||
	    matches(o->filter, object_display_name(object, NAMING_MAPPER)) ||
	    matches(o->filter, object_display_name(object, NAMING_WWN)) ||
	    matches(o->filter, object_text(object, LABEL_MOUNT)) || matches(o->filter, parent);
}

/* Objects of totals are made anew for each interval. */
static bool
row_same(const struct object *a, const struct object *b)
{
	return a == b || (a->uid == b->uid && object_same(a, b));
}

static bool
table_same(const struct choice_table *r, const struct interval_table *t)
{
	if (r->kind != t->kind || r->n != t->n)
		return false;
	for (size_t i = 0; i < t->n; i++)
		if (!row_same(r->rows[i].object, t->rows[i].object))
			return false;
	return true;
}

static bool
same(const struct choice *r, const struct interval *interval)
{
	if (r->n != interval->n_tables)
		return false;
	for (size_t i = 0; i < r->n; i++)
		if (!table_same(&r->tables[i], &interval->tables[i]))
			return false;
	return true;
}

static void
fill(struct choice *r, const struct out_options *o, const struct interval *interval)
{
	r->n = interval->n_tables;
	r->tables = xcalloc(r->n, sizeof(*r->tables));
	for (size_t i = 0; i < r->n; i++) {
		const struct interval_table *from = &interval->tables[i];
		struct choice_table *to = &r->tables[i];

		to->kind = from->kind;
		to->wanted = choice_wants(o, from->kind);
		to->n = from->n;
		to->rows = xcalloc(from->n, sizeof(*to->rows));
		for (size_t k = 0; k < from->n; k++)
			to->rows[k].object = object_ref(from->rows[k].object);
	}
}

static void
map_places(struct choice *r)
{
	size_t total = 0, at = 0;

	for (size_t i = 0; i < r->n; i++)
		total += r->tables[i].n;
	r->places = xcalloc(total, sizeof(*r->places));
	uidmap_init(&r->map, total);
	for (size_t i = 0; i < r->n; i++) {
		for (size_t k = 0; k < r->tables[i].n; k++) {
			r->places[at] = (struct choice_place) { i, k };
			uidmap_put(&r->map, r->tables[i].rows[k].object->uid, at++);
		}
	}
}

const struct choice_place *
choice_find(const struct choice *r, uint64_t uid)
{
	size_t at = uid != 0 ? uidmap_get(&r->map, uid) : SIZE_MAX;

	return at != SIZE_MAX ? &r->places[at] : NULL;
}

static void
choose(struct choice *r, const struct out_options *o)
{
	for (size_t i = 0; i < r->n; i++) {
		struct choice_table *t = &r->tables[i];

		for (size_t k = 0; t->wanted && k < t->n; k++) {
			struct choice_row *row = &t->rows[k];
			const struct choice_place *up = choice_find(r, row->object->parent);

			if (up == NULL)
				up = choice_find(r, row->object->counts_in);
			if (up != NULL)
				row->parent = r->tables[up->table].rows[up->row].object->name;
			row->chosen = chosen(o, row->object, row->parent);
		}
	}
}

bool
choice_follow(struct choice *r, const struct out_options *o, const struct interval *interval)
{
	if (same(r, interval))
		return false;
	choice_free(r);
	fill(r, o, interval);
	map_places(r);
	choose(r, o);
	return true;
}

void
choice_free(struct choice *r)
{
	for (size_t i = 0; i < r->n; i++) {
		for (size_t k = 0; k < r->tables[i].n; k++)
			object_unref(r->tables[i].rows[k].object);
		free(r->tables[i].rows);
	}
	free(r->tables);
	free(r->places);
	uidmap_clear(&r->map);
	*r = (struct choice) { 0 };
}
