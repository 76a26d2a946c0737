#include "db/read.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "db/schema.h"
#include "db/sql.h"
#include "tape.h"
#include "tests/nan_fails.h"

struct spot {
	char *dir, *path;
	struct object *disk;
};

static int
set_up(void **state)
{
	struct spot *p = xcalloc(1, sizeof(*p));

	p->dir = tape_dir();
	p->path = xasprintf("%s/r.db", p->dir);
	p->disk = tape_disk("sda");
	*state = p;
	return 0;
}

static int
tear_down(void **state)
{
	struct spot *p = *state;

	object_unref(p->disk);
	free(p->path);
	tape_remove_dir(p->dir);
	free(p);
	return 0;
}

/* A tick that ends so many seconds after the start. */
static struct interval *
reads_at(const struct spot *p, double at_s, double length_s, double reads, double in_flight)
{
	struct interval *v = tape_interval(at_s, length_s);
	struct interval_table *t = tape_table(v, &kind_disk, 1, &p->disk);

	t->rows[0].cells[DISK_READS] = reads;
	t->rows[0].cells[DISK_IN_FLIGHT] = in_flight;
	interval_rollup(v);
	return v;
}

static void
record(const struct spot *p, struct interval **ticks, size_t n)
{
	sqlite3 *db = tape_database(p->path);

	tape_record(db, ticks, n);
	tape_unref(ticks, n);
	sqlite3_close(db);
}

/* Ticks of 2 s with 1, 2, 3 ... reads. */
static void
record_ticks(const struct spot *p, size_t n)
{
	struct interval *ticks[64];

	for (size_t i = 0; i < n; i++)
		ticks[i] = reads_at(p, 2.0 * (double)(i + 1), 2, (double)(i + 1), 0);
	record(p, ticks, n);
}

static struct source *
open_source(const struct spot *p, double from_s, double to_s, double every_s)
{
	const struct read_options options = {
		.path = p->path,
		.from_ms = isnan(from_s) ? INT64_MIN : TAPE_START + (int64_t)(from_s * 1000),
		.to_ms = isnan(to_s) ? INT64_MAX : TAPE_START + (int64_t)(to_s * 1000),
		.every_ns = (uint64_t)(every_s * 1e9),
	};
	char why[300] = "";
	struct source *s = read_source(&options, why, sizeof(why));

	if (s == NULL)
		fail_msg("%s", why);
	return s;
}

/* The intervals as "SECONDS:READS SECONDS:READS ..." */
static void
gives(const struct spot *p, double from_s, double to_s, double every_s, const char *expected)
{
	struct source *s = open_source(p, from_s, to_s, every_s);
	struct interval *v;
	char text[600] = "";
	int rc;

	while ((rc = source_next(s, &v)) == 1) {
		const struct interval_table *t = interval_table(v, &kind_disk);

		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%g:%g", text[0] != '\0' ? " " : "",
		    (double)v->ns / 1e9, t != NULL && t->n > 0 ? t->rows[0].cells[DISK_READS] : -1);
		interval_unref(v);
	}
	assert_int_equal(rc, 0);
	source_close(s);
	assert_string_equal(text, expected);
}

static void
test_ticks_as_recorded(void **state)
{
	const struct spot *p = *state;

	record_ticks(p, 4);
	gives(p, NAN, NAN, 0, "2:1 2:2 2:3 2:4");
	/* Both ends are included. */
	gives(p, 4, 6, 0, "2:2 2:3");
	gives(p, 4.001, 8, 0, "2:3 2:4");
	gives(p, 100, 200, 0, "");
}

static void
test_ticks_added_up(void **state)
{
	const struct spot *p = *state;

	record_ticks(p, 11);
	gives(p, NAN, NAN, 4, "4:3 4:7 4:11 4:15 4:19 2:11");
	/* No divisor: a tick belongs to the step that the greater part of it lies in, and steps do not drift. */
	gives(p, NAN, NAN, 5, "4:3 6:12 4:13 6:27 2:11");
	/* Shorter than a tick: as recorded. */
	gives(p, NAN, NAN, 0.5, "2:1 2:2 2:3 2:4 2:5 2:6 2:7 2:8 2:9 2:10 2:11");
	gives(p, NAN, NAN, 3600, "22:66");
	gives(p, 6, 16, 4, "4:7 4:11 4:15");
}

static void
test_ticks_a_little_long(void **state)
{
	const struct spot *p = *state;
	struct interval *ticks[12];

	/* A timer is never exact: 1.003 s each, asked for 4. */
	for (int i = 0; i < 12; i++)
		ticks[i] = reads_at(p, 1.003 * (i + 1), 1.003, 1, 0);
	record(p, ticks, 12);
	gives(p, NAN, NAN, 4, "4.012:4 4.012:4 4.012:4");
}

static void
test_never_across_a_gap(void **state)
{
	const struct spot *p = *state;
	struct interval *ticks[6];

	for (int i = 0; i < 6; i++)
		ticks[i] = reads_at(p, 2 * (i + 1) + (i >= 2 ? 100 : 0), 2, i + 1, 0);
	/* Something was lost before the fifth. */
	interval_event(ticks[4], EVENT_DROP, NULL, "1 interval lost");
	/* A suspend: an interval without rows. */
	interval_unref(ticks[2]);
	ticks[2] = tape_interval(106, 2);
	interval_event(ticks[2], EVENT_GAP, NULL, "suspended for 100 s");
	record(p, ticks, 6);
	gives(p, NAN, NAN, 0, "2:1 2:2 2:-1 2:4 2:5 2:6");
	gives(p, NAN, NAN, 60, "4:3 2:-1 2:4 4:11");
}

static void
test_never_across_recordings(void **state)
{
	const struct spot *p = *state;
	struct interval *v;
	struct source *s;
	sqlite3 *db;
	char *first;

	record_ticks(p, 2);
	record_ticks(p, 3);
	db = tape_database(p->path);
	assert_int_equal(sql_exec(db, "UPDATE recording SET host = 'other' WHERE id = 2"), SQLITE_OK);
	sqlite3_close(db);
	gives(p, NAN, NAN, 3600, "4:3 6:6");
	s = open_source(p, NAN, NAN, 3600);
	assert_string_equal(read_host(s), "box");
	assert_int_equal(source_next(s, &v), 1);
	interval_unref(v);
	assert_string_equal(read_host(s), "box");
	first = xstrdup(read_host(s));
	assert_int_equal(source_next(s, &v), 1);
	interval_unref(v);
	assert_string_equal(read_host(s), "other");
	assert_string_equal(first, "box");
	assert_int_equal(source_next(s, &v), 0);
	free(first);
	source_close(s);
}

/* A tick that was asked to be left out in the middle of a recording leaves a gap too. */
static void
test_a_clock_that_was_set(void **state)
{
	const struct spot *p = *state;
	struct interval *ticks[5];

	for (int i = 0; i < 5; i++)
		ticks[i] = reads_at(p, i == 2 ? 5000 : 2 * (i + 1), 2, i + 1, 0);
	record(p, ticks, 5);
	gives(p, 0, 100, 60, "4:3 4:9");
}

static void
test_stalls(void **state)
{
	const struct spot *p = *state;
	struct interval *ticks[6], *v = NULL;
	struct source *s;
	const uint64_t expected[] = { 0, 0, 4, 6, 8, 0 };

	for (int i = 0; i < 6; i++)
		ticks[i] = reads_at(p, 2 * (i + 1), 2, i == 0 || i == 5 ? 10 : 0, 3);
	/* Recorded live with its event, which must not come twice. */
	interval_event(ticks[2], EVENT_STALL, p->disk, "sda: 3 in flight, nothing completed for 4.0 s");
	record(p, ticks, 6);
	s = open_source(p, NAN, NAN, 0);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(source_next(s, &v), 1);
		assert_int_equal(interval_table(v, &kind_disk)->rows[0].stalled_ns, expected[i] * TAPE_SECOND);
		assert_int_equal(v->n_events, i == 2 || i == 5 ? 1 : 0);
		interval_unref(v);
	}
	source_close(s);
	/* Added up: the bound at the end of the span. */
	s = open_source(p, NAN, 10, 3600);
	assert_int_equal(source_next(s, &v), 1);
	assert_int_equal(interval_table(v, &kind_disk)->rows[0].stalled_ns, 8 * TAPE_SECOND);
	interval_unref(v);
	source_close(s);
}

static void
test_objects_as_they_were(void **state)
{
	const struct spot *p = *state;
	struct object *adapter = object_new(&kind_adapter, 0, "host2", "host2"), *o;
	struct interval *put = tape_interval(1, 1), *v;
	struct source *s;

	p->disk->parent = p->disk->counts_in = adapter->uid;
	p->disk->role = ROLE_PATH;
	p->disk->hidden = true;
	object_label(p->disk, LABEL_ROLE, "path");
	object_label(p->disk, LABEL_MODEL, "Größe \"9\" \xff\\");
	object_label(p->disk, LABEL_SIZE_BYTES, "1099511627776");
	object_label(p->disk, LABEL_SERIAL, "0042");
	object_label_both(adapter, LABEL_SPEED, "16 Gbit", 16e9);
	tape_table(put, &kind_disk, 1, &p->disk)->rows[0].cells[DISK_WRITES] = 5;
	tape_table(put, &kind_adapter, 1, &adapter);
	record(p, &put, 1);
	s = open_source(p, NAN, NAN, 0);
	assert_int_equal(source_next(s, &v), 1);
	o = interval_table(v, &kind_disk)->rows[0].object;
	assert_int_equal(o->role, ROLE_PATH);
	assert_true(o->hidden);
	assert_string_equal(object_text(o, LABEL_MODEL), "Größe \"9\" \xef\xbf\xbd\\");
	assert_float_equal(object_number(o, LABEL_SIZE_BYTES), 1099511627776, 0);
	assert_string_equal(object_text(o, LABEL_SERIAL), "0042");
	assert_int_equal(o->parent, interval_table(v, &kind_adapter)->rows[0].object->uid);
	assert_float_equal(interval_table(v, &kind_adapter)->rows[0].cells[DISK_WRITES], 5, 0);
	/* A path counts in its adapter alone: nothing is in the total. */
	assert_true(isnan(interval_table(v, &kind_total)->rows[0].cells[DISK_WRITES]));
	o = interval_table(v, &kind_adapter)->rows[0].object;
	assert_string_equal(object_text(o, LABEL_SPEED), "16 Gbit");
	assert_float_equal(object_number(o, LABEL_SPEED), 16e9, 0);
	interval_unref(v);
	source_close(s);
	object_unref(adapter);
}

/* A file made before a metric was known: it is absent, busy or idle. */
static void
test_an_older_file(void **state)
{
	const struct spot *p = *state;
	struct kind old_disk = kind_disk;
	const struct kind *const kinds[] = { &old_disk, NULL };
	const struct record_info info = { .source = "live", .host = "box", .boot_id = "" };
	struct interval *ticks[2], *v = NULL;
	struct object *disk = object_new(&old_disk, 0, "sda", "sda");
	struct record *r;
	struct source *s;
	sqlite3 *db;
	char why[200];

	old_disk.n_metrics = DISK_FLUSHES;
	assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
	assert_int_equal(schema_make(db, kinds, why, sizeof(why)), 0);
	assert_int_equal(record_new(db, kinds, &info, &r), SQLITE_OK);
	for (int i = 0; i < 2; i++) {
		ticks[i] = tape_interval(i + 1, 1);
		tape_table(ticks[i], &old_disk, 1, &disk)->rows[0].cells[DISK_READS] = i == 0 ? 4 : 0;
		assert_int_equal(record_put(r, ticks[i], 0), SQLITE_OK);
		interval_unref(ticks[i]);
	}
	assert_int_equal(record_end(r), SQLITE_OK);
	record_free(r);
	sqlite3_close(db);
	s = open_source(p, NAN, NAN, 0);
	for (int i = 0; i < 2; i++) {
		const double *cells;

		assert_int_equal(source_next(s, &v), 1);
		cells = interval_table(v, &kind_disk)->rows[0].cells;
		assert_float_equal(cells[DISK_READS], i == 0 ? 4 : 0, 0);
		assert_float_equal(cells[DISK_DISCARDS], 0, 0);
		assert_true(isnan(cells[DISK_FLUSHES]));
		assert_true(isnan(cells[DISK_ERRORS]));
		interval_unref(v);
	}
	source_close(s);
	object_unref(disk);
}

static void
refused(const char *path, const char *reason)
{
	const struct read_options options = { .path = path, .from_ms = INT64_MIN, .to_ms = INT64_MAX };
	char why[300] = "", *expected = xasprintf("%s: %s", path, reason);

	assert_null(read_source(&options, why, sizeof(why)));
	assert_string_equal(why, expected);
	free(expected);
}

static void
test_what_cannot_be_read(void **state)
{
	const struct spot *p = *state;
	sqlite3 *db;
	int fd;

	refused(p->path, "No such file or directory");
	refused(p->dir, "is a directory");
	assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
	assert_int_equal(sql_exec(db, "CREATE TABLE t (a)"), SQLITE_OK);
	sqlite3_close(db);
	refused(p->path, "not a stortop database");
	fd = open(p->path, O_WRONLY | O_TRUNC);
	assert_int_equal(write(fd, "this is text, and enough of it to be looked at by anybody who looks", 67), 67);
	close(fd);
	refused(p->path, "not a stortop database");
	assert_int_equal(truncate(p->path, 0), 0);
	refused(p->path, "not a stortop database");
}

static void
test_a_newer_file_is_read(void **state)
{
	const struct spot *p = *state;
	sqlite3 *db;

	record_ticks(p, 2);
	db = tape_database(p->path);
	assert_int_equal(sql_exec(db, "ALTER TABLE disk ADD COLUMN sparks INTEGER; PRAGMA user_version = 5"), SQLITE_OK);
	sqlite3_close(db);
	gives(p, NAN, NAN, 0, "2:1 2:2");
	assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
	assert_int_equal(sql_exec(db, "ALTER TABLE tick RENAME COLUMN ns TO length"), SQLITE_OK);
	sqlite3_close(db);
	refused(p->path, "made by a newer stortop, not readable by this one: no table tick with a column ns");
}

/* What a killed recorder left in the log is read, and a recorder that goes on does not disturb. */
static void
test_beside_a_recorder(void **state)
{
	const struct spot *p = *state;
	const struct record_info info = { .source = "live", .host = "box", .boot_id = "" };
	struct interval *v;
	struct record *r;
	struct source *s;
	sqlite3 *db = tape_database(p->path);

	assert_int_equal(record_new(db, tape_kinds(), &info, &r), SQLITE_OK);
	for (int i = 1; i <= 3; i++) {
		v = reads_at(p, 2 * i, 2, i, 0);
		assert_int_equal(record_put(r, v, 0), SQLITE_OK);
		interval_unref(v);
	}
	gives(p, NAN, NAN, 0, "2:1 2:2 2:3");
	s = open_source(p, NAN, NAN, 0);
	assert_int_equal(source_next(s, &v), 1);
	interval_unref(v);
	v = reads_at(p, 8, 2, 4, 0);
	assert_int_equal(record_put(r, v, 0), SQLITE_OK);
	interval_unref(v);
	for (int i = 2; i <= 3; i++) {
		assert_int_equal(source_next(s, &v), 1);
		interval_unref(v);
	}
	assert_int_equal(source_next(s, &v), 0);
	source_close(s);
	gives(p, NAN, NAN, 0, "2:1 2:2 2:3 2:4");
	record_free(r);
	sqlite3_close(db);
}

/* The service's file, to somebody of its group: neither the file nor its directory may be written. */
static void
test_a_file_of_others(void **state)
{
	const struct spot *p = *state;

	record_ticks(p, 2);
	assert_int_equal(chmod(p->path, 0444), 0);
	assert_int_equal(chmod(p->dir, 0555), 0);
	if (geteuid() == 0)
		assert_int_equal(seteuid(65534), 0);
	gives(p, NAN, NAN, 0, "2:1 2:2");
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod(p->dir, 0755), 0);
}

static void
test_an_odd_name(void **state)
{
	struct spot *p = *state;

	free(p->path);
	p->path = xasprintf("%s/100%% #1?x=y.db", p->dir);
	record_ticks(p, 1);
	assert_int_equal(chmod(p->path, 0444), 0);
	assert_int_equal(chmod(p->dir, 0555), 0);
	if (geteuid() == 0)
		assert_int_equal(seteuid(65534), 0);
	gives(p, NAN, NAN, 0, "2:1");
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod(p->dir, 0755), 0);
}

/* Found by the fuzzer: a number that no recording has was taken for "none yet". */
static void
test_a_tick_of_recording_zero(void **state)
{
	const struct spot *p = *state;
	sqlite3 *db;

	record_ticks(p, 2);
	assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
	assert_int_equal(sql_exec(db, "UPDATE tick SET recording = 0"), SQLITE_OK);
	sqlite3_close(db);
	/* No objects are known of it. */
	gives(p, NAN, NAN, 0, "2:-1 2:-1");
}

/* A hostile file must not make us run what it calls a table. */
static void
test_views_in_the_place_of_tables(void **state)
{
	const struct spot *p = *state;
	sqlite3 *db;

	record_ticks(p, 2);
	db = tape_database(p->path);
	assert_int_equal(sql_exec(db, "DROP VIEW disk_rate; DROP VIEW disk_all; DROP TABLE disk;"
	    "CREATE VIEW disk AS WITH RECURSIVE n(tick) AS (SELECT 1 UNION ALL SELECT tick + 1 FROM n)"
	    " SELECT tick, 1 AS object, 1 AS ns, 1 AS reads FROM n"), SQLITE_OK);
	sqlite3_close(db);
	/* No table of that kind: absent numbers. */
	gives(p, NAN, NAN, 0, "2:nan 2:nan");
	assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
	assert_int_equal(sql_exec(db, "ALTER TABLE tick RENAME TO old; CREATE VIEW tick AS SELECT * FROM old"), SQLITE_OK);
	sqlite3_close(db);
	refused(p->path, "damaged: no table tick with a column tick");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_ticks_as_recorded),
		TEST(test_ticks_added_up),
		TEST(test_ticks_a_little_long),
		TEST(test_never_across_a_gap),
		TEST(test_never_across_recordings),
		TEST(test_a_clock_that_was_set),
		TEST(test_stalls),
		TEST(test_objects_as_they_were),
		TEST(test_an_older_file),
		TEST(test_what_cannot_be_read),
		TEST(test_a_newer_file_is_read),
		TEST(test_beside_a_recorder),
		TEST(test_a_file_of_others),
		TEST(test_an_odd_name),
		TEST(test_a_tick_of_recording_zero),
		TEST(test_views_in_the_place_of_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
