#include "db/retain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "db/sql.h"
#include "tape.h"

/* A tick of one second with n disks, all busy. */
static struct interval *
busy(struct object *const *disks, size_t n, double at_s)
{
	struct interval *v = tape_interval(at_s, 1);
	struct interval_table *t = tape_table(v, &kind_disk, n, disks);

	for (size_t i = 0; i < n; i++)
		for (size_t m = 0; m < DISK_DIRECT; m++)
			t->rows[i].cells[m] = (double)(100000 + 1000 * i + m);
	return v;
}

/* A recording of ticks every step_s, from from_s on. */
static void
record_ticks(sqlite3 *db, struct object *const *disks, size_t n, int ticks, double from_s, double step_s)
{
	struct interval **put = xcalloc((size_t)ticks, sizeof(struct interval *));

	for (int i = 0; i < ticks; i++)
		put[i] = busy(disks, n, from_s + step_s * i);
	tape_record(db, put, (size_t)ticks);
	tape_unref(put, (size_t)ticks);
	free(put);
}

static int
retain_all(sqlite3 *db, const struct retain_options *options, double now_s)
{
	struct rows *rows = rows_new(db, tape_kinds());
	struct retain *r;
	bool done = false;
	int steps = 0;

	assert_int_equal(retain_new(db, tape_kinds(), rows, options, &r), SQLITE_OK);
	for (; !done; steps++) {
		assert_int_equal(retain_step(r, TAPE_START + (int64_t)(now_s * 1000), INT64_MAX, &done), SQLITE_OK);
		assert_true(steps < 10000);
	}
	retain_free(r);
	rows_free(rows);
	return steps;
}

static void
test_ages(void **state)
{
	const struct retain_options options = { .full_rate_s = 120, .minute_s = 180 };
	struct object *disk = tape_disk("sda");
	sqlite3 *db = tape_database(":memory:");

	(void)state;
	/* A tick every 10 s for 10 minutes, the first 20 s into a minute, so those of a minute end 0 .. 50 s into it. */
	record_ticks(db, &disk, 1, 60, 0, 10);
	retain_all(db, &options, 590);
	/*
	 * Minutes into the recording's first one: 4 ticks in minute 0, 6 in each of 1 .. 9, 2 in minute 10. Now is 610 s from
	 * minute 0: older than 490 s is thinned, whole minutes only: 0 .. 7. Older than 310 s is gone: the sums that end at 50,
	 * 110, 170, 230 and 290 s.
	 */
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM tick WHERE added IS NOT NULL"), 3);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM tick WHERE added IS NULL"), 14);
	assert_int_equal(sql_int(db, 0, "SELECT min(wall_ms) FROM tick"), TAPE_START - 20000 + 350000);
	assert_int_equal(sql_int(db, 0, "SELECT reads FROM disk ORDER BY tick LIMIT 1"), 600000);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM disk"), 17);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM sample"), 17);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM disk_peak"), 3);
	tape_sound(db);
	object_unref(disk);
	sqlite3_close(db);
}

/* What a recording leaves behind goes with its last tick: objects, events, the recording itself. */
static void
test_old_recordings_go(void **state)
{
	const struct retain_options options = { .full_rate_s = 60, .minute_s = 60 };
	struct object *disks[2] = { tape_disk("sda"), tape_disk("sdb") };
	sqlite3 *db = tape_database(":memory:");

	(void)state;
	disks[1]->parent = disks[0]->uid;
	record_ticks(db, disks, 2, 5, 0, 1);
	record_ticks(db, disks, 1, 5, 1000, 1);
	sql_exec(db, "INSERT INTO event (tick, wall_ms, type, object) VALUES (3, 0, 'reset', 2)");
	retain_all(db, &options, 1010);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM recording"), 1);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM object"), 1);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM presence"), 1);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM event"), 0);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM disk"), 5);
	tape_sound(db);
	object_unref(disks[0]);
	object_unref(disks[1]);
	sqlite3_close(db);
}

/* An object that went long ago goes from a recording that lives on; one that an event speaks of stays. */
static void
test_old_objects_go(void **state)
{
	const struct retain_options options = { .full_rate_s = 60, .minute_s = 60 };
	struct object *disks[3] = { tape_disk("sda"), tape_disk("sdb"), tape_disk("sdc") };
	struct interval *put[3];
	sqlite3 *db = tape_database(":memory:");

	(void)state;
	put[0] = busy(disks, 3, 0);
	put[1] = busy(disks, 1, 1000);
	put[2] = busy(disks, 1, 1001);
	interval_event(put[1], EVENT_DEATH, disks[2], "sdc went");
	tape_record(db, put, 3);
	retain_all(db, &options, 1010);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM object WHERE name = 'sda'"), 1);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM object WHERE name = 'sdb'"), 0);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM object WHERE name = 'sdc'"), 1);
	tape_sound(db);
	tape_unref(put, 3);
	for (int i = 0; i < 3; i++)
		object_unref(disks[i]);
	sqlite3_close(db);
}

static void
test_cap(void **state)
{
	const struct retain_options options = { .full_rate_s = 86400, .minute_s = 86400, .cap_bytes = 640000 };
	char *dir = tape_dir(), *path = xasprintf("%s/cap.db", dir);
	struct object *disks[40];
	char name[32];
	sqlite3 *db = tape_database(path);
	int64_t pages;

	(void)state;
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "sd%d", i);
		disks[i] = tape_disk(name);
	}
	record_ticks(db, disks, 40, 500, 0, 1);
	pages = sql_int(db, 0, "PRAGMA page_count");
	assert_true(pages * 4096 > 1200000);
	retain_all(db, &options, 500);
	/* The file is smaller, the oldest ticks are gone, the newest are whole. */
	assert_true(sql_int(db, 0, "PRAGMA page_count") * 4096 <= 640000);
	assert_true(sql_int(db, 0, "PRAGMA page_count") * 4096 > 250000);
	assert_int_equal(sql_int(db, 0, "SELECT max(tick) FROM tick"), 500);
	assert_true(sql_int(db, 0, "SELECT min(tick) FROM tick") > 200);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM disk"), 40 * sql_int(db, 0, "SELECT count(*) FROM tick"));
	tape_sound(db);
	sqlite3_close(db);
	for (int i = 0; i < 40; i++)
		object_unref(disks[i]);
	free(path);
	tape_remove_dir(dir);
}

/* A cap that not even the empty tables fit under does not take the newest tick. */
static void
test_tiny_cap(void **state)
{
	const struct retain_options options = { .full_rate_s = 86400, .minute_s = 86400, .cap_bytes = 1 };
	struct object *disk = tape_disk("sda");
	sqlite3 *db = tape_database(":memory:");

	(void)state;
	record_ticks(db, &disk, 1, 200, 0, 1);
	retain_all(db, &options, 200);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM tick"), 1);
	assert_int_equal(sql_int(db, 0, "SELECT max(tick) FROM tick"), 200);
	tape_sound(db);
	object_unref(disk);
	sqlite3_close(db);
}

/* One round as of a time. */
static void
round_at(struct retain *r, double now_s)
{
	bool done;

	do
		assert_int_equal(retain_step(r, TAPE_START + (int64_t)(now_s * 1000), INT64_MAX, &done), SQLITE_OK);
	while (!done);
}

/* A clock that is far ahead for a while deletes nothing. */
static void
test_a_clock_far_ahead(void **state)
{
	const struct retain_options options = { .full_rate_s = 60, .minute_s = 60, .settle_s = 600 };
	struct object *disk = tape_disk("sda");
	sqlite3 *db = tape_database(":memory:");
	struct rows *rows = rows_new(db, tape_kinds());
	struct retain *r;

	(void)state;
	record_ticks(db, &disk, 1, 10, 0, 1);
	record_ticks(db, &disk, 1, 1, 1e9, 1);		/* 32 years ahead */
	record_ticks(db, &disk, 1, 10, 10, 1);
	assert_int_equal(retain_new(db, tape_kinds(), rows, &options, &r), SQLITE_OK);
	round_at(r, 1e9);
	round_at(r, 1e9 + 590);
	round_at(r, 60);			/* set right */
	round_at(r, 650);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM tick WHERE added IS NULL"), 21);
	/* Steady for ten minutes; the tick from the future goes with the old ones behind it. */
	record_ticks(db, &disk, 1, 5, 655, 1);
	round_at(r, 711);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM tick"), 5);
	/* A month of sleep is a jump too. */
	round_at(r, 711 + 30 * 86400);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM tick"), 5);
	round_at(r, 711 + 30 * 86400 + 600);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM tick"), 1);
	retain_free(r);
	rows_free(rows);
	object_unref(disk);
	sqlite3_close(db);
}

/* Between two rounds there is nothing to do; a clock that is set back does not end that for good. */
static void
test_rounds(void **state)
{
	const struct retain_options options = { .full_rate_s = 60, .minute_s = 600 };
	sqlite3 *db = tape_database(":memory:");
	struct rows *rows = rows_new(db, tape_kinds());
	struct retain *r;
	bool done;

	(void)state;
	assert_int_equal(retain_new(db, tape_kinds(), rows, &options, &r), SQLITE_OK);
	assert_int_equal(retain_step(r, 0, INT64_MAX, &done), SQLITE_OK);
	assert_true(done);
	assert_int_equal(retain_step(r, TAPE_START, INT64_MAX, &done), SQLITE_OK);
	assert_false(done);
	while (!done)
		assert_int_equal(retain_step(r, TAPE_START, INT64_MAX, &done), SQLITE_OK);
	assert_int_equal(retain_step(r, TAPE_START + 59999, INT64_MAX, &done), SQLITE_OK);
	assert_true(done);
	assert_int_equal(retain_step(r, TAPE_START + 60000, INT64_MAX, &done), SQLITE_OK);
	assert_false(done);
	while (!done)
		assert_int_equal(retain_step(r, TAPE_START + 60000, INT64_MAX, &done), SQLITE_OK);
	assert_int_equal(retain_step(r, TAPE_START - 1, INT64_MAX, &done), SQLITE_OK);
	assert_false(done);
	retain_free(r);
	rows_free(rows);
	sqlite3_close(db);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ages),
		cmocka_unit_test(test_old_recordings_go),
		cmocka_unit_test(test_old_objects_go),
		cmocka_unit_test(test_cap),
		cmocka_unit_test(test_tiny_cap),
		cmocka_unit_test(test_a_clock_far_ahead),
		cmocka_unit_test(test_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
