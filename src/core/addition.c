/*
 * interval_add(): two neighbours become one, exactly. Counters, histograms and times add; gauges and names are the
 * later's. Associative: see tests/core/test_interval.c.
 */
#include <math.h>

#include "core/interval.h"
#include "core/uidmap.h"

/* into has b's numbers or nothing yet (earlier_only); a's are added. */
static void
add_cells(const struct kind *kind, struct row *into, const struct row *a, bool earlier_only)
{
	for (size_t m = 0; m < kind->n_metrics; m++) {
		switch (kind->metrics[m].nature) {
		case METRIC_GAUGE:
			break;
		case METRIC_HIST:
			if (into->hists[m] == NULL)
				into->hists[m] = hist_copy(a->hists[m]);
			else
				hist_add(into->hists[m], a->hists[m]);
			break;
		case METRIC_COUNTER:
		case METRIC_COUNTER_MS32:
			into->cells[m] = earlier_only ? a->cells[m] : into->cells[m] + a->cells[m];
			break;
		}
	}
}

static void
copy_row(const struct kind *kind, struct row *into, const struct row *from)
{
	into->object = object_ref(from->object);
	into->ns = from->ns;
	into->stalled_ns = from->stalled_ns;
	for (size_t m = 0; m < kind->n_metrics; m++) {
		into->cells[m] = from->cells[m];
		if (into->hists != NULL)
			into->hists[m] = hist_copy(from->hists[m]);
	}
}

/* Either may be NULL, not both: the kind was not sampled in that one. */
static void
add_table(struct interval *v, const struct interval_table *a, const struct interval_table *b)
{
	const struct kind *kind = a != NULL ? a->kind : b->kind;
	size_t nb = b != NULL ? b->n : 0, na = a != NULL ? a->n : 0, n = nb;
	struct interval_table *t = interval_make_table(v, kind, na + nb, (a ? a->ns : 0) + (b ? b->ns : 0));
	struct uidmap map;

	uidmap_init(&map, nb);
	for (size_t i = 0; i < nb; i++) {
		copy_row(kind, &t->rows[i], &b->rows[i]);
		uidmap_put(&map, b->rows[i].object->uid, i);
	}
	for (size_t i = 0; i < na; i++) {
		/* Rows mostly stand in the same places. */
		size_t at = i < nb && b->rows[i].object->uid == a->rows[i].object->uid ?
		    i : uidmap_get(&map, a->rows[i].object->uid);
		struct row *into = &t->rows[at != SIZE_MAX ? at : n];

		add_cells(kind, into, &a->rows[i], at == SIZE_MAX);
		if (at != SIZE_MAX) {
			into->ns += a->rows[i].ns;
			continue;
		}
		into->object = object_ref(a->rows[i].object);
		into->ns = a->rows[i].ns;
		n++;
	}
	t->n = n;
	uidmap_clear(&map);
}

static void
add_events(struct interval *v, const struct interval *from)
{
	for (size_t i = 0; i < from->n_events; i++)
		interval_event(v, from->events[i].type, from->events[i].object, "%s", from->events[i].text);
}

struct interval *
interval_add(const struct interval *a, const struct interval *b)
{
	struct interval *v = interval_new(&b->end, a->ns + b->ns);

	for (size_t i = 0; i < b->n_tables; i++)
		add_table(v, interval_table(a, b->tables[i].kind), &b->tables[i]);
	for (size_t i = 0; i < a->n_tables; i++)
		if (interval_table(b, a->tables[i].kind) == NULL)
			add_table(v, &a->tables[i], NULL);
	add_events(v, a);
	add_events(v, b);
	interval_rollup(v);
	return v;
}
