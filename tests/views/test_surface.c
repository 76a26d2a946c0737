#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "views/surface.h"

static void
assert_line(const struct surface *s, int y, const char *expected)
{
	char *line = surface_line(s, y);

	assert_string_equal(line, expected);
	free(line);
}

static void
test_writes_outside_are_clipped(void **state)
{
	struct surface s;

	(void)state;
	surface_init(&s, 2, 5, true);
	surface_text(&s, 0, 3, STYLE_NORMAL, "abcdef");
	surface_text(&s, 1, -2, STYLE_NORMAL, "xyz");
	surface_text(&s, 2, 0, STYLE_NORMAL, "below");
	surface_text(&s, -1, 0, STYLE_NORMAL, "above");
	surface_fill(&s, 1, 4, 100, STYLE_NORMAL, '=');
	surface_restyle(&s, 7, 0, 5, STYLE_SELECTED);
	surface_restyle(&s, 1, -3, 100, STYLE_SELECTED);
	assert_line(&s, 0, "   ab");
	assert_line(&s, 1, "z   =");
	surface_free(&s);
}

static void
test_fit_aligns(void **state)
{
	struct surface s;

	(void)state;
	surface_init(&s, 3, 12, true);
	assert_int_equal(surface_fit(&s, 0, 1, 6, true, STYLE_NORMAL, "12.5"), 6);
	surface_fit(&s, 1, 1, 6, false, STYLE_NORMAL, "sda");
	surface_text(&s, 1, 7, STYLE_NORMAL, "|");
	surface_fit(&s, 2, 0, 5, false, STYLE_NORMAL, "controller");
	assert_line(&s, 0, "   12.5");
	assert_line(&s, 1, " sda   |");
	assert_line(&s, 2, "c…ler");
	surface_free(&s);
}

static void
test_hostile_names_are_harmless(void **state)
{
	struct surface s;

	(void)state;
	surface_init(&s, 2, 12, true);
	surface_text(&s, 0, 0, STYLE_NORMAL, "a\033[2Jb\n\x7F\xC2\x9B");
	surface_text(&s, 1, 0, STYLE_NORMAL, "bad\xFFutf");
	assert_line(&s, 0, "a?[2Jb???");
	assert_line(&s, 1, "bad\xEF\xBF\xBDutf");
	surface_free(&s);
}

static void
test_ascii_only_without_utf8(void **state)
{
	struct surface s;

	(void)state;
	surface_init(&s, 1, 12, false);
	surface_glyph(&s, 0, 0, STYLE_NORMAL, GLYPH_CRIT);
	surface_text(&s, 0, 1, STYLE_NORMAL, "\xC3\xA9x");
	surface_glyph(&s, 0, 3, STYLE_NORMAL, GLYPH_REC);
	for (int x = 0; x < 12; x++)
		assert_true(s.cells[x].ch < 0x7F);
	assert_line(&s, 0, "*?x*");
	surface_free(&s);
}

/* Half a wide character left behind would shift the rest of the line on a real terminal. */
static void
test_wide_characters_are_not_halved(void **state)
{
	struct surface s;

	(void)state;
	surface_init(&s, 1, 5, true);
	surface_text(&s, 0, 0, STYLE_NORMAL, "\xE6\x97\xA5\xE6\x9C\xAC");
	surface_text(&s, 0, 1, STYLE_NORMAL, "x");
	assert_line(&s, 0, " x\xE6\x9C\xAC");
	surface_text(&s, 0, 1, STYLE_NORMAL, "\xE6\x97\xA5");
	assert_line(&s, 0, " \xE6\x97\xA5");
	/* the last column has no room for two */
	surface_text(&s, 0, 4, STYLE_NORMAL, "\xE6\x97\xA5");
	assert_int_equal(s.cells[4].ch, ' ');
	surface_free(&s);
}

static void
test_selection_keeps_the_style(void **state)
{
	struct surface s;

	(void)state;
	surface_init(&s, 1, 3, true);
	surface_text(&s, 0, 0, STYLE_CRIT, "ab");
	surface_restyle(&s, 0, 1, 2, STYLE_SELECTED);
	assert_int_equal(s.cells[0].style, STYLE_CRIT);
	assert_int_equal(s.cells[1].style, STYLE_CRIT | STYLE_SELECTED);
	assert_int_equal(s.cells[2].style, STYLE_NORMAL | STYLE_SELECTED);
	surface_free(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writes_outside_are_clipped),
		cmocka_unit_test(test_fit_aligns),
		cmocka_unit_test(test_hostile_names_are_harmless),
		cmocka_unit_test(test_ascii_only_without_utf8),
		cmocka_unit_test(test_wide_characters_are_not_halved),
		cmocka_unit_test(test_selection_keeps_the_style),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
