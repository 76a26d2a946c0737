#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/snapshot.h"
#include "probes/block_parse.h"

static bool
parse_one(const char *text, struct block_line *line, size_t *skipped)
{
	struct block_cursor cursor = { .p = text, .end = text + strlen(text) };
	bool got = block_next(&cursor, line);
	struct block_line rest;

	while (block_next(&cursor, &rest))
		fail_msg("a second line in \"%s\"", text);
	*skipped = cursor.skipped;
	return got;
}

static void
every_column_lands_in_its_own_metric(void **state)
{
	struct block_line line;
	size_t skipped;

	(void)state;
	assert_true(parse_one("   8      16 sdb 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n", &line, &skipped));
	assert_int_equal(line.major, 8);
	assert_int_equal(line.minor, 16);
	assert_int_equal(line.name_len, 3);
	assert_memory_equal(line.name, "sdb", 3);
	assert_int_equal(line.cells[DISK_READS], 1);
	assert_int_equal(line.cells[DISK_READS_MERGED], 2);
	assert_int_equal(line.cells[DISK_READ_SECTORS], 3);
	assert_int_equal(line.cells[DISK_READ_MS], 4);
	assert_int_equal(line.cells[DISK_WRITES], 5);
	assert_int_equal(line.cells[DISK_WRITES_MERGED], 6);
	assert_int_equal(line.cells[DISK_WRITE_SECTORS], 7);
	assert_int_equal(line.cells[DISK_WRITE_MS], 8);
	assert_int_equal(line.cells[DISK_IN_FLIGHT], 9);
	assert_int_equal(line.cells[DISK_BUSY_MS], 10);
	assert_int_equal(line.cells[DISK_WEIGHTED_MS], 11);
	assert_int_equal(line.cells[DISK_DISCARDS], 12);
	assert_int_equal(line.cells[DISK_DISCARDS_MERGED], 13);
	assert_int_equal(line.cells[DISK_DISCARD_SECTORS], 14);
	assert_int_equal(line.cells[DISK_DISCARD_MS], 15);
	assert_int_equal(line.cells[DISK_FLUSHES], 16);
	assert_int_equal(line.cells[DISK_FLUSH_MS], 17);
	assert_int_equal(skipped, 0);
}

/* How many counters are there, and how many of them are to be known. */
static void
kernels_of_all_ages(void **state)
{
	static const struct {
		const char *text;
		int known;
	} cases[] = {
		{ "8 0 sda 1 2 3 4 5 6 7 8 9 10 11", 11 },
		{ "8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14", 11 },	/* a group cut short */
		{ "8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", 15 },
		{ "8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16", 15 },
		{ "8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", 17 },
		{ "8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19.5 zoned=1", 17 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct block_line line;
		size_t skipped;

		assert_true(parse_one(cases[i].text, &line, &skipped));
		for (int k = 0; k < DISK_DIRECT; k++) {
			if (k < cases[i].known)
				assert_int_equal(line.cells[k], k + 1);
			else
				assert_int_equal(line.cells[k], ABSENT);
		}
	}
}

static void
old_partitions_have_four_counters(void **state)
{
	struct block_line line;
	size_t skipped;

	(void)state;
	assert_true(parse_one("   3    1 hda1 35486 38030 38 76\n", &line, &skipped));
	assert_int_equal(line.cells[DISK_READS], 35486);
	assert_int_equal(line.cells[DISK_READ_SECTORS], 38030);
	assert_int_equal(line.cells[DISK_WRITES], 38);
	assert_int_equal(line.cells[DISK_WRITE_SECTORS], 76);
	assert_int_equal(line.cells[DISK_READS_MERGED], ABSENT);
	assert_int_equal(line.cells[DISK_READ_MS], ABSENT);
	assert_int_equal(line.cells[DISK_IN_FLIGHT], ABSENT);
	assert_int_equal(line.cells[DISK_FLUSH_MS], ABSENT);
}

static void
in_flight_below_zero_is_none(void **state)
{
	static const struct {
		const char *text;
		uint64_t in_flight;
	} cases[] = {
		{ "8 0 sda 1 2 3 4 5 6 7 8 4294967295 10 11", 0 },
		{ "8 0 sda 1 2 3 4 5 6 7 8 2147483648 10 11", 0 },
		{ "8 0 sda 1 2 3 4 5 6 7 8 2147483647 10 11", 2147483647 },
		{ "8 0 sda 1 2 3 4 5 6 7 8 -2 10 11", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct block_line line;
		size_t skipped;

		assert_true(parse_one(cases[i].text, &line, &skipped));
		assert_int_equal(line.cells[DISK_IN_FLIGHT], cases[i].in_flight);
		assert_int_equal(line.cells[DISK_BUSY_MS], 10);
	}
}

static void
names_with_slashes_and_of_full_length(void **state)
{
	struct block_line line;
	size_t skipped;

	(void)state;
	assert_true(parse_one(" 104 1 cciss/c0d0p1 1 2 3 4 5 6 7 8 9 10 11", &line, &skipped));
	assert_int_equal(line.name_len, 12);
	assert_memory_equal(line.name, "cciss/c0d0p1", 12);
	assert_true(parse_one("1 1 a234567890123456789012345678901 1 2 3 4 5 6 7 8 9 10 11", &line, &skipped));
	assert_int_equal(line.name_len, 31);
}

static void
senseless_lines_are_skipped_and_counted(void **state)
{
	static const char *const cases[] = {
		"8 0 sda\n",
		"8 0 sda 1 2 3\n",
		"8 0 sda 1 2 3 4 5\n",
		"8 0 sda 1 2 3 4 5 6 7 8 9 10\n",
		"8 0 sda 1 2 3 4 x 6 7 8 9 10 11\n",
		"8 0 sda 1 2 3 4 5x 6 7 8 9 10 11\n",
		"8 0 sda 1 2 3 -4 5 6 7 8 9 10 11\n",
		"8 sda 1 2 3 4 5 6 7 8 9 10 11 12\n",
		"4294967296 0 sda 1 2 3 4 5 6 7 8 9 10 11\n",
		"8 0 sda 18446744073709551616 2 3 4 5 6 7 8 9 10 11\n",
		"1 1 a2345678901234567890123456789012 1 2 3 4 5 6 7 8 9 10 11\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct block_line line;
		size_t skipped;

		if (parse_one(cases[i], &line, &skipped))
			fail_msg("taken: %s", cases[i]);
		assert_int_equal(skipped, 1);
	}
}

static void
the_largest_counter_fits(void **state)
{
	struct block_line line;
	size_t skipped;

	(void)state;
	assert_true(parse_one("8 0 sda 18446744073709551614 2 3 4 5 6 7 8 9 10 11", &line, &skipped));
	assert_true(line.cells[DISK_READS] == UINT64_C(18446744073709551614));
}

static void
lines_around_a_bad_one_are_kept(void **state)
{
	static const char text[] = "8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n"
				   "\n"
				   "8 1 sda1 what\n"
				   "8 16 sdb 21 2 3 4 5 6 7 8 9 10 11\n";
	struct block_cursor cursor = { .p = text, .end = text + sizeof(text) - 1 };
	struct block_line line;

	(void)state;
	assert_true(block_next(&cursor, &line));
	assert_int_equal(line.cells[DISK_READS], 1);
	assert_true(block_next(&cursor, &line));
	assert_int_equal(line.cells[DISK_READS], 21);
	assert_false(block_next(&cursor, &line));
	assert_int_equal(cursor.skipped, 1);
}

static void
stat_has_the_same_columns(void **state)
{
	static const char stat[] = "     252        1     4640        2       13        3      104        4        5"
				   "        6        7      8 9 10 11 12 13\n";
	uint64_t cells[DISK_DIRECT];

	(void)state;
	assert_int_equal(block_parse_stat(stat, sizeof(stat) - 1, cells), 0);
	assert_int_equal(cells[DISK_READS], 252);
	assert_int_equal(cells[DISK_WRITE_SECTORS], 104);
	assert_int_equal(cells[DISK_IN_FLIGHT], 5);
	assert_int_equal(cells[DISK_DISCARD_MS], 11);
	assert_int_equal(cells[DISK_FLUSH_MS], 13);
	assert_int_equal(block_parse_stat("  7 8 9 10\n", 11, cells), 0);
	assert_int_equal(cells[DISK_WRITES], 9);
	assert_int_equal(block_parse_stat("", 0, cells), -EINVAL);
	assert_int_equal(block_parse_stat("1 2 3\n", 6, cells), -EINVAL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_column_lands_in_its_own_metric),
		cmocka_unit_test(kernels_of_all_ages),
		cmocka_unit_test(old_partitions_have_four_counters),
		cmocka_unit_test(in_flight_below_zero_is_none),
		cmocka_unit_test(names_with_slashes_and_of_full_length),
		cmocka_unit_test(senseless_lines_are_skipped_and_counted),
		cmocka_unit_test(the_largest_counter_fits),
		cmocka_unit_test(lines_around_a_bad_one_are_kept),
		cmocka_unit_test(stat_has_the_same_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
