/*
 * The steps of a test.
 */
#include "session/test_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define S UINT64_C(1000000000)

static struct test_request
request_of(const char *workload)
{
	return (struct test_request){ .workload = workload, .runtime_ns = UINT64_MAX, .ramp_ns = UINT64_MAX };
}

/* Depth by depth, and all of it again. */
static void
test_repeated_curve(void **state)
{
	struct test_request request = request_of("curve");
	struct test_plan plan;
	char why[200];
	size_t n;

	(void)state;
	assert_int_equal(test_plan_make(&plan, &request, NULL, why, sizeof(why)), 0);
	n = plan.n_steps;
	assert_true(n > 2);
	assert_int_equal(plan.steps[0].depth, 1);
	assert_string_equal(plan.steps[1].name, "curve");
	assert_string_equal(plan.steps[1].workload, "curve depth 2");
	test_plan_clear(&plan);
	request.repeat = 3;
	assert_int_equal(test_plan_make(&plan, &request, NULL, why, sizeof(why)), 0);
	assert_int_equal(plan.n_steps, 3 * n);
	for (size_t i = 0; i < 3 * n; i++) {
		assert_string_equal(plan.steps[i].name, "curve");
		assert_int_equal(plan.steps[i].depth, plan.steps[i % n].depth);
		assert_ptr_equal(plan.steps[i].jobs, plan.steps[0].jobs);
	}
	test_plan_clear(&plan);
}

static void
test_times(void **state)
{
	struct test_request request = request_of("oltp-4k");
	struct test_plan plan;
	char why[200];

	(void)state;
	assert_int_equal(test_plan_make(&plan, &request, NULL, why, sizeof(why)), 0);
	assert_int_equal(plan.n_steps, 1);
	assert_int_equal(plan.steps[0].runtime_ns, 30 * S);
	assert_int_equal(plan.steps[0].ramp_ns, 5 * S);
	assert_true(plan.steps[0].quick);
	test_plan_clear(&plan);
	request.full = true;
	request.ramp_ns = 7 * S;
	assert_int_equal(test_plan_make(&plan, &request, NULL, why, sizeof(why)), 0);
	assert_true(plan.steps[0].runtime_ns > 30 * S);
	assert_int_equal(plan.steps[0].ramp_ns, 7 * S);
	assert_false(plan.steps[0].quick);
	test_plan_clear(&plan);
	request.workload = "no-such-workload";
	assert_int_equal(test_plan_make(&plan, &request, NULL, why, sizeof(why)), 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repeated_curve),
		cmocka_unit_test(test_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
