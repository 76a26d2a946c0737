#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "load/counters.h"

static void
empty(void **state)
{
	struct live_hist *h = malloc(sizeof(*h));

	(void)state;
	live_hist_init(h);
	assert_null(live_hist_copy(h));
	free(h);
}

static void
values(void **state)
{
	static const uint64_t ns[] = { 5000, 70, 70, 0, UINT64_C(12345678901) };
	struct live_hist *live = malloc(sizeof(*live));
	struct hist *copy, *expected = hist_new(LOAD_HIST_BITS);

	(void)state;
	live_hist_init(live);
	for (size_t i = 0; i < sizeof(ns) / sizeof(ns[0]); i++) {
		live_hist_count(live, ns[i]);
		live_hist_sum(live, ns[i]);
		hist_add_value(expected, ns[i], 1);
	}
	copy = live_hist_copy(live);
	assert_int_equal(copy->count, 5);
	assert_int_equal(copy->sum_ns, 12345684041);
	assert_int_equal(copy->min_ns, 0);
	assert_int_equal(copy->max_ns, 12345678901);
	assert_int_equal(copy->first, expected->first);
	assert_int_equal(copy->n, expected->n);
	assert_memory_equal(copy->buckets, expected->buckets, copy->n * sizeof(*copy->buckets));
	hist_free(copy);
	hist_free(expected);
	free(live);
}

/* The largest value there is has a bucket. */
static void
largest(void **state)
{
	struct live_hist *live = malloc(sizeof(*live));
	struct hist *copy;

	(void)state;
	live_hist_init(live);
	live_hist_count(live, UINT64_MAX);
	assert_int_equal(hist_bucket(LOAD_HIST_BITS, UINT64_MAX), LOAD_HIST_BUCKETS - 1);
	copy = live_hist_copy(live);
	assert_int_equal(copy->first, LOAD_HIST_BUCKETS - 1);
	assert_int_equal(copy->n, 1);
	hist_free(copy);
	free(live);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty),
		cmocka_unit_test(values),
		cmocka_unit_test(largest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
