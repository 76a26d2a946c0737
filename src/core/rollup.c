/*
 * interval_rollup(): what is computed from the leaves, live and replayed alike, and never stored.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/interval.h"
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

static void
add_cell(struct sum *s, size_t row, size_t metric, double value)
{
	const struct kind *kind = s->into->kind;
	size_t at = row * kind->n_metrics + metric;
	double *cell = &s->into->cells[at];

	/* A member that was gone at the end has no gauge; a counter not known makes the sum unknown. */
	if (kind->metrics[metric].nature == METRIC_GAUGE && isnan(value))
		return;
	*cell = s->touched[at] ? *cell + value : value;
	s->touched[at] = true;
}

static void
add_hist(struct sum *s, size_t row, size_t metric, const struct hist *from)
{
	struct hist **into = &s->into->rows[row].hists[metric];

	if (from == NULL)
		return;
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
add_members(struct sum *s, const struct rollup_term *term, const struct interval_table *leaf)
{
	const struct kind *kind = leaf->kind;
	int to[KIND_MAX_METRICS];

	for (size_t m = 0; m < kind->n_metrics; m++)
		to[m] = same_metric(s->into->kind, kind, m);
	for (size_t i = 0; i < leaf->n; i++) {
		const struct row *r = &leaf->rows[i];
		size_t row = term->by == ROLLUP_COUNTS_IN ? uidmap_get(&s->rows, r->object->counts_in) : 0;

		if (row == SIZE_MAX || !is_member(term, r->object))
			continue;
		for (size_t m = 0; m < kind->n_metrics; m++) {
			if (to[m] < 0)
				continue;
			if (kind->metrics[m].nature == METRIC_HIST)
				add_hist(s, row, (size_t)to[m], r->hists[m]);
			else
				add_cell(s, row, (size_t)to[m], r->cells[m]);
		}
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
	for (size_t i = 0; kind_table[i] != NULL; i++)
		if (kind_table[i]->rollup != NULL && kind_table[i]->rollup->by != ROLLUP_COUNTS_IN &&
		    interval_table(v, kind_table[i]) == NULL)
			make_total(v, kind_table[i]);
	for (size_t i = 0; i < v->n_tables; i++)
		if (v->tables[i].kind->rollup != NULL)
			roll_up(v, &v->tables[i]);
}
