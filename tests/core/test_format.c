#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/format.h"

#define S UINT64_C(1000000000)

typedef size_t number_format(char out[static FORMAT_MAX], double value);

struct number_case {
	double value;
	const char *text;
};

static void
check(number_format *format, const struct number_case *c, size_t n)
{
	char out[FORMAT_MAX];

	for (size_t i = 0; i < n; i++) {
		size_t len = format(out, c[i].value);

		assert_string_equal(out, c[i].text);
		assert_int_equal(len, strlen(c[i].text));
	}
}

static void
fixed2(void **state)
{
	static const struct number_case cases[] = {
		{ 0, "0.00" }, { -0.0, "0.00" }, { 0.004, "0.00" }, { 0.005, "0.01" },
		{ 0.125, "0.13" }, { 0.994, "0.99" }, { 0.995, "1.00" }, { 1234.5, "1234.50" },
		{ 9.999, "10.00" }, { 99.99, "99.99" }, { 99.996, "100.00" }, { 107, "107.00" },
		{ -0.004, "0.00" }, { -0.125, "-0.13" }, { -1, "-1.00" }, { 1e15, "1000000000000000.00" },
		{ 8999999999999999, "8999999999999999.00" }, { 9007199254740993, "9007199254740992.00" },
		{ 1e300, "18446744073709549568.00" }, { NAN, "" }, { INFINITY, "" },
	};

	(void)state;
	check(format_fixed2, cases, sizeof(cases) / sizeof(cases[0]));
}

/* The hand-written formatter against printf, where no tie is near. */
static void
fixed2_agrees(void **state)
{
	char out[FORMAT_MAX], want[64];
	uint64_t x = 88172645463325252u;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		double v = (double)(x >> 24) / (double)(UINT64_C(1) << (x % 40));
		double tie = fabs(v * 100 - floor(v * 100) - 0.5);

		if (tie < 1e-3 || v > 1e12)
			continue;
		snprintf(want, sizeof(want), "%.2f", v);
		format_fixed2(out, v);
		assert_string_equal(out, want);
	}
}

static void
integer(void **state)
{
	static const struct number_case cases[] = {
		{ 0, "0" }, { 0.49, "0" }, { 0.5, "1" }, { -0.4, "0" }, { -1, "-1" }, { 31.5, "32" },
		{ 128, "128" }, { 1e15, "1000000000000000" }, { NAN, "" },
	};

	(void)state;
	check(format_integer, cases, sizeof(cases) / sizeof(cases[0]));
}

static void
number(void **state)
{
	static const struct number_case cases[] = {
		{ 0, "0" }, { 0.123, "0.123" }, { 0.1, "0.1" }, { 100, "100" }, { 2.5, "2.5" },
		{ 1.0000004, "1" }, { 0.0000005, "0.000001" }, { -0.25, "-0.25" }, { -0.0000001, "0" },
		{ 20.050001, "20.050001" }, { 10.000070, "10.00007" }, { 16e9, "16000000000" },
		{ 3840755982336.0, "3840755982336" }, { 1e15, "1000000000000000" }, { NAN, "null" },
		{ -INFINITY, "null" },
	};

	(void)state;
	check(format_number, cases, sizeof(cases) / sizeof(cases[0]));
}

static void
cell(void **state)
{
	static const struct {
		double value;
		int width, decimals;
		const char *text;
	} cases[] = {
		{ 0, 5, 2, "0" }, { NAN, 5, 2, "-" }, { 0.69, 5, 2, "0.69" }, { 0.004, 5, 2, "0.00" },
		{ 14257, 5, 0, "14257" }, { 143000, 5, 0, "143k" }, { 1430000, 5, 0, "1.43M" },
		{ 99999.4, 5, 0, "99999" }, { 99999.5, 5, 0, "100k" }, { 999499, 5, 0, "999k" },
		{ 999500, 5, 0, "1.00M" }, { 12.345, 5, 2, "12.35" }, { 123.45, 5, 2, "123.5" },
		{ 1234.5, 5, 2, "1235" }, { 9995000, 5, 0, "10.0M" }, { 99950000, 5, 0, "100M" },
		{ 1e15, 5, 0, "1.00P" }, { 1e15, 8, 2, "1.00P" }, { 12345.678, 8, 2, "12345.68" },
		{ 123456.78, 8, 2, "123456.8" }, { 123456789, 8, 0, "123M" }, { 99.96, 4, 1, "100" },
		{ 1430, 3, 0, "1k" }, { 14300, 3, 0, "14k" }, { 143000, 3, 0, "###" }, { 143000, 4, 0, "143k" },
		{ 1430, 4, 2, "1430" }, { 12345, 4, 0, "12k" }, { 1.236, 3, 2, "1.2" }, { 48.2, 6, 1, "48.2" },
		{ -5.25, 5, 2, "-5.25" }, { -1500000, 5, 0, "-1.5M" }, { 1, 6, 0, "1" },
		{ 65536, 7, 2, "65536.0" },
	};
	char out[FORMAT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t len = format_cell(out, cases[i].value, cases[i].width, cases[i].decimals);

		assert_string_equal(out, cases[i].text);
		assert_int_equal(len, strlen(out));
		assert_true(len <= (size_t)cases[i].width);
	}
}

static void
bound(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, ">0 s" }, { 41 * S + S / 2, ">41 s" }, { 99 * S, ">99 s" }, { 100 * S, ">1 m" },
		{ 720 * S, ">12 m" }, { 99 * 60 * S, ">99 m" }, { 100 * 60 * S, ">1 h" },
		{ 3 * 3600 * S, ">3 h" }, { 100 * 3600 * S, ">4 d" }, { UINT64_MAX, ">213503 d" },
	};
	char out[FORMAT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t len = format_bound(out, cases[i].ns);

		assert_string_equal(out, cases[i].text);
		assert_int_equal(len, strlen(out));
	}
}

static void
bytes(void **state)
{
	static const struct number_case cases[] = {
		{ 0, "0 B" }, { 512, "512 B" }, { 1023, "1023 B" }, { 1024, "1 KiB" }, { 65536, "64 KiB" },
		{ 1536, "1.5 KiB" }, { 3865470566.4, "3.6 GiB" }, { 103079215104.0, "96 GiB" },
		{ 161061273600.0, "150 GiB" }, { 1099511627775.0, "1 TiB" }, { 3840755982336.0, "3.5 TiB" },
		{ NAN, "-" },
	};

	(void)state;
	check(format_bytes, cases, sizeof(cases) / sizeof(cases[0]));
}

static void
iso(void **state)
{
	static const struct {
		int64_t ms;
		const char *text;
	} cases[] = {
		{ 0, "1970-01-01T00:00:00.000Z" }, { 1524566952123, "2018-04-24T10:49:12.123Z" },
		{ 951782400007, "2000-02-29T00:00:00.007Z" }, { -1, "1969-12-31T23:59:59.999Z" },
		{ 1709164800000, "2024-02-29T00:00:00.000Z" }, { 1709251199999, "2024-02-29T23:59:59.999Z" },
		{ 4107542400000, "2100-03-01T00:00:00.000Z" }, { 4107542399000, "2100-02-28T23:59:59.000Z" },
		{ -62135596800000, "0001-01-01T00:00:00.000Z" }, { -62135596800001, "" },
		{ 253402300799999, "9999-12-31T23:59:59.999Z" }, { 253402300800000, "" },
		{ INT64_MAX, "" }, { INT64_MIN, "" },
	};
	char out[FORMAT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t len = format_iso(out, cases[i].ms);

		assert_string_equal(out, cases[i].text);
		assert_int_equal(len, strlen(out));
	}
}

static void
us_time(void **state)
{
	char out[FORMAT_MAX];

	(void)state;
	assert_int_equal(format_us_time(out, 1524566952), 19);
	assert_string_equal(out, "04/24/2018 10:49:12");
	format_us_time(out, -1);
	assert_string_equal(out, "12/31/1969 23:59:59");
	assert_int_equal(format_us_time(out, INT64_C(253402300800)), 0);
	assert_string_equal(out, "");
}

/* Every day of 4 centuries, against the C library. */
static void
calendar(void **state)
{
	char out[FORMAT_MAX], want[40];
	struct tm tm;

	(void)state;
	for (int64_t day = -25567; day < -25567 + 146097; day++) {
		time_t s = (time_t)(day * 86400 + 45296);

		assert_non_null(gmtime_r(&s, &tm));
		strftime(want, sizeof(want), "%Y-%m-%dT%H:%M:%S.000Z", &tm);
		format_iso(out, (int64_t)s * 1000);
		assert_string_equal(out, want);
	}
}

static void
no_locale(void **state)
{
	static const char *const names[] = { "de_DE.UTF-8", "de_DE", "fr_FR.UTF-8" };
	char out[FORMAT_MAX];
	const char *found = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && found == NULL; i++)
		found = setlocale(LC_ALL, names[i]);
	if (found == NULL) {
		print_message("no locale with a decimal comma is installed\n");
		skip();
	}
	format_cell(out, 1234.5, 8, 2);
	assert_string_equal(out, "1234.50");
	format_bytes(out, 1536);
	assert_string_equal(out, "1.5 KiB");
	fixed2(state);
	number(state);
	setlocale(LC_ALL, "C");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed2),
		cmocka_unit_test(fixed2_agrees),
		cmocka_unit_test(integer),
		cmocka_unit_test(number),
		cmocka_unit_test(cell),
		cmocka_unit_test(bound),
		cmocka_unit_test(bytes),
		cmocka_unit_test(iso),
		cmocka_unit_test(us_time),
		cmocka_unit_test(calendar),
		cmocka_unit_test(no_locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
