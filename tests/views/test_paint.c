/*
 * What is painted, as a terminal understands it: the picture there must be the surface, whatever stood there before.
 */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "views/paint.h"
#include "vt.h"

struct scene {
	struct painted painted;
	struct bytes out;
	struct vt *vt;
	struct surface surface;
};

static void
move(struct bytes *out, int y, int x)
{
	char text[32];

	snprintf(text, sizeof(text), "\033[%d;%dH", y + 1, x + 1);
	bytes_add(out, text);
}

static struct paint_caps
caps(void)
{
	struct paint_caps c = {
		.move = move,
		.clear = "\033[H\033[2J",
		.plain = "\033[m",
		.show_cursor = "\033[?25h",
		.hide_cursor = "\033[?25l",
	};
	static char styles[2 * STYLE_COUNT][8];

	for (int i = 0; i < STYLE_COUNT; i++) {
		snprintf(styles[i], sizeof(styles[i]), "\033[%dm", 30 + i);
		snprintf(styles[STYLE_COUNT + i], sizeof(styles[i]), "\033[%dm", 60 + i);
		c.styles[i] = styles[i];
		c.selected[i] = styles[STYLE_COUNT + i];
	}
	return c;
}

static void
make(struct scene *s, int rows, int cols)
{
	memset(s, 0, sizeof(*s));
	painted_init(&s->painted);
	surface_init(&s->surface, rows, cols, true);
	s->vt = calloc(1, sizeof(*s->vt));
	assert_non_null(s->vt);
	vt_init(s->vt, rows, cols);
}

static void
drop(struct scene *s)
{
	painted_free(&s->painted);
	surface_free(&s->surface);
	bytes_clear(&s->out);
	free(s->vt);
}

static const char *
show(struct scene *s)
{
	struct paint_caps c = caps();

	s->out.len = 0;
	paint(&s->out, &c, &s->painted, &s->surface, -1, 0);
	if (s->out.len == 0)
		return "";
	vt_feed(s->vt, s->out.data, s->out.len);
	return s->out.data;
}

static void
assert_shown(const struct scene *s)
{
	for (int y = 0; y < s->surface.rows; y++)
		for (int x = 0; x < s->surface.cols; x++)
			assert_int_equal(s->vt->cells[y][x], s->surface.cells[y * s->surface.cols + x].ch);
	assert_int_equal(s->vt->outside, 0);
}

static void
test_only_what_has_changed(void **state)
{
	struct scene s;

	(void)state;
	make(&s, 3, 20);
	surface_text(&s.surface, 1, 2, STYLE_NORMAL, "sda");
	surface_text(&s.surface, 2, 0, STYLE_CRIT, "48.2");
	assert_string_equal(show(&s), "\033[m\033[H\033[2J\033[2;3Hsda\033[3;1H\033[37m48.2\033[m");
	assert_shown(&s);
	assert_string_equal(show(&s), "");
	surface_text(&s.surface, 1, 4, STYLE_NORMAL, "b");
	assert_string_equal(show(&s), "\033[2;5H\033[30mb\033[m");
	assert_shown(&s);
	/* another look of the same text is a change */
	surface_restyle(&s.surface, 2, 0, 2, STYLE_SELECTED);
	assert_string_equal(show(&s), "\033[3;1H\033[67m48\033[m");
	drop(&s);
}

/* Over a short gap the same characters are cheaper than a jump; over a long one they are not. */
static void
test_gaps(void **state)
{
	struct scene s;

	(void)state;
	make(&s, 1, 40);
	surface_text(&s.surface, 0, 0, STYLE_NORMAL, "1...2..........3");
	show(&s);
	surface_text(&s.surface, 0, 0, STYLE_NORMAL, "4...5..........6");
	assert_string_equal(show(&s), "\033[1;1H\033[30m4...5\033[1;16H6\033[m");
	assert_shown(&s);
	drop(&s);
}

/* Signs that some fonts draw twice as wide: behind one the cursor is placed anew. */
static void
test_signs_of_unsure_width(void **state)
{
	struct scene s;

	(void)state;
	make(&s, 1, 20);
	surface_text(&s.surface, 0, 0, STYLE_NORMAL, "●REC");
	assert_string_equal(show(&s), "\033[m\033[H\033[2J\033[1;1H●\033[1;2HREC\033[m");
	assert_shown(&s);
	drop(&s);
}

static void
test_corner(void **state)
{
	struct scene s;
	struct paint_caps c = caps();

	(void)state;
	make(&s, 2, 3);
	c.keep_off_corner = true;
	surface_text(&s.surface, 0, 0, STYLE_NORMAL, "abc");
	surface_text(&s.surface, 1, 0, STYLE_NORMAL, "def");
	paint(&s.out, &c, &s.painted, &s.surface, -1, 0);
	assert_string_equal(s.out.data, "\033[m\033[H\033[2J\033[1;1Habc\033[2;1Hde\033[m");
	drop(&s);
}

static void
test_cursor(void **state)
{
	struct scene s;
	struct paint_caps c = caps();

	(void)state;
	make(&s, 2, 10);
	show(&s);
	s.out.len = 0;
	paint(&s.out, &c, &s.painted, &s.surface, 1, 3);
	assert_string_equal(s.out.data, "\033[2;4H\033[?25h");
	/* behind what was typed it stands already */
	surface_text(&s.surface, 1, 3, STYLE_NORMAL, "x");
	s.out.len = 0;
	paint(&s.out, &c, &s.painted, &s.surface, 1, 4);
	assert_string_equal(s.out.data, "\033[2;4H\033[30mx\033[m");
	s.out.len = 0;
	paint(&s.out, &c, &s.painted, &s.surface, -1, 0);
	assert_string_equal(s.out.data, "\033[?25l");
	drop(&s);
}

/* Any picture after any other, in any size; a fixed sequence of numbers, so that it is the same each time. */
static void
test_any_picture_after_any_other(void **state)
{
	static const uint32_t chars[] = { ' ', ' ', ' ', 'a', 'b', '7', 0x25BE, 0x28FF, 0x65E5, 0x2588 };
	struct scene s;
	uint32_t dice = 1;

	(void)state;
	make(&s, 6, 30);
	for (int round = 0; round < 400; round++) {
		if (round % 50 == 49) {
			int rows = 1 + round / 50, cols = 7 + round / 20;

			surface_resize(&s.surface, rows, cols);
			vt_resize(s.vt, rows, cols);
		}
		for (int i = 0; i < 40; i++) {
			dice = dice * 1103515245 + 12345;
			surface_char(&s.surface, (int)(dice >> 8) % s.surface.rows, (int)(dice >> 16) % s.surface.cols,
			    (dice >> 4) % STYLE_COUNT | (dice & 0x80), chars[(dice >> 20) % 10]);
		}
		show(&s);
		assert_shown(&s);
	}
	drop(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_what_has_changed),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_signs_of_unsure_width),
		cmocka_unit_test(test_corner),
		cmocka_unit_test(test_cursor),
		cmocka_unit_test(test_any_picture_after_any_other),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
