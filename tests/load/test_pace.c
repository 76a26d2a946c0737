#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/clock.h"
#include "load/pace.h"

#define T0 (1000 * NS_PER_S)
#define US UINT64_C(1000)
#define MS NS_PER_MS

static void
without_a_pace(void **state)
{
	struct job_pattern job = { .read_pct = 100 };
	struct pace p;

	(void)state;
	pace_init(&p, &job, T0, 1);
	assert_false(pace_paced(&p));
}

/* 2000 a second are 500 us apart, whatever the moment they start at: after a stall they catch up. */
static void
rate_keeps_its_schedule(void **state)
{
	struct job_pattern job = { .read_pct = 100, .rate_iops = { 2000 } };
	struct pace p;

	(void)state;
	pace_init(&p, &job, T0, 1);
	assert_true(pace_paced(&p));
	assert_int_equal(pace_next(&p, IO_READ), T0);
	assert_false(pace_issued(&p, IO_READ, 4096, T0));
	assert_int_equal(pace_next(&p, IO_READ), T0 + 500 * US);
	/* a stall until 3 ms: the one due at 0.5 ms is late, the ones due at 2 ms and later are not */
	assert_true(pace_issued(&p, IO_READ, 4096, T0 + 3 * MS));
	assert_true(pace_issued(&p, IO_READ, 4096, T0 + 3 * MS));
	assert_true(pace_issued(&p, IO_READ, 4096, T0 + 3 * MS));
	assert_int_equal(pace_due(&p, IO_READ), T0 + 2 * MS);
	assert_false(pace_issued(&p, IO_READ, 4096, T0 + 3 * MS));
	assert_int_equal(pace_next(&p, IO_READ), T0 + 2500 * US);
}

static void
rate_does_not_drift(void **state)
{
	struct job_pattern job = { .read_pct = 100, .rate_iops = { 3000 } };
	struct pace p;

	(void)state;
	pace_init(&p, &job, T0, 1);
	for (unsigned i = 0; i < 3000 * 60; i++)
		pace_issued(&p, IO_READ, 4096, T0);
	assert_in_range(pace_next(&p, IO_READ), T0 + 60 * NS_PER_S - 10, T0 + 60 * NS_PER_S + 10);
}

/* 1 MiB/s: 4 KiB take 1/256 s, 64 KiB 1/16 s. */
static void
rate_of_bytes(void **state)
{
	struct job_pattern job = { .read_pct = 0, .rate_bytes_s = { 0, 1 << 20 } };
	struct pace p;

	(void)state;
	pace_init(&p, &job, T0, 1);
	pace_issued(&p, IO_WRITE, 4096, T0);
	assert_int_equal(pace_next(&p, IO_WRITE), T0 + 3906250);
	pace_issued(&p, IO_WRITE, 65536, T0);
	assert_int_equal(pace_next(&p, IO_WRITE), T0 + 3906250 + 62500000);
}

/* The mean of 20000 exponential gaps is within 3 % (sigma 0.7 %), and half of them are below ln 2 of it. */
static void
poisson(void **state)
{
	struct job_pattern job = { .read_pct = 100, .rate_iops = { 1000 }, .poisson = true };
	unsigned below = 0;
	uint64_t last = T0;
	struct pace p;

	(void)state;
	pace_init(&p, &job, T0, 3);
	for (unsigned i = 0; i < 20000; i++) {
		pace_issued(&p, IO_READ, 4096, last);
		below += pace_next(&p, IO_READ) - last < 693147;
		last = pace_next(&p, IO_READ);
	}
	assert_in_range((last - T0) / 20000, 970 * US, 1030 * US);
	assert_in_range(below, 9600, 10400);
}

static void
directions_have_their_own_rates(void **state)
{
	struct job_pattern job = { .read_pct = 50, .rate_iops = { 1000, 250 } };
	struct pace p;

	(void)state;
	pace_init(&p, &job, T0, 1);
	pace_issued(&p, IO_READ, 4096, T0);
	/* reads are due at 1 ms, writes at once */
	assert_int_equal(pace_direction(&p, IO_READ, T0), IO_WRITE);
	pace_issued(&p, IO_WRITE, 4096, T0);
	/* writes at 4 ms */
	assert_int_equal(pace_direction(&p, IO_WRITE, T0), IO_READ);

	/* with a rate for writes only, reads go on while a write waits */
	job.rate_iops[IO_READ] = 0;
	pace_init(&p, &job, T0, 1);
	pace_issued(&p, IO_WRITE, 4096, T0);
	assert_int_equal(pace_direction(&p, IO_WRITE, T0 + MS), IO_READ);
	assert_int_equal(pace_direction(&p, IO_WRITE, T0 + 4 * MS), IO_WRITE);
	assert_int_equal(pace_next(&p, IO_READ), 0);
}

/* Iometer's 1 ms and 4: four at once each millisecond, 4000 a second, however long waking up takes. */
static void
bursts(void **state)
{
	struct job_pattern job = { .read_pct = 100, .delay_ns = MS, .burst = 4 };
	struct pace p;

	(void)state;
	pace_init(&p, &job, T0, 1);
	assert_true(pace_paced(&p));
	for (unsigned i = 1; i <= 100; i++) {
		for (unsigned k = 0; k < 4; k++) {
			assert_int_equal(pace_next(&p, IO_READ), T0 + i * MS);
			assert_int_equal(pace_due(&p, IO_READ), T0 + i * MS);
			assert_false(pace_issued(&p, IO_READ, 4096, T0 + i * MS + 60 * US));
		}
	}
}

/* Held up by a full queue, the delay counts from the last I/O that was issued. */
static void
bursts_wait_for_the_queue(void **state)
{
	struct job_pattern job = { .read_pct = 100, .delay_ns = MS, .burst = 2 };
	struct pace p;

	(void)state;
	pace_init(&p, &job, T0, 1);
	assert_false(pace_issued(&p, IO_READ, 4096, T0 + MS));
	assert_true(pace_issued(&p, IO_READ, 4096, T0 + 7 * MS));
	assert_int_equal(pace_next(&p, IO_READ), T0 + 8 * MS);
}

/* thinktime=1ms, thinktime_blocks=2: after two completions nothing starts until all are back, and then 1 ms passes. */
static void
thinking(void **state)
{
	struct job_pattern job = { .read_pct = 100, .think_ns = MS, .think_blocks = 2 };
	struct pace p;

	(void)state;
	pace_init(&p, &job, T0, 1);
	assert_true(pace_paced(&p));
	assert_int_equal(pace_next(&p, IO_READ), 0);
	assert_int_equal(pace_due(&p, IO_READ), 0);
	for (unsigned i = 0; i < 3; i++)
		pace_issued(&p, IO_READ, 4096, T0);
	pace_completed(&p, 1, 2, T0 + 10 * US);
	assert_int_equal(pace_next(&p, IO_READ), 0);
	pace_completed(&p, 1, 1, T0 + 20 * US);
	assert_true(pace_next(&p, IO_READ) == PACE_NEVER);
	pace_completed(&p, 1, 0, T0 + 30 * US);
	assert_int_equal(pace_next(&p, IO_READ), T0 + 30 * US + MS);
	assert_int_equal(pace_spin(&p), T0 + 30 * US);
	/* and again */
	pace_issued(&p, IO_READ, 4096, T0 + 2 * MS);
	pace_completed(&p, 1, 0, T0 + 3 * MS);
	assert_true(pace_next(&p, IO_READ) <= T0 + 3 * MS);
	pace_completed(&p, 1, 0, T0 + 4 * MS);
	assert_int_equal(pace_next(&p, IO_READ), T0 + 5 * MS);
}

static void
thinking_by_issue(void **state)
{
	struct job_pattern job = { .read_pct = 100, .think_ns = MS, .think_spin_ns = 300 * US, .think_blocks = 2, .think_issue = true };
	struct pace p;

	(void)state;
	pace_init(&p, &job, T0, 1);
	pace_issued(&p, IO_READ, 4096, T0);
	assert_int_equal(pace_next(&p, IO_READ), 0);
	pace_issued(&p, IO_READ, 4096, T0);
	assert_true(pace_next(&p, IO_READ) == PACE_NEVER);
	pace_completed(&p, 2, 0, T0 + 50 * US);
	assert_int_equal(pace_next(&p, IO_READ), T0 + 50 * US + MS);
	assert_int_equal(pace_spin(&p), T0 + 350 * US);
}

/* thinktime_iotime: 5 ms of I/O, then the pause. */
static void
thinking_by_time(void **state)
{
	struct job_pattern job = { .read_pct = 100, .think_ns = MS, .think_iotime_ns = 5 * MS, .think_blocks = 1 };
	struct pace p;

	(void)state;
	pace_init(&p, &job, T0, 1);
	pace_issued(&p, IO_READ, 4096, T0);
	pace_completed(&p, 1, 0, T0 + 4 * MS);
	assert_int_equal(pace_next(&p, IO_READ), 0);
	pace_issued(&p, IO_READ, 4096, T0 + 4 * MS);
	pace_completed(&p, 1, 0, T0 + 5 * MS);
	assert_int_equal(pace_next(&p, IO_READ), T0 + 6 * MS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_pace),
		cmocka_unit_test(rate_keeps_its_schedule),
		cmocka_unit_test(rate_does_not_drift),
		cmocka_unit_test(rate_of_bytes),
		cmocka_unit_test(poisson),
		cmocka_unit_test(directions_have_their_own_rates),
		cmocka_unit_test(bursts),
		cmocka_unit_test(bursts_wait_for_the_queue),
		cmocka_unit_test(thinking),
		cmocka_unit_test(thinking_by_issue),
		cmocka_unit_test(thinking_by_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
