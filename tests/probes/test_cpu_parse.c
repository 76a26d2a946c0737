#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/snapshot.h"
#include "probes/cpu_parse.h"

static struct cpu_cursor
over(const char *text)
{
	return (struct cpu_cursor){ .p = text, .end = text + strlen(text) };
}

static void
expect(struct cpu_cursor *cursor, const char *name, const uint64_t cells[static CPU_METRICS])
{
	struct cpu_line line;

	assert_true(cpu_next(cursor, &line));
	assert_int_equal(line.name_len, strlen(name));
	assert_memory_equal(line.name, name, line.name_len);
	for (int i = 0; i < CPU_METRICS; i++)
		assert_int_equal(line.cells[i], cells[i]);
}

static void
expect_end(struct cpu_cursor *cursor, size_t skipped)
{
	struct cpu_line line;

	assert_false(cpu_next(cursor, &line));
	assert_int_equal(cursor->skipped, skipped);
}

/* user 1000 holds 300 of guests, nice 200 holds 50 */
static void
guests_are_taken_out(void **state)
{
	struct cpu_cursor cursor = over("cpu  9 9 9 9 9 9 9 9 9 9\n"
					"cpu0 1000 200 31 42 53 64 75 86 300 50\n"
					"cpu11 1 2 3 4 5 6 7 8 0 0 99 98\n"
					"intr 1 2 3\ncpu7 1 2 3 4\n");

	(void)state;
	expect(&cursor, "cpu0",
	    (uint64_t[CPU_METRICS]){
		[CPU_USER] = 700, [CPU_NICE] = 150, [CPU_SYSTEM] = 31, [CPU_IDLE] = 42,
		[CPU_IOWAIT] = 53, [CPU_IRQ] = 64, [CPU_SOFTIRQ] = 75, [CPU_STEAL] = 86,
		[CPU_GUEST] = 300, [CPU_GUEST_NICE] = 50 });
	expect(&cursor, "cpu11",
	    (uint64_t[CPU_METRICS]){
		[CPU_USER] = 1, [CPU_NICE] = 2, [CPU_SYSTEM] = 3, [CPU_IDLE] = 4, [CPU_IOWAIT] = 5,
		[CPU_IRQ] = 6, [CPU_SOFTIRQ] = 7, [CPU_STEAL] = 8 });
	expect_end(&cursor, 0);
}

static void
old_kernels(void **state)
{
	struct cpu_cursor cursor = over("cpu0 1 2 3 4\n"
					"cpu1 1 2 3 4 5 6 7\n"
					"cpu2 10 2 3 4 5 6 7 8 9\n");
	uint64_t cells[CPU_METRICS] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };

	(void)state;
	for (int i = 4; i < CPU_METRICS; i++)
		cells[i] = ABSENT;
	expect(&cursor, "cpu0", cells);
	cells[CPU_IOWAIT] = 5;
	cells[CPU_IRQ] = 6;
	cells[CPU_SOFTIRQ] = 7;
	expect(&cursor, "cpu1", cells);
	cells[CPU_USER] = 1;	/* 10, 9 of them of guests */
	cells[CPU_STEAL] = 8;
	cells[CPU_GUEST] = 9;
	expect(&cursor, "cpu2", cells);
	expect_end(&cursor, 0);
}

/* The kernel adds to guest and to user one after the other; a reader can come in between. */
static void
more_guest_than_user(void **state)
{
	struct cpu_cursor cursor = over("cpu0 5 1 0 0 0 0 0 0 6 2");

	(void)state;
	expect(&cursor, "cpu0", (uint64_t[CPU_METRICS]){ [CPU_GUEST] = 6, [CPU_GUEST_NICE] = 2 });
	expect_end(&cursor, 0);
}

static void
nonsense_is_counted(void **state)
{
	struct cpu_cursor cursor = over("cpu0 1 2 3\n"
					"cpu1 1 2 3 x\n"
					"cpux 1 2 3 4\n"
					"cpu2\n"
					"cpu3 1 2 3 18446744073709551616\n"
					"cpu4 1 2 3 18446744073709551615\n"
					"cpu0123456789012345 1 2 3 4\n"
					"\n");
	uint64_t cells[CPU_METRICS];

	(void)state;
	memset(cells, 0xff, sizeof(cells));
	cells[CPU_USER] = 1;
	cells[CPU_NICE] = 2;
	cells[CPU_SYSTEM] = 3;
	expect(&cursor, "cpu4", cells);
	expect_end(&cursor, 6);
	cursor = over("");
	expect_end(&cursor, 0);
}

/* Nothing behind the end is looked at. */
static void
exact_length(void **state)
{
	struct cpu_cursor cursor = over("cpu0 1 2 3 45\n");

	(void)state;
	cursor.end -= 2;
	expect(&cursor, "cpu0",
	    (uint64_t[CPU_METRICS]){ 1, 2, 3, 4, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT });
	expect_end(&cursor, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(guests_are_taken_out),
		cmocka_unit_test(old_kernels),
		cmocka_unit_test(more_guest_than_user),
		cmocka_unit_test(nonsense_is_counted),
		cmocka_unit_test(exact_length),
	};

	return cmocka_run_group_tests_name("probes/cpu_parse", tests, NULL, NULL);
}
