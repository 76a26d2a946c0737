/*
 * The store on a disk that is full, slow, dead or read-only, and in a program that is killed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "db/sql.h"
#include "desk.h"

/* A write fails in the middle of it all: what was written before stays, and the reason says which file. */
static void
fails_midway(const struct desk *p, enum fault fault, const char *reason)
{
	struct object *disk = tape_disk("sda");
	struct sink *sink = desk_open(p->path);
	char *expected = xasprintf("%s: %s", p->path, reason);
	struct store_status s;
	sqlite3 *db;

	desk_put(sink, disk, 1, 5);
	desk_wait(sink, STORE_RECORDING, 5);
	fault_set(fault);
	desk_put(sink, disk, 6, 1);
	s = desk_wait(sink, STORE_STOPPED, 5);
	assert_string_equal(s.reason, expected);
	/* It stays stopped when the disk has room again. */
	fault_set(FAULT_NONE);
	desk_put(sink, disk, 7, 1);
	store_status(sink, &s);
	assert_int_equal(s.state, STORE_STOPPED);
	assert_int_equal(s.ticks, 5);
	sink_close(sink);
	db = desk_reopen(p->path);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM tick"), 5);
	assert_int_equal(sql_int(db, 0, "SELECT sum(reads) FROM disk"), 515);
	sqlite3_close(db);
	free(expected);
	object_unref(disk);
}

static void
test_disk_full(void **state)
{
	fails_midway(*state, FAULT_FULL, "disk full");
}

static void
test_io_error(void **state)
{
	fails_midway(*state, FAULT_IO, "I/O error");
}

static void
test_disk_full_at_the_start(void **state)
{
	const struct desk *p = *state;

	fault_set(FAULT_FULL);
	desk_stops(p->path, "disk full");
}

/* The kernel's own way to say no; SIGXFSZ must not end the program. */
static void
test_file_size_limit(void **state)
{
	const struct desk *p = *state;
	struct object *disk = tape_disk("sda");
	struct rlimit old, small;
	struct sink *sink = desk_open(p->path);
	struct store_status s;

	desk_put(sink, disk, 1, 2);
	desk_wait(sink, STORE_RECORDING, 2);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 4096;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	desk_put(sink, disk, 3, 3);
	s = desk_wait(sink, STORE_STOPPED, 2);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_non_null(strstr(s.reason, p->path));
	sink_close(sink);
	object_unref(disk);
}

static void
test_read_only_file_system(void **state)
{
	const struct desk *p = *state;
	char *path = xasprintf("%s/ro/s.db", p->dir), *dir = xasprintf("%s/ro", p->dir);

	if (geteuid() != 0 || mkdir(dir, 0700) != 0 || mount("none", dir, "tmpfs", MS_RDONLY, "size=1m") != 0) {
		free(path);
		free(dir);
		print_message("skipped: needs root and mount\n");
		skip();
	}
	desk_stops(path, "read-only file system");
	assert_int_equal(umount(dir), 0);
	free(path);
	free(dir);
}

static void
test_no_permission(void **state)
{
	const struct desk *p = *state;
	char *path = xasprintf("%s/no/s.db", p->dir), *dir = xasprintf("%s/no", p->dir);

	assert_int_equal(mkdir(dir, 0500), 0);
	/* Root may write anywhere, so root is somebody else for a while: all threads of a process change their ids. */
	if (geteuid() == 0) {
		assert_int_equal(chmod(p->dir, 0755), 0);
		assert_int_equal(chmod(dir, 0555), 0);
		assert_int_equal(seteuid(65534), 0);
	}
	desk_stops(path, "permission denied");
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	free(path);
	free(dir);
}

/* Another program writes for longer than SQLite waits: nothing is lost. */
static void
test_a_busy_file(void **state)
{
	const struct desk *p = *state;
	struct object *disk = tape_disk("sda");
	struct sink *sink = desk_open(p->path);
	sqlite3 *db;
	uint64_t end;

	desk_put(sink, disk, 1, 1);
	desk_wait(sink, STORE_RECORDING, 1);
	assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
	assert_int_equal(sql_exec(db, "BEGIN IMMEDIATE"), SQLITE_OK);
	desk_put(sink, disk, 2, 4);
	for (end = desk_now_ms() + 400; desk_now_ms() < end;)
		desk_nap();
	desk_wait(sink, STORE_RECORDING, 1);
	assert_int_equal(sql_exec(db, "ROLLBACK"), SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(desk_wait(sink, STORE_RECORDING, 5).dropped, 0);
	sink_close(sink);
	object_unref(disk);
}

/* A disk that does not answer: put() never waits, the queue is bounded, what is lost is counted and told. */
static void
test_a_full_queue(void **state)
{
	const struct desk *p = *state;
	struct object *disk = tape_disk("sda");
	struct sink *sink = desk_open(p->path);
	struct store_status s;
	sqlite3 *db;

	desk_put(sink, disk, 1, 1);
	desk_wait(sink, STORE_RECORDING, 1);
	fault_set(FAULT_HANG);
	desk_put(sink, disk, 2, 1);		/* the thread hangs with this one */
	while (fault_waiting() == 0)
		desk_nap();
	desk_put(sink, disk, 3, 256 + 7);
	store_status(sink, &s);
	assert_int_equal(s.dropped, 7);
	fault_set(FAULT_NONE);
	desk_wait(sink, STORE_RECORDING, 258);
	desk_put(sink, disk, 400, 1);
	sink_close(sink);
	db = desk_reopen(p->path);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM tick"), 259);
	assert_int_equal(sql_int(db, 0, "SELECT tick FROM event WHERE type = 'drop' AND text LIKE '7 intervals %%'"), 259);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM event"), 1);
	sqlite3_close(db);
	object_unref(disk);
}

/* Large intervals: the bytes are bounded too, but one always finds room. */
static void
test_a_queue_of_large_intervals(void **state)
{
	const struct desk *p = *state;
	struct sink *sink = desk_open(p->path);
	struct object *disk = tape_disk("sda"), *disks[3000];
	struct store_status s;

	for (size_t i = 0; i < 3000; i++)
		disks[i] = disk;
	desk_put(sink, disk, 1, 1);
	desk_wait(sink, STORE_RECORDING, 1);
	fault_set(FAULT_HANG);
	desk_put(sink, disk, 2, 1);
	while (fault_waiting() == 0)
		desk_nap();
	for (int i = 0; i < 50; i++) {
		struct interval *v = tape_interval(3 + i, 1);

		tape_table(v, &kind_disk, 3000, disks);
		sink_put(sink, v);
		interval_unref(v);
	}
	store_status(sink, &s);
	/* 3000 x 21 cells of 8 bytes and 3000 rows: some 600 kB each, 16 MiB for all */
	assert_true(s.dropped > 15 && s.dropped < 30);
	fault_set(FAULT_FULL);
	sink_close(sink);
	object_unref(disk);
}

static void
test_close_leaves_a_dead_disk(void **state)
{
	const struct desk *p = *state;
	struct object *disk = tape_disk("sda");
	struct sink *sink = desk_open(p->path);
	uint64_t begun;

	desk_wait(sink, STORE_RECORDING, 0);
	fault_set(FAULT_HANG);
	desk_put(sink, disk, 1, 1);
	begun = desk_now_ms();
	assert_int_equal(sink_close(sink), 0);
	assert_in_range(desk_now_ms() - begun, 1900, 3000);
	/* The thread was left behind; it ends when the disk lets it. */
	fault_set(FAULT_NONE);
	while (fault_open_files() > 0)
		desk_nap();
	while (desk_exists(p->path, "-lock"))
		desk_nap();
	object_unref(disk);
}

static void
record_until_killed(const char *path, int pipe)
{
	struct object *disk = tape_disk("sda");
	struct sink *sink = desk_open(path);

	for (int i = 1;; i++) {
		desk_put(sink, disk, i, 1);
		desk_wait(sink, STORE_RECORDING, (uint64_t)i);
		if (write(pipe, "t", 1) != 1)
			_exit(1);
	}
}

static void
test_kill(void **state)
{
	const struct desk *p = *state;
	struct object *disk = tape_disk("sda");
	struct sink *sink;
	int pipes[2], status;
	char ticks[30];
	sqlite3 *db;
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		record_until_killed(p->path, pipes[1]);
	close(pipes[1]);
	for (size_t n = 0; n < sizeof(ticks);)
		n += (size_t)read(pipes[0], ticks + n, sizeof(ticks) - n);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	close(pipes[0]);
	/* The lock of a dead program holds nobody up; what it left open ends at its last tick. */
	sink = desk_open(p->path);
	desk_put(sink, disk, 1000, 1);
	desk_wait(sink, STORE_RECORDING, 1);
	sink_close(sink);
	db = desk_reopen(p->path);
	assert_true(sql_int(db, 0, "SELECT max(tick) FROM tick WHERE recording = 1") >= (int64_t)sizeof(ticks));
	assert_int_equal(sql_int(db, 0, "SELECT last - (SELECT max(tick) FROM tick WHERE recording = 1) FROM presence"
	    " WHERE kind = 'disk' ORDER BY first LIMIT 1"), 0);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM presence WHERE last IS NULL"), 0);
	assert_int_equal(sql_int(db, 0, "SELECT sum(reads) - sum(100 + tick) FROM disk_all WHERE recording = 1"), 0);
	sqlite3_close(db);
	object_unref(disk);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(test_disk_full),
		DESK_TEST(test_io_error),
		DESK_TEST(test_disk_full_at_the_start),
		DESK_TEST(test_file_size_limit),
		DESK_TEST(test_read_only_file_system),
		DESK_TEST(test_no_permission),
		DESK_TEST(test_a_busy_file),
		DESK_TEST(test_a_full_queue),
		DESK_TEST(test_a_queue_of_large_intervals),
		DESK_TEST(test_close_leaves_a_dead_disk),
		DESK_TEST(test_kill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
