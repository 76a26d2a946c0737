/*
 * The store as it should be: db/store.c, db/writer.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/xalloc.h"
#include "db/sql.h"
#include "desk.h"

static void
test_records(void **state)
{
	const struct desk *p = *state;
	struct object *disk = tape_disk("sda");
	struct sink *sink = desk_open(p->path);
	struct store_status s;
	struct stat st;
	sqlite3 *db;

	desk_put(sink, disk, 1, 10);
	s = desk_wait(sink, STORE_RECORDING, 10);
	assert_string_equal(s.path, p->path);
	assert_string_equal(s.reason, "");
	assert_int_equal(s.dropped, 0);
	assert_true(s.bytes > 4096 && s.bytes % 4096 == 0);
	assert_true(desk_exists(p->path, "-lock"));
	assert_int_equal(sink_close(sink), 0);
	/* Nothing is left beside the file. */
	assert_false(desk_exists(p->path, "-lock"));
	assert_false(desk_exists(p->path, "-wal"));
	assert_int_equal(stat(p->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	db = desk_reopen(p->path);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM tick"), 10);
	assert_int_equal(sql_int(db, 0, "SELECT sum(reads) FROM disk"), 1055);
	assert_int_equal(sql_int(db, 0, "SELECT started FROM recording WHERE host = 'box' AND boot_id = 'boot-1'"), TAPE_START);
	assert_int_equal(sql_int(db, 0, "SELECT last FROM presence WHERE kind = 'disk'"), 10);
	sqlite3_close(db);
	object_unref(disk);
}

static void
test_nothing_put_leaves_no_recording(void **state)
{
	const struct desk *p = *state;
	struct sink *sink = desk_open(p->path);
	sqlite3 *db;

	desk_wait(sink, STORE_RECORDING, 0);
	sink_close(sink);
	db = desk_reopen(p->path);
	assert_int_equal(sql_int(db, -1, "SELECT count(*) FROM recording"), 0);
	sqlite3_close(db);
}

static void
test_appends_to_a_file(void **state)
{
	const struct desk *p = *state;
	struct object *disk = tape_disk("sda");
	sqlite3 *db;

	for (int i = 0; i < 2; i++) {
		struct sink *sink = desk_open(p->path);

		desk_put(sink, disk, 1, 3);
		sink_close(sink);
	}
	db = desk_reopen(p->path);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM tick WHERE recording = 2"), 3);
	assert_int_equal(sql_int(db, 0, "SELECT count(DISTINCT tick) FROM tick"), 6);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM object WHERE kind = 'disk'"), 2);
	sqlite3_close(db);
	object_unref(disk);
}

static void
test_makes_directories(void **state)
{
	const struct desk *p = *state;
	char *path = xasprintf("%s/a/b/c.db", p->dir), *dir = xasprintf("%s/a/b", p->dir);
	struct sink *sink = desk_open(path);
	struct stat st;

	desk_wait(sink, STORE_RECORDING, 0);
	sink_close(sink);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	free(path);
	free(dir);
}

static void
write_file(const char *path, const char *bytes, size_t n, off_t at)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, n, at), n);
	close(fd);
}

static void
test_what_cannot_be_recorded_to(void **state)
{
	const struct desk *p = *state;
	char text[6000];

	memset(text, 'x', sizeof(text));
	write_file(p->path, text, sizeof(text), 0);
	desk_stops(p->path, "not a stortop database");
	desk_stops(p->dir, "is a directory");
}

static void
test_a_damaged_file(void **state)
{
	const struct desk *p = *state;
	struct object *disk = tape_disk("sda");
	struct sink *sink = desk_open(p->path);
	char text[4096];

	desk_put(sink, disk, 1, 2);
	sink_close(sink);
	memset(text, 'x', sizeof(text));
	write_file(p->path, text, 3000, 100);		/* what the first page says of the tables */
	desk_stops(p->path, "damaged (database disk image is malformed)");
	object_unref(disk);
}

static void
test_a_newer_file(void **state)
{
	const struct desk *p = *state;
	struct sink *sink = desk_open(p->path);
	sqlite3 *db;

	desk_wait(sink, STORE_RECORDING, 0);
	sink_close(sink);
	db = desk_reopen(p->path);
	assert_int_equal(sql_exec(db, "PRAGMA user_version = 7"), SQLITE_OK);
	sqlite3_close(db);
	desk_stops(p->path, "made by a newer stortop (format 7): read, not recorded to");
}

static void
test_two_recorders(void **state)
{
	const struct desk *p = *state;
	struct object *disk = tape_disk("sda");
	struct sink *first = desk_open(p->path), *third;

	desk_wait(first, STORE_RECORDING, 0);
	desk_stops(p->path, "another stortop is recording to it");
	desk_put(first, disk, 1, 3);
	desk_wait(first, STORE_RECORDING, 3);
	sink_close(first);
	third = desk_open(p->path);
	desk_wait(third, STORE_RECORDING, 0);
	sink_close(third);
	object_unref(disk);
}

static void
test_a_file_that_goes_away(void **state)
{
	const struct desk *p = *state;
	struct object *disk = tape_disk("sda");
	struct sink *sink = desk_open(p->path);
	struct store_status s;

	desk_put(sink, disk, 1, 1);
	desk_wait(sink, STORE_RECORDING, 1);
	assert_int_equal(unlink(p->path), 0);
	desk_put(sink, disk, 2, 1);
	s = desk_wait(sink, STORE_STOPPED, 1);
	assert_non_null(strstr(s.reason, "moved or deleted"));
	sink_close(sink);
	object_unref(disk);
}

static void
test_no_default_place(void **state)
{
	struct sink *sink;
	char *path;

	(void)state;
	unsetenv("XDG_STATE_HOME");
	unsetenv("HOME");
	assert_null(store_default_write_path());
	sink = desk_open(NULL);
	assert_string_equal(desk_wait(sink, STORE_STOPPED, 0).reason,
	    "no place to record to: neither XDG_STATE_HOME nor HOME is set; use --db FILE");
	sink_close(sink);
	setenv("HOME", "/home/u", 1);
	path = store_default_write_path();
	assert_string_equal(path, "/home/u/.local/state/stortop/stortop.db");
	free(path);
	setenv("XDG_STATE_HOME", "relative", 1);
	path = store_default_write_path();
	assert_string_equal(path, "/home/u/.local/state/stortop/stortop.db");
	free(path);
	setenv("XDG_STATE_HOME", "/var/state", 1);
	path = store_default_write_path();
	assert_string_equal(path, "/var/state/stortop/stortop.db");
	free(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(test_records),
		DESK_TEST(test_nothing_put_leaves_no_recording),
		DESK_TEST(test_appends_to_a_file),
		DESK_TEST(test_makes_directories),
		DESK_TEST(test_what_cannot_be_recorded_to),
		DESK_TEST(test_a_damaged_file),
		DESK_TEST(test_a_newer_file),
		DESK_TEST(test_two_recorders),
		DESK_TEST(test_a_file_that_goes_away),
		DESK_TEST(test_no_default_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
