/*
 * Two sections, one after the other: 5 s of reads at 1000 a second, 16 in flight; 5 s of writes at 100 a second, one in flight.
 */
#include "core/result_section.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/xalloc.h"
#include "tests/nan_fails.h"

#define MS UINT64_C(1000000)
#define KIB64 65536
#define W(warning) (UINT32_C(1) << (warning))

static struct hist *
values(uint64_t ns, uint64_t times)
{
	struct hist *h = hist_new(6);

	hist_add_value(h, ns, times);
	return h;
}

static int
setup(void **state)
{
	struct result *r = result_new();

	r->rows = xcalloc(2, sizeof(*r->rows));
	r->n_rows = 2;
	r->rows[0] = (struct result_row){ .name = "scan #1", .seconds = 5, .reads = 5000, .read_bytes = UINT64_C(5000) * KIB64,
		.in_flight = 16, .read = values(16 * MS, 5000) };
	r->rows[1] = (struct result_row){ .name = "log", .section = 1, .seconds = 5, .writes = 500,
		.write_bytes = UINT64_C(500) * KIB64, .in_flight = 1, .write = values(10 * MS, 500) };
	r->total.seconds = 10;
	r->total.reads = 5000;
	r->total.read_bytes = r->rows[0].read_bytes;
	r->total.writes = 500;
	r->total.write_bytes = r->rows[1].write_bytes;
	r->total.in_flight = 8.5;
	r->total.read = values(16 * MS, 5000);
	r->total.write = values(10 * MS, 500);
	r->n_series = 10;
	r->series = xcalloc(10, sizeof(*r->series));
	for (size_t i = 0; i < 10; i++)
		r->series[i] = (struct result_point){ .at_s = (double)i + 1, .seconds = 1, .section = i / 5,
			.read_iops = i < 5 ? 1000 : 0, .write_iops = i < 5 ? 0 : 100,
			.read_mib_s = i < 5 ? 62.5 : 0, .write_mib_s = i < 5 ? 0 : 6.25,
			.device_read_mib_s = i < 5 ? 62.5 : 0, .device_write_mib_s = i < 5 ? 0 : 6.25 };
	snprintf(r->device.name, sizeof(r->device.name), "sda");
	r->device.read_mib_s = 31.25;
	r->device.write_mib_s = 3.125;
	*state = r;
	return 0;
}

static int
teardown(void **state)
{
	result_free(*state);
	return 0;
}

static void
expect(struct result *r, uint32_t warnings)
{
	result_check(r);
	assert_int_equal(r->warnings, warnings);
}

static void
test_a_step_between_sections_is_wanted(void **state)
{
	struct result *r = *state;
	char text[200];

	assert_int_equal(result_sections(r), 2);
	expect(r, 0);
	assert_int_equal(r->steady, STEADY_YES);
	/* 70 beside 100: a range of 30 of a mean of 94. */
	r->series[9].write_iops = 70;
	expect(r, W(WARN_NOT_STEADY));
	result_warning_text(r, WARN_NOT_STEADY, text, sizeof(text));
	assert_non_null(strstr(text, "over five windows in log"));
	r->series[9].write_iops = 100;
	/* One section is too short to say. */
	r->n_series = 9;
	expect(r, 0);
	assert_int_equal(r->steady, STEADY_UNKNOWN);
	/* As one section it is a step. */
	r->n_series = 10;
	r->phased = true;
	r->series[9].write_iops = 70;
	expect(r, 0);	/* phases are to differ */
	assert_int_equal(r->steady, STEADY_UNKNOWN);
	r->series[9].write_iops = 100;
	r->phased = false;
	for (size_t i = 0; i < 10; i++)
		r->series[i].section = 0;
	r->rows[1].section = 0;
	result_check(r);
	assert_int_equal(r->steady, STEADY_NO);
}

/* 17 where 16 are wanted, and 0 where 1 is: together they are right. */
static void
test_littles_law_of_each(void **state)
{
	struct result *r = *state;
	char text[200];

	assert_true(result_littles_law(r));
	assert_float_equal(result_in_flight(r), 16, 1e-9);
	r->rows[0].in_flight = 17;
	r->rows[1].in_flight = 0;
	expect(r, W(WARN_LITTLE));
	result_warning_text(r, WARN_LITTLE, text, sizeof(text));
	assert_string_equal(text, "17.00 in flight were measured, IOPS x latency want 16.00 in scan");
	r->total.errors = 1;
	result_warning_text(r, WARN_LITTLE, text, sizeof(text));
	assert_string_equal(text, "17.00 in flight were measured, IOPS x latency want 16.00 in scan: those that failed were in flight too");
}

/* A cache hides half of what the first section read, and a read-ahead of the second makes up for it. */
static void
test_device_of_each(void **state)
{
	struct result *r = *state;
	char text[200];

	for (size_t i = 0; i < 5; i++)
		r->series[i].device_read_mib_s = 31.25;
	r->series[5].device_read_mib_s = 156.25;
	expect(r, W(WARN_CACHE_SEEN));
	result_warning_text(r, WARN_CACHE_SEEN, text, sizeof(text));
	assert_string_equal(text, "sda read 0.50 of the bytes the application read in scan: served by a cache");
}

/* Reads after writes that covered it all are of what was written. */
static void
test_written_before(void **state)
{
	struct result *r = *state;

	r->unwritten = true;
	r->working_set_bytes = 500.0 * KIB64;
	expect(r, W(WARN_UNWRITTEN));
	/* The other way round. */
	r->rows[0].section = 1;
	r->rows[1].section = 0;
	r->n_series = 0;
	r->device.name[0] = '\0';
	expect(r, 0);
	r->working_set_bytes = 501.0 * KIB64;
	expect(r, W(WARN_UNWRITTEN));
}

/* 5 of 500 late are 1 %, of the total they are less. */
static void
test_late_of_each(void **state)
{
	struct result *r = *state;
	char text[200];

	r->rows[1].late = r->total.late = 5;
	expect(r, 0);
	r->rows[1].late = r->total.late = 6;
	expect(r, W(WARN_RATE_NOT_KEPT));
	result_warning_text(r, WARN_RATE_NOT_KEPT, text, sizeof(text));
	assert_string_equal(text, "1.2 % of the I/Os of log started after their time: the pace asked for is not kept");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_step_between_sections_is_wanted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_littles_law_of_each, setup, teardown),
		cmocka_unit_test_setup_teardown(test_device_of_each, setup, teardown),
		cmocka_unit_test_setup_teardown(test_written_before, setup, teardown),
		cmocka_unit_test_setup_teardown(test_late_of_each, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
