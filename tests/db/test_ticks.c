/*
 * What is recorded comes back the same: db/record.c, db/ledger.c, db/rows.c, db/ticks.c, db/presence.c.
 */
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
#include "db/sql.h"
#include "tape.h"

#define N 40

static void
test_random_tapes_come_back(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 12; seed++) {
		struct interval *put[N], *got[N];
		sqlite3 *db = tape_database(":memory:");

		tape_random(seed, 1, put, N);
		tape_record(db, put, N);
		assert_int_equal(tape_read(db, got, N), N);
		for (size_t i = 0; i < N; i++)
			tape_same(put[i], got[i]);
		tape_sound(db);
		tape_unref(put, N);
		tape_unref(got, N);
		sqlite3_close(db);
	}
}

/* A tick with the disks that are there; the first has reads. */
static struct interval *
tick_of(double at_s, size_t n, struct object *const *disks, double reads)
{
	struct interval *v = tape_interval(at_s, 1);
	struct interval_table *t = tape_table(v, &kind_disk, n, disks);

	if (n > 0)
		t->rows[0].cells[DISK_READS] = reads;
	return v;
}

static int64_t
count(sqlite3 *db, const char *what)
{
	return sql_int(db, -1, "SELECT count(*) FROM %s", what);
}

static void
test_idle_ones_have_no_rows(void **state)
{
	struct object *disks[2] = { tape_disk("sda"), tape_disk("sdb") };
	struct interval *put[3];
	sqlite3 *db = tape_database(":memory:");

	(void)state;
	put[0] = tick_of(1, 2, disks, 7);
	put[1] = tick_of(2, 2, disks, 0);
	put[2] = tick_of(3, 2, disks, 0);
	put[2]->tables[0].rows[1].cells[DISK_ERRORS] = 2;	/* a rare one alone */
	tape_record(db, put, 3);
	assert_int_equal(count(db, "disk"), 1);
	assert_int_equal(count(db, "disk_rare"), 1);
	assert_int_equal(count(db, "disk_all"), 6);
	assert_int_equal(count(db, "presence"), 2);
	assert_int_equal(count(db, "sample"), 3);
	assert_int_equal(count(db, "sample WHERE ns IS NULL"), 3);
	tape_unref(put, 3);
	for (int i = 0; i < 2; i++)
		object_unref(disks[i]);
	sqlite3_close(db);
}

/* A hidden disk comes into the file with its first I/O, and stays while it is there. */
static void
test_hidden_ones(void **state)
{
	struct object *disks[2] = { tape_disk("loop0"), tape_disk("loop1") };
	struct interval *put[4];
	sqlite3 *db = tape_database(":memory:");

	(void)state;
	disks[0]->hidden = disks[1]->hidden = true;
	for (int i = 0; i < 4; i++)
		put[i] = tick_of(i + 1, 2, disks, i == 1 ? 5 : 0);
	interval_event(put[0], EVENT_BIRTH, disks[1], "loop1 came");
	interval_event(put[3], EVENT_DEATH, disks[0], "loop0 went");
	tape_record(db, put, 4);
	assert_int_equal(count(db, "object"), 1);
	assert_int_equal(count(db, "disk_all WHERE name = 'loop0'"), 3);
	assert_int_equal(sql_int(db, -1, "SELECT first FROM presence"), 2);
	assert_int_equal(count(db, "event"), 1);
	assert_int_equal(count(db, "event WHERE type = 'death' AND object = 1"), 1);
	tape_unref(put, 4);
	for (int i = 0; i < 2; i++)
		object_unref(disks[i]);
	sqlite3_close(db);
}

/* One that goes and comes again is the same row of object, with two spans. */
static void
test_hot_plug(void **state)
{
	struct object *disks[2] = { tape_disk("sda"), tape_disk("sdb") }, *again = tape_disk("sda");
	struct interval *put[4];
	sqlite3 *db = tape_database(":memory:");

	(void)state;
	put[0] = tick_of(1, 2, disks, 1);
	put[1] = tick_of(2, 1, disks + 1, 1);
	put[2] = tick_of(3, 1, disks + 1, 1);
	disks[0] = (object_unref(disks[0]), again);	/* the same identity under another number of ours */
	put[3] = tick_of(4, 2, disks, 1);
	interval_event(put[3], EVENT_BIRTH, again, "sda came");
	tape_record(db, put, 4);
	assert_int_equal(count(db, "object"), 2);
	assert_int_equal(count(db, "presence WHERE object = 1"), 2);
	assert_int_equal(count(db, "presence WHERE object = 1 AND first = 1 AND last = 1"), 1);
	assert_int_equal(count(db, "presence WHERE object = 1 AND first = 4 AND last = 4"), 1);
	assert_int_equal(count(db, "presence WHERE object = 2 AND first = 1 AND last = 4"), 1);
	assert_int_equal(count(db, "event WHERE object = 1"), 1);
	tape_unref(put, 4);
	for (int i = 0; i < 2; i++)
		object_unref(disks[i]);
	sqlite3_close(db);
}

/* Two at once that call themselves the same are two; one that replaces the other is the same. */
static void
test_twins(void **state)
{
	struct object *disks[3] = { tape_disk("sda"), tape_disk("sda"), tape_disk("sda") };
	struct interval *put[2];
	sqlite3 *db = tape_database(":memory:");

	(void)state;
	put[0] = tick_of(1, 2, disks, 1);
	put[1] = tick_of(2, 2, disks + 1, 1);
	tape_record(db, put, 2);
	assert_int_equal(count(db, "object"), 2);
	assert_int_equal(count(db, "presence"), 3);
	tape_sound(db);
	tape_unref(put, 2);
	for (int i = 0; i < 3; i++)
		object_unref(disks[i]);
	sqlite3_close(db);
}

/* Labels are the latest; a parent that is recorded later than its child is linked all the same. */
static void
test_new_versions(void **state)
{
	struct object *disk = tape_disk("sda"), *newer, *adapter = object_new(&kind_adapter, 0, "host0", "host0");
	struct interval *put[3];
	sqlite3 *db = tape_database(":memory:");

	(void)state;
	object_label(disk, LABEL_MODEL, "Old");
	newer = object_clone(disk);
	object_label(newer, LABEL_MODEL, "New");
	newer->parent = newer->counts_in = adapter->uid;
	put[0] = tick_of(1, 1, &disk, 1);
	put[1] = tick_of(2, 1, &newer, 1);
	put[2] = tick_of(3, 1, &newer, 1);
	tape_table(put[2], &kind_adapter, 1, &adapter);
	tape_record(db, put, 3);
	assert_int_equal(count(db, "object WHERE kind = 'disk'"), 1);
	assert_int_equal(count(db, "object WHERE json_extract(labels, '$.model') = 'New'"), 1);
	assert_int_equal(count(db, "object AS d JOIN object AS a ON d.parent = a.id AND d.counts_in = a.id WHERE a.name = 'host0'"), 1);
	assert_int_equal(count(db, "presence WHERE kind = 'disk'"), 1);
	tape_unref(put, 3);
	object_unref(disk);
	object_unref(newer);
	object_unref(adapter);
	sqlite3_close(db);
}

/* A metric that is not known for a while: NULL in its rows, and in the idle ticks of that while. */
static void
test_absent_metrics(void **state)
{
	struct object *disk = tape_disk("sda");
	struct interval *put[4];
	sqlite3 *db = tape_database(":memory:");

	(void)state;
	for (int i = 0; i < 4; i++) {
		put[i] = tick_of(i + 1, 1, &disk, i == 1 ? 3 : 0);
		if (i == 1 || i == 2)
			put[i]->tables[0].rows[0].cells[DISK_FLUSHES] = put[i]->tables[0].rows[0].cells[DISK_TIMEOUTS] = NAN;
	}
	tape_record(db, put, 4);
	assert_int_equal(count(db, "presence"), 3);
	assert_int_equal(count(db, "presence WHERE lacks = ' flushes timeouts ' AND first = 2 AND last = 3"), 1);
	assert_int_equal(count(db, "disk"), 1);
	assert_int_equal(count(db, "disk_all WHERE flushes IS NULL AND timeouts IS NULL AND reads IS NOT NULL"), 2);
	assert_int_equal(count(db, "disk_all WHERE flushes = 0 AND timeouts = 0"), 2);
	tape_unref(put, 4);
	object_unref(disk);
	sqlite3_close(db);
}

static void
test_lost_intervals_leave_an_event(void **state)
{
	const struct record_info info = { .source = "live", .host = "box", .boot_id = "b" };
	struct object *disk = tape_disk("sda");
	struct interval *put = tick_of(1, 1, &disk, 1);
	sqlite3 *db = tape_database(":memory:");
	struct record *r;

	(void)state;
	assert_int_equal(record_new(db, tape_kinds(), &info, &r), SQLITE_OK);
	assert_int_equal(record_wall_ms(r), 0);
	assert_int_equal(record_put(r, put, 0), SQLITE_OK);
	assert_int_equal(record_put(r, put, 9), SQLITE_OK);
	assert_int_equal(record_wall_ms(r), TAPE_START + 1000);
	assert_int_equal(sql_int(db, 0, "SELECT tick FROM event WHERE type = 'drop' AND object IS NULL AND text LIKE '9 %%'"), 2);
	record_free(r);
	interval_unref(put);
	object_unref(disk);
	sqlite3_close(db);
}

/* Kinds that the file was not made for, and totals, are left out. */
static void
test_kinds_that_are_not_kept(void **state)
{
	struct object *thing = object_new(&kind_test_born, 0, "x", "x"), *disk = tape_disk("sda");
	struct interval *put = tape_interval(1, 1);
	sqlite3 *db = tape_database(":memory:");

	(void)state;
	tape_table(put, &kind_test_born, 1, &thing);
	tape_table(put, &kind_disk, 1, &disk);
	interval_rollup(put);
	interval_event(put, EVENT_BIRTH, thing, "x came");
	tape_record(db, &put, 1);
	assert_int_equal(count(db, "sample"), 1);
	assert_int_equal(count(db, "object"), 1);
	assert_int_equal(count(db, "event"), 0);
	interval_unref(put);
	object_unref(thing);
	object_unref(disk);
	sqlite3_close(db);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_tapes_come_back),
		cmocka_unit_test(test_idle_ones_have_no_rows),
		cmocka_unit_test(test_hidden_ones),
		cmocka_unit_test(test_hot_plug),
		cmocka_unit_test(test_twins),
		cmocka_unit_test(test_new_versions),
		cmocka_unit_test(test_absent_metrics),
		cmocka_unit_test(test_lost_intervals_leave_an_event),
		cmocka_unit_test(test_kinds_that_are_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
