/*
 * The store: bytes a row at 100,000 IOPS, and the CPU time of writing and of exporting at 1,000 devices.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/snapshot.h"
#include "core/xalloc.h"
#include "db/read.h"
#include "db/store.h"
#include "out/out.h"
#include "tests/bench/bench.h"
#include "tests/lab/lab.h"

#define ROWS_PER_DISK 2		/* itself and its partition */

/* The writer has a bounded queue, and what it refuses is lost: so one at a time. */
static void
put_and_wait(struct sink *sink, struct interval *interval, uint64_t tick)
{
	struct store_status status;

	sink_put(sink, interval);
	for (;;) {
		store_status(sink, &status);
		if (status.ticks >= tick)
			return;
		if (status.state == STORE_STOPPED) {
			fprintf(stderr, "store: %s\n", status.reason);
			exit(1);
		}
		nanosleep(&(struct timespec) { .tv_nsec = 100000 }, NULL);
	}
}

/* Records so many seconds of a machine; CPU microseconds a tick. */
static double
record(const char *path, size_t disks, double iops, uint64_t ticks)
{
	struct store_options options = { .path = path, .source = "live", .host = "bench", .boot_id = "",
		STORE_RETENTION_DEFAULTS };
	struct bench_machine *m = bench_machine_new(disks, iops);
	struct snapshot *before = bench_machine_next(m), *now;
	struct sink *sink = store_sink(&options);
	double us = 0;

	for (uint64_t i = 1; i <= ticks; i++, before = now) {
		struct interval *interval;
		double start;

		now = bench_machine_next(m);
		interval = interval_diff(before, now);
		start = bench_cpu_us();
		put_and_wait(sink, interval, i);
		us += bench_cpu_us() - start;
		interval_unref(interval);
		snapshot_free(before);
	}
	snapshot_free(before);
	sink_close(sink);
	bench_machine_free(m);
	return us / (double)ticks;
}

static double
file_size(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (double)st.st_size : 0;
}

/* CPU microseconds a tick, reading all and writing it as batch CSV. */
static double
export(void *path)
{
	struct read_options options = { .path = path, .from_ms = INT64_MIN, .to_ms = INT64_MAX };
	struct out_options out = { .fd = open("/dev/null", O_WRONLY), .host = "bench" };
	char why[256];
	double start = bench_cpu_us();
	struct source *source = read_source(&options, why, sizeof why);
	struct sink *sink = pdh_sink(&out);
	struct interval *interval;
	size_t ticks = 0;

	if (source == NULL) {
		fprintf(stderr, "store: %s\n", why);
		exit(1);
	}
	for (; source_next(source, &interval) == 1; ticks++) {
		sink_put(sink, interval);
		interval_unref(interval);
	}
	sink_close(sink);
	source_close(source);
	close(out.fd);
	return ticks > 0 ? (bench_cpu_us() - start) / (double)ticks : 0;
}

int
main(void)
{
	char *dir = lab_make_dir(), *few = xasprintf("%s/few.db", dir), *many = xasprintf("%s/many.db", dir);
	double us;

	record(few, 20, 100000, 2000);
	bench_line("store, 100,000 IOPS on 20 devices", file_size(few) / (2000 * 20 * ROWS_PER_DISK), "bytes a row", 50);
	us = record(many, 1000, 100000, 60);
	bench_line("  writing 2,000 rows (1,000 devices)", us, "us CPU a tick", 0);
	bench_line("  exporting them as batch CSV", bench_repeat(export, many), "us CPU a tick", 0);
	lab_remove_dir(dir);
	free(dir);
	free(few);
	free(many);
	return 0;
}
