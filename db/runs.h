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
 * Hands a result to the writer thread of the sink (a copy is made). The number it will have comes through `done`, called on
 * the writer thread with 0 where it could not be stored. The span first_ms .. last_ms of the recording is never thinned.
 */
void runs_put(struct sink *store, const struct result *, int64_t first_ms, int64_t last_ms, void (*done)(void *, int64_t id), void *arg);

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

/* Span of the recording in which the run was measured. 0 or -ENOENT. */
int runs_span(const char *path, int64_t id, int64_t *from_ms, int64_t *to_ms);

#endif
