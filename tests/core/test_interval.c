#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/column.h"
#include "core/kinds/kinds.h"
#include "fixture.h"
#include "tests/nan_fails.h"

static const struct event *
find_event(const struct interval *v, enum event_type type)
{
	for (size_t i = 0; i < v->n_events; i++)
		if (v->events[i].type == type)
			return &v->events[i];
	return NULL;
}

static void
test_difference(void **state)
{
	struct object *o = object_new(&kind_test, 0, "x", "x");
	struct snapshot *a = fixture_snapshot(10), *b = fixture_snapshot(12);
	uint64_t *cells = fixture_add(a, &kind_test, o);
	struct interval *v;
	const struct row *row;

	(void)state;
	cells[TK_OPS] = 1000;
	cells[TK_MS] = UINT32_MAX - 9;
	cells[TK_NOW] = 7;
	cells[TK_BYTES] = ABSENT;
	cells = fixture_add(b, &kind_test, o);
	cells[TK_OPS] = 1300;
	cells[TK_MS] = 15;		/* 10 to the wrap, 15 more: 25 */
	cells[TK_NOW] = 3;
	cells[TK_BYTES] = 99;
	v = interval_diff(a, b);
	assert_int_equal(v->ns, 2 * SECOND);
	row = interval_row(v, &kind_test, o->uid);
	assert_non_null(row);
	assert_int_equal(row->ns, 2 * SECOND);
	assert_float_equal(row->cells[TK_OPS], 300, 0);
	assert_float_equal(row->cells[TK_MS], 25, 0);
	assert_float_equal(row->cells[TK_NOW], 3, 0);
	assert_true(isnan(row->cells[TK_BYTES]));
	assert_int_equal(v->n_events, 0);
	interval_unref(v);
	snapshot_free(a);
	snapshot_free(b);
	object_unref(o);
}

static void
test_histograms_differ(void **state)
{
	struct object *o = object_new(&kind_test, 0, "x", "x");
	struct snapshot *a = fixture_snapshot(1), *b = fixture_snapshot(2);
	struct hist *h = hist_new(3);
	struct interval *v, *back;

	(void)state;
	hist_add_value(h, 100, 5);
	fixture_add(a, &kind_test, o);
	snapshot_hist(snapshot_table(a, &kind_test), TK_HIST, hist_copy(h));
	hist_add_value(h, 3000, 2);
	fixture_add(b, &kind_test, o);
	snapshot_hist(snapshot_table(b, &kind_test), TK_HIST, h);
	v = interval_diff(a, b);
	assert_int_equal(interval_row(v, &kind_test, o->uid)->hists[TK_HIST]->count, 2);
	assert_int_equal(interval_row(v, &kind_test, o->uid)->hists[TK_HIST]->sum_ns, 6000);
	back = interval_diff(b, a);
	assert_null(interval_row(back, &kind_test, o->uid));
	assert_non_null(find_event(back, EVENT_RESET));
	interval_unref(v);
	interval_unref(back);
	snapshot_free(a);
	snapshot_free(b);
	object_unref(o);
}

static void
test_birth_death_and_reset(void **state)
{
	struct object *old = object_new(&kind_test, 0, "old", "old");
	struct object *went = object_new(&kind_test, 0, "went", "went");
	struct object *came = object_new(&kind_test, 0, "came", "came");
	struct object *flow = object_new(&kind_test_born, 0, "flow", "flow");
	struct snapshot *a = fixture_snapshot(1), *b = fixture_snapshot(2);
	struct interval *v;

	(void)state;
	fixture_add(a, &kind_test, went);
	fixture_add(a, &kind_test, old)[TK_OPS] = 50;
	snapshot_table(a, &kind_test_born);
	fixture_add(b, &kind_test, old)[TK_OPS] = 49;
	fixture_add(b, &kind_test, came)[TK_OPS] = 5;
	fixture_add(b, &kind_test_born, flow)[TK_OPS] = 6;
	v = interval_diff(a, b);
	/* The past of a disk is unknown, that of a flow is nothing; a reset has no row. */
	assert_int_equal(interval_table(v, &kind_test)->n, 0);
	assert_float_equal(interval_row(v, &kind_test_born, flow->uid)->cells[TK_OPS], 6, 0);
	assert_ptr_equal(find_event(v, EVENT_RESET)->object, old);
	assert_string_equal(find_event(v, EVENT_RESET)->text, "thing old: ops went back");
	assert_ptr_equal(find_event(v, EVENT_DEATH)->object, went);
	assert_ptr_equal(find_event(v, EVENT_BIRTH)->object, came);
	interval_unref(v);
	snapshot_free(a);
	snapshot_free(b);
	object_unref(old);
	object_unref(went);
	object_unref(came);
	object_unref(flow);
}

static void
test_suspend_is_a_gap(void **state)
{
	struct object *o = object_new(&kind_test, 0, "x", "x");
	struct snapshot *a = fixture_snapshot(1), *b = fixture_snapshot_suspended(2, 3600);
	struct interval *v;

	(void)state;
	fixture_add(a, &kind_test, o);
	fixture_add(b, &kind_test, o)[TK_OPS] = 5;
	v = interval_diff(a, b);
	assert_int_equal(v->n_tables, 0);
	assert_string_equal(find_event(v, EVENT_GAP)->text, "suspended for 3600 s");
	interval_unref(v);
	snapshot_free(a);
	snapshot_free(b);
	object_unref(o);
}

static void
test_a_kind_not_sampled_is_absent(void **state)
{
	struct snapshot *a = fixture_snapshot(1), *b = fixture_snapshot(2);
	struct interval *v;

	(void)state;
	snapshot_table(b, &kind_test);
	v = interval_diff(a, b);
	assert_null(interval_table(v, &kind_test));
	interval_unref(v);
	snapshot_free(a);
	snapshot_free(b);
}

/*
 * host0 has sda and the path sdb of the head dm-0; dm-1 is a layer on sda. In all: sda and dm-0. Distinct powers
 * of ten, so that every sum tells its parts.
 */
static void
test_roll_up_counts_once(void **state)
{
	struct object *host = object_new(&kind_adapter, 0, "host0", "host0");
	struct object *dm = object_new(&kind_adapter, 0, "device-mapper", "device-mapper");
	struct object *sda = fixture_disk("sda", ROLE_BASE, 0, host->uid);
	struct object *head = fixture_disk("dm-0", ROLE_HEAD, 0, dm->uid);
	struct object *path = fixture_disk("sdb", ROLE_PATH, head->uid, host->uid);
	struct object *layer = fixture_disk("dm-1", ROLE_LAYER, sda->uid, dm->uid);
	struct object *all[] = { sda, head, path, layer };
	static const uint64_t reads[] = { 1, 10, 10, 1000 }, read_ms[] = { 4, 50, 30, 9000 }, flight[] = { 3, 20, 100, 500 };
	struct snapshot *a = fixture_snapshot(1), *b = fixture_snapshot(2);
	const struct row *row;
	struct interval *v;

	(void)state;
	object_label(layer, LABEL_SLAVES, "sda");
	for (size_t i = 0; i < 4; i++) {
		uint64_t *cells;

		fixture_add(a, &kind_disk, all[i]);
		cells = fixture_add(b, &kind_disk, all[i]);
		cells[DISK_READS] = reads[i];
		cells[DISK_READ_MS] = read_ms[i];
		cells[DISK_IN_FLIGHT] = flight[i];
		cells[DISK_ERRORS] = i == 3 ? ABSENT : 2 + i;
	}
	for (int i = 0; i < 2; i++) {
		snapshot_add(snapshot_table(i ? b : a, &kind_adapter), host);
		snapshot_add(snapshot_table(i ? b : a, &kind_adapter), dm);
	}
	v = interval_diff(a, b);
	assert_float_equal(interval_row(v, &kind_adapter, host->uid)->cells[DISK_READS], 11, 0);
	assert_float_equal(interval_row(v, &kind_adapter, host->uid)->cells[DISK_IN_FLIGHT], 103, 0);
	assert_float_equal(interval_row(v, &kind_adapter, host->uid)->cells[DISK_ERRORS], 6, 0);
	assert_float_equal(interval_row(v, &kind_adapter, dm->uid)->cells[DISK_READS], 1010, 0);
	assert_true(isnan(interval_row(v, &kind_adapter, dm->uid)->cells[DISK_ERRORS]));
	assert_true(isnan(interval_row(v, &kind_adapter, host->uid)->cells[ADAPTER_INVALID_CRC]));
	assert_int_equal(interval_table(v, &kind_total)->n, 1);
	row = &interval_table(v, &kind_total)->rows[0];
	assert_float_equal(row->cells[DISK_READS], 11, 0);
	assert_float_equal(row->cells[DISK_READ_MS], 54, 0);
	assert_int_equal(row->ns, SECOND);
	/* The head: 10 reads of 50 ms in all, its path 10 of 30: 5 above, 3 below, 2 between. */
	row = interval_row(v, &kind_disk, head->uid);
	assert_float_equal(column_at(&kind_disk, kind_column(&kind_disk, "gavg"), row), 5, 1e-9);
	assert_float_equal(column_at(&kind_disk, kind_column(&kind_disk, "davg"), row), 3, 1e-9);
	assert_float_equal(column_at(&kind_disk, kind_column(&kind_disk, "kavg"), row), 2, 1e-9);
	/* The layer has 1,000 reads and the disk below 1: they do not agree. */
	row = interval_row(v, &kind_disk, layer->uid);
	assert_float_equal(row->cells[DISK_DEV_IOS], 1, 0);
	assert_true(isnan(column_at(&kind_disk, kind_column(&kind_disk, "davg"), row)));
	interval_unref(v);
	snapshot_free(a);
	snapshot_free(b);
	for (size_t i = 0; i < 4; i++)
		object_unref(all[i]);
	object_unref(host);
	object_unref(dm);
}

/* ---- properties, over random histories with hot-plug, resets and absent values ---- */

#define DISKS 6
#define ADAPTERS 2
#define STEPS 4

struct world {
	unsigned seed;
	struct object *adapters[ADAPTERS], *disks[DISKS];
	bool there[DISKS];
	uint64_t counters[DISKS][DISK_METRICS];
};

static unsigned
dice(struct world *w, unsigned sides)
{
	w->seed = w->seed * 1103515245u + 12345u;
	return (w->seed >> 16) % sides;
}

static struct object *
new_disk(struct world *w, size_t i)
{
	static const enum object_role roles[] = { ROLE_BASE, ROLE_HEAD, ROLE_PATH, ROLE_LAYER };
	char name[8] = { 's', 'd', (char)('a' + i), '\0' };

	return fixture_disk(name, roles[dice(w, 4)], 0, w->adapters[dice(w, ADAPTERS)]->uid);
}

static void
world_step(struct world *w)
{
	for (size_t i = 0; i < DISKS; i++) {
		if (dice(w, 5) == 0) {
			w->there[i] = !w->there[i];
			object_unref(w->disks[i]);	/* what comes back is another thing */
			w->disks[i] = new_disk(w, i);
		}
		for (size_t m = 0; m < DISK_METRICS; m++)
			w->counters[i][m] += dice(w, 1000);
		if (dice(w, 20) == 0)
			memset(w->counters[i], 0, sizeof(w->counters[i]));
	}
}

static struct snapshot *
world_snapshot(struct world *w, double seconds)
{
	struct snapshot *s = fixture_snapshot(seconds);

	for (size_t i = 0; i < ADAPTERS; i++)
		snapshot_add(snapshot_table(s, &kind_adapter), w->adapters[i]);
	snapshot_table(s, &kind_disk);
	for (size_t i = 0; i < DISKS; i++) {
		uint64_t *cells;

		if (!w->there[i])
			continue;
		cells = fixture_add(s, &kind_disk, w->disks[i]);
		memcpy(cells, w->counters[i], sizeof(w->counters[i]));
		cells[DISK_IN_FLIGHT] = dice(w, 9);
		if (dice(w, 4) == 0)
			cells[DISK_ERRORS] = ABSENT;
		if (dice(w, 9) == 0)
			cells[DISK_READS] = ABSENT;
	}
	return s;
}

static void
world_intervals(unsigned seed, struct interval *out[STEPS])
{
	struct world w = { .seed = seed };
	struct snapshot *last, *now;

	for (size_t i = 0; i < ADAPTERS; i++)
		w.adapters[i] = object_new(&kind_adapter, 0, i ? "host1" : "host0", "");
	for (size_t i = 0; i < DISKS; i++) {
		w.disks[i] = new_disk(&w, i);
		w.there[i] = dice(&w, 3) > 0;
	}
	last = world_snapshot(&w, 1);
	for (int step = 0; step < STEPS; step++) {
		world_step(&w);
		now = world_snapshot(&w, 2 + step * 1.5);
		out[step] = interval_diff(last, now);
		snapshot_free(last);
		last = now;
	}
	snapshot_free(last);
	for (size_t i = 0; i < ADAPTERS; i++)
		object_unref(w.adapters[i]);
	for (size_t i = 0; i < DISKS; i++)
		object_unref(w.disks[i]);
}

static void
assert_same_cell(double a, double b)
{
	if (isnan(a))
		assert_true(isnan(b));
	else
		assert_float_equal(a, b, 0);
}

static void
assert_same_interval(const struct interval *a, const struct interval *b)
{
	assert_int_equal(a->ns, b->ns);
	assert_int_equal(a->n_tables, b->n_tables);
	assert_int_equal(a->n_events, b->n_events);
	for (size_t t = 0; t < a->n_tables; t++) {
		const struct interval_table *x = &a->tables[t];
		const struct interval_table *y = interval_table(b, x->kind);

		assert_non_null(y);
		assert_int_equal(x->n, y->n);
		assert_int_equal(x->ns, y->ns);
		for (size_t i = 0; i < x->n; i++) {
			const struct row *row = interval_row(b, x->kind, x->rows[i].object->uid);

			assert_non_null(row);
			assert_int_equal(x->rows[i].ns, row->ns);
			for (size_t m = 0; m < x->kind->n_metrics; m++)
				assert_same_cell(x->rows[i].cells[m], row->cells[m]);
		}
	}
}

static struct interval *
add_and_drop(struct interval *a, struct interval *b)
{
	struct interval *sum = interval_add(a, b);

	interval_unref(a);
	interval_unref(b);
	return sum;
}

static void
test_addition_is_associative(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 300; seed++) {
		struct interval *v[STEPS], *left, *right;

		world_intervals(seed, v);
		/* ((a+b)+c)+d and a+(b+(c+d)) */
		left = interval_add(v[0], v[1]);
		left = add_and_drop(left, interval_ref(v[2]));
		left = add_and_drop(left, interval_ref(v[3]));
		right = interval_add(v[2], v[3]);
		right = add_and_drop(interval_ref(v[1]), right);
		right = add_and_drop(interval_ref(v[0]), right);
		assert_same_interval(left, right);
		interval_unref(left);
		interval_unref(right);
		for (int i = 0; i < STEPS; i++)
			interval_unref(v[i]);
	}
}

/* A counter that nobody had anything to add to in one of the two intervals is no more than the other's. */
static double
sum_of_rollups(double a, bool in_a, double b, bool in_b)
{
	if (!in_a || !in_b)
		return in_a ? a : b;
	return a + b;
}

static bool
has_members(const struct interval *v, const struct kind *rollup, uint64_t uid)
{
	const struct interval_table *t = interval_table(v, &kind_disk);

	for (size_t i = 0; i < t->n; i++) {
		const struct object *o = t->rows[i].object;

		if (rollup == &kind_adapter ? o->counts_in == uid : o->role == ROLE_BASE || o->role == ROLE_HEAD)
			return true;
	}
	return false;
}

static void
test_roll_up_of_a_sum_is_the_sum_of_roll_ups(void **state)
{
	const struct kind *const kinds[] = { &kind_adapter, &kind_total };
	size_t compared = 0;

	(void)state;
	for (unsigned seed = 1; seed <= 300; seed++) {
		struct interval *v[STEPS], *sum;

		world_intervals(seed, v);
		sum = interval_add(v[0], v[1]);
		for (size_t k = 0; k < 2; k++) {
			const struct interval_table *t = interval_table(sum, kinds[k]);

			for (size_t i = 0; i < t->n; i++) {
				uint64_t uid = t->rows[i].object->uid;
				const struct row *a = interval_row(v[0], kinds[k], uid), *b = interval_row(v[1], kinds[k], uid);

				for (size_t m = 0; m < DISK_DEV_IOS; m++) {
					if (m == DISK_IN_FLIGHT) {
						assert_same_cell(t->rows[i].cells[m], b->cells[m]);
						continue;
					}
					assert_same_cell(t->rows[i].cells[m],
					    sum_of_rollups(a->cells[m], has_members(v[0], kinds[k], uid),
					    b->cells[m], has_members(v[1], kinds[k], uid)));
					compared++;
				}
			}
		}
		interval_unref(sum);
		for (int i = 0; i < STEPS; i++)
			interval_unref(v[i]);
	}
	assert_true(compared > 10000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_difference),
		cmocka_unit_test(test_histograms_differ),
		cmocka_unit_test(test_birth_death_and_reset),
		cmocka_unit_test(test_suspend_is_a_gap),
		cmocka_unit_test(test_a_kind_not_sampled_is_absent),
		cmocka_unit_test(test_roll_up_counts_once),
		cmocka_unit_test(test_addition_is_associative),
		cmocka_unit_test(test_roll_up_of_a_sum_is_the_sum_of_roll_ups),
	};

	return cmocka_run_group_tests_name("core/interval", tests, NULL, NULL);
}
