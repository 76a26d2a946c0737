#include "core/curve.h"
#include "tests/nan_fails.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* A step of 1 s: so many I/Os, all of the same latency. */
static struct result *
step(unsigned depth, uint64_t ios, uint64_t us)
{
	struct result *r = result_new();

	snprintf(r->workload, sizeof(r->workload), "curve");
	r->depth = depth;
	r->total.seconds = 1;
	r->total.reads = ios;
	r->total.read = hist_new(6);
	hist_add_value(r->total.read, us * 1000, ios);
	return r;
}

/*
 * From 4 to 8 IOPS gain 9 % while latency grows by 84 %: 4 is the knee. From 2 to 4 latency grows by 60 %, but IOPS by a quarter.
 */
static void
make(struct result *r[static 4])
{
	r[0] = step(1, 5000, 200);
	r[1] = step(2, 8000, 250);
	r[2] = step(4, 10000, 400);
	r[3] = step(8, 10900, 736);
}

static void
drop(struct result *r[static 4])
{
	for (int i = 0; i < 4; i++)
		result_free(r[i]);
}

static void
test_knee(void **state)
{
	struct result *r[4];
	const struct result *const *steps = (const struct result *const *)r;

	(void)state;
	make(r);
	assert_true(curve_is(steps, 4));
	assert_false(curve_is(steps, 1));
	assert_int_equal(curve_knee(steps, 4), 2);
	assert_true(curve_knee(steps, 3) == CURVE_NONE);
	r[2]->depth = 2;
	assert_false(curve_is(steps, 4));
	drop(r);
}

static void
test_within_a_latency(void **state)
{
	struct result *r[4];
	const struct result *const *steps = (const struct result *const *)r;

	(void)state;
	make(r);
	assert_int_equal(curve_within(steps, 4, 0.41), 2);
	assert_int_equal(curve_within(steps, 4, 10), 3);
	assert_true(curve_within(steps, 4, 0.1) == CURVE_NONE);
	/* Deeper, and slower on top. */
	r[3]->total.reads = 9000;
	assert_int_equal(curve_within(steps, 4, 10), 2);
	drop(r);
}

/* 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squares 32, over seven. */
static void
test_summary(void **state)
{
	static const double values[] = { 2, 4, 4, 4, NAN, 5, 5, 7, 9 };
	struct summary s;

	(void)state;
	summary_of(&s, values, 9);
	assert_int_equal(s.n, 8);
	assert_float_equal(s.mean, 5, 1e-6);
	assert_float_equal(s.sd, 2.138090, 1e-6);
	assert_float_equal(s.cv, 0.427618, 1e-6);
	assert_float_equal(s.min, 2, 1e-6);
	assert_float_equal(s.max, 9, 1e-6);
	summary_of(&s, values, 1);
	assert_float_equal(s.mean, 2, 1e-6);
	assert_true(isnan(s.sd));
	summary_of(&s, values, 0);
	assert_true(isnan(s.mean));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_knee),
		cmocka_unit_test(test_within_a_latency),
		cmocka_unit_test(test_summary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
