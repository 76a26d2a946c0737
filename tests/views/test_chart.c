#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/nan_fails.h"
#include "views/chart.h"

static void
assert_line(const struct surface *s, int y, const char *expected)
{
	char *line = surface_line(s, y);

	assert_string_equal(line, expected);
	free(line);
}

static void
test_nice_max_is_never_below_the_peak(void **state)
{
	static const double cases[][2] = {
		{ 0, 1 }, { NAN, 1 }, { 1, 1 }, { 1.01, 2 }, { 2, 2 }, { 4.9, 5 }, { 5.1, 10 }, { 14257, 20000 },
		{ 20000, 20000 }, { 20001, 50000 }, { 0.0031, 0.005 }, { 99, 100 }, { 1000, 1000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_float_equal(chart_nice_max(cases[i][0]), cases[i][1], cases[i][1] * 1e-6);
}

static void
test_scale_of_a_stack_is_of_the_sum(void **state)
{
	const float a[] = { 10, NAN, 3 }, b[] = { 5, 30, NAN };
	struct chart c = { .a = a, .b = b, .n = 3, .stacked = true };

	(void)state;
	assert_float_equal(chart_peak(&c), 30, 1e-6);
	c.stacked = false;
	assert_float_equal(chart_peak(&c), 30, 1e-6);
	c.n = 1;
	assert_float_equal(chart_peak(&c), 10, 1e-6);
	c.stacked = true;
	assert_float_equal(chart_peak(&c), 15, 1e-6);
	chart_scale(&c);
	assert_float_equal(c.max, 20, 1e-6);
	/* a peak known from elsewhere counts too */
	c.peak = 33;
	chart_scale(&c);
	assert_float_equal(c.max, 50, 1e-6);
}

static void
test_logarithmic_scale_spans_decades(void **state)
{
	const float a[] = { 0.3f, 48.2f, NAN };
	struct chart c = { .a = a, .n = 3, .logarithmic = true };

	(void)state;
	chart_scale(&c);
	assert_float_equal(c.max, 100, 1e-6);
	assert_float_equal(c.min, 0.1, 1e-6);
	assert_float_equal(chart_fraction(&c, 0.1), 0, 1e-6);
	assert_float_equal(chart_fraction(&c, 1), 1.0 / 3, 1e-6);
	assert_float_equal(chart_fraction(&c, 100), 1, 1e-6);
	assert_float_equal(chart_fraction(&c, 1000), 1, 1e-6);
	assert_float_equal(chart_fraction(&c, 0), 0, 1e-6);
	/* one steady value: two decades all the same */
	c.n = 1;
	chart_scale(&c);
	assert_float_equal(c.max, 1, 1e-6);
	assert_float_equal(c.min, 0.01, 1e-6);
}

static void
test_blocks(void **state)
{
	const float a[] = { 0, 1, 8, 16, NAN };
	struct chart c = { .a = a, .n = 5, .max = 16 };
	struct surface s;

	(void)state;
	surface_init(&s, 2, 7, true);
	chart_area(&s, 0, 0, 2, 7, CHARSET_BLOCKS, &c);
	/* 16 steps: 1 is one eighth, 8 the lower row, 16 both; the newest at the right edge */
	assert_line(&s, 0, "     █");
	assert_line(&s, 1, "   ▁██");
	surface_free(&s);
}

static void
test_braille_has_two_samples_a_column(void **state)
{
	const float a[] = { 4, 1, 2, 3 };
	struct chart c = { .a = a, .n = 4, .max = 4 };
	struct surface s;

	(void)state;
	surface_init(&s, 1, 2, true);
	chart_area(&s, 0, 0, 1, 2, CHARSET_BRAILLE, &c);
	/* left four dots (0x47), right one (0x80); left two (0x44), right three (0xB0) */
	assert_int_equal(s.cells[0].ch, 0x2800 + 0xC7);
	assert_int_equal(s.cells[1].ch, 0x2800 + 0xF4);
	surface_free(&s);
}

static void
test_ascii(void **state)
{
	const float a[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	struct chart c = { .a = a, .n = 8, .max = 7 };
	struct surface s;

	(void)state;
	surface_init(&s, 3, 8, false);
	chart_area(&s, 0, 0, 1, 8, CHARSET_ASCII, &c);
	assert_line(&s, 0, " .:-=+*#");
	/* two rows of two steps: 7 of 7 is four, 5 and 6 are three, 3 and 4 two, 1 and 2 one */
	chart_area(&s, 1, 0, 2, 8, CHARSET_ASCII, &c);
	assert_line(&s, 1, "     ..:");
	assert_line(&s, 2, " ..:::::");
	surface_free(&s);
}

/* A cell takes the hue of the series that fills more of it. */
static void
test_hues(void **state)
{
	const float reads[] = { 8, 1, 0 }, writes[] = { 0, 7, 8 };
	struct chart c = { .a = reads, .b = writes, .n = 3, .max = 8, .stacked = true, .style_a = STYLE_READ,
		.style_b = STYLE_WRITE };
	struct surface s;

	(void)state;
	surface_init(&s, 1, 3, true);
	chart_area(&s, 0, 0, 1, 3, CHARSET_BLOCKS, &c);
	assert_int_equal(s.cells[0].style, STYLE_READ);
	assert_int_equal(s.cells[1].style, STYLE_WRITE);
	assert_int_equal(s.cells[2].style, STYLE_WRITE);
	/* not stacked: the lower stands in front, the higher shows above it */
	surface_resize(&s, 2, 3);
	c.stacked = false;
	chart_area(&s, 0, 0, 2, 3, CHARSET_BLOCKS, &c);
	assert_int_equal(s.cells[0].style, STYLE_READ);
	assert_int_equal(s.cells[1].style, STYLE_WRITE);
	assert_int_equal(s.cells[3 + 1].style, STYLE_WRITE);
	surface_free(&s);
}

static void
test_spark(void **state)
{
	const float idle[] = { 0, NAN, 0 }, busy[] = { 0, 50, 100 };
	struct surface s;

	(void)state;
	surface_init(&s, 1, 3, true);
	chart_spark(&s, 0, 0, 3, CHARSET_BLOCKS, STYLE_GRAPH, idle, 3, 0);
	assert_line(&s, 0, "");
	chart_spark(&s, 0, 0, 3, CHARSET_BLOCKS, STYLE_GRAPH, busy, 3, 0);
	assert_line(&s, 0, " ▄█");
	surface_erase(&s);
	chart_spark(&s, 0, 0, 3, CHARSET_BLOCKS, STYLE_GRAPH, busy, 3, 200);
	assert_line(&s, 0, " ▂▄");
	/* fewer figures than columns: they stand at the right */
	surface_erase(&s);
	chart_spark(&s, 0, 0, 3, CHARSET_BLOCKS, STYLE_GRAPH, busy + 2, 1, 0);
	assert_line(&s, 0, "  █");
	surface_free(&s);
}

static void
test_charset(void **state)
{
	(void)state;
	assert_int_equal(charset_for(CHARSET_AUTO, true), CHARSET_BRAILLE);
	assert_int_equal(charset_for(CHARSET_BLOCKS, true), CHARSET_BLOCKS);
	assert_int_equal(charset_for(CHARSET_BRAILLE, false), CHARSET_ASCII);
	assert_int_equal(chart_samples(CHARSET_BRAILLE, 10), 20);
	assert_int_equal(chart_samples(CHARSET_BLOCKS, 10), 10);
	assert_int_equal(chart_samples(CHARSET_BLOCKS, -3), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nice_max_is_never_below_the_peak),
		cmocka_unit_test(test_scale_of_a_stack_is_of_the_sum),
		cmocka_unit_test(test_logarithmic_scale_spans_decades),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_braille_has_two_samples_a_column),
		cmocka_unit_test(test_ascii),
		cmocka_unit_test(test_hues),
		cmocka_unit_test(test_spark),
		cmocka_unit_test(test_charset),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
