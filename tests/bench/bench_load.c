/* What the load generator itself costs: I/Os to nowhere, and the parts of one. */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "load/data.h"
#include "load/feed.h"
#include "load/run.h"
#include "tests/bench/bench.h"

#define N 100000

static uint64_t
completed(const struct run *run)
{
	return counter_get(&run_worker(run, 0)->counters->ios[IO_READ]) + counter_get(&run_worker(run, 0)->counters->ios[IO_WRITE]);
}

/* CPU of all threads per I/O of a job on null:, in ns. */
static double
null_run(void *arg)
{
	struct target null = { .facts = { .kind = TARGET_NULL }, .fd = -1, .area_bytes = UINT64_C(64) << 30 };
	struct run_options options = { .target = &null, .runtime_ns = UINT64_MAX, .ramp_ns = UINT64_MAX };
	const char *text = arg;
	struct pollfd pfd = { .events = POLLIN };
	struct job_file *jobs;
	struct run *run;
	char why[256];
	double us;

	options.jobs = jobs = job_parse("bench.fio", text, strlen(text), why, sizeof(why));
	run = jobs != NULL ? run_new(&options, why, sizeof(why)) : NULL;
	if (run == NULL) {
		fprintf(stderr, "bench_load: %s\n", why);
		exit(1);
	}
	us = bench_cpu_us();
	for (pfd.fd = run_fd(run); run_state(run) < RUN_DONE; run_step(run))
		poll(&pfd, 1, -1);
	us = bench_cpu_us() - us;
	us = us * 1e3 / (double)completed(run);
	run_free(run);
	job_free(jobs);
	return us;
}

static double
stamps(void *arg)
{
	struct data data;
	double us;

	data_init(&data, 0, 0);
	data_prepare(&data, arg, 65536);
	us = bench_cpu_us();
	for (unsigned i = 0; i < N; i++)
		data_fill(&data, arg, 65536);
	us = (bench_cpu_us() - us) * 1e3 / (N);
	data_free(&data);
	return us;
}

int
main(void)
{
	void *buffer = xmalloc(65536);
	char reads[] = "[a]\nrw=randread\niodepth=64\nnumber_ios=2000000\nsize=100%\nio_size=1t\n";
	char one[] = "[a]\nrw=randread\niodepth=1\nnumber_ios=1000000\nsize=100%\nio_size=1t\n";
	char mix[] = "[a]\nrw=randrw\nrwmixread=70\nbssplit=4k/60:64k/40\nrandom_distribution=zipf:1.1\niodepth=64\nnumber_ios=500000\n"
	    "size=100%\nio_size=1t\n";

	bench_line("null: 4k randread, depth 64, CPU per I/O", bench_repeat(null_run, reads), "ns", 200);
	bench_line("null: 4k randread, depth 1, CPU per I/O", bench_repeat(null_run, one), "ns", 0);
	bench_line("null: zipf mix of 4k and 64k, depth 64, CPU per I/O", bench_repeat(null_run, mix), "ns", 0);
	bench_line("data of a 64k write", bench_repeat(stamps, buffer), "ns", 0);
	free(buffer);
	return 0;
}
