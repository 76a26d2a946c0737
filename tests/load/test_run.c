#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/clock.h"
#include "load/run.h"

#define MIB (1 << 20)
#define LIMIT_NS (30 * NS_PER_S)	/* only where the program hangs */

struct fixture {
	char dir[64];
	struct target null, *file;
	struct job_file *jobs;
	struct run_options options;
	struct run *run;
	/* States in the order they were told, as letters: p r m d D S F. */
	char trail[64];
};

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->null = (struct target) { .facts = { .kind = TARGET_NULL, .path = "null:" }, .fd = -1, .area_bytes = 64 * MIB };
	f->options = (struct run_options) { .target = &f->null, .runtime_ns = UINT64_MAX, .ramp_ns = UINT64_MAX };
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;
	int rc = 0;

	run_free(f->run);
	job_free(f->jobs);
	if (f->file != NULL)
		rc = target_close(f->file) | rmdir(f->dir);
	free(f);
	return rc;
}

/* A test file of 4 MiB. */
static void
open_file(struct fixture *f, bool writes)
{
	struct target_request request = { .name = f->dir, .writes = writes, .buffered = true, .size_bytes = 4 * MIB, .block = 4096 };
	char why[256];

	if (target_open(&request, &f->file, why, sizeof(why)) != 0)
		fail_msg("%s", why);
	f->options.target = f->file;
}

static void
use_file(struct fixture *f, bool writes)
{
	snprintf(f->dir, sizeof(f->dir), "/tmp/test_run.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	open_file(f, writes);
}

static void
start(struct fixture *f, const char *text)
{
	char why[256] = "";

	f->jobs = job_parse("test.fio", text, strlen(text), why, sizeof(why));
	if (f->jobs == NULL)
		fail_msg("%s", why);
	f->options.jobs = f->jobs;
	f->run = run_new(&f->options, why, sizeof(why));
	if (f->run == NULL)
		fail_msg("%s", why);
}

/* One turn of the caller's loop; true where the state changed. */
static bool
turn(struct fixture *f)
{
	struct pollfd pfd = { .fd = run_fd(f->run), .events = POLLIN };
	enum run_state before = run_state(f->run);

	if (poll(&pfd, 1, 5) != 1 || !run_step(f->run))
		return false;
	if (run_state(f->run) != before)
		f->trail[strlen(f->trail)] = "prmdDSF"[run_state(f->run)];
	return true;
}

static void
until(struct fixture *f, enum run_state state)
{
	uint64_t begun = clock_ns();

	while (run_state(f->run) != state) {
		assert_true(run_state(f->run) < RUN_DONE);
		assert_true(clock_ns() - begun < LIMIT_NS);
		turn(f);
	}
}

static uint64_t
sum(const struct fixture *f, enum io_dir dir)
{
	uint64_t n = 0;

	for (size_t i = 0; i < run_workers(f->run); i++)
		n += counter_get(&run_worker(f->run, i)->counters->ios[dir]);
	return n;
}

static void
amounts_are_exact(void **state)
{
	struct fixture *f = *state;

	start(f, "[a]\nrw=randread\niodepth=8\nnumber_ios=1000\nnumjobs=3\n");
	assert_int_equal(run_workers(f->run), 3);
	assert_string_equal(run_worker(f->run, 0)->name, "a #1");
	assert_string_equal(run_worker(f->run, 2)->name, "a #3");
	assert_string_equal(run_worker(f->run, 2)->engine, "null");
	assert_true(run_worker(f->run, 0)->uid != run_worker(f->run, 1)->uid);
	until(f, RUN_DONE);
	assert_string_equal(f->trail, "mdD");
	assert_int_equal(sum(f, IO_READ), 3000);
	assert_int_equal(sum(f, IO_WRITE), 0);
	for (size_t i = 0; i < 3; i++) {
		const struct load_counters *c = run_worker(f->run, i)->counters;
		struct hist *h = live_hist_copy(&c->latency[IO_READ]);

		assert_int_equal(counter_get(&c->ios[IO_READ]), 1000);
		assert_int_equal(counter_get(&c->bytes[IO_READ]), 4096000);
		assert_int_equal(counter_get(&c->in_flight), 0);
		assert_int_equal(h->count, 1000);
		/* in flight x time is the sum of the times, or Little's law would not hold */
		assert_int_equal(counter_get(&c->weighted_ns), h->sum_ns);
		hist_free(h);
	}
	assert_string_equal(run_why(f->run), "");
	assert_false(run_step(f->run));
}

/* Nothing is issued before the step after the one that told of it: the tick in between is at zero. */
static void
work_begins_after_the_tick(void **state)
{
	struct fixture *f = *state;

	start(f, "[a]\nrw=randread\nnumber_ios=10\n");
	until(f, RUN_MEASURE);
	assert_true(run_worker(f->run, 0)->started);
	assert_int_equal(sum(f, IO_READ), 0);
	until(f, RUN_DONE);
	assert_int_equal(sum(f, IO_READ), 10);
}

/* ... and still goes on when the end is told. */
static void
work_ends_after_the_tick(void **state)
{
	struct fixture *f = *state;
	uint64_t before;

	start(f, "[a]\nrw=randread\ntime_based=1\nruntime=100ms\nramp_time=50ms\n");
	until(f, RUN_RAMP);
	until(f, RUN_DRAIN);
	before = sum(f, IO_READ);
	assert_false(run_worker(f->run, 0)->ended);
	while (sum(f, IO_READ) == before)
		;
	until(f, RUN_DONE);
	assert_string_equal(f->trail, "rmdD");
	assert_true(run_worker(f->run, 0)->ended);
}

static void
size_and_loops_end_a_job(void **state)
{
	struct fixture *f = *state;

	start(f, "[a]\nrw=write\nbs=64k\nsize=1m\nloops=3\n[b]\nrw=read\nbs=4k\nsize=1m\nio_size=256k\n");
	until(f, RUN_DONE);
	assert_int_equal(sum(f, IO_WRITE), 48);
	assert_int_equal(sum(f, IO_READ), 64);
	assert_int_equal(run_working_set(f->run), MIB);
}

static void
sections_in_turn(void **state)
{
	struct fixture *f = *state;

	start(f, "[a]\nrw=read\nnumber_ios=10\n[b]\nstonewall\nrw=write\nnumber_ios=20\nramp_time=20s\nruntime=10ms\n");
	until(f, RUN_DRAIN);
	assert_true(run_worker(f->run, 0)->started);
	assert_false(run_worker(f->run, 1)->started);
	assert_int_equal(run_worker(f->run, 1)->group, 1);
	assert_int_equal(sum(f, IO_READ), 10);
	assert_int_equal(sum(f, IO_WRITE), 0);
	until(f, RUN_RAMP);
	assert_true(run_worker(f->run, 0)->ended);
	assert_true(run_worker(f->run, 1)->started);
	until(f, RUN_DONE);
	assert_int_equal(sum(f, IO_WRITE), 20);
	/* b is done within its ramp: nothing of it is measured */
	assert_string_equal(f->trail, "mdrdD");
}

static void
overrides(void **state)
{
	struct fixture *f = *state;

	f->options.workers = 2;
	f->options.depth = 5;
	f->options.size_bytes = 8 * MIB;
	f->options.runtime_ns = 50 * NS_PER_MS;
	f->options.ramp_ns = 0;
	start(f, "[a]\nrw=randread\ntime_based=1\nruntime=1h\nramp_time=1h\nnumjobs=7\niodepth=32\n");
	assert_int_equal(run_workers(f->run), 2);
	assert_int_equal(run_worker(f->run, 1)->depth, 5);
	assert_int_equal(run_working_set(f->run), 8 * MIB);
	until(f, RUN_DONE);
	assert_string_equal(f->trail, "mdD");
	assert_true(sum(f, IO_READ) > 0);
}

static void
stopped(void **state)
{
	struct fixture *f = *state;
	uint64_t begun = clock_ns();

	start(f, "[a]\nrw=randread\ntime_based=1\nruntime=1h\n[b]\nstonewall\nrw=write\nsize=1m\n");
	until(f, RUN_MEASURE);
	while (sum(f, IO_READ) == 0)
		turn(f);
	run_stop(f->run);
	until(f, RUN_STOPPED);
	assert_string_equal(f->trail, "mdS");
	assert_true(clock_ns() - begun < 20 * NS_PER_S);
	assert_int_equal(sum(f, IO_WRITE), 0);
	assert_string_equal(run_why(f->run), "");
}

static void
a_common_start(void **state)
{
	struct fixture *f = *state;
	struct timespec now;
	uint64_t begun = clock_ns();

	clock_gettime(CLOCK_REALTIME, &now);
	f->options.start_at_ms = now.tv_sec * 1000 + now.tv_nsec / 1000000 + 150;
	start(f, "[a]\nrw=randread\nnumber_ios=10\n");
	until(f, RUN_MEASURE);
	assert_true(clock_ns() - begun >= 148 * NS_PER_MS);
	until(f, RUN_DONE);
	assert_int_equal(sum(f, IO_READ), 10);
}

/* 100 I/Os at 1000 a second, the first at once: no faster than 99 ms, and every one has a response time. */
static void
paced(void **state)
{
	struct fixture *f = *state;
	struct hist *h;
	uint64_t begun;

	start(f, "[a]\nrw=randread\nnumber_ios=100\nrate_iops=1000\niodepth=4\n");
	until(f, RUN_MEASURE);
	begun = clock_ns();
	until(f, RUN_DRAIN);
	assert_true(clock_ns() - begun >= 99 * NS_PER_MS);
	h = live_hist_copy(&run_worker(f->run, 0)->counters->response[IO_READ]);
	assert_int_equal(h->count, 100);
	assert_true(h->sum_ns >= counter_get(&run_worker(f->run, 0)->counters->latency[IO_READ].sum_ns));
	hist_free(h);
}

/* In turn, and each goes on where it was left. */
static void
phases(void **state)
{
	struct fixture *f = *state;
	const struct load_counters *c;

	start(f, "[out]\nrw=write\n[in]\nrw=read\n[a]\nstortop_phases=out/20ms:in/20ms\ntime_based=1\nruntime=10s\n");
	assert_int_equal(run_workers(f->run), 1);
	c = run_worker(f->run, 0)->counters;
	until(f, RUN_MEASURE);
	while (sum(f, IO_WRITE) == 0)
		turn(f);
	while (counter_get(&c->phase) != 1)
		;
	while (counter_get(&c->phase) != 0 || sum(f, IO_READ) == 0)
		;
	run_stop(f->run);
	until(f, RUN_STOPPED);
}

static void
startdelay(void **state)
{
	struct fixture *f = *state;

	start(f, "[a]\nrw=read\ntime_based=1\nruntime=400ms\n[b]\nrw=write\nstartdelay=50ms\nnumber_ios=5\n");
	until(f, RUN_MEASURE);
	assert_true(run_worker(f->run, 0)->started);
	assert_false(run_worker(f->run, 1)->started);
	/* a tick when it begins, after which it is there */
	while (!turn(f))
		assert_int_equal(run_state(f->run), RUN_MEASURE);
	assert_false(run_worker(f->run, 1)->started);
	while (!run_worker(f->run, 1)->started)
		turn(f);
	until(f, RUN_DONE);
	assert_int_equal(sum(f, IO_WRITE), 5);
}

/* No workers: time passes, and is measured. */
static void
listening(void **state)
{
	static const struct job_file none = { .name = "listen" };
	struct fixture *f = *state;
	char why[256];

	f->options.jobs = &none;
	f->options.runtime_ns = 60 * NS_PER_MS;
	f->run = run_new(&f->options, why, sizeof(why));
	assert_non_null(f->run);
	assert_int_equal(run_workers(f->run), 0);
	until(f, RUN_DONE);
	assert_string_equal(f->trail, "mdD");
}

/* A new file is laid out first: no block of it is empty, and none like another. */
static void
layout(void **state)
{
	struct fixture *f = *state;
	uint64_t done, all, words[2], last = 0;

	use_file(f, false);
	assert_false(f->file->written);
	start(f, "[a]\nrw=randread\ndirect=0\nnumber_ios=200\niodepth=4\n");
	run_progress(f->run, &done, &all);
	assert_int_equal(all, 4 * MIB);
	until(f, RUN_DONE);
	assert_true(f->file->written);
	assert_int_equal(sum(f, IO_READ), 200);
	for (off_t at = 0; at < 4 * MIB; at += 4096) {
		assert_int_equal(pread(f->file->fd, words, sizeof(words), at), sizeof(words));
		assert_true(words[0] != 0 && words[0] != last);
		last = words[0];
	}
}

static void
writes_and_syncs(void **state)
{
	struct fixture *f = *state;

	use_file(f, true);
	start(f, "[a]\nrw=randwrite\ndirect=0\nnumber_ios=40\niodepth=4\nfsync=10\nend_fsync=1\n");
	until(f, RUN_DONE);
	assert_int_equal(sum(f, IO_WRITE), 40);
	assert_int_equal(sum(f, IO_SYNC), 5);
	assert_string_equal(run_why(f->run), "");
}

/* A file system that fills up while the file is laid out: said with how far it came, and nothing hangs. */
static void
no_space(void **state)
{
	struct fixture *f = *state;
	char rest[128];
	int fd;

	if (geteuid() != 0) {
		print_message("skipped: only root can mount a small file system\n");
		skip();
	}
	snprintf(f->dir, sizeof(f->dir), "/tmp/test_run.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	if (mount("tmpfs", f->dir, "tmpfs", 0, "size=100m") != 0) {
		rmdir(f->dir);
		print_message("skipped: no tmpfs: %s\n", strerror(errno));
		skip();
	}
	open_file(f, true);
	snprintf(rest, sizeof(rest), "%s/rest", f->dir);
	fd = open(rest, O_CREAT | O_WRONLY, 0600);
	assert_int_equal(posix_fallocate(fd, 0, 98 * MIB), 0);
	close(fd);
	start(f, "[a]\nrw=randread\ndirect=0\nnumber_ios=1\n");
	until(f, RUN_FAILED);
	assert_string_equal(f->trail, "F");
	assert_non_null(strstr(run_why(f->run), "No space left on device after "));
	assert_false(f->file->written);
	run_free(f->run);
	f->run = NULL;
	assert_int_equal(target_close(f->file), 0);
	f->file = NULL;
	assert_int_equal(umount(f->dir), 0);
	rmdir(f->dir);
}

/* A worker that may not write ends the run. */
static void
no_grant_no_write(void **state)
{
	struct fixture *f = *state;
	struct target reads_only;

	use_file(f, true);
	f->file->written = true;
	reads_only = *f->file;
	reads_only.grant = NULL;
	f->options.target = &reads_only;
	start(f, "[a]\nrw=randrw\ndirect=0\n[b]\nrw=read\nrate_iops=10\n");
	until(f, RUN_FAILED);
	assert_int_equal(sum(f, IO_WRITE), 0);
	assert_non_null(strstr(run_why(f->run), "not permitted"));
}

/* The file is cut off under the run: errors are counted, the first is kept, and at the limit it is over. */
static void
errors(void **state)
{
	struct fixture *f = *state;

	use_file(f, true);
	f->file->written = true;
	assert_int_equal(ftruncate(f->file->fd, 0), 0);
	f->options.error_limit = 10;
	start(f, "[a]\nrw=randread\ndirect=0\ntime_based=1\nruntime=1h\niodepth=2\n");
	until(f, RUN_FAILED);
	assert_in_range(counter_get(&run_worker(f->run, 0)->counters->errors[IO_READ]), 10, 12);
	assert_int_equal(sum(f, IO_READ), 0);
	assert_non_null(strstr(run_why(f->run), "a: read at "));
	assert_non_null(strstr(run_why(f->run), "0 of 4096 bytes"));
}

static void
a_few_errors_are_told(void **state)
{
	struct fixture *f = *state;

	use_file(f, true);
	f->file->written = true;
	assert_int_equal(ftruncate(f->file->fd, 4 * MIB - 4096), 0);
	start(f, "[a]\nrw=randread\ndirect=0\n");	/* each block once: one of them is gone */
	until(f, RUN_DONE);
	assert_int_equal(sum(f, IO_READ), 1023);
	assert_non_null(strstr(run_why(f->run), "at 4190208: 0 of 4096 bytes"));
}

static void
impossible(void **state)
{
	struct fixture *f = *state;
	const char *text = "[a]\nrw=read\nbs=1m\nsize=64k\n";
	char why[256] = "";

	f->jobs = job_parse("test.fio", text, strlen(text), why, sizeof(why));
	assert_non_null(f->jobs);
	f->options.jobs = f->jobs;
	assert_null(run_new(&f->options, why, sizeof(why)));
	assert_non_null(strstr(why, "does not hold a block of 1048576"));
}

/* As long as there is a worker the number of its descriptor means nothing else, whatever becomes of the target. */
static bool
keeps_its_number(struct target *target, int fd)
{
	uint64_t begun = clock_ns();

	if (target->fd < 0 || target->fd == fd || fcntl(fd, F_GETFD) < 0)
		return false;
	close(target->fd);
	while (fcntl(fd, F_GETFD) >= 0)
		if (clock_ns() - begun > LIMIT_NS)
			return false;
	return true;
}

/*
 * A device that never answers: reads of an empty pipe. Stopping gives it a second. In a process of its own, since what
 * it holds is left behind.
 */
static int
dead_device(void)
{
	struct target target = { .facts = { .kind = TARGET_DEVICE, .path = "/dev/dead" }, .area_bytes = MIB, .written = true };
	struct run_options options = { .target = &target, .runtime_ns = UINT64_MAX, .ramp_ns = UINT64_MAX };
	const char *text = "[a]\nrw=randread\niodepth=4\nioengine=io_uring\n";
	struct fixture f = { 0 };
	uint64_t begun;
	int fds[2];
	char why[256];

	if (pipe(fds) != 0)
		return 1;
	target.fd = fds[0];
	options.jobs = job_parse("test.fio", text, strlen(text), why, sizeof(why));
	options.target = &target;
	f.run = run_new(&options, why, sizeof(why));
	if (f.run == NULL)
		return 2;
	until(&f, RUN_MEASURE);
	while (counter_get(&run_worker(f.run, 0)->counters->in_flight) < 4)
		turn(&f);
	begun = clock_ns();
	/* However often it is asked for. */
	do {
		run_stop(f.run);
		turn(&f);
	} while (run_state(f.run) != RUN_FAILED && clock_ns() - begun < LIMIT_NS);
	if (clock_ns() - begun < NS_PER_S || clock_ns() - begun > 10 * NS_PER_S)
		return 3;
	if (strstr(run_why(f.run), "/dev/dead does not answer: 4 I/Os") == NULL)
		return 4;
	begun = clock_ns();
	run_free(f.run);
	if (clock_ns() - begun > 10 * NS_PER_S)
		return 5;
	return keeps_its_number(&target, fds[0]) ? 0 : 6;
}

static void
a_dead_device_is_left_behind(void **state)
{
	char why[160];
	int status;
	pid_t pid;

	(void)state;
	if (!engine_uring.usable(why, sizeof(why))) {
		print_message("skipped: %s\n", why);
		skip();
	}
	pid = fork();
	if (pid == 0)
		_exit(dead_device());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(amounts_are_exact),
		TEST(work_begins_after_the_tick),
		TEST(work_ends_after_the_tick),
		TEST(size_and_loops_end_a_job),
		TEST(sections_in_turn),
		TEST(overrides),
		TEST(stopped),
		TEST(a_common_start),
		TEST(paced),
		TEST(phases),
		TEST(startdelay),
		TEST(listening),
		TEST(layout),
		TEST(writes_and_syncs),
		TEST(no_space),
		TEST(no_grant_no_write),
		TEST(errors),
		TEST(a_few_errors_are_told),
		TEST(impossible),
		TEST(a_dead_device_is_left_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
