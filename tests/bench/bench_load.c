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

#define N 1000000

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

/* All that an I/O's times cost: one place in a histogram, and its share of a batch's sums and two looks at the clock. */
static double
accounting(void *arg)
{
	struct load_counters *c = arg;
	double us = bench_cpu_us();
	uint64_t sum = 0;

	load_counters_init(c);
	for (uint64_t i = 0; i < N; i++) {
		uint64_t ns = 20000 + (i * 2654435761 & 0xffff);

		live_hist_count(&c->latency[IO_READ], ns);
		sum += ns;
		if (i % 16 == 0)
			live_hist_sum(&c->latency[IO_READ], sum);
	}
	return (bench_cpu_us() - us) * 1e3 / N;
}

static double
stamps(void *arg)
{
	struct data data;
	double us;

	data_init(&data, 0, 0);
	data_prepare(&data, arg, 65536);
	us = bench_cpu_us();
	for (unsigned i = 0; i < N / 10; i++)
		data_fill(&data, arg, 65536);
	us = (bench_cpu_us() - us) * 1e3 / (N / 10);
	data_free(&data);
	return us;
}

int
main(void)
{
	struct load_counters *counters = aligned_alloc(_Alignof(struct load_counters), sizeof(*counters));
	void *buffer = xmalloc(65536);
	char reads[] = "[a]\nrw=randread\niodepth=64\nnumber_ios=2000000\nsize=100%\nio_size=1t\n";
	char one[] = "[a]\nrw=randread\niodepth=1\nnumber_ios=1000000\nsize=100%\nio_size=1t\n";
	char mix[] = "[a]\nrw=randrw\nrwmixread=70\nbssplit=4k/60:64k/40\nrandom_distribution=zipf:1.1\niodepth=64\nnumber_ios=500000\n"
	    "size=100%\nio_size=1t\n";

	if (counters == NULL)
		return 1;
	bench_line("null: 4k randread, depth 64, CPU per I/O", bench_repeat(null_run, reads), "ns", 200);
	bench_line("null: 4k randread, depth 1, CPU per I/O", bench_repeat(null_run, one), "ns", 0);
	bench_line("null: zipf mix of 4k and 64k, depth 64, CPU per I/O", bench_repeat(null_run, mix), "ns", 0);
	bench_line("latency accounting of one I/O (an I/O costs 2 us)", bench_repeat(accounting, counters), "ns", 100);
	bench_line("data of a 64k write", bench_repeat(stamps, buffer), "ns", 0);
	free(buffer);
	free(counters);
	return 0;
}
