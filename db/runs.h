/*
 * Test results in the store: the tables run, run_worker and run_hist beside the recording. Results are written through the store's
 * writer thread in live runs; reading opens the file on its own.
 */
#ifndef DB_RUNS_H
#define DB_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "core/flow.h"
#include "core/result.h"

/*
 * Hands a result to the writer thread of the sink (a copy is made), behind the intervals before it. The number it will have comes
 * through `done`, called on the writer thread, or at once where the recording has stopped, with 0 where it could not be stored; it must
 * be short, and must not call the store. Not called any more once sink_close() has returned. The ticks that end after first_ms and up
 * to last_ms are the run's: never thinned, and marked at both ends. Ends a runs_hold().
 */
void runs_put(struct sink *store, const struct result *, int64_t first_ms, int64_t last_ms, void (*done)(void *, int64_t id), void *arg);
/* A test runs: what ends after from_ms is not thinned until its result is put. INT64_MAX: there will be none. */
void runs_hold(struct sink *store, int64_t from_ms);

/* One result by number; 0: the last one. NULL with a message. */
struct result *runs_read(const char *path, int64_t id, char *why, size_t size);

struct run_line {	/* for `list runs` and the test screen's comparison */
	int64_t id, started_ms;
	char workload[128], target[512], label[128], state[16], engine[32];
	double runtime_s, iops, mib_s, mean_ms, p99_ms;
	uint32_t warnings;
};
/* Newest first, at most max; workload NULL: all. Number of lines, or -errno with why. */
int runs_list(const char *path, const char *workload, struct run_line *out, int max, char *why, size_t size);

/*
 * Span of the recording in which the run was measured: the ticks that end after from_ms, up to to_ms. 0, or -errno with why: no such
 * run, its ticks were not recorded, or are gone.
 */
int runs_span(const char *path, int64_t id, int64_t *from_ms, int64_t *to_ms, char *why, size_t size);

#endif
