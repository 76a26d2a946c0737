/*
 * interval_rollup(): what is computed from the leaves, live and replayed alike, and never stored.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/interval.h"
#include "core/nfs.h"
#include "core/stack.h"
#include "core/uidmap.h"
#include "core/xalloc.h"

struct sum {
	struct interval_table *into;
	struct uidmap rows;	/* uid of the roll-up to its row */
	bool *touched;		/* cells that a member has given something */
};

/* Totals have one object each, with a uid of their own that never changes. */
static uint64_t
total_uid(const struct kind *kind)
{
	size_t place = 0;

	while (kind_table[place] != NULL && kind_table[place] != kind)
		place++;
	return UINT64_MAX - place;
}

static bool
is_member(const struct rollup_term *term, const struct object *o)
{
	if (term->by == ROLLUP_IN_TOTAL)
		return o->role == ROLE_BASE || o->role == ROLE_HEAD;
	return true;
}

/* Which number of a member goes into which of its roll-up; made once for all members. */
struct route {
	size_t n;
	struct step {
		uint8_t from, to;
		bool gauge;
	} steps[KIND_MAX_METRICS];
};

static void
add_cells(struct sum *s, size_t row, const struct route *route, const double *cells)
{
	double *into = s->into->rows[row].cells;
	bool *touched = s->touched + row * s->into->kind->n_metrics;

	for (size_t i = 0; i < route->n; i++) {
		const struct step *step = &route->steps[i];
		double value = cells[step->from];

		/* A member that was gone at the end has no gauge; a counter not known makes the sum unknown. */
		if (step->gauge && isnan(value))
			continue;
		into[step->to] = touched[step->to] ? into[step->to] + value : value;
		touched[step->to] = true;
	}
}

static void
add_hist(struct sum *s, size_t row, size_t metric, const struct hist *from)
{
	struct hist **into = &s->into->rows[row].hists[metric];

	if (*into == NULL)
		*into = hist_new(s->into->kind->metrics[metric].hist_bits);
	hist_add(*into, from);
}

static int
same_metric(const struct kind *rollup, const struct kind *leaf, size_t m)
{
	const char *key = leaf->metrics[m].key;

	/* Mostly the same place and, since the kinds share their rows of the catalogue, the same literal. */
	if (m < rollup->n_metrics && (rollup->metrics[m].key == key || strcmp(rollup->metrics[m].key, key) == 0))
		return (int)m;
	return kind_metric(rollup, key);
}

static void
make_route(struct route *route, const struct kind *rollup, const struct kind *leaf)
{
	route->n = 0;
	for (size_t m = 0; m < leaf->n_metrics; m++) {
		enum metric_nature nature = leaf->metrics[m].nature;
		int to = same_metric(rollup, leaf, m);

		if (to >= 0 && nature != METRIC_HIST)
			route->steps[route->n++] = (struct step){ (uint8_t)m, (uint8_t)to, nature == METRIC_GAUGE };
	}
}

static void
add_hists(struct sum *s, size_t row, const struct row *from)
{
	const struct kind *kind = from->object->kind;

	for (size_t m = 0; m < kind->n_metrics; m++) {
		int to = from->hists[m] != NULL ? same_metric(s->into->kind, kind, m) : -1;

		if (to >= 0)
			add_hist(s, row, (size_t)to, from->hists[m]);
	}
}

/* Such roll-ups are few: a host has hardly more than some dozen iSCSI sessions. */
static size_t
row_by_label(const struct sum *s, const struct object *member, enum label_id label)
{
	const char *name = object_text(member, label);

	for (size_t i = 0; name != NULL && i < s->into->n; i++)
		if (strcmp(s->into->rows[i].object->name, name) == 0)
			return i;
	return SIZE_MAX;
}

/* The row of the roll-up that a member counts in; SIZE_MAX: none. */
static size_t
row_for(const struct sum *s, const struct rollup_term *term, const struct object *member)
{
	switch (term->by) {
	case ROLLUP_COUNTS_IN:
		return uidmap_get(&s->rows, member->counts_in);
	case ROLLUP_BY_LABEL:
		return row_by_label(s, member, term->label);
	default:
		return 0;
	}
}

static void
add_members(struct sum *s, const struct rollup_term *term, const struct interval_table *leaf)
{
	struct route route;

	make_route(&route, s->into->kind, leaf->kind);
	for (size_t i = 0; i < leaf->n; i++) {
		const struct row *r = &leaf->rows[i];
		size_t row = row_for(s, term, r->object);

		if (row == SIZE_MAX || !is_member(term, r->object))
			continue;
		add_cells(s, row, &route, r->cells);
		if (r->hists != NULL)
			add_hists(s, row, r);
	}
}

static const struct interval_table *
table_of(const struct interval *v, const char *key)
{
	for (size_t i = 0; i < v->n_tables; i++)
		if (strcmp(v->tables[i].kind->key, key) == 0)
			return &v->tables[i];
	return NULL;
}

/* Sums of everything have one row, there as soon as one of their leaves was sampled. */
static void
make_total(struct interval *v, const struct kind *kind)
{
	uint64_t ns = 0;
	bool sampled = false;

	for (const struct rollup_term *term = kind->rollup; term->from != NULL; term++) {
		const struct interval_table *leaf = table_of(v, term->from);

		sampled = sampled || leaf != NULL;
		if (leaf != NULL && leaf->ns > ns)
			ns = leaf->ns;
	}
	if (sampled)
		interval_make_table(v, kind, 1, ns)->rows[0].object =
		    object_new(kind, total_uid(kind), kind->key, kind->key);
}

static void
clear(struct interval_table *t)
{
	for (size_t i = 0; i < t->n * t->kind->n_metrics; i++) {
		t->cells[i] = NAN;
		if (t->hists != NULL) {
			hist_free(t->hists[i]);
			t->hists[i] = NULL;
		}
	}
}

static void
roll_up(struct interval *v, struct interval_table *into)
{
	struct sum s = { .into = into };

	clear(into);
	uidmap_init(&s.rows, into->n);
	for (size_t i = 0; i < into->n; i++)
		uidmap_put(&s.rows, into->rows[i].object->uid, i);
	s.touched = xcalloc(into->n * into->kind->n_metrics, sizeof(*s.touched));
	for (const struct rollup_term *term = into->kind->rollup; term->from != NULL; term++) {
		const struct interval_table *leaf = table_of(v, term->from);

		if (leaf != NULL && into->n > 0)
			add_members(&s, term, leaf);
	}
	free(s.touched);
	uidmap_clear(&s.rows);
}

void
interval_rollup(struct interval *v)
{
	stack_derive(v);
	nfs_derive(v);
	for (size_t i = 0; kind_table[i] != NULL; i++)
		if (kind_is_total(kind_table[i]) && interval_table(v, kind_table[i]) == NULL)
			make_total(v, kind_table[i]);
	for (size_t i = 0; i < v->n_tables; i++)
		if (v->tables[i].kind->rollup != NULL)
			roll_up(v, &v->tables[i]);
}
