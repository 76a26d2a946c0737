#include "db/thin.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../core/fixture.h"
#include "core/kinds/kinds.h"
#include "db/schema.h"
#include "db/sql.h"
#include "tape.h"
#include "tests/nan_fails.h"

#define MAX 400

/* Thins all that ended before a time; how many steps it took. */
static int
thin_all(sqlite3 *db, int64_t before_ms)
{
	struct rows *rows = rows_new(db, tape_kinds());
	struct thin t = { .db = db, .rows = rows };
	struct layout *layout;
	bool did = true;
	int steps = -1;

	assert_non_null(rows);
	assert_int_equal(layout_read(db, &layout), SQLITE_OK);
	assert_int_equal(ticks_new(db, layout, tape_kinds(), &t.ticks), SQLITE_OK);
	layout_free(layout);
	for (; did; steps++)
		assert_int_equal(thin_step(&t, before_ms, before_ms + 1000000, &did), SQLITE_OK);
	ticks_free(t.ticks);
	rows_free(rows);
	return steps;
}

static int64_t
minute_of(const struct interval *v)
{
	return v->end.wall_ms / 60000;
}

/* What a minute's intervals are together, for all minutes; how many minutes. */
static size_t
add_minutes(struct interval *const *all, size_t n, struct interval **out)
{
	size_t minutes = 0;

	for (size_t i = 0; i < n; i++) {
		struct interval *sum;

		if (minutes == 0 || minute_of(out[minutes - 1]) != minute_of(all[i])) {
			out[minutes++] = interval_ref(all[i]);
			continue;
		}
		sum = interval_add(out[minutes - 1], all[i]);
		interval_unref(out[minutes - 1]);
		out[minutes - 1] = sum;
	}
	return minutes;
}

static void
thinned_is_added(unsigned seed, double step_s, size_t n)
{
	struct interval *put[MAX], *expected[MAX], *got[MAX];
	sqlite3 *db = tape_database(":memory:");
	size_t minutes;

	tape_random(seed, step_s, put, n);
	tape_record(db, put, n);
	minutes = add_minutes(put, n, expected);
	thin_all(db, INT64_C(1800000000000));
	assert_int_equal(tape_read(db, got, MAX), minutes);
	for (size_t i = 0; i < minutes; i++)
		tape_same(expected[i], got[i]);
	assert_int_equal(sql_int(db, 0, "SELECT sum(added) FROM tick"), n);
	tape_sound(db);
	tape_unref(put, n);
	tape_unref(expected, minutes);
	tape_unref(got, minutes);
	sqlite3_close(db);
}

static void
test_thinned_is_added(void **state)
{
	(void)state;
	for (unsigned seed = 100; seed < 106; seed++)
		thinned_is_added(seed, 5, 60);
	/* 120 ticks a minute: several steps for each. */
	thinned_is_added(7, 0.5, 300);
}

/* A disk with so many reads of 8 sectors and 2 ms each. */
static struct interval *
reads_at(struct object *disk, double at_s, double length_s, double reads)
{
	struct interval *v = tape_interval(at_s, length_s);
	struct interval_table *t = tape_table(v, &kind_disk, 1, &disk);

	t->rows[0].cells[DISK_READS] = reads;
	t->rows[0].cells[DISK_READ_SECTORS] = 8 * reads;
	t->rows[0].cells[DISK_READ_MS] = 2 * reads;
	interval_rollup(v);
	return v;
}

static double
number(sqlite3 *db, const char *query)
{
	sqlite3_stmt *stmt;
	double value = NAN;

	assert_int_equal(sqlite3_prepare_v2(db, query, -1, &stmt, NULL), SQLITE_OK);
	if (sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_type(stmt, 0) != SQLITE_NULL)
		value = sqlite3_column_double(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

static void
test_peaks(void **state)
{
	struct object *disk = tape_disk("sda");
	struct interval *put[4];
	sqlite3 *db = tape_database(":memory:");

	(void)state;
	/* Ticks of 2 s: 50, 2048 and 0 reads a second; the slowest tick is not the busiest. */
	put[0] = reads_at(disk, 2, 2, 100);
	put[1] = reads_at(disk, 4, 2, 4096);
	put[2] = reads_at(disk, 6, 2, 0);
	put[3] = reads_at(disk, 8, 2, 10);
	interval_table(put[3], &kind_disk)->rows[0].cells[DISK_READ_MS] = 900;
	tape_record(db, put, 4);
	thin_all(db, TAPE_START + 600000);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM disk"), 1);
	assert_float_equal(number(db, "SELECT iops FROM disk_peak"), 2048, 1e-9);
	/* 2048 reads of 4 KiB: 8 MiB/s */
	assert_float_equal(number(db, "SELECT mb_s FROM disk_peak"), 8, 1e-9);
	assert_float_equal(number(db, "SELECT gavg FROM disk_peak"), 90, 1e-9);
	assert_float_equal(number(db, "SELECT sum(reads) / sum(seconds) FROM disk_all"), 4206 / 8.0, 1e-9);
	tape_unref(put, 4);
	object_unref(disk);
	sqlite3_close(db);
}

/* Peaks of a minute that is thinned in several steps are those of its ticks, not of the sums between. */
static void
test_peaks_of_several_steps(void **state)
{
	struct object *disk = tape_disk("sda");
	struct interval *put[200];
	sqlite3 *db = tape_database(":memory:");

	(void)state;
	for (int i = 0; i < 200; i++)
		put[i] = reads_at(disk, 0.1 * (i + 1), 0.1, i == 7 ? 500 : 20);
	tape_record(db, put, 200);
	assert_true(thin_all(db, TAPE_START + 600000) > 2);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM tick"), 1);
	assert_float_equal(number(db, "SELECT iops FROM disk_peak"), 5000, 1e-6);
	assert_float_equal(number(db, "SELECT reads FROM disk"), 199 * 20 + 500, 0);
	tape_unref(put, 200);
	object_unref(disk);
	sqlite3_close(db);
}

static void
test_gaps_stay(void **state)
{
	struct object *disk = tape_disk("sda");
	struct interval *put[5], *got[5];
	sqlite3 *db = tape_database(":memory:");

	(void)state;
	for (int i = 0; i < 5; i++)
		put[i] = reads_at(disk, i + 1, 1, 10 + i);
	interval_event(put[2], EVENT_GAP, NULL, "suspended");
	interval_event(put[3], EVENT_RESET, disk, "went back");
	tape_record(db, put, 5);
	thin_all(db, TAPE_START + 600000);
	assert_int_equal(tape_read(db, got, 5), 2);
	assert_float_equal(got[0]->tables[0].rows[0].cells[DISK_READS], 10 + 11, 0);
	assert_float_equal(got[1]->tables[0].rows[0].cells[DISK_READS], 12 + 13 + 14, 0);
	/* Events go with their tick, and keep their own time. */
	assert_int_equal(sql_int(db, 0, "SELECT tick FROM event WHERE type = 'reset'"), 5);
	assert_int_equal(sql_int(db, 0, "SELECT wall_ms FROM event WHERE type = 'reset'"), TAPE_START + 4000);
	assert_int_equal(got[1]->n_events, 2);
	tape_sound(db);
	tape_unref(put, 5);
	tape_unref(got, 2);
	object_unref(disk);
	sqlite3_close(db);
}

/* A suspend is a tick without samples; it is added to nothing. */
static void
test_a_suspend_stays(void **state)
{
	struct object *disk = tape_disk("sda");
	struct interval *put[5], *got[5];
	sqlite3 *db = tape_database(":memory:");

	(void)state;
	for (int i = 0; i < 5; i++)
		put[i] = i == 2 ? tape_interval(i + 1, 1) : reads_at(disk, i + 1, 1, 10 + i);
	interval_event(put[2], EVENT_GAP, NULL, "suspended");
	tape_record(db, put, 5);
	thin_all(db, TAPE_START + 600000);
	assert_int_equal(tape_read(db, got, 5), 3);
	assert_int_equal(got[0]->ns, 2 * TAPE_SECOND);
	assert_int_equal(got[1]->n_tables, 0);
	assert_int_equal(got[2]->ns, 2 * TAPE_SECOND);
	tape_unref(put, 5);
	tape_unref(got, 3);
	object_unref(disk);
	sqlite3_close(db);
}

/* Recordings are not mixed, and the minute that is not over yet is left alone. */
static void
test_what_is_left_alone(void **state)
{
	struct object *disk = tape_disk("sda");
	struct interval *put[4], *got[4];
	sqlite3 *db = tape_database(":memory:");

	(void)state;
	for (int i = 0; i < 4; i++)
		put[i] = reads_at(disk, 10 * (i + 1) + (i == 3 ? 30 : 0), 10, i);	/* 30, 40, 50 and 90 s into the minute */
	tape_record(db, put, 1);
	tape_record(db, put + 1, 3);
	thin_all(db, TAPE_START + 75000);	/* 95 s into the first minute: the second is not over */
	assert_int_equal(tape_read(db, got, 4), 3);
	assert_float_equal(got[1]->tables[0].rows[0].cells[DISK_READS], 1 + 2, 0);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM tick WHERE added IS NULL"), 1);
	tape_unref(put, 4);
	tape_unref(got, 3);
	object_unref(disk);
	sqlite3_close(db);
}

/* The recording goes on while its beginning is thinned. */
static void
test_beside_a_recording(void **state)
{
	const struct record_info info = { .source = "live", .host = "box", .boot_id = "b" };
	struct interval *put[90], *expected[90], *got[90];
	sqlite3 *db = tape_database(":memory:");
	struct record *r;
	size_t n;

	(void)state;
	tape_random(31, 2, put, 90);	/* three minutes */
	assert_int_equal(record_new(db, tape_kinds(), &info, &r), SQLITE_OK);
	for (int i = 0; i < 90; i++) {
		assert_int_equal(record_put(r, put[i], 0), SQLITE_OK);
		if (i % 20 == 19)
			thin_all(db, put[i]->end.wall_ms);
	}
	thin_all(db, TAPE_START + 900000);
	assert_int_equal(record_end(r), SQLITE_OK);
	record_free(r);
	n = add_minutes(put, 90, expected);
	assert_int_equal(tape_read(db, got, 90), n);
	for (size_t i = 0; i < n; i++)
		tape_same(expected[i], got[i]);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM presence WHERE last IS NULL"), 0);
	tape_sound(db);
	tape_unref(put, 90);
	tape_unref(expected, n);
	tape_unref(got, n);
	sqlite3_close(db);
}

/*
 * Ticks 30 to 39 are a test's: they stay, and what is on either side becomes one for each minute, also of the same minute. The
 * tape begins 20 s into a minute, so ticks of 2 s end in the first up to 19 (20 + 2 x 19 = 58 s), then up to 49, 79, 90.
 */
static void
test_a_test_stays(void **state)
{
	static const int64_t expected[] = { 19, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 49, 79, 90 };
	struct interval *put[90], *got[90], *before = NULL;
	sqlite3 *db = tape_database(":memory:");
	sqlite3_stmt *stmt;
	size_t n = 0;

	(void)state;
	tape_random(7, 2, put, 90);
	tape_record(db, put, 90);
	assert_int_equal(sql_exec(db, "INSERT INTO run (id, first_tick, last_tick) VALUES (1, 30, 39), (2, NULL, NULL)"), SQLITE_OK);
	thin_all(db, TAPE_START + 900000);
	assert_int_equal(sql_prepare(db, &stmt, "SELECT tick FROM tick ORDER BY tick"), SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		assert_true(n < sizeof(expected) / sizeof(expected[0]));
		assert_int_equal(sqlite3_column_int64(stmt, 0), expected[n++]);
	}
	sqlite3_finalize(stmt);
	assert_int_equal(n, sizeof(expected) / sizeof(expected[0]));
	assert_int_equal(tape_read(db, got, 90), n);
	for (size_t i = 0; i < 10; i++)
		tape_same(put[29 + i], got[2 + i]);
	for (size_t i = 19; i < 29; i++) {
		struct interval *sum = before != NULL ? interval_add(before, put[i]) : interval_ref(put[i]);

		interval_unref(before);
		before = sum;
	}
	tape_same(before, got[1]);
	interval_unref(before);
	tape_sound(db);
	tape_unref(put, 90);
	tape_unref(got, n);
	sqlite3_close(db);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thinned_is_added),
		cmocka_unit_test(test_peaks),
		cmocka_unit_test(test_peaks_of_several_steps),
		cmocka_unit_test(test_gaps_stay),
		cmocka_unit_test(test_a_suspend_stays),
		cmocka_unit_test(test_what_is_left_alone),
		cmocka_unit_test(test_beside_a_recording),
		cmocka_unit_test(test_a_test_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
