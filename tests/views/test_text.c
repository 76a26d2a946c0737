#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "views/text.h"

static void
test_decode(void **state)
{
	static const struct {
		const char *bytes;
		uint32_t ch;
		size_t len;
	} cases[] = {
		{ "a", 'a', 1 },
		{ "\xC3\xA9", 0xE9, 2 },
		{ "\xE2\x96\xBE", 0x25BE, 3 },
		{ "\xF0\x9F\x92\xBE", 0x1F4BE, 4 },
		{ "\xC0\xAF", TEXT_REPLACEMENT, 1 },		/* overlong '/' */
		{ "\xED\xA0\x80", TEXT_REPLACEMENT, 1 },	/* a surrogate */
		{ "\xF4\x90\x80\x80", TEXT_REPLACEMENT, 1 },	/* above U+10FFFF */
		{ "\xE2\x96", TEXT_REPLACEMENT, 1 },		/* ends too soon */
		{ "\x80", TEXT_REPLACEMENT, 1 },
		{ "\xFF", TEXT_REPLACEMENT, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t ch = 0;

		assert_int_equal(text_decode(cases[i].bytes, &ch), cases[i].len);
		assert_int_equal(ch, cases[i].ch);
	}
}

static void
test_encode_is_the_inverse(void **state)
{
	static const uint32_t chars[] = { 'z', 0x7F, 0x80, 0x7FF, 0x800, 0xFFFD, 0x10000, 0x10FFFF };

	(void)state;
	for (size_t i = 0; i < sizeof(chars) / sizeof(chars[0]); i++) {
		char bytes[5] = "";
		uint32_t ch;
		size_t n = text_encode(bytes, chars[i]);

		assert_int_equal(text_decode(bytes, &ch), n);
		assert_int_equal(ch, chars[i]);
	}
}

static void
test_columns(void **state)
{
	(void)state;
	assert_int_equal(text_columns("sda"), 3);
	assert_int_equal(text_columns("\xE6\x97\xA5\xE6\x9C\xAC"), 4);	/* two wide characters */
	assert_int_equal(text_columns("e\xCC\x81"), 1);			/* e and a combining accent */
}

static void
test_fit_keeps_the_tail(void **state)
{
	static const struct {
		const char *text;
		int columns;
		bool utf8;
		const char *fitted;
	} cases[] = {
		{ "vg_data-lv_redo01", 17, true, "vg_data-lv_redo01" },
		/* 9 columns: 8 beside the dots, a third of them (2) for the head */
		{ "vg_data-lv_redo01", 9, true, "vg…redo01" },
		{ "vg_data-lv_redo01", 9, false, "vg~redo01" },
		{ "vg_data-lv_redo01", 2, true, "…1" },
		{ "vg_data-lv_redo01", 1, true, "…" },
		{ "vg_data-lv_redo01", 0, true, "" },
		/* 8 columns for the client are half of 16, and more than half of 15 */
		{ "10.9.0.2 > 10.9.0.1:/export", 16, true, "10.9.0.2…/export" },
		{ "10.9.0.2 > 10.9.0.1:/export", 15, true, "10.9….1:/export" },
		/* a wide character that would stand half inside is left out */
		{ "ab\xE6\x97\xA5\xE6\x9C\xAC", 4, true, "a…\xE6\x9C\xAC" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char out[64];

		text_fit(out, sizeof(out), cases[i].text, cases[i].columns, cases[i].utf8);
		assert_string_equal(out, cases[i].fitted);
	}
}

static void
test_wrap(void **state)
{
	static const struct {
		const char *text;
		int columns;
		size_t bytes, wrapped;
	} cases[] = {
		{ "", 5, 100, 0 },
		{ "read of sda", 11, 100, 11 },
		{ "read of sda", 10, 100, 7 },
		{ "read of sda", 7, 100, 7 },
		{ "read of sda", 6, 100, 4 },
		{ "read of sda", 3, 100, 3 },		/* a word that is longer than the line */
		{ "read of sda", 0, 100, 1 },
		/* columns, not bytes: "größe" has 5 and 7 */
		{ "gr\xC3\xB6\xC3\x9F" "e da", 8, 100, 10 },
		{ "gr\xC3\xB6\xC3\x9F" "e da", 7, 100, 7 },
		{ "gr\xC3\xB6\xC3\x9F" "e", 3, 100, 4 },
		{ "\xE6\x97\xA5\xE6\x9C\xAC", 3, 100, 3 },
		{ "\xE6\x97\xA5\xE6\x9C\xAC", 1, 100, 3 },
		/* whole characters, where the bytes end too */
		{ "gr\xC3\xB6\xC3\x9F" "e", 9, 5, 4 },
		{ "a b \xE6\x97\xA5", 9, 5, 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(text_wrap(cases[i].text, cases[i].columns, cases[i].bytes), cases[i].wrapped);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decode),
		cmocka_unit_test(test_encode_is_the_inverse),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_fit_keeps_the_tail),
		cmocka_unit_test(test_wrap),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
