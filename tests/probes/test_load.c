#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/interval.h"
#include "core/kinds/kinds.h"
#include "load/run.h"
#include "tests/probes/drive.h"

/* A run without I/O, to its first tick and its end. */
struct fixture {
	struct target null;
	struct job_file *jobs;
	struct board board;
	struct env env;
	struct probe *probe;
};

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->null = (struct target) { .facts = { .kind = TARGET_NULL }, .fd = -1, .area_bytes = 1 << 30 };
	f->env = (struct env) { .root = "", .board = &f->board };
	f->probe = drive_open(&probe_load, &f->env);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	drive_close(f->probe);
	run_free(f->board.run);
	job_free(f->jobs);
	free(f);
	return 0;
}

static void
start(struct fixture *f, const char *text)
{
	struct run_options options = { .target = &f->null, .runtime_ns = UINT64_MAX, .ramp_ns = UINT64_MAX };
	char why[256];

	f->jobs = job_parse("test.fio", text, strlen(text), why, sizeof(why));
	assert_non_null(f->jobs);
	options.jobs = f->jobs;
	f->board.run = run_new(&options, why, sizeof(why));
	f->board.test_uid = object_next_uid();
	assert_non_null(f->board.run);
}

static void
until(struct fixture *f, enum run_state state)
{
	struct pollfd pfd = { .fd = run_fd(f->board.run), .events = POLLIN };

	while (run_state(f->board.run) != state) {
		assert_int_equal(poll(&pfd, 1, 30000), 1);
		run_step(f->board.run);
	}
}

static void
without_a_run(void **state)
{
	struct fixture *f = *state;
	struct snapshot *s = drive_sample(f->probe, 1);

	assert_int_equal(drive_rows(s, &kind_worker), 0);
	assert_int_equal(drive_rows(s, &kind_load), 0);
	snapshot_free(s);
	/* a program that makes no load */
	f->env.board = NULL;
	s = drive_sample(f->probe, 2);
	assert_null(snapshot_find(s, &kind_worker));
	snapshot_free(s);
}

/* The interval between the ticks of two phase changes holds all I/Os, of each worker and of their sum. */
static void
a_run(void **state)
{
	struct fixture *f = *state;
	struct snapshot *before, *after;
	struct interval *v;
	const struct row *test;

	start(f, "[a]\nrw=randread\nbs=8k\nnumber_ios=300\niodepth=4\n[b]\nrw=write\nfsync=10\nnumber_ios=50\nrate_iops=1000\n");
	until(f, RUN_MEASURE);
	before = drive_sample(f->probe, 1);
	until(f, RUN_DRAIN);
	after = drive_sample(f->probe, 3);
	v = interval_diff(before, after);

	assert_int_equal(drive_rows(before, &kind_worker), 2);
	assert_int_equal(drive_cells(before, &kind_worker, "a")[WORKER_READS], 0);
	assert_int_equal(drive_cells(after, &kind_worker, "a")[WORKER_READS], 300);
	assert_int_equal(drive_cells(after, &kind_worker, "a")[WORKER_READ_BYTES], 300 * 8192);
	assert_int_equal(drive_cells(after, &kind_worker, "a")[WORKER_WRITES], 0);
	assert_int_equal(drive_cells(after, &kind_worker, "b")[WORKER_WRITES], 50);
	assert_int_equal(drive_cells(after, &kind_worker, "b")[WORKER_WRITE_BYTES], 50 * 4096);
	assert_int_equal(drive_cells(after, &kind_worker, "b")[WORKER_SYNCS], 5);
	assert_int_equal(drive_cells(after, &kind_worker, "b")[WORKER_ERRORS], 0);
	assert_int_equal(drive_cells(after, &kind_worker, "b")[WORKER_IN_FLIGHT], 0);
	assert_int_equal(drive_object(after, &kind_worker, "a")->counts_in, f->board.test_uid);
	assert_int_equal(drive_object(after, &kind_worker, "a")->uid, run_worker(f->board.run, 0)->uid);

	test = interval_row(v, &kind_load, f->board.test_uid);
	assert_non_null(test);
	assert_string_equal(test->object->name, "test.fio");
	assert_int_equal(test->ns, 2000000000);
	assert_true(test->cells[WORKER_READS] == 300 && test->cells[WORKER_WRITES] == 50);
	assert_int_equal(test->hists[WORKER_READ_HIST]->count, 300);
	assert_int_equal(test->hists[WORKER_WRITE_HIST]->count, 50);
	assert_int_equal(test->hists[WORKER_RESPONSE_HIST]->count, 50);	/* only b is paced */
	assert_int_equal(test->hists[WORKER_SYNC_HIST]->count, 5);
	assert_true(test->cells[WORKER_SYNC_NS] == (double)test->hists[WORKER_SYNC_HIST]->sum_ns);
	assert_true(test->cells[WORKER_READ_NS] == (double)test->hists[WORKER_READ_HIST]->sum_ns);
	interval_unref(v);
	snapshot_free(before);
	snapshot_free(after);
}

/* A worker is there from its group's begin on, and once more after its end. */
static void
coming_and_going(void **state)
{
	struct fixture *f = *state;
	struct snapshot *s;

	start(f, "[a]\nrw=read\nnumber_ios=1\n[b]\nstonewall\nrw=read\nnumber_ios=1\n");
	s = drive_sample(f->probe, 1);
	assert_int_equal(drive_rows(s, &kind_worker), 0);
	assert_int_equal(drive_rows(s, &kind_load), 1);
	snapshot_free(s);
	until(f, RUN_DRAIN);
	for (int i = 0; i < 2; i++) {
		s = drive_sample(f->probe, 2 + i);
		assert_int_equal(drive_rows(s, &kind_worker), i == 0);
		snapshot_free(s);
	}
	until(f, RUN_MEASURE);
	s = drive_sample(f->probe, 4);
	assert_int_equal(drive_rows(s, &kind_worker), 1);
	assert_string_equal(drive_object(s, &kind_worker, "b")->name, "b");
	snapshot_free(s);
	until(f, RUN_DONE);
	run_free(f->board.run);
	f->board.run = NULL;
	s = drive_sample(f->probe, 5);
	assert_int_equal(drive_rows(s, &kind_load), 0);
	snapshot_free(s);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = { TEST(without_a_run), TEST(a_run), TEST(coming_and_going) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
