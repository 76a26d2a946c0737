/*
 * What it costs a load at full speed that every I/O is timed: CPU per I/O of one worker, which in turn times its I/Os for a
 * while and does not; on null: and on a loop device.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "load/run.h"
#include "load/worker_loop.h"
#include "tests/bench/bench.h"
#include "tests/bench/loops.h"
#include "tests/lab/lab.h"

#define PAIRS 301
#define SLICE_NS (10 * NS_PER_MS)
#define LOOP_BYTES (256 << 20)

/* Of the run at hand; the worker writes it, and has ended when it is read. */
static double timed[PAIRS], pct[PAIRS];

/* CPU per I/O of one slice, in ns; it ends with nothing in flight. */
static double
slice(struct worker *w, void (*loop)(struct worker *))
{
	uint64_t ios = counter_get(&w->counters->ios[IO_READ]), cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);

	w->end_ns = clock_ns() + SLICE_NS;
	loop(w);
	ios = counter_get(&w->counters->ios[IO_READ]) - ios;
	return (double)(clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns) / (double)(ios > 0 ? ios : 1);
}

/* In place of the program's own. Which of a pair comes first changes. */
void
worker_loop(struct worker *w)
{
	for (int i = 0; i < PAIRS; i++) {
		double untimed = 0;

		if (i % 2 == 0)
			untimed = slice(w, worker_loop_untimed);
		timed[i] = slice(w, worker_loop_timed);
		if (i % 2 == 1)
			untimed = slice(w, worker_loop_untimed);
		pct[i] = (timed[i] / untimed - 1) * 100;
	}
}

static void
give_up(const char *why)
{
	fprintf(stderr, "bench_accounting: %s\n", why);
	exit(1);
}

static void
compare(struct target *target, const char *what, double bar)
{
	static const char text[] = "[a]\nrw=randread\nnorandommap\ndirect=1\niodepth=64\ntime_based\nruntime=1h\n";
	struct run_options options = { .target = target, .runtime_ns = UINT64_MAX, .ramp_ns = UINT64_MAX };
	struct pollfd pfd = { .events = POLLIN };
	struct job_file *jobs;
	struct run *run;
	char why[256];

	options.jobs = jobs = job_parse("bench.fio", text, strlen(text), why, sizeof(why));
	run = jobs != NULL ? run_new(&options, why, sizeof(why)) : NULL;
	if (run == NULL)
		give_up(why);
	for (pfd.fd = run_fd(run); run_state(run) < RUN_DONE; run_step(run))
		poll(&pfd, 1, -1);
	if (run_state(run) != RUN_DONE)
		give_up(run_why(run));
	run_free(run);
	job_free(jobs);
	bench_line(what, bench_median(timed, PAIRS), "ns CPU per I/O", 0);
	bench_line("  of it latency accounting, median of 301 pairs", bench_median(pct, PAIRS), "%", bar);
	/* bench_median() has sorted them. */
	printf("  half of the pairs are within %.1f and %.1f %%\n", pct[PAIRS / 4], pct[PAIRS * 3 / 4]);
}

static void
on_loop_device(void)
{
	struct target target = { .facts = { .kind = TARGET_DEVICE }, .fd = -1, .area_bytes = LOOP_BYTES };
	struct loop loop = { .fd = -1 };
	const char *why = lab_cannot();
	char *dir;
	int backing;

	if (why != NULL) {
		printf("%s: no loop device\n", why);
		return;
	}
	dir = lab_make_dir();
	backing = lab_memory_file(LOOP_BYTES);
	if (lab_loop_add(&loop, backing, lab_first_number(), dir) == 0) {
		target.fd = loop.fd;
		compare(&target, "loop device: 4k randread, depth 64", 5);
		lab_loop_remove(&loop);
	}
	close(backing);
	lab_remove_dir(dir);
	free(dir);
}

int
main(void)
{
	struct target null = { .facts = { .kind = TARGET_NULL }, .fd = -1, .area_bytes = UINT64_C(64) << 30 };

	compare(&null, "null: 4k randread, depth 64", 0);
	on_loop_device();
	return 0;
}
