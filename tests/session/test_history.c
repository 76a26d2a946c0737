#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/kinds/kinds.h"
#include "session/history.h"
#include "tests/nan_fails.h"

#define SECOND UINT64_C(1000000000)

struct scene {
	struct history *history;
	struct object *a, *b;
};

static int
scene_make(void **state)
{
	static struct scene s;

	s.history = history_new(4);
	s.a = object_new(&kind_disk, 0, "sda", "sda");
	s.b = object_new(&kind_disk, 0, "sdb", "sdb");
	*state = &s;
	return 0;
}

static int
scene_remove(void **state)
{
	struct scene *s = *state;

	history_free(s->history);
	object_unref(s->a);
	object_unref(s->b);
	return 0;
}

/* One second in which the object did so many reads of 3 ms; absent where it is NULL. */
static void
feed(struct scene *s, struct object *o, double reads)
{
	struct stamp end = { .mono_ns = 1 };
	struct interval *v = interval_new(&end, SECOND);
	struct interval_table *t = interval_make_table(v, &kind_disk, o != NULL ? 1 : 0, SECOND);

	if (o != NULL) {
		t->rows[0].object = object_ref(o);
		t->rows[0].ns = SECOND;
		for (int i = 0; i < DISK_METRICS; i++)
			t->rows[0].cells[i] = 0;
		t->rows[0].cells[DISK_READS] = reads;
		t->rows[0].cells[DISK_READ_MS] = 3 * reads;
	}
	history_feed(s->history, v);
	interval_unref(v);
}

static void
test_newest_last(void **state)
{
	struct scene *s = *state;
	float out[3];

	feed(s, s->a, 10);
	feed(s, s->a, 20);
	assert_int_equal(history_get(s->history, s->a->uid, HISTORY_IOPS_READ, out, 3), 2);
	assert_true(isnan(out[0]));
	assert_float_equal(out[1], 10, 1e-6);
	assert_float_equal(out[2], 20, 1e-6);
	assert_int_equal(history_get(s->history, s->a->uid, HISTORY_GAVG, out, 1), 1);
	assert_float_equal(out[0], 3, 1e-6);
	history_get(s->history, s->a->uid, HISTORY_IOPS_WRITE, out, 1);
	assert_float_equal(out[0], 0, 1e-6);
	history_get(s->history, s->a->uid, HISTORY_GAVG_WRITE, out, 1);
	assert_true(isnan(out[0]));
}

static void
test_keeps_only_so_many(void **state)
{
	struct scene *s = *state;
	float out[6];

	for (int i = 1; i <= 7; i++)
		feed(s, s->a, i);
	assert_int_equal(history_get(s->history, s->a->uid, HISTORY_IOPS, out, 6), 4);
	assert_true(isnan(out[1]));
	for (int i = 0; i < 4; i++)
		assert_float_equal(out[2 + i], 4 + i, 1e-6);
}

/* At rest there is no ring yet; what comes later must not change what is told of before. */
static void
test_rest_is_zero_and_latency_unknown(void **state)
{
	struct scene *s = *state;
	float out[3];

	feed(s, s->a, 0);
	feed(s, s->a, 0);
	for (int busy = 0; busy < 2; busy++) {
		history_get(s->history, s->a->uid, HISTORY_IOPS, out, 2);
		assert_float_equal(out[0], 0, 1e-6);
		history_get(s->history, s->a->uid, HISTORY_GAVG, out, 2);
		assert_true(isnan(out[0]));
		feed(s, s->a, 5);
	}
	assert_int_equal(history_get(s->history, s->a->uid, HISTORY_IOPS, out, 3), 3);
	assert_float_equal(out[0], 0, 1e-6);
	assert_float_equal(out[1], 5, 1e-6);
}

static void
test_absence_is_a_hole(void **state)
{
	struct scene *s = *state;
	float out[4];

	feed(s, s->a, 1);
	feed(s, NULL, 0);
	feed(s, s->a, 3);
	assert_int_equal(history_get(s->history, s->a->uid, HISTORY_IOPS, out, 3), 3);
	assert_float_equal(out[0], 1, 1e-6);
	assert_true(isnan(out[1]));
	assert_float_equal(out[2], 3, 1e-6);
	/* and while it is away the newest is unknown, not its last figure */
	feed(s, NULL, 0);
	history_get(s->history, s->a->uid, HISTORY_IOPS, out, 1);
	assert_true(isnan(out[0]));
}

static void
test_forgets_what_has_gone(void **state)
{
	struct scene *s = *state;
	float out[1];

	feed(s, s->b, 9);
	for (int i = 0; i < 2 * HISTORY_FORGET; i++)
		feed(s, s->a, 1);
	assert_int_equal(history_objects(s->history), 1);
	assert_int_equal(history_get(s->history, s->b->uid, HISTORY_IOPS, out, 1), 0);
	assert_int_equal(history_get(s->history, 0, HISTORY_IOPS, out, 1), 0);
}

static void
test_many_objects(void **state)
{
	struct scene *s = *state;
	struct object *all[200];
	struct stamp end = { .mono_ns = 1 };
	struct interval *v;
	struct interval_table *t;
	float out[1];

	for (int i = 0; i < 200; i++)
		all[i] = object_new(&kind_disk, 0, "sdx", "sdx");
	v = interval_new(&end, SECOND);
	t = interval_make_table(v, &kind_disk, 200, SECOND);
	for (int i = 0; i < 200; i++) {
		t->rows[i].object = object_ref(all[i]);
		t->rows[i].ns = SECOND;
		t->rows[i].cells[DISK_READS] = i;
	}
	history_feed(s->history, v);
	interval_unref(v);
	assert_int_equal(history_objects(s->history), 200);
	for (int i = 0; i < 200; i++) {
		history_get(s->history, all[i]->uid, HISTORY_IOPS_READ, out, 1);
		assert_float_equal(out[0], i, 1e-6);
		object_unref(all[i]);
	}
}

static float
newest(const struct scene *s, const struct object *o)
{
	float out[1];

	history_get(s->history, o->uid, HISTORY_IOPS, out, 1);
	return out[0];
}

/* Every object but the last reads so much; that one always. */
static void
feed_crowd(struct scene *s, struct object **all, size_t n, uint64_t reads)
{
	struct stamp end = { .mono_ns = 1 };
	struct interval *v = interval_new(&end, SECOND);
	struct interval_table *t = interval_make_table(v, &kind_disk, n, SECOND);

	for (size_t i = 0; i < n; i++) {
		t->rows[i].object = object_ref(all[i]);
		t->rows[i].ns = SECOND;
		for (int m = 0; m < DISK_METRICS; m++)
			t->rows[i].cells[m] = 0;
		t->rows[i].cells[DISK_READS] = i == n - 1 ? 7 : reads;
	}
	history_feed(s->history, v);
	interval_unref(v);
}

/* Of more busy objects than there is room for nothing is known, which is not nothing; those at rest make room. */
static void
test_crowd(void **state)
{
	struct scene *s = *state;
	struct object *all[HISTORY_BUSY + 1];
	struct object *late;

	for (size_t i = 0; i < HISTORY_BUSY + 1; i++)
		all[i] = object_new(&kind_disk, 0, "sdx", "sdx");
	late = all[HISTORY_BUSY];
	feed_crowd(s, all, HISTORY_BUSY + 1, 2);
	assert_float_equal(newest(s, all[0]), 2, 1e-6);
	assert_float_equal(newest(s, all[HISTORY_BUSY - 1]), 2, 1e-6);
	assert_true(isnan(newest(s, late)));
	for (int i = 0; i < 4; i++)
		feed_crowd(s, all, HISTORY_BUSY + 1, 0);
	assert_float_equal(newest(s, all[0]), 0, 1e-6);
	assert_float_equal(newest(s, late), 7, 1e-6);
	for (size_t i = 0; i < HISTORY_BUSY + 1; i++)
		object_unref(all[i]);
}

/* Two bytes hold a figure to 0.4 %, also one that is large. */
static void
test_precision(void **state)
{
	struct scene *s = *state;

	feed(s, s->a, 1234567);
	assert_float_equal(newest(s, s->a), 1234567, 0.004 * 1234567);
}

/* What is seen of a flow on the wire is DAVG. */
static void
test_latency_of_a_flow(void **state)
{
	struct scene *s = *state;
	struct object *o = object_new(&kind_nfs_flow, 0, "flow", "flow");
	struct stamp end = { .mono_ns = 1 };
	struct interval *v = interval_new(&end, SECOND);
	struct interval_table *t = interval_make_table(v, &kind_nfs_flow, 1, SECOND);
	float out[1];

	t->rows[0].object = object_ref(o);
	t->rows[0].ns = SECOND;
	t->rows[0].cells[FLOW_COMMANDS] = t->rows[0].cells[FLOW_TIMED] = 10;
	t->rows[0].cells[FLOW_NS] = 20e6;
	history_feed(s->history, v);
	interval_unref(v);
	history_get(s->history, o->uid, HISTORY_GAVG, out, 1);
	assert_float_equal(out[0], 2, 1e-6);
	object_unref(o);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_newest_last, scene_make, scene_remove),
		cmocka_unit_test_setup_teardown(test_keeps_only_so_many, scene_make, scene_remove),
		cmocka_unit_test_setup_teardown(test_rest_is_zero_and_latency_unknown, scene_make, scene_remove),
		cmocka_unit_test_setup_teardown(test_absence_is_a_hole, scene_make, scene_remove),
		cmocka_unit_test_setup_teardown(test_forgets_what_has_gone, scene_make, scene_remove),
		cmocka_unit_test_setup_teardown(test_many_objects, scene_make, scene_remove),
		cmocka_unit_test_setup_teardown(test_crowd, scene_make, scene_remove),
		cmocka_unit_test_setup_teardown(test_precision, scene_make, scene_remove),
		cmocka_unit_test_setup_teardown(test_latency_of_a_flow, scene_make, scene_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
