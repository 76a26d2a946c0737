#include "db/store.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "db/sql.h"
#include "fault.h"
#include "tape.h"

struct place {
	char *dir, *path;
};

static int
set_up(void **state)
{
	struct place *p = xcalloc(1, sizeof(*p));

	fault_install();
	p->dir = tape_dir();
	p->path = xasprintf("%s/s.db", p->dir);
	*state = p;
	return 0;
}

static int
tear_down(void **state)
{
	struct place *p = *state;

	fault_set(FAULT_NONE);
	free(p->path);
	tape_remove_dir(p->dir);
	free(p);
	return 0;
}

static struct sink *
open_store(const char *path)
{
	const struct store_options options = {
		.path = path, .source = "live", .host = "box", .boot_id = "boot-1", STORE_RETENTION_DEFAULTS,
	};

	return store_sink(&options);
}

static uint64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void
nap(void)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	nanosleep(&ms, NULL);
}

/* Waits until the store has left a state behind and written so many ticks; what it says then. */
static struct store_status
wait_for(struct sink *sink, enum store_state state, uint64_t ticks)
{
	struct store_status s;

	for (uint64_t end = now_ms() + 20000;; nap()) {
		store_status(sink, &s);
		if (s.state == state && s.ticks >= ticks)
			return s;
		if (now_ms() > end)
			fail_msg("state %d, %llu ticks, reason '%s'", (int)s.state, (unsigned long long)s.ticks, s.reason);
	}
}

static void
put_reads(struct sink *sink, struct object *disk, int tick)
{
	struct interval *v = tape_interval(tick, 1);
	struct interval_table *t = tape_table(v, &kind_disk, 1, &disk);

	t->rows[0].cells[DISK_READS] = 100 + tick;
	interval_rollup(v);
	assert_int_equal(sink_put(sink, v), 0);
	interval_unref(v);
}

static void
put_many(struct sink *sink, struct object *disk, int first, int n)
{
	for (int i = first; i < first + n; i++)
		put_reads(sink, disk, i);
}

static sqlite3 *
reopen(const char *path)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	tape_sound(db);
	return db;
}

static bool
exists(const char *path, const char *suffix)
{
	char *name = xasprintf("%s%s", path, suffix);
	bool is = access(name, F_OK) == 0;

	free(name);
	return is;
}

static void
test_records(void **state)
{
	const struct place *p = *state;
	struct object *disk = tape_disk("sda");
	struct sink *sink = open_store(p->path);
	struct store_status s;
	struct stat st;
	sqlite3 *db;

	put_many(sink, disk, 1, 10);
	s = wait_for(sink, STORE_RECORDING, 10);
	assert_string_equal(s.path, p->path);
	assert_string_equal(s.reason, "");
	assert_int_equal(s.dropped, 0);
	assert_true(s.bytes > 4096 && s.bytes % 4096 == 0);
	assert_true(exists(p->path, "-lock"));
	assert_int_equal(sink_close(sink), 0);
	/* Nothing is left beside the file. */
	assert_false(exists(p->path, "-lock"));
	assert_false(exists(p->path, "-wal"));
	assert_int_equal(stat(p->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	db = reopen(p->path);
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
	const struct place *p = *state;
	struct sink *sink = open_store(p->path);
	sqlite3 *db;

	wait_for(sink, STORE_RECORDING, 0);
	sink_close(sink);
	db = reopen(p->path);
	assert_int_equal(sql_int(db, -1, "SELECT count(*) FROM recording"), 0);
	sqlite3_close(db);
}

static void
test_appends_to_a_file(void **state)
{
	const struct place *p = *state;
	struct object *disk = tape_disk("sda");
	sqlite3 *db;

	for (int i = 0; i < 2; i++) {
		struct sink *sink = open_store(p->path);

		put_many(sink, disk, 1, 3);
		sink_close(sink);
	}
	db = reopen(p->path);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM tick WHERE recording = 2"), 3);
	assert_int_equal(sql_int(db, 0, "SELECT count(DISTINCT tick) FROM tick"), 6);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM object WHERE kind = 'disk'"), 2);
	sqlite3_close(db);
	object_unref(disk);
}

static void
test_makes_directories(void **state)
{
	const struct place *p = *state;
	char *path = xasprintf("%s/a/b/c.db", p->dir), *dir = xasprintf("%s/a/b", p->dir);
	struct sink *sink = open_store(path);
	struct stat st;

	wait_for(sink, STORE_RECORDING, 0);
	sink_close(sink);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	free(path);
	free(dir);
}

/* Fails unless recording to the path stops at once, for this reason. */
static void
stops(const char *path, const char *reason)
{
	struct object *disk = tape_disk("sda");
	struct sink *sink = open_store(path);
	struct store_status s = wait_for(sink, STORE_STOPPED, 0);
	char *expected = xasprintf("%s: %s", path, reason);

	assert_string_equal(s.reason, expected);
	/* The program goes on, and nothing piles up. */
	put_many(sink, disk, 1, 1000);
	store_status(sink, &s);
	assert_int_equal(s.dropped, 0);
	assert_int_equal(sink_close(sink), 0);
	free(expected);
	object_unref(disk);
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
	const struct place *p = *state;
	char text[6000];

	memset(text, 'x', sizeof(text));
	write_file(p->path, text, sizeof(text), 0);
	stops(p->path, "not a stortop database");
	stops(p->dir, "is a directory");
}

static void
test_a_damaged_file(void **state)
{
	const struct place *p = *state;
	struct object *disk = tape_disk("sda");
	struct sink *sink = open_store(p->path);
	char text[4096];

	put_many(sink, disk, 1, 2);
	sink_close(sink);
	memset(text, 'x', sizeof(text));
	write_file(p->path, text, 3000, 100);		/* what the first page says of the tables */
	stops(p->path, "damaged (database disk image is malformed)");
	object_unref(disk);
}

static void
test_a_newer_file(void **state)
{
	const struct place *p = *state;
	struct sink *sink = open_store(p->path);
	sqlite3 *db;

	wait_for(sink, STORE_RECORDING, 0);
	sink_close(sink);
	db = reopen(p->path);
	assert_int_equal(sql_exec(db, "PRAGMA user_version = 7"), SQLITE_OK);
	sqlite3_close(db);
	stops(p->path, "made by a newer stortop (format 7): read, not recorded to");
}

static void
test_two_recorders(void **state)
{
	const struct place *p = *state;
	struct object *disk = tape_disk("sda");
	struct sink *first = open_store(p->path), *third;

	wait_for(first, STORE_RECORDING, 0);
	stops(p->path, "another stortop is recording to it");
	put_many(first, disk, 1, 3);
	wait_for(first, STORE_RECORDING, 3);
	sink_close(first);
	third = open_store(p->path);
	wait_for(third, STORE_RECORDING, 0);
	sink_close(third);
	object_unref(disk);
}

/* A write fails in the middle of it all: what was written before stays, and the reason says which file. */
static void
fails_midway(const struct place *p, enum fault fault, const char *reason)
{
	struct object *disk = tape_disk("sda");
	struct sink *sink = open_store(p->path);
	char *expected = xasprintf("%s: %s", p->path, reason);
	struct store_status s;
	sqlite3 *db;

	put_many(sink, disk, 1, 5);
	wait_for(sink, STORE_RECORDING, 5);
	fault_set(fault);
	put_many(sink, disk, 6, 1);
	s = wait_for(sink, STORE_STOPPED, 5);
	assert_string_equal(s.reason, expected);
	/* It stays stopped when the disk has room again. */
	fault_set(FAULT_NONE);
	put_many(sink, disk, 7, 1);
	store_status(sink, &s);
	assert_int_equal(s.state, STORE_STOPPED);
	assert_int_equal(s.ticks, 5);
	sink_close(sink);
	db = reopen(p->path);
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
	const struct place *p = *state;

	fault_set(FAULT_FULL);
	stops(p->path, "disk full");
}

/* The kernel's own way to say no; SIGXFSZ must not end the program. */
static void
test_file_size_limit(void **state)
{
	const struct place *p = *state;
	struct object *disk = tape_disk("sda");
	struct rlimit old, small;
	struct sink *sink = open_store(p->path);
	struct store_status s;

	put_many(sink, disk, 1, 2);
	wait_for(sink, STORE_RECORDING, 2);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 4096;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	put_many(sink, disk, 3, 3);
	s = wait_for(sink, STORE_STOPPED, 2);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_non_null(strstr(s.reason, p->path));
	sink_close(sink);
	object_unref(disk);
}

static void
test_read_only_file_system(void **state)
{
	const struct place *p = *state;
	char *path = xasprintf("%s/ro/s.db", p->dir), *dir = xasprintf("%s/ro", p->dir);

	if (geteuid() != 0 || mkdir(dir, 0700) != 0 || mount("none", dir, "tmpfs", MS_RDONLY, "size=1m") != 0) {
		free(path);
		free(dir);
		print_message("skipped: needs root and mount\n");
		skip();
	}
	stops(path, "read-only file system");
	assert_int_equal(umount(dir), 0);
	free(path);
	free(dir);
}

static void
test_no_permission(void **state)
{
	const struct place *p = *state;
	char *path = xasprintf("%s/no/s.db", p->dir), *dir = xasprintf("%s/no", p->dir);

	assert_int_equal(mkdir(dir, 0500), 0);
	/* Root may write anywhere, so root is somebody else for a while: all threads of a process change their ids. */
	if (geteuid() == 0) {
		assert_int_equal(chmod(p->dir, 0755), 0);
		assert_int_equal(chmod(dir, 0555), 0);
		assert_int_equal(seteuid(65534), 0);
	}
	stops(path, "permission denied");
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	free(path);
	free(dir);
}

static void
test_a_file_that_goes_away(void **state)
{
	const struct place *p = *state;
	struct object *disk = tape_disk("sda");
	struct sink *sink = open_store(p->path);
	struct store_status s;

	put_many(sink, disk, 1, 1);
	wait_for(sink, STORE_RECORDING, 1);
	assert_int_equal(unlink(p->path), 0);
	put_many(sink, disk, 2, 1);
	s = wait_for(sink, STORE_STOPPED, 1);
	assert_non_null(strstr(s.reason, "moved or deleted"));
	sink_close(sink);
	object_unref(disk);
}

/* Another program writes for longer than SQLite waits: nothing is lost. */
static void
test_a_busy_file(void **state)
{
	const struct place *p = *state;
	struct object *disk = tape_disk("sda");
	struct sink *sink = open_store(p->path);
	sqlite3 *db;
	uint64_t end;

	put_many(sink, disk, 1, 1);
	wait_for(sink, STORE_RECORDING, 1);
	assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
	assert_int_equal(sql_exec(db, "BEGIN IMMEDIATE"), SQLITE_OK);
	put_many(sink, disk, 2, 4);
	for (end = now_ms() + 400; now_ms() < end;)
		nap();
	wait_for(sink, STORE_RECORDING, 1);
	assert_int_equal(sql_exec(db, "ROLLBACK"), SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(wait_for(sink, STORE_RECORDING, 5).dropped, 0);
	sink_close(sink);
	object_unref(disk);
}

/* A disk that does not answer: put() never waits, the queue is bounded, what is lost is counted and told. */
static void
test_a_full_queue(void **state)
{
	const struct place *p = *state;
	struct object *disk = tape_disk("sda");
	struct sink *sink = open_store(p->path);
	struct store_status s;
	sqlite3 *db;

	put_many(sink, disk, 1, 1);
	wait_for(sink, STORE_RECORDING, 1);
	fault_set(FAULT_HANG);
	put_many(sink, disk, 2, 1);		/* the thread hangs with this one */
	while (fault_waiting() == 0)
		nap();
	put_many(sink, disk, 3, 256 + 7);
	store_status(sink, &s);
	assert_int_equal(s.dropped, 7);
	fault_set(FAULT_NONE);
	wait_for(sink, STORE_RECORDING, 258);
	put_many(sink, disk, 400, 1);
	sink_close(sink);
	db = reopen(p->path);
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
	const struct place *p = *state;
	struct sink *sink = open_store(p->path);
	struct object *disk = tape_disk("sda"), *disks[3000];
	struct store_status s;

	for (size_t i = 0; i < 3000; i++)
		disks[i] = disk;
	put_many(sink, disk, 1, 1);
	wait_for(sink, STORE_RECORDING, 1);
	fault_set(FAULT_HANG);
	put_many(sink, disk, 2, 1);
	while (fault_waiting() == 0)
		nap();
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
	const struct place *p = *state;
	struct object *disk = tape_disk("sda");
	struct sink *sink = open_store(p->path);
	uint64_t begun;

	wait_for(sink, STORE_RECORDING, 0);
	fault_set(FAULT_HANG);
	put_many(sink, disk, 1, 1);
	begun = now_ms();
	assert_int_equal(sink_close(sink), 0);
	assert_in_range(now_ms() - begun, 1900, 3000);
	/* The thread was left behind; it ends when the disk lets it. */
	fault_set(FAULT_NONE);
	while (fault_open_files() > 0)
		nap();
	while (exists(p->path, "-lock"))
		nap();
	object_unref(disk);
}

static void
record_until_killed(const char *path, int pipe)
{
	struct object *disk = tape_disk("sda");
	struct sink *sink = open_store(path);

	for (int i = 1;; i++) {
		put_reads(sink, disk, i);
		wait_for(sink, STORE_RECORDING, (uint64_t)i);
		if (write(pipe, "t", 1) != 1)
			_exit(1);
	}
}

static void
test_kill(void **state)
{
	const struct place *p = *state;
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
	sink = open_store(p->path);
	put_many(sink, disk, 1000, 1);
	wait_for(sink, STORE_RECORDING, 1);
	sink_close(sink);
	db = reopen(p->path);
	assert_true(sql_int(db, 0, "SELECT max(tick) FROM tick WHERE recording = 1") >= (int64_t)sizeof(ticks));
	assert_int_equal(sql_int(db, 0, "SELECT last - (SELECT max(tick) FROM tick WHERE recording = 1) FROM presence"
	    " WHERE kind = 'disk' ORDER BY first LIMIT 1"), 0);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM presence WHERE last IS NULL"), 0);
	assert_int_equal(sql_int(db, 0, "SELECT sum(reads) - sum(100 + tick) FROM disk_all WHERE recording = 1"), 0);
	sqlite3_close(db);
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
	sink = open_store(NULL);
	assert_string_equal(wait_for(sink, STORE_STOPPED, 0).reason,
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

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_records),
		TEST(test_nothing_put_leaves_no_recording),
		TEST(test_appends_to_a_file),
		TEST(test_makes_directories),
		TEST(test_what_cannot_be_recorded_to),
		TEST(test_a_damaged_file),
		TEST(test_a_newer_file),
		TEST(test_two_recorders),
		TEST(test_disk_full),
		TEST(test_io_error),
		TEST(test_disk_full_at_the_start),
		TEST(test_file_size_limit),
		TEST(test_read_only_file_system),
		TEST(test_no_permission),
		TEST(test_a_file_that_goes_away),
		TEST(test_a_busy_file),
		TEST(test_a_full_queue),
		TEST(test_a_queue_of_large_intervals),
		TEST(test_close_leaves_a_dead_disk),
		TEST(test_kill),
		TEST(test_no_default_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
