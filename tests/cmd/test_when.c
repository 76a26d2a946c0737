#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "cmd/when.h"

/* Saturday 2026-01-10T12:00:00Z */
#define NOW INT64_C(1768046400000)

static void
test_spans(void **state)
{
	static const struct { const char *text; uint64_t ns; } good[] = {
		{ "0.1", 100000000 }, { "90", 90000000000 }, { "90s", 90000000000 }, { "5m", 300000000000 },
		{ "2h", 7200000000000 }, { "1.5m", 90000000000 }, { "1d", 86400000000000 }, { "0", 0 },
	};
	static const char *const bad[] = { "", "-1", "+1", "1x", "1e3", "0x10", "inf", "nan", "1,5", "5 m", "m", ".", "1..2",
		"99999999999d" };
	uint64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(span_parse(good[i].text, &ns), 0);
		assert_int_equal(ns, good[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(span_parse(bad[i], &ns), -EINVAL);
}

/* In a zone an hour east of Greenwich. */
static void
test_times(void **state)
{
	static const struct { const char *text; int64_t ms; } good[] = {
		{ "5m", NOW - 300000 },
		{ "2026-01-10", NOW - 13 * 3600000 },
		{ "2026-01-10T13:00:00", NOW },
		{ "2026-01-10 13:00", NOW },
		{ "2026-01-10T12:00:00Z", NOW },
		{ "12:30", NOW - 1800000 },
		{ "12:30:10", NOW - 1790000 },
		{ "13:30", NOW + 1800000 - 86400000 },	/* of yesterday */
	};
	static const char *const bad[] = { "", "25:00", "12:60", "2026-02-30", "2026-13-01", "2026-01-10X", "noon",
		"12:30 tomorrow", "2026-01-10T12:00:00ZZ" };
	int64_t ms;

	(void)state;
	setenv("TZ", "CET-1", 1);
	tzset();
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(when_parse(good[i].text, NOW, &ms), 0);
		assert_int_equal(ms, good[i].ms);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)

		assert_int_equal(when_parse(bad[i], NOW, &ms), -EINVAL);
}

static void
test_times_to_come(void **state)
{
	int64_t ms;

	(void)state;
	setenv("TZ", "CET-1", 1);
	tzset();
	assert_int_equal(when_next_parse("90s", NOW, &ms), 0);
	assert_int_equal(ms, NOW + 90000);
	assert_int_equal(when_next_parse("13:30", NOW, &ms), 0);
	assert_int_equal(ms, NOW + 1800000);
	assert_int_equal(when_next_parse("12:30", NOW, &ms), 0);	/* tomorrow's */
	assert_int_equal(ms, NOW - 1800000 + 86400000);
	assert_int_equal(when_next_parse("2026-01-10T12:00:01Z", NOW, &ms), 0);
	assert_int_equal(when_next_parse("2026-01-10T12:00:00Z", NOW, &ms), -EINVAL);
	assert_int_equal(when_next_parse("2025-01-10", NOW, &ms), -EINVAL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spans),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_times_to_come),
	};

	return cmocka_run_group_tests_name("cmd/when", tests, NULL, NULL);
}
