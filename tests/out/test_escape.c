#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "out/escape.h"

struct text_case {
	const char *text, *want;
};

static void
check(void (*escape)(struct line *, const char *), const struct text_case *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct line l = { 0 };

		escape(&l, c[i].text);
		line_char(&l, '\0');
		assert_string_equal(l.buf, c[i].want);
		line_free(&l);
	}
}

static void
json(void **state)
{
	static const struct text_case cases[] = {
		{ "", "\"\"" },
		{ "sda", "\"sda\"" },
		{ "a\"b\\c/d", "\"a\\\"b\\\\c/d\"" },
		{ "\t\n\x7f", "\"\\u0009\\u000a\\u007f\"" },
		{ "M\xc3\xbcll \xe2\x82\xac \xf0\x9f\x92\xbe", "\"M\xc3\xbcll \xe2\x82\xac \xf0\x9f\x92\xbe\"" },
		{ "a\xff" "b", "\"a\xef\xbf\xbd" "b\"" },
	};

	(void)state;
	check(escape_json, cases, sizeof(cases) / sizeof(cases[0]));
}

static void
csv(void **state)
{
	static const struct text_case cases[] = {
		{ "", "" },
		{ "nas:/vol 1", "nas:/vol 1" },
		{ "a,b", "\"a,b\"" },
		{ "19\" rack", "\"19\"\" rack\"" },
		{ " edge", "\" edge\"" },
		{ "edge ", "\"edge \"" },
		{ "two\r\nlines", "two  lines" },
		{ "\n", "\" \"" },
		{ "\xc3", "\xef\xbf\xbd" },
	};

	(void)state;
	check(escape_csv, cases, sizeof(cases) / sizeof(cases[0]));
}

static void
pdh(void **state)
{
	static const struct text_case cases[] = {
		{ "", "_" },
		{ "naa.600 A:1/2#3", "naa.600 A:1/2#3" },
		{ "a,b\"c\\d(e)f%g'h", "a_b_c_d_e_f_g_h" },
		{ " x ", "_x_" },
		{ "\t\x7f\xc3\xbc", "____" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *safe = escape_pdh(cases[i].text);

		assert_string_equal(safe, cases[i].want);
		free(safe);
	}
}

/* The table of well-formed sequences in RFC 3629, and what lies just beside it. */
static void
utf8(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
	} cases[] = {
		{ "", 0 }, { "a", 1 }, { "\x7f", 1 }, { "\x80", 0 }, { "\xbf", 0 },
		{ "\xc0\x80", 0 }, { "\xc1\xbf", 0 }, { "\xc2\x80", 2 }, { "\xdf\xbf", 2 }, { "\xdf\xc0", 0 }, { "\xc2", 0 },
		{ "\xe0\x9f\xbf", 0 }, { "\xe0\xa0\x80", 3 }, { "\xed\x9f\xbf", 3 }, { "\xed\xa0\x80", 0 },
		{ "\xee\x80\x80", 3 }, { "\xef\xbf\xbf", 3 }, { "\xe2\x82", 0 }, { "\xe2\x82\x20", 0 },
		{ "\xf0\x8f\xbf\xbf", 0 }, { "\xf0\x90\x80\x80", 4 }, { "\xf4\x8f\xbf\xbf", 4 }, { "\xf4\x90\x80\x80", 0 },
		{ "\xf5\x80\x80\x80", 0 }, { "\xff", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(escape_utf8(cases[i].bytes, strlen(cases[i].bytes)), cases[i].length);
}

static void
test_next(void **state)
{
	static const struct { const char *bytes; size_t length; bool odd; } cases[] = {
		{ "", 0, true }, { "a", 1, false }, { "\x1b[2J", 1, true }, { "\x7f", 1, true }, { "\xff", 1, true },
		{ "\xc3\xa9", 2, false }, { "\xc2\x9b", 2, true }, { "\xc2\xa0", 2, false },
		{ "\xe2\x80\xaa", 3, true }, { "\xe2\x80\xae", 3, true }, { "\xe2\x81\xa6", 3, true }, { "\xe2\x81\xa9", 3, true },
		{ "\xe2\x80\xa9", 3, false }, { "\xe2\x80\xaf", 3, false }, { "\xe2\x81\xaa", 3, false }, { "\xe2\x82\xac", 3, false },
		{ "\xe2\x82", 1, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool odd;

		assert_int_equal(escape_next(cases[i].bytes, strlen(cases[i].bytes), &odd), cases[i].length);
		assert_int_equal(odd, cases[i].odd);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json),
		cmocka_unit_test(csv),
		cmocka_unit_test(pdh),
		cmocka_unit_test(utf8),
		cmocka_unit_test(test_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
