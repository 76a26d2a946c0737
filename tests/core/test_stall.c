#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/stall.h"
#include "fixture.h"

struct scene {
	struct stall *stall;
	struct object *object;
};

/* One interval of two seconds; returns how long the object stands. */
static uint64_t
feed(struct scene *s, double in_flight, double completed, enum event_type *event)
{
	struct stamp end = { .mono_ns = 1 };
	struct interval *v = interval_new(&end, 2 * SECOND);
	struct interval_table *t = interval_make_table(v, &kind_test, 1, 2 * SECOND);
	uint64_t stalled_ns;

	t->rows[0].object = object_ref(s->object);
	t->rows[0].cells[TK_NOW] = in_flight;
	t->rows[0].cells[TK_OPS] = completed;
	stall_watch(s->stall, v);
	stalled_ns = t->rows[0].stalled_ns;
	*event = v->n_events > 0 ? v->events[0].type : EVENT_COUNT;
	interval_unref(v);
	return stalled_ns;
}

static void
test_two_intervals_without_completion(void **state)
{
	struct scene s = { stall_new(), object_new(&kind_test, 0, "sdz", "sdz") };
	enum event_type event;

	(void)state;
	assert_int_equal(feed(&s, 4, 100, &event), 0);
	assert_int_equal(feed(&s, 4, 0, &event), 0);
	assert_int_equal(event, EVENT_COUNT);
	assert_int_equal(feed(&s, 4, 0, &event), 4 * SECOND);
	assert_int_equal(event, EVENT_STALL);
	assert_int_equal(feed(&s, 4, 0, &event), 6 * SECOND);
	assert_int_equal(event, EVENT_COUNT);
	assert_int_equal(feed(&s, 4, 1, &event), 0);
	assert_int_equal(event, EVENT_RESUME);
	/* It begins anew. */
	assert_int_equal(feed(&s, 4, 0, &event), 0);
	assert_int_equal(feed(&s, 4, 0, &event), 4 * SECOND);
	object_unref(s.object);
	stall_free(s.stall);
}

static void
test_idle_does_not_stall(void **state)
{
	struct scene s = { stall_new(), object_new(&kind_test, 0, "sdz", "sdz") };
	enum event_type event;

	(void)state;
	for (int i = 0; i < 5; i++)
		assert_int_equal(feed(&s, 0, 0, &event), 0);
	/* One idle interval ends the count. */
	assert_int_equal(feed(&s, 2, 0, &event), 0);
	assert_int_equal(feed(&s, 0, 0, &event), 0);
	assert_int_equal(feed(&s, 2, 0, &event), 0);
	assert_int_equal(event, EVENT_COUNT);
	object_unref(s.object);
	stall_free(s.stall);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_intervals_without_completion),
		cmocka_unit_test(test_idle_does_not_stall),
	};

	return cmocka_run_group_tests_name("core/stall", tests, NULL, NULL);
}
