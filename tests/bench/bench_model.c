/*
 * The arithmetic and the text sinks at 1,000 devices, in CPU time a tick.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/snapshot.h"
#include "out/out.h"
#include "tests/bench/bench.h"

#define TICKS 50

struct stream {
	struct snapshot *snapshots[TICKS + 1];
	struct interval *intervals[TICKS];
	struct sink *(*make_sink)(const struct out_options *);
};

static double
run_difference(void *arg)
{
	struct stream *s = arg;
	double start = bench_cpu_us();

	for (size_t i = 0; i < TICKS; i++)
		interval_unref(interval_diff(s->snapshots[i], s->snapshots[i + 1]));
	return (bench_cpu_us() - start) / TICKS;
}

static double
run_rollup(void *arg)
{
	struct stream *s = arg;
	double start = bench_cpu_us();

	for (size_t i = 0; i < TICKS; i++)
		interval_rollup(s->intervals[i]);
	return (bench_cpu_us() - start) / TICKS;
}

static double
run_add(void *arg)
{
	struct stream *s = arg;
	double start = bench_cpu_us();

	for (size_t i = 1; i < TICKS; i++)
		interval_unref(interval_add(s->intervals[i - 1], s->intervals[i]));
	return (bench_cpu_us() - start) / (TICKS - 1);
}

static double
run_sink(void *arg)
{
	struct stream *s = arg;
	struct out_options options = { .fd = open("/dev/null", O_WRONLY), .host = "bench" };
	struct sink *sink = s->make_sink(&options);
	double start;

	sink_put(sink, s->intervals[0]);	/* the header is written once */
	start = bench_cpu_us();
	for (size_t i = 1; i < TICKS; i++)
		sink_put(sink, s->intervals[i]);
	start = (bench_cpu_us() - start) / (TICKS - 1);
	sink_close(sink);
	close(options.fd);
	return start;
}

int
main(void)
{
	struct bench_machine *m = bench_machine_new(1000, 1e6);
	struct stream s = { 0 };

	for (size_t i = 0; i <= TICKS; i++)
		s.snapshots[i] = bench_machine_next(m);
	for (size_t i = 0; i < TICKS; i++)
		s.intervals[i] = interval_diff(s.snapshots[i], s.snapshots[i + 1]);

	bench_line("difference and roll-up, 1,000 devices", bench_repeat(run_difference, &s), "us a tick", 0);
	bench_line("roll-up alone", bench_repeat(run_rollup, &s), "us a tick", 0);
	bench_line("addition of two intervals", bench_repeat(run_add, &s), "us", 0);
	s.make_sink = pdh_sink;
	bench_line("batch CSV (PDH)", bench_repeat(run_sink, &s), "us a tick", 0);
	s.make_sink = tidy_sink;
	bench_line("tidy CSV", bench_repeat(run_sink, &s), "us a tick", 0);
	s.make_sink = json_sink;
	bench_line("JSON", bench_repeat(run_sink, &s), "us a tick", 0);

	for (size_t i = 0; i < TICKS; i++)
		interval_unref(s.intervals[i]);
	for (size_t i = 0; i <= TICKS; i++)
		snapshot_free(s.snapshots[i]);
	bench_machine_free(m);
	return 0;
}
