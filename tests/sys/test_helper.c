#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/helper.h"

#define PATIENCE_MS 10000	/* of a test, on a machine that is busy */

struct place {
	char dir[64], file[96], fifo[96];
	struct helper *helper;
};

struct got {
	int times;
	long len;
	char data[64];
};

static void
keep(void *arg, const char *data, long len)
{
	struct got *got = arg;

	got->times++;
	got->len = len;
	if (len >= 0) {
		assert_int_equal(strlen(data), len);
		snprintf(got->data, sizeof(got->data), "%s", data);
	} else {
		assert_null(data);
	}
}

static long
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int
place_make(void **state)
{
	struct place *place = calloc(1, sizeof(*place));
	FILE *f;

	assert_non_null(place);
	strcpy(place->dir, "/tmp/stortop-helper-XXXXXX");
	assert_non_null(mkdtemp(place->dir));
	snprintf(place->file, sizeof(place->file), "%s/file", place->dir);
	snprintf(place->fifo, sizeof(place->fifo), "%s/fifo", place->dir);
	f = fopen(place->file, "w");
	assert_non_null(f);
	fputs("seven\n!", f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(mkfifo(place->fifo, 0600), 0);
	place->helper = helper_start();
	assert_non_null(place->helper);
	*state = place;
	return 0;
}

static int
place_remove(void **state)
{
	struct place *place = *state;

	helper_stop(place->helper);
	unlink(place->file);
	unlink(place->fifo);
	assert_int_equal(rmdir(place->dir), 0);
	free(place);
	return 0;
}

static void
wait_for(struct helper *helper, const struct got *got, int times)
{
	long end = now_ms() + PATIENCE_MS;
	int next = helper_poll(helper);

	while (got->times < times) {
		struct pollfd fd = { .fd = helper_fd(helper), .events = POLLIN };

		assert_true(now_ms() < end);
		poll(&fd, 1, next < 0 ? PATIENCE_MS : next);
		next = helper_poll(helper);
	}
}

static void
answers(void **state)
{
	struct place *place = *state;
	struct got contents = { 0 }, status = { 0 }, space = { 0 }, none = { 0 }, folder = { 0 };
	unsigned long long mode, device, size, f[5];

	assert_int_equal(helper_ask(place->helper, HELPER_READ, place->file, keep, &contents), 0);
	assert_int_equal(helper_ask(place->helper, HELPER_STAT, place->file, keep, &status), 0);
	assert_int_equal(helper_ask(place->helper, HELPER_STATFS, place->dir, keep, &space), 0);
	assert_int_equal(helper_ask(place->helper, HELPER_READ, "/nonesuch", keep, &none), 0);
	assert_int_equal(helper_ask(place->helper, HELPER_READ, place->dir, keep, &folder), 0);
	wait_for(place->helper, &contents, 1);
	wait_for(place->helper, &status, 1);
	wait_for(place->helper, &space, 1);
	wait_for(place->helper, &none, 1);
	wait_for(place->helper, &folder, 1);

	assert_int_equal(contents.len, 7);
	assert_string_equal(contents.data, "seven\n!");
	assert_int_equal(sscanf(status.data, "%llu %llu %llu", &mode, &device, &size), 3);
	assert_true(S_ISREG(mode));
	assert_int_equal(device, 0);
	assert_int_equal(size, 7);
	assert_int_equal(
	    sscanf(space.data, "%llu %llu %llu %llu %llu", &f[0], &f[1], &f[2], &f[3], &f[4]), 5);
	assert_true(f[1] > 0 && f[3] >= f[4]);
	assert_int_equal(none.len, -ENOENT);
	assert_int_equal(folder.len, -EISDIR);
}

static void
stat_names_the_device(void **state)
{
	struct place *place = *state;
	struct got got = { 0 };
	unsigned long long mode, device, size;

	assert_int_equal(helper_ask(place->helper, HELPER_STAT, "/dev/null", keep, &got), 0);
	wait_for(place->helper, &got, 1);
	assert_int_equal(sscanf(got.data, "%llu %llu %llu", &mode, &device, &size), 3);
	assert_true(S_ISCHR(mode));
	assert_int_equal(device, 0x103);
}

static void
long_files_are_cut(void **state)
{
	struct place *place = *state;
	struct got got = { 0 };
	FILE *f = fopen(place->file, "w");

	assert_non_null(f);
	for (int i = 0; i < 40000; i++)
		fputc('a' + i % 26, f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(helper_ask(place->helper, HELPER_READ, place->file, keep, &got), 0);
	wait_for(place->helper, &got, 1);
	assert_int_equal(got.len, 32768);
}

/* Lets whoever waits to read from the fifo go on, with nothing to read. */
static void
open_and_close(const char *fifo)
{
	int fd = open(fifo, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	close(fd);
}

static void
hanging_path(void **state)
{
	struct place *place = *state;
	struct got hung = { 0 }, other = { 0 }, again = { 0 };
	long start = now_ms(), end = start + PATIENCE_MS;

	assert_int_equal(helper_ask(place->helper, HELPER_READ, place->fifo, keep, &hung), 0);
	assert_int_equal(helper_ask(place->helper, HELPER_READ, place->file, keep, &other), 0);
	wait_for(place->helper, &other, 1);
	assert_int_equal(other.len, 7);
	assert_int_equal(hung.times, 0);

	wait_for(place->helper, &hung, 1);
	assert_int_equal(hung.len, -ETIMEDOUT);
	assert_true(now_ms() - start >= HELPER_LIMIT_MS);
	assert_int_equal(helper_poll(place->helper), -1);
	assert_int_equal(helper_ask(place->helper, HELPER_STAT, place->fifo, keep, &again), -EBUSY);
	assert_int_equal(helper_ask(place->helper, HELPER_READ, place->file, keep, &other), 0);
	wait_for(place->helper, &other, 2);

	/* the target answers after all: nobody is told, and it may be asked again */
	open_and_close(place->fifo);
	while (helper_ask(place->helper, HELPER_READ, place->fifo, keep, &again) == -EBUSY) {
		assert_true(now_ms() < end);
		helper_poll(place->helper);
	}
	assert_int_equal(hung.times, 1);
	open_and_close(place->fifo);
	wait_for(place->helper, &again, 1);
	assert_int_equal(again.len, 0);
}

/* Wakes all that wait to read from the fifo by now. */
static void
wake(const char *fifo)
{
	int fd = open(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
}

/* The end to write to, once somebody reads. As long as it is open, the reader hangs in its read. */
static int
hold_reader(const char *fifo)
{
	int fd = open(fifo, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void
expect_reader_gone(int fd)
{
	struct pollfd end = { .fd = fd };

	assert_int_equal(poll(&end, 1, PATIENCE_MS), 1);
	assert_true(end.revents & POLLERR);
	close(fd);
}

static void
bounded_and_forgotten(void **state)
{
	struct place *place = *state;
	struct got got = { 0 };

	for (int i = 0; i < 32; i++)
		assert_int_equal(helper_ask(place->helper, HELPER_READ, place->fifo, keep, &got), 0);
	assert_int_equal(helper_ask(place->helper, HELPER_READ, place->file, keep, &got), -EBUSY);
	helper_forget(place->helper, &got);
	for (long end = now_ms() + PATIENCE_MS;
	     helper_ask(place->helper, HELPER_READ, place->file, keep, &got) == -EBUSY;) {
		assert_true(now_ms() < end);
		wake(place->fifo);
		helper_poll(place->helper);
	}
	wait_for(place->helper, &got, 1);
	assert_int_equal(got.len, 7);
	assert_int_equal(got.times, 1);
}

static void
stop_ends_what_hangs(void **state)
{
	struct place *place = *state;
	struct got got = { 0 };
	long start = now_ms();
	int fd;

	assert_int_equal(helper_ask(place->helper, HELPER_READ, place->fifo, keep, &got), 0);
	fd = hold_reader(place->fifo);
	helper_stop(place->helper);
	place->helper = NULL;
	assert_true(now_ms() - start < HELPER_LIMIT_MS);
	expect_reader_gone(fd);
	assert_int_equal(got.times, 0);
}

/* A child that hangs for good must not keep a pipe open that our reader waits to see the end of. */
static void
holds_no_files(void **state)
{
	struct helper *helper;
	struct pollfd fd;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	helper = helper_start();
	assert_non_null(helper);
	close(ends[1]);
	fd = (struct pollfd) { .fd = ends[0], .events = POLLIN };
	assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
	assert_true(fd.revents & POLLHUP);
	close(ends[0]);
	helper_stop(helper);
}

static void
ends_with_the_program(void **state)
{
	struct place *place = *state;
	struct got got = { 0 };
	pid_t pid = fork();
	int fd;

	assert_true(pid >= 0);
	if (pid == 0) {
		struct helper *helper = helper_start();

		if (helper == NULL || helper_ask(helper, HELPER_READ, place->fifo, keep, &got) != 0)
			_exit(1);
		pause();
	}
	fd = hold_reader(place->fifo);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	expect_reader_gone(fd);
}

/* The pid of our only child, or 0 where the kernel does not tell. */
static pid_t
only_child(void)
{
	char path[64];
	int pid = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	f = fopen(path, "r");
	if (f == NULL)
		return 0;
	if (fscanf(f, "%d", &pid) != 1)
		pid = 0;
	fclose(f);
	return pid;
}

static void
loss_is_told(void **state)
{
	struct place *place = *state;
	struct got got = { 0 };
	pid_t pid = only_child();
	int fd;

	if (pid == 0) {
		print_message("skipped: no /proc/PID/task/TID/children here\n");
		skip();
	}
	assert_int_equal(helper_ask(place->helper, HELPER_READ, place->fifo, keep, &got), 0);
	fd = hold_reader(place->fifo);
	kill(pid, SIGKILL);
	expect_reader_gone(fd);
	wait_for(place->helper, &got, 1);
	assert_int_equal(got.len, -EPIPE);
	assert_int_equal(helper_fd(place->helper), -1);
	assert_int_equal(helper_ask(place->helper, HELPER_READ, place->file, keep, &got), -EPIPE);
	assert_int_equal(helper_poll(place->helper), -1);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, place_make, place_remove)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(answers),
		CASE(stat_names_the_device),
		CASE(long_files_are_cut),
		CASE(hanging_path),
		CASE(bounded_and_forgotten),
		CASE(stop_ends_what_hangs),
		cmocka_unit_test(holds_no_files),
		CASE(ends_with_the_program),
		CASE(loss_is_told),
	};

	return cmocka_run_group_tests_name("sys/helper", tests, NULL, NULL);
}
