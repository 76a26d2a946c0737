#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sys/pidstat.h"

/* Field 14 is 120, 15 is 45, 22 is 98765. */
#define REST " S 1 2 3 0 -1 4194560 11 12 13 14 120 45 15 16 20 0 17 0 98765 18 19 20 21\n"

static void
test_fields(void **state)
{
	static const char text[] = "4711 (tgtd)" REST;
	struct pidstat stat;

	(void)state;
	assert_int_equal(pidstat_parse(text, strlen(text), &stat), 0);
	assert_string_equal(stat.name, "tgtd");
	assert_int_equal(stat.cpu_ticks, 165);
	assert_int_equal(stat.start_ticks, 98765);
}

/* Anybody may call a process anything. */
static void
test_names(void **state)
{
	static const char *const names[] = { "a) R 1 (b", "", "((()", "fifteen-letters", " ) " };
	char text[256];
	struct pidstat stat;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(text, sizeof(text), "1 (%s)" REST, names[i]);
		assert_int_equal(pidstat_parse(text, strlen(text), &stat), 0);
		assert_string_equal(stat.name, names[i]);
		assert_int_equal(stat.start_ticks, 98765);
	}
}

static void
test_refused(void **state)
{
	static const char *const texts[] = { "", "1", "1 (x", "1 x)", ")(", "1 (x) S 1 2 3", "1 (x)" };
	struct pidstat stat;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(pidstat_parse(texts[i], strlen(texts[i]), &stat), -EINVAL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields), cmocka_unit_test(test_names), cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("pidstat", tests, NULL, NULL);
}
