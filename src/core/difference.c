/*
 * interval_diff(): where raw counters end. Wrap, reset, hot-plug and suspend are dealt with here and nowhere
 * else.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/interval.h"
#include "core/uidmap.h"
#include "core/xalloc.h"

/* CLOCK_BOOTTIME runs on in a suspend and CLOCK_MONOTONIC does not; less than this is reading them apart. */
#define SUSPEND_NS UINT64_C(200000000)

/* One metric of an object in both snapshots; false: it went back. */
static bool
cell_diff(enum metric_nature nature, uint64_t before, uint64_t now, double *out)
{
	*out = NAN;
	switch (nature) {
	case METRIC_GAUGE:
		if (now != ABSENT)
			*out = (double)now;
		return true;
	case METRIC_COUNTER:
		if (now == ABSENT || before == ABSENT)
			return true;
		if (now < before)
			return false;
		*out = (double)(now - before);
		return true;
	case METRIC_COUNTER_MS32:
		if (now != ABSENT && before != ABSENT)
			*out = (double)(uint32_t)(now - before);
		return true;
	case METRIC_HIST:
		return true;
	}
	return true;
}

/* One row; before NULL: counters began at zero. Returns the metric that went back, or -1. */
static int
row_diff(const struct kind *kind, const uint64_t *before, const uint64_t *now, double *out)
{
	for (size_t m = 0; m < kind->n_metrics; m++)
		if (!cell_diff(kind->metrics[m].nature, before != NULL ? before[m] : 0, now[m], &out[m]))
			return (int)m;
	return -1;
}

/* The histograms of a row; false: one went back. */
static bool
hists_diff(const struct kind *kind, struct hist *const *before, struct hist *const *now, struct hist **out)
{
	for (size_t m = 0; m < kind->n_metrics; m++) {
		if (now[m] == NULL)
			continue;
		out[m] = hist_sub(now[m], before != NULL ? before[m] : NULL);
		if (out[m] == NULL)
			return false;
	}
	return true;
}

static void
drop_hists(const struct kind *kind, struct row *row)
{
	for (size_t m = 0; row->hists != NULL && m < kind->n_metrics; m++) {
		hist_free(row->hists[m]);
		row->hists[m] = NULL;
	}
}

struct matcher {
	const struct snapshot_table *earlier;
	struct uidmap map;	/* made when the order has changed */
	bool *met;		/* rows of earlier that are in later too */
	size_t expect;
};

/* Rows mostly keep their order from one snapshot to the next. */
static size_t
match(struct matcher *m, uint64_t uid)
{
	size_t i = m->expect;

	if (i >= m->earlier->n || m->earlier->objects[i]->uid != uid) {
		if (m->map.keys == NULL) {
			uidmap_init(&m->map, m->earlier->n);
			for (size_t j = 0; j < m->earlier->n; j++)
				uidmap_put(&m->map, m->earlier->objects[j]->uid, j);
		}
		i = uidmap_get(&m->map, uid);
	}
	if (i != SIZE_MAX) {
		m->met[i] = true;
		m->expect = i + 1;
	}
	return i;
}

static void
report_deaths(struct interval *v, const struct matcher *m)
{
	for (size_t i = 0; i < m->earlier->n; i++)
		if (!m->met[i] && kind_announces(m->earlier->kind))
			interval_event(v, EVENT_DEATH, m->earlier->objects[i], "%s %s went",
			    m->earlier->kind->one, m->earlier->objects[i]->name);
}

/* Fills the next row of t if the object has one in this interval. */
static bool
fill_row(struct interval *v, struct row *row, struct matcher *m, const struct snapshot_table *later, size_t i)
{
	const struct kind *kind = later->kind;
	struct object *object = later->objects[i];
	size_t n = kind->n_metrics, at = match(m, object->uid);
	const uint64_t *before = at != SIZE_MAX ? m->earlier->cells + at * n : NULL;
	struct hist *const *old = at != SIZE_MAX && m->earlier->hists != NULL ? m->earlier->hists + at * n : NULL;
	int back;

	if (at == SIZE_MAX && kind_announces(kind))
		interval_event(v, EVENT_BIRTH, object, "%s %s came", kind->one, object->name);
	if (at == SIZE_MAX && !kind->from_zero)
		return false;
	if (kind->rollup != NULL)
		return true;
	back = row_diff(kind, before, later->cells + i * n, row->cells);
	if (back < 0 && (later->hists == NULL || hists_diff(kind, old, later->hists + i * n, row->hists)))
		return true;
	interval_event(v, EVENT_RESET, object, "%s %s: %s went back", kind->one, object->name,
	    back >= 0 ? kind->metrics[back].key : "a histogram");
	drop_hists(kind, row);
	for (size_t c = 0; c < n; c++)
		row->cells[c] = NAN;
	return false;
}

static void
table_diff(struct interval *v, const struct snapshot_table *earlier, const struct snapshot_table *later)
{
	struct matcher m = { .earlier = earlier };
	struct interval_table *t = interval_make_table(v, later->kind, later->n, v->ns);
	size_t n = 0;

	m.met = xcalloc(earlier->n, sizeof(*m.met));
	for (size_t i = 0; i < later->n; i++)
		if (fill_row(v, &t->rows[n], &m, later, i))
			t->rows[n++].object = object_ref(later->objects[i]);
	/* Rows not used are at the end; their cells and histograms are empty. */
	t->n = n;
	report_deaths(v, &m);
	free(m.met);
	uidmap_clear(&m.map);
}

struct interval *
interval_diff(const struct snapshot *earlier, const struct snapshot *later)
{
	uint64_t mono = later->stamp.mono_ns - earlier->stamp.mono_ns;
	uint64_t boot = later->stamp.boot_ns - earlier->stamp.boot_ns;
	struct interval *v = interval_new(&later->stamp, mono);

	if (boot > mono && boot - mono > SUSPEND_NS) {
		interval_event(v, EVENT_GAP, NULL, "suspended for %.0f s", (double)(boot - mono) / 1e9);
		return v;
	}
	for (size_t i = 0; i < later->n_tables; i++) {
		const struct snapshot_table *before = snapshot_find(earlier, later->tables[i]->kind);

		if (before != NULL)
			table_diff(v, before, later->tables[i]);
	}
	interval_rollup(v);
	return v;
}
