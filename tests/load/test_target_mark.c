#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cmocka.h>

#include "load/target_mark.h"
#include "load/target_reservation.h"

#define MARK "stortop test file 1 kept whole boot=1f-2e host=n1.lab pid=42 start=991 ino=17 name=00000000000000ab area=8192 " \
	"mtime=1700000000123456789\n"

static void
printed_and_parsed(void **state)
{
	const struct mark mark = {
		.kept = true, .written = true, .boot = "1f-2e", .host = "n1.lab", .pid = 42, .start = 991, .ino = 17, .name = 0xab,
		.area_bytes = 8192, .mtime_ns = INT64_C(1700000000123456789),
	};
	char text[MARK_TEXT_MAX];
	struct mark again;

	(void)state;
	assert_int_equal(mark_print(&mark, text), strlen(MARK));
	assert_string_equal(text, MARK);
	assert_int_equal(mark_parse(MARK, strlen(MARK), &again), 0);
	mark_print(&again, text);
	assert_string_equal(text, MARK);
	assert_int_equal(again.pid, 42);
	assert_int_equal(again.start, 991);
	assert_int_equal(again.ino, 17);
	assert_true(again.kept && again.written);
}

static void
what_is_no_mark(void **state)
{
	static const struct {
		const char *from, *to;
	} changes[] = {
		{ "stortop", "Stortop" }, { "file 1", "file 2" }, { "kept", "keptt" }, { "kept", "gone" }, { "whole", "hole" },
		{ "boot=1f-2e", "boot=" }, { "host=n1.lab", "host=n1/lab" }, { "pid=42", "pid=" }, { "pid=42", "pid=x" },
		{ "start=991 ", "" }, { "mtime=1700000000123456789\n", "mtime=1700000000123456789" }, { "ino=17", "ino=-" },
	};
	struct mark mark;

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const char *at = strstr(MARK, changes[i].from);
		char text[MARK_TEXT_MAX];

		assert_non_null(at);
		strcpy(text, MARK);
		strcpy(text + (at - MARK), changes[i].to);
		strcat(text, at + strlen(changes[i].from));
		if (mark_parse(text, strlen(text), &mark) == 0)
			fail_msg("taken for a mark: %s", text);
	}
	assert_int_equal(mark_parse("", 0, &mark), -EINVAL);
	for (size_t len = 0; len < strlen(MARK); len++)
		assert_int_equal(mark_parse(MARK, len, &mark), -EINVAL);
}

static void
assert_same(const struct mark *a, const struct mark *b)
{
	char one[MARK_TEXT_MAX], other[MARK_TEXT_MAX];

	mark_print(a, one);
	mark_print(b, other);
	assert_string_equal(one, other);
	assert_int_equal(a->in_attribute, b->in_attribute);
}

static int
new_file(char path[static 40])
{
	int fd;

	strcpy(path, "/tmp/stortop-mark-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

static struct mark
mark_of(int fd, bool attribute)
{
	struct mark mark;
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	mark_self(&mark);
	mark.ino = st.st_ino;
	mark.area_bytes = 12288;
	mark.in_attribute = attribute;
	return mark;
}

static void
behind_the_area(void **state)
{
	char path[40], block[MARK_BLOCK];
	int fd = new_file(path);
	struct mark mark = mark_of(fd, false), again;

	(void)state;
	assert_int_equal(mark_read(fd, &again), -ENODATA);
	assert_int_equal(mark_write(fd, &mark), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), 12288 + MARK_BLOCK);
	assert_int_equal(mark_read(fd, &again), 0);
	assert_same(&again, &mark);
	/* The same block, but not behind the area that it names. */
	assert_int_equal(pread(fd, block, sizeof(block), 12288), MARK_BLOCK);
	assert_int_equal(pwrite(fd, block, sizeof(block), 12288 + MARK_BLOCK), MARK_BLOCK);
	assert_int_equal(mark_read(fd, &again), -ENODATA);
	close(fd);
}

static void
in_an_attribute(void **state)
{
	char path[40];
	int fd = new_file(path);
	struct mark mark = mark_of(fd, true), again;

	(void)state;
	if (fsetxattr(fd, MARK_ATTRIBUTE, "", 0, 0) < 0) {
		print_message("skipped: /tmp has no user attributes\n");
		close(fd);
		skip();
	}
	/* An attribute that says nothing is no mark. */
	assert_int_equal(mark_read(fd, &again), -ENODATA);
	assert_int_equal(mark_write(fd, &mark), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	assert_int_equal(mark_read(fd, &again), 0);
	assert_same(&again, &mark);
	/* cp -a copies attributes: the copy is somebody's. */
	mark.ino++;
	assert_int_equal(mark_write(fd, &mark), 0);
	assert_int_equal(mark_read(fd, &again), -ENODATA);
	close(fd);
}

/* The first process of a namespace of its own, as in a container, with the host's name; it lives until `go` is closed. */
static void
be_contained(int out, int go)
{
	struct mark mark;
	pid_t pid;
	char c;

	if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0)
		_exit(77);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 || mount("proc", "/proc", "proc", 0, NULL) != 0)
			_exit(77);
		mark_self(&mark);
		if (write(out, &mark, sizeof(mark)) == sizeof(mark))
			c = read(go, &c, 1) == 0;
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	_exit(0);
}

static void
lives_in_a_container(void **state)
{
	struct mark mark;
	int from[2], go[2];
	ssize_t n;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(from, O_CLOEXEC) + pipe2(go, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		close(go[1]);
		be_contained(from[1], go[0]);
	}
	close(from[1]);
	n = read(from[0], &mark, sizeof(mark));
	if (n == sizeof(mark)) {
		assert_int_equal(mark.pid, 1);
		assert_false(mark_is_stale(&mark, true));
	}
	close(from[0]);
	close(go[1]);
	close(go[0]);
	waitpid(pid, NULL, 0);
	if (n != sizeof(mark)) {
		print_message("skipped: no namespaces of our own\n");
		skip();
	}
}

static void
whose_process_is_gone(void **state)
{
	struct mark mark;

	(void)state;
	mark_self(&mark);
	assert_false(mark_is_stale(&mark, false));
	/* The number is another process's now. */
	mark.start++;
	assert_true(mark_is_stale(&mark, false));
	/* Before the last boot; on a server it may be another host's that runs. */
	mark_self(&mark);
	strcpy(mark.boot, "abc");
	assert_true(mark_is_stale(&mark, false));
	assert_true(mark_is_stale(&mark, true));
	strcpy(mark.host, "another-host");
	assert_true(mark_is_stale(&mark, false));
	assert_false(mark_is_stale(&mark, true));
}

static void
what_is_a_leftover(void **state)
{
	struct mark gone, mark;

	(void)state;
	mark_self(&gone);
	gone.start++;
	gone.name = mark_hash("stortop-00000001.test");
	assert_true(mark_is_leftover(&gone, "stortop-00000001.test", false));
	assert_true(mark_is_leftover(&gone, "stortop-00000001.test", true));
	/* Somebody gave it another name. */
	assert_false(mark_is_leftover(&gone, "stortop-00000002.test", false));
	mark = gone;
	mark.kept = true;
	assert_false(mark_is_leftover(&mark, "stortop-00000001.test", false));
	/* Its run lives. */
	mark = gone;
	mark.start--;
	assert_false(mark_is_leftover(&mark, "stortop-00000001.test", false));
	/* Another host's, on a server. */
	mark = gone;
	strcpy(mark.boot, "abc");
	strcpy(mark.host, "another-host");
	assert_false(mark_is_leftover(&mark, "stortop-00000001.test", true));
}

static void
signed_for_a_file(void **state)
{
	const struct mark self = { .boot = "1f-2e", .host = "n1", .pid = 42, .start = 991 };
	struct mark before = { .kept = true, .written = true, .in_attribute = true, .pid = 7, .area_bytes = 8192, .mtime_ns = 5 };
	struct mark mark = self;

	(void)state;
	mark_sign(&mark, 17, "a", 4096, NULL);
	assert_true(mark.ino == 17 && mark.name == mark_hash("a") && mark.area_bytes == 4096 && mark.pid == 42);
	assert_false(mark.kept || mark.written || mark.in_attribute || mark.mtime_ns != 0);
	/* A part of it is wanted: it stays as large as it is, and as far as it was laid out. */
	mark = self;
	mark_sign(&mark, 17, "a", 4096, &before);
	assert_true(mark.area_bytes == 8192 && mark.written && mark.in_attribute);
	assert_false(mark.kept || mark.pid != 42 || mark.mtime_ns != 0);
	mark = self;
	mark_sign(&mark, 17, "a", 8192, &before);
	assert_true(mark.area_bytes == 8192 && mark.written);
	/* It has to grow. */
	mark = self;
	mark_sign(&mark, 17, "a", 12288, &before);
	assert_true(mark.area_bytes == 12288 && mark.in_attribute);
	assert_false(mark.written);
	/* It was never laid out whole. */
	before.written = before.in_attribute = false;
	mark = self;
	mark_sign(&mark, 17, "a", 4096, &before);
	assert_false(mark.written || mark.in_attribute);
}

static void
kept_with_a_time_of_its_own(void **state)
{
	struct mark mark = { .pid = 42, .area_bytes = 4096 };

	(void)state;
	mark_keep(&mark, true, 1700000001);
	assert_true(mark.kept && mark.written && mark.pid == 42 && mark.area_bytes == 4096);
	assert_true(mark.mtime_ns == INT64_C(1700000000000000000));
	mark_keep(&mark, false, 1700000002);
	assert_false(mark.written);
	assert_true(mark.mtime_ns == INT64_C(1700000002000000000));
	mark_keep(&mark, false, -4);
	assert_true(mark.mtime_ns == INT64_C(-4000000000));
}

static void
a_time_before_1970(void **state)
{
	char path[40];
	int fd = new_file(path);
	struct mark mark = mark_of(fd, false);
	struct stat st;

	(void)state;
	mark_keep(&mark, false, -4);
	assert_int_equal(mark_write(fd, &mark), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mtim.tv_sec, -4);
	assert_int_equal(st.st_mtim.tv_nsec, 0);
	close(fd);
}

static void
the_hash_is_fnv(void **state)
{
	(void)state;
	/* From the definition: of nothing the offset basis, of "a" (basis ^ 0x61) * prime. */
	assert_true(mark_hash("") == UINT64_C(0xcbf29ce484222325));
	assert_true(mark_hash("a") == UINT64_C(0xaf63dc4c8601ec8c));
}

static void
reservations(void **state)
{
	static const uint8_t none[] = { 0, 0, 0, 9, 0, 0, 0, 0 }, three[] = { 0, 0, 0, 9, 0, 0, 0, 24, 1, 2, 3, 4, 5, 6, 7, 8 },
		many[] = { 0, 0, 0, 9, 0, 0, 8, 0 }, nvme[] = { 7, 0, 0, 0, 1, 2, 1, 0 };

	(void)state;
	assert_int_equal(reservation_scsi_keys(none, sizeof(none)), 0);
	assert_int_equal(reservation_scsi_keys(three, sizeof(three)), 3);
	assert_int_equal(reservation_scsi_keys(many, sizeof(many)), 256);
	assert_int_equal(reservation_scsi_keys(three, 7), 0);
	assert_int_equal(reservation_nvme_controllers(nvme, sizeof(nvme)), 258);
	assert_int_equal(reservation_nvme_controllers(nvme, 6), 0);
	/* Good, CHECK CONDITION (it knows none), BUSY; no answer in time. */
	assert_false(reservation_scsi_silent(0, 0));
	assert_false(reservation_scsi_silent(0, 2));
	assert_true(reservation_scsi_silent(0, 8));
	assert_true(reservation_scsi_silent(3, 0));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(printed_and_parsed),
		cmocka_unit_test(what_is_no_mark),
		cmocka_unit_test(behind_the_area),
		cmocka_unit_test(in_an_attribute),
		cmocka_unit_test(lives_in_a_container),
		cmocka_unit_test(whose_process_is_gone),
		cmocka_unit_test(what_is_a_leftover),
		cmocka_unit_test(signed_for_a_file),
		cmocka_unit_test(kept_with_a_time_of_its_own),
		cmocka_unit_test(a_time_before_1970),
		cmocka_unit_test(the_hash_is_fnv),
		cmocka_unit_test(reservations),
	};

	return cmocka_run_group_tests_name("load/target_mark", tests, NULL, NULL);
}
