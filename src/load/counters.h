/*
 * What a worker has done so far. Written by the worker alone (relaxed atomics, so that no reader can see half a number), read by
 * probes/load.c at each tick. Cumulative from zero.
 */
#ifndef LOAD_COUNTERS_H
#define LOAD_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

#include "core/hist.h"
#include "load/job.h"

#define LOAD_HIST_BITS 6
#define LOAD_HIST_BUCKETS 3776	/* hist_bucket(6, UINT64_MAX) + 1 */

/* A histogram that one thread writes and others read while it runs: dense, so that nothing moves. */
struct live_hist {
	_Atomic uint64_t sum_ns, min_ns, max_ns;	/* min UINT64_MAX when empty */
	_Atomic uint32_t low, high;		/* window in use, to read no more than needed; low > high: empty */
	_Atomic uint64_t buckets[LOAD_HIST_BUCKETS];
};

void live_hist_init(struct live_hist *);
/* A copy in the model's form; counts are exact, sum and max may be a few I/Os ahead. NULL when empty. Any thread. */
struct hist *live_hist_copy(const struct live_hist *);

struct load_counters {
	_Alignas(128) _Atomic uint64_t ios[IO_DIRS];
	_Atomic uint64_t bytes[JOB_DIRS];
	_Atomic uint64_t errors[IO_DIRS];
	_Atomic uint64_t in_flight;
	_Atomic uint64_t late;		/* paced: started after their time */
	_Atomic uint64_t weighted_ns;	/* in flight x time: its mean is this over the interval */
	_Atomic uint64_t phase;		/* index of the phase at hand */
	_Atomic uint64_t progress_bytes;	/* of the layout */
	struct live_hist latency[IO_DIRS];	/* ready to complete */
	struct live_hist response[JOB_DIRS];	/* paced: intended start to complete */
};

#endif
