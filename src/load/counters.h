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

/* For the one writer: no locked instruction is needed. */
static inline void
counter_add(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n, memory_order_relaxed);
}

static inline void
counter_set(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_store_explicit(counter, n, memory_order_relaxed);
}

static inline uint64_t
counter_get(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

void live_hist_widen(struct live_hist *, uint32_t bucket);

/* Counts a value; its part of sum_ns is added by live_hist_sum(), once for many. The writer alone. */
static inline void
live_hist_count(struct live_hist *h, uint64_t ns)
{
	uint32_t bucket = hist_bucket(LOAD_HIST_BITS, ns);

	counter_add(&h->buckets[bucket], 1);
	if (__builtin_expect(bucket < atomic_load_explicit(&h->low, memory_order_relaxed) ||
	    bucket > atomic_load_explicit(&h->high, memory_order_relaxed), 0))
		live_hist_widen(h, bucket);
	if (__builtin_expect(ns < counter_get(&h->min_ns), 0))
		counter_set(&h->min_ns, ns);
	if (__builtin_expect(ns > counter_get(&h->max_ns), 0))
		counter_set(&h->max_ns, ns);
}

static inline void
live_hist_sum(struct live_hist *h, uint64_t ns)
{
	counter_add(&h->sum_ns, ns);
}

struct load_counters {
	_Alignas(128) _Atomic uint64_t ios[IO_DIRS];
	_Atomic uint64_t bytes[JOB_DIRS];
	_Atomic uint64_t errors[IO_DIRS];
	_Atomic uint64_t in_flight;
	_Atomic uint64_t late;		/* paced: started after their time */
	_Atomic uint64_t weighted_ns;	/* reads and writes in flight x time: their mean is this over the interval */
	_Atomic uint64_t phase;		/* index of the phase at hand */
	struct live_hist latency[IO_DIRS];	/* ready to complete */
	struct live_hist response[JOB_DIRS];	/* paced: intended start to complete */
};

void load_counters_init(struct load_counters *);

#endif
