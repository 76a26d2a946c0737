#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "views/theme.h"

static void
test_colorfgbg(void **state)
{
	(void)state;
	assert_false(theme_is_light(NULL));
	assert_false(theme_is_light(""));
	assert_false(theme_is_light("15;0"));
	assert_true(theme_is_light("0;15"));
	assert_true(theme_is_light("0;default;7"));
	assert_false(theme_is_light("7"));
	assert_false(theme_is_light("0;17"));
}

static bool
alike(struct look a, struct look b)
{
	return a.bold == b.bold && a.dim == b.dim && a.reverse == b.reverse && a.foreground == b.foreground &&
	    a.background == b.background;
}

/* Without colours what is wrong still differs from what is not, and reads from writes. */
static void
test_monochrome(void **state)
{
	struct theme t = theme_make(false, false);

	(void)state;
	for (unsigned i = 0; i < STYLE_COUNT; i++) {
		assert_int_equal(theme_look(&t, i).foreground, -1);
		assert_int_equal(theme_look(&t, i).background, -1);
	}
	assert_false(alike(theme_look(&t, STYLE_NORMAL), theme_look(&t, STYLE_WARN)));
	assert_false(alike(theme_look(&t, STYLE_WARN), theme_look(&t, STYLE_CRIT)));
	assert_false(alike(theme_look(&t, STYLE_READ), theme_look(&t, STYLE_WRITE)));
	assert_false(alike(theme_look(&t, STYLE_DIM), theme_look(&t, STYLE_NORMAL)));
}

static void
test_colours(void **state)
{
	struct theme dark = theme_make(true, false), light = theme_make(true, true);

	(void)state;
	/* the terminal's own background, but under yellow on white */
	for (unsigned i = 0; i < STYLE_COUNT; i++) {
		assert_int_equal(theme_look(&dark, i).background, -1);
		if (i != STYLE_WARN)
			assert_int_equal(theme_look(&light, i).background, -1);
	}
	assert_true(theme_look(&light, STYLE_WARN).background >= 0);
	assert_false(alike(theme_look(&dark, STYLE_WARN), theme_look(&dark, STYLE_CRIT)));
	assert_true(theme_look(&dark, STYLE_READ).foreground != theme_look(&dark, STYLE_WRITE).foreground);
}

static void
test_selected(void **state)
{
	struct theme t = theme_make(true, false);

	(void)state;
	assert_true(theme_look(&t, STYLE_DIM).dim);
	assert_false(theme_look(&t, STYLE_DIM | STYLE_SELECTED).dim);
	assert_true(theme_look(&t, STYLE_DIM | STYLE_SELECTED).reverse);
	assert_int_equal(theme_look(&t, STYLE_CRIT | STYLE_SELECTED).foreground, theme_look(&t, STYLE_CRIT).foreground);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_colorfgbg),
		cmocka_unit_test(test_monochrome),
		cmocka_unit_test(test_colours),
		cmocka_unit_test(test_selected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
