/*
 * The steps of a test.
 */
#include "session/test_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/test_amount.h"

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
	assert_int_equal(test_plan_make(&plan, &request, why, sizeof(why)), 0);
	n = plan.n_steps;
	assert_true(n > 2);
	assert_int_equal(plan.steps[0].depth, 1);
	assert_string_equal(plan.steps[1].name, "curve");
	assert_string_equal(plan.steps[1].workload, "curve depth 2");
	test_plan_clear(&plan);
	request.repeat = 3;
	assert_int_equal(test_plan_make(&plan, &request, why, sizeof(why)), 0);
	assert_int_equal(plan.n_steps, 3 * n);
	for (size_t i = 0; i < 3 * n; i++) {
		assert_string_equal(plan.steps[i].name, "curve");
		assert_int_equal(plan.steps[i].depth, plan.steps[i % n].depth);
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
	assert_int_equal(test_plan_make(&plan, &request, why, sizeof(why)), 0);
	assert_int_equal(plan.n_steps, 1);
	assert_int_equal(plan.steps[0].runtime_ns, 30 * S);
	assert_int_equal(plan.steps[0].ramp_ns, 5 * S);
	assert_true(plan.steps[0].quick);
	test_plan_clear(&plan);
	request.full = true;
	request.ramp_ns = 7 * S;
	assert_int_equal(test_plan_make(&plan, &request, why, sizeof(why)), 0);
	assert_true(plan.steps[0].runtime_ns > 30 * S);
	assert_int_equal(plan.steps[0].ramp_ns, 7 * S);
	assert_false(plan.steps[0].quick);
	test_plan_clear(&plan);
	request.workload = "no-such-workload";
	assert_int_equal(test_plan_make(&plan, &request, why, sizeof(why)), 2);
}

/* A job file of that text, for a moment. */
static void
plan_of(struct test_plan *plan, struct test_request *request, const char *text)
{
	char path[] = "/tmp/test_plan.XXXXXX", why[200];
	FILE *file = fdopen(mkstemp(path), "w");

	fputs(text, file);
	fclose(file);
	request->workload = path;
	if (test_plan_make(plan, request, why, sizeof(why)) != 0)
		fail_msg("%s", why);
	unlink(path);
}

/* How large a test file has to be: to where the last clone of any job ends, if all say it in bytes. */
static void
test_span(void **state)
{
	static const struct { const char *text; uint64_t bytes; } cases[] = {
		{ "[a]\nsize=8m\n", 8 << 20 },
		{ "[a]\nfilesize=6m\n", 6 << 20 },
		{ "[a]\nsize=4m\nfilesize=6m\n", 6 << 20 },	/* filesize is the area, size the amount */
		{ "[a]\nsize=8m\noffset=3m\n", 11 << 20 },
		{ "[a]\nsize=8m\noffset_increment=8m\nnumjobs=4\n", 32 << 20 },
		{ "[a]\nsize=8m\noffset=1m\noffset_increment=2m\nnumjobs=3\n", 13 << 20 },
		{ "[a]\nsize=8m\n[b]\nsize=2m\noffset=9m\n", 11 << 20 },
		{ "[a]\nsize=8m\n[b]\nsize=2m\n", 8 << 20 },
		{ "[a]\nsize=8m\nio_size=64m\n", 8 << 20 },	/* again and again */
		/* One that takes a share, or all, makes it the target's usual size. */
		{ "[a]\nsize=8m\n[b]\nrw=read\n", 0 },
		{ "[a]\nsize=50%\n", 0 },
		{ "[a]\nsize=8m\noffset=10%\n", 0 },
		{ "[a]\nsize=8m\noffset_increment=10%\nnumjobs=2\n", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct test_request request = request_of(NULL);
		struct test_plan plan;

		plan_of(&plan, &request, cases[i].text);
		if (plan.span_bytes != cases[i].bytes)
			fail_msg("%s: %llu", cases[i].text, (unsigned long long)plan.span_bytes);
		test_plan_clear(&plan);
	}
}

/* The smallest I/O that is ever made; what only stands in the file says nothing. */
static void
test_smallest_block(void **state)
{
	static const struct { const char *text; uint32_t bytes; } cases[] = {
		{ "[a]\nbs=8k\n", 8192 },
		{ "[a]\nbs=8k,512\n", 8192 },		/* nothing is written */
		{ "[a]\nrw=randrw\nbs=8k,512\n", 512 },
		{ "[a]\nrw=randread\nbssplit=64k/50:1k/0:16k/50\n", 16384 },
		{ "[a]\nrw=randread\nbs=8k\nblockalign=512\n", 512 },
		{ "[a]\nbs=64k\n[b]\nbs=16k\n", 16384 },
		{ "[p]\nbs=64k\n[a]\nstortop_phases=p/1\n", 65536 },	/* its own pattern never runs */
		{ "[a]\nstortop_idle=1\n", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct test_request request = request_of(NULL);
		struct test_plan plan;

		plan_of(&plan, &request, cases[i].text);
		if (plan.smallest_block != cases[i].bytes)
			fail_msg("%s: %u", cases[i].text, plan.smallest_block);
		assert_string_equal(plan.jobs->text, cases[i].text);
		test_plan_clear(&plan);
	}
}

/* On a device of 1 GiB. */
static void
test_amounts(void **state)
{
	static const struct target_facts gib = { .kind = TARGET_NULL, .size_bytes = 1 << 30 };
	static const struct { const char *text, *amount; } cases[] = {
		{ "[a]\nrw=read\n", "" },
		{ "[a]\nrw=write\nsize=256m\n", "at most 256 MiB" },
		{ "[a]\nrw=write\n", "at most 1 GiB" },
		{ "[a]\nrw=write\nloops=2\n", "at most 2 GiB, within 1 GiB of it" },
		{ "[a]\nrw=randrw\nbs=4k\nnumber_ios=1024\n", "at most 4 MiB" },
		{ "[a]\nrw=randwrite\nbs=4k\nnumber_ios=1024\nloops=3\n", "at most 12 MiB" },
		{ "[a]\nrw=write\nsize=25%\nruntime=60\n", "at most 256 MiB" },
		{ "[a]\nrw=write\nsize=128m\nnumjobs=2\n", "at most 256 MiB, within 128 MiB of it" },
		{ "[a]\nrw=write\nsize=128m\n[b]\nrw=read\n", "at most 128 MiB" },
		{ "[a]\nrw=randwrite\nsize=512m\ntime_based\nruntime=60\nramp_time=5\n",
		    "any part of it, up to 512 MiB, again and again for 65 s" },
		{ "[a]\nrw=write\ntime_based\nruntime=10\n[b]\nstonewall\nrw=write\nsize=1m\n",
		    "any part of it, up to 1 GiB, again and again until it is stopped" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct test_request request = request_of(NULL);
		struct test_plan plan;
		char amount[TEST_AMOUNT];

		plan_of(&plan, &request, cases[i].text);
		test_amount(&plan, &request, &gib, amount, sizeof(amount));
		assert_string_equal(amount, cases[i].amount);
		test_plan_clear(&plan);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repeated_curve),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_span),
		cmocka_unit_test(test_smallest_block),
		cmocka_unit_test(test_amounts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
