#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/kinds/kinds.h"
#include "probes/lineup.h"

/* Takes the names, separated by blanks; what is new gets an object. How many were new. */
static int
pass(struct lineup *lineup, const char *names)
{
	int born = 0;

	lineup_begin(lineup);
	while (*names != '\0') {
		size_t len = strcspn(names, " ");
		struct lineup_entry *entry = lineup_take(lineup, names, len);

		if (entry != NULL && entry->object == NULL) {
			char name[8] = "";

			memcpy(name, names, len);
			entry->object = object_new(&kind_cpu, 0, name, name);
			entry->data = malloc(4);
			born++;
		}
		names += len + (names[len] == ' ');
	}
	lineup_end(lineup);
	return born;
}

static uint64_t
uid(struct lineup *lineup, const char *name)
{
	struct lineup_entry *entry = lineup_find(lineup, name, strlen(name));

	return entry != NULL ? entry->object->uid : 0;
}

static void
same_name_same_object(void **state)
{
	struct lineup lineup = { 0 };
	uint64_t a, b, ab;

	(void)state;
	assert_int_equal(pass(&lineup, "a b ab"), 3);
	a = uid(&lineup, "a");
	b = uid(&lineup, "b");
	ab = uid(&lineup, "ab");
	assert_true(a != 0 && b != 0 && ab != 0 && a != b && b != ab && a != ab);
	/* in another order, and with one in between */
	assert_int_equal(pass(&lineup, "ab x a b"), 1);
	assert_int_equal(uid(&lineup, "a"), a);
	assert_int_equal(uid(&lineup, "b"), b);
	assert_int_equal(uid(&lineup, "ab"), ab);
	assert_int_equal(lineup.n, 4);
	lineup_clear(&lineup);
	assert_int_equal(lineup.n, 0);
}

static void
one_that_returns_is_new(void **state)
{
	struct lineup lineup = { 0 };
	uint64_t a, b;

	(void)state;
	pass(&lineup, "a b c");
	a = uid(&lineup, "a");
	b = uid(&lineup, "b");
	assert_int_equal(pass(&lineup, "a c"), 0);
	assert_int_equal(uid(&lineup, "b"), 0);
	assert_int_equal(pass(&lineup, "a b c"), 1);
	assert_int_equal(uid(&lineup, "a"), a);
	assert_true(uid(&lineup, "b") != b);
	assert_int_equal(pass(&lineup, ""), 0);
	assert_int_equal(lineup.n, 0);
	lineup_clear(&lineup);
}

static void
a_line_that_comes_twice(void **state)
{
	struct lineup lineup = { 0 };

	(void)state;
	assert_int_equal(pass(&lineup, "a b b c"), 3);
	assert_int_equal(pass(&lineup, "a b b c a"), 0);
	assert_int_equal(lineup.n, 3);
	lineup_begin(&lineup);
	assert_non_null(lineup_take(&lineup, "b", 1));
	assert_null(lineup_take(&lineup, "b", 1));
	lineup_end(&lineup);
	lineup_clear(&lineup);
}

static void
many(void **state)
{
	struct lineup lineup = { 0 };
	char names[1024], *p = names;

	(void)state;
	for (int i = 0; i < 200; i++) {
		*p++ = (char)('a' + i / 20);
		*p++ = (char)('a' + i % 20);
		*p++ = ' ';
	}
	p[-1] = '\0';
	assert_int_equal(pass(&lineup, names), 200);
	assert_int_equal(pass(&lineup, names), 0);
	assert_int_equal(pass(&lineup, names + 3), 0);
	assert_int_equal(lineup.n, 199);
	lineup_clear(&lineup);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_name_same_object),
		cmocka_unit_test(one_that_returns_is_new),
		cmocka_unit_test(a_line_that_comes_twice),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests_name("probes/lineup", tests, NULL, NULL);
}
