#include "session/verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/column.h"
#include "core/format.h"
#include "core/uidmap.h"
#include "core/xalloc.h"

static const struct threshold default_rows[VERDICT_CLASSES] = {
	{ "rotational", 25, 50 },
	{ "san", 10, 25 },
	{ "flash", 2, 10 },
	{ "memory", 2, 10 },
	{ "virtual", 10, 25 },
	{ "nfs", 10, 25 },
};

const struct thresholds thresholds_default = {
	.rows = default_rows,
	.n = VERDICT_CLASSES,
	.min_ios = 10,
	.min_intervals = 3,
};

/* What is remembered of a row from one interval to the next; idle healthy rows have none. */
struct state {
	uint64_t uid;
	const struct threshold *limit;	/* NULL: not judged */
	unsigned judged;		/* intervals in a row with enough I/Os */
	unsigned warn, crit;		/* and among them, in a row, over the threshold */
	uint64_t warn_ns, crit_ns;	/* how long */
	uint64_t paths_ns;		/* since when paths are lost */
};

struct states {
	size_t n, cap;
	struct state *list;
	struct uidmap index;
};

struct verdicts {
	const struct thresholds *thresholds;
	struct states states;
	size_t n, cap;
	struct verdict *list;
	size_t stalled;
};

/* A kind with latencies of its own, and the columns a verdict looks at. */
struct judged_kind {
	const struct kind *kind;
	int gavg, davg;
};

struct verdicts *
verdicts_new(const struct thresholds *thresholds)
{
	struct verdicts *v = xcalloc(1, sizeof(*v));

	v->thresholds = thresholds != NULL ? thresholds : &thresholds_default;
	return v;
}

static void
drop_list(struct verdicts *v)
{
	for (size_t i = 0; i < v->n; i++) {
		/* the list holds references, though readers see const objects */
		object_unref((struct object *)(uintptr_t)v->list[i].object);
	}
	v->n = 0;
	v->stalled = 0;
}

static void
states_free(struct states *s)
{
	free(s->list);
	uidmap_clear(&s->index);
}

void
verdicts_free(struct verdicts *v)
{
	if (v == NULL)
		return;
	drop_list(v);
	free(v->list);
	states_free(&v->states);
	free(v);
}

static const struct state *
states_find(const struct states *s, uint64_t uid)
{
	size_t i = uid != 0 && s->n > 0 ? uidmap_get(&s->index, uid) : SIZE_MAX;

	return i != SIZE_MAX ? &s->list[i] : NULL;
}

static const struct threshold *
limit_of_class(const struct thresholds *t, const char *class_key)
{
	for (size_t i = 0; class_key != NULL && i < t->n; i++)
		if (strcmp(t->rows[i].class_key, class_key) == 0)
			return &t->rows[i];
	return NULL;
}

/* Commands completed: enough of them make the mean mean something. */
static double
completed(const struct row *row)
{
	double sum = 0;

	for (uint64_t mask = row->object->kind->completed; mask != 0; mask &= mask - 1) {
		double cell = row->cells[__builtin_ctzll(mask)];

		sum += isnan(cell) ? 0 : cell;
	}
	return sum;
}

/* Usable paths and all of them, from "3/4"; false where it has no paths or all are well. */
static bool
lost_paths(const struct row *row, unsigned *usable, unsigned *all)
{
	const char *text = object_text(row->object, LABEL_PATHS);

	return text != NULL && sscanf(text, "%u/%u", usable, all) == 2 && *usable < *all;
}

static struct state
next_state(const struct verdicts *v, const struct judged_kind *k, const struct row *row)
{
	const struct state *before = states_find(&v->states, row->object->uid);
	struct state s = before != NULL ? *before : (struct state) { .uid = row->object->uid };
	double gavg = column_at(k->kind, k->gavg, row);
	bool enough = completed(row) >= (double)v->thresholds->min_ios;
	unsigned usable, all;
	bool warn, crit;

	s.limit = limit_of_class(v->thresholds, object_text(row->object, LABEL_CLASS));
	warn = enough && s.limit != NULL && gavg > s.limit->warn_ms;
	crit = enough && s.limit != NULL && gavg > s.limit->crit_ms;
	s.judged = enough ? s.judged + 1 : 0;
	s.warn = warn ? s.warn + 1 : 0;
	s.warn_ns = warn ? s.warn_ns + row->ns : 0;
	s.crit = crit ? s.crit + 1 : 0;
	s.crit_ns = crit ? s.crit_ns + row->ns : 0;
	s.paths_ns = lost_paths(row, &usable, &all) ? s.paths_ns + row->ns : 0;
	return s;
}

static void
remember(struct states *states, const struct state *s)
{
	if (s->judged == 0 && s->paths_ns == 0)
		return;
	if (states->n == states->cap) {
		states->cap = states->cap > 0 ? states->cap * 2 : 16;
		states->list = xreallocarray(states->list, states->cap, sizeof(*states->list));
	}
	states->list[states->n++] = *s;
}

/* One line of the judgement: takes a reference to the row's object. */
static struct verdict *
add(struct verdicts *v, enum severity severity, const struct row *row, uint64_t since_ns)
{
	struct verdict *it;

	if (v->n == v->cap) {
		v->cap = v->cap > 0 ? v->cap * 2 : 8;
		v->list = xreallocarray(v->list, v->cap, sizeof(*v->list));
	}
	it = &v->list[v->n++];
	*it = (struct verdict) { .severity = severity, .object = object_ref(row->object), .since_ns = since_ns };
	return it;
}

static double
in_flight(const struct row *row)
{
	double sum = 0;

	for (uint64_t mask = row->object->kind->in_flight; mask != 0; mask &= mask - 1)
		sum += row->cells[__builtin_ctzll(mask)];
	return sum;
}

/* Does what it stands on (the head of a path, the device of a layer or partition) stand still too? */
static bool
parent_stalls(const struct interval *interval, const struct row *row)
{
	for (size_t i = 0; i < interval->n_tables; i++) {
		const struct interval_table *t = &interval->tables[i];
		const struct row *parent = t->kind->in_flight != 0 && t->kind->rollup == NULL && row->object->parent != 0
		    ? interval_row(interval, t->kind, row->object->parent) : NULL;

		if (parent != NULL)
			return parent->stalled_ns > 0;
	}
	return false;
}

/*
 * Network or server? TCP knows, where it was asked: what the other host has acknowledged has crossed the network, and what the
 * round trip does not account for is the server's time.
 */
static void
side_beyond(const struct row *row, char *out, size_t size)
{
	double rtt = column_figure(row, "tcp_rtt"), again = column_figure(row, "tcp_retr_pct"), queue = column_figure(row, "sendq_kb");

	if (row->stalled_ns > 0 && queue > 0)
		snprintf(out, size, "network or the server's host, %.1f KB not acknowledged", queue);
	else if (row->stalled_ns > 0 && queue == 0)
		snprintf(out, size, "server, its host has acknowledged all that was sent");
	else if (row->stalled_ns > 0 || isnan(rtt))
		snprintf(out, size, "%s", row->object->kind->beyond);
	else if (again >= 1)
		snprintf(out, size, "network, %.1f %% of the segments sent again", again);
	else if (rtt > column_figure(row, "davg") / 2)
		snprintf(out, size, "network, round trip %.1f ms", rtt);
	else
		snprintf(out, size, "server, the network's round trip is %.2f ms", rtt);
}

static void
judge_stall(struct verdicts *v, const struct interval *interval, const struct row *row)
{
	char bound[FORMAT_MAX], side[100] = "";
	struct verdict *it;

	if (row->stalled_ns == 0 || parent_stalls(interval, row))
		return;
	v->stalled++;
	it = add(v, SEVERITY_CRIT, row, row->stalled_ns);
	it->stalled_ns = row->stalled_ns;
	format_bound(bound, row->stalled_ns);
	if (row->object->kind->beyond != NULL)
		side_beyond(row, side, sizeof(side));
	snprintf(it->text, sizeof(it->text), "%.0f in flight, nothing completed for %s%s%s", in_flight(row), bound + 1,
	    side[0] != '\0' ? ": " : "", side);
}

static bool
over_a_fabric(const struct object *o)
{
	static const char *const fabrics[] = { "fc", "fcoe", "iscsi", "tcp", "rdma", "iser", "srp" };
	const char *transport = object_text(o, LABEL_TRANSPORT), *class_key = object_text(o, LABEL_CLASS);

	for (size_t i = 0; transport != NULL && i < sizeof(fabrics) / sizeof(fabrics[0]); i++)
		if (strcmp(transport, fabrics[i]) == 0)
			return true;
	return class_key != NULL && strcmp(class_key, "san") == 0;
}

/* On which side of the driver the time went, as far as is known and no further. */
static const char *
which_side(const struct object *o, double gavg, double davg)
{
	const char *class_key = object_text(o, LABEL_CLASS);
	bool virtual = class_key != NULL && strcmp(class_key, "virtual") == 0;

	if (davg < gavg / 2)
		return o->kind->beyond != NULL ? "this host, before it is sent" : "this host, above the driver";
	if (isnan(davg))
		return over_a_fabric(o) ? "host, network or target: not known" :
		    virtual ? "host or hypervisor: not known" : "host or device: not known";
	return over_a_fabric(o) ? "below the initiator, network or target" :
	    virtual ? "the hypervisor or below" : "the device";
}

/*
 * A path's latency is its head's, a partition's its disk's. A layer is named only when the time goes in the
 * layer itself: otherwise the device below is.
 */
static bool
speaks_for_itself(const struct row *row, double gavg, double davg)
{
	switch (row->object->role) {
	case ROLE_BASE:
	case ROLE_HEAD:
		return true;
	case ROLE_LAYER:
		return davg < gavg / 2;
	default:
		return false;
	}
}

static void
judge_latency(struct verdicts *v, const struct judged_kind *k, const struct row *row, const struct state *s)
{
	double gavg = column_at(k->kind, k->gavg, row), davg = column_at(k->kind, k->davg, row);
	bool crit = s->crit >= v->thresholds->min_intervals;
	char now[FORMAT_MAX], limit[FORMAT_MAX], side[100] = "";
	struct verdict *it;

	if (s->warn < v->thresholds->min_intervals || !speaks_for_itself(row, gavg, davg))
		return;
	it = add(v, crit ? SEVERITY_CRIT : SEVERITY_WARN, row, crit ? s->crit_ns : s->warn_ns);
	format_cell(now, gavg, 5, 1);
	format_number(limit, crit ? s->limit->crit_ms : s->limit->warn_ms);
	if (k->kind->beyond != NULL && !(davg < gavg / 2))
		side_beyond(row, side, sizeof(side));
	snprintf(it->text, sizeof(it->text), "%s %s ms, over %s: %s", k->kind->columns[k->gavg].title, now, limit,
	    side[0] != '\0' ? side : which_side(row->object, gavg, davg));
}

static void
judge_paths(struct verdicts *v, const struct row *row, const struct state *s)
{
	unsigned usable, all;
	struct verdict *it;

	if (!lost_paths(row, &usable, &all))
		return;
	it = add(v, usable == 0 ? SEVERITY_CRIT : SEVERITY_WARN, row, s->paths_ns);
	if (usable == 0)
		snprintf(it->text, sizeof(it->text), "none of %u paths is usable", all);
	else
		snprintf(it->text, sizeof(it->text), "%u of %u paths lost", all - usable, all);
}

/*
 * Rows without a class of their own are judged by what they stand for: a partition by its disk, an adapter by
 * the most patient of its devices.
 */
static void
inherit_limits(struct states *fresh, const struct interval *interval)
{
	for (size_t i = 0; i < interval->n_tables; i++) {
		const struct interval_table *t = &interval->tables[i];

		for (size_t k = 0; k < t->n && t->kind->completed != 0; k++) {
			const struct object *o = t->rows[k].object;
			size_t at = uidmap_get(&fresh->index, o->uid);
			size_t above = o->counts_in != 0 ? uidmap_get(&fresh->index, o->counts_in) : SIZE_MAX;
			size_t below = o->parent != 0 ? uidmap_get(&fresh->index, o->parent) : SIZE_MAX;
			const struct threshold *limit;

			if (at == SIZE_MAX)
				continue;
			if (fresh->list[at].limit == NULL && below != SIZE_MAX)
				fresh->list[at].limit = fresh->list[below].limit;
			limit = fresh->list[at].limit;
			if (above != SIZE_MAX && limit != NULL && (fresh->list[above].limit == NULL ||
			    fresh->list[above].limit->warn_ms < limit->warn_ms))
				fresh->list[above].limit = limit;
		}
	}
}

static void
judge_table(struct verdicts *v, const struct interval *interval, const struct interval_table *t, struct states *fresh)
{
	struct judged_kind k = {
		.kind = t->kind,
		.gavg = kind_column_flagged(t->kind, COLUMN_GAVG),
		.davg = kind_column(t->kind, "davg"),
	};

	if (t->kind->completed == 0)
		return;
	for (size_t i = 0; i < t->n; i++) {
		const struct row *row = &t->rows[i];
		struct state s = next_state(v, &k, row);

		remember(fresh, &s);
		if (!kind_speaks(t->kind))
			continue;
		judge_stall(v, interval, row);
		if (s.limit != NULL && row->stalled_ns == 0)
			judge_latency(v, &k, row, &s);
		judge_paths(v, row, &s);
	}
}

static int
worse_first(const void *pa, const void *pb)
{
	const struct verdict *a = pa, *b = pb;

	if ((a->stalled_ns > 0) != (b->stalled_ns > 0))
		return a->stalled_ns > 0 ? -1 : 1;
	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	if (a->since_ns != b->since_ns)
		return a->since_ns > b->since_ns ? -1 : 1;
	return strcmp(a->object->name, b->object->name);
}

void
verdicts_feed(struct verdicts *v, const struct interval *interval)
{
	struct states fresh = { .n = 0 };

	drop_list(v);
	for (size_t i = 0; i < interval->n_tables; i++)
		judge_table(v, interval, &interval->tables[i], &fresh);
	uidmap_init(&fresh.index, fresh.n);
	for (size_t i = 0; i < fresh.n; i++)
		uidmap_put(&fresh.index, fresh.list[i].uid, i);
	inherit_limits(&fresh, interval);
	states_free(&v->states);
	v->states = fresh;
	if (v->n > 1)
		qsort(v->list, v->n, sizeof(*v->list), worse_first);
}

size_t
verdicts_count(const struct verdicts *v)
{
	return v->n;
}

const struct verdict *
verdicts_get(const struct verdicts *v, size_t i)
{
	return i < v->n ? &v->list[i] : NULL;
}

size_t
verdicts_stalled(const struct verdicts *v)
{
	return v->stalled;
}

enum severity
verdicts_cell(const struct verdicts *v, const struct row *row, double ms)
{
	const struct state *s = states_find(&v->states, row->object->uid);

	if (row->stalled_ns > 0)
		return SEVERITY_CRIT;
	if (s == NULL || s->limit == NULL || s->judged < v->thresholds->min_intervals)
		return SEVERITY_NONE;
	return ms > s->limit->crit_ms ? SEVERITY_CRIT : ms > s->limit->warn_ms ? SEVERITY_WARN : SEVERITY_NONE;
}
