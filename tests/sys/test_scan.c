#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sys/scan.h"

static void
numbers(void **state)
{
	static const struct {
		const char *text;
		int used;	/* -1: none */
		uint64_t value;
	} cases[] = {
		{ "0", 1, 0 },
		{ " \t 42 7", 5, 42 },
		{ "12x", 2, 12 },
		{ "18446744073709551615", 20, UINT64_MAX },
		{ "18446744073709551616", -1, 0 },
		{ "99999999999999999999", -1, 0 },
		{ "000000000000000000000000012", 27, 12 },
		{ "", -1, 0 },
		{ "   ", -1, 0 },
		{ "-1", -1, 0 },
		{ "\n1", -1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = cases[i].text;
		uint64_t value = 0;
		const char *p = scan_u64(text, text + strlen(text), &value);

		if (cases[i].used < 0) {
			assert_null(p);
			continue;
		}
		assert_ptr_equal(p, text + cases[i].used);
		assert_int_equal(value, cases[i].value);
	}
}

static void
line_ends(void **state)
{
	static const char text[] = "ab\n\nc";
	const char *end = text + 5;

	(void)state;
	assert_ptr_equal(scan_line_end(text, end), text + 2);
	assert_ptr_equal(scan_line_end(text + 3, end), text + 3);
	assert_ptr_equal(scan_line_end(text + 4, end), end);
	assert_ptr_equal(scan_line_end(end, end), end);
	assert_ptr_equal(scan_line_end(text, text + 2), text + 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(line_ends),
	};

	return cmocka_run_group_tests_name("sys/scan", tests, NULL, NULL);
}
