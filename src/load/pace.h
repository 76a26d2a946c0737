/*
 * When the next I/O may start: rates, bursts after a delay, pauses to think. All deadlines are absolute (CLOCK_MONOTONIC ns), so
 * that a late wake-up shifts nothing: what is behind catches up. One thread.
 *
 * rate, rate_iops: evenly, or at random gaps (poisson), for each direction. stortop_delay, stortop_burst: Iometer's: the
 * delay comes before each burst and counts from the last issue of the one before. thinktime: fio's, a pause after so many
 * I/Os, once all of them have completed.
 */
#ifndef LOAD_PACE_H
#define LOAD_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "load/job.h"
#include "load/rng.h"

/* An I/O that starts more than this after its time is late; less is what waking up takes. */
#define PACE_SLACK_NS UINT64_C(1000000)
#define PACE_NEVER UINT64_MAX

struct pace {
	const struct job_pattern *job;
	bool rated[JOB_DIRS], any_rate, bursts, thinks;
	uint64_t start_ns;
	double after_ns[JOB_DIRS];	/* of the next I/O, from start_ns */
	struct rng rng;
	/* Bursts */
	uint64_t burst_ns;		/* when it may start */
	unsigned left;			/* of it */
	/* Thinking */
	uint64_t counted, until_counted;
	uint64_t active_ns;		/* since the last pause */
	uint64_t spin_until_ns, pause_until_ns;
	enum { PACE_RUN, PACE_QUIESCE, PACE_PAUSE } think;
};

/* The job's pattern must outlive it. */
void pace_init(struct pace *, const struct job_pattern *, uint64_t now_ns, uint64_t seed);
/* Does the job say anything about time? The rest need not be called where not. */
bool pace_paced(const struct pace *);
/*
 * The direction that is to come, `wanted` by the mix. With a rate the mix gives way: of two rated directions the one
 * that is due first; of one alone the other one while the rated one waits.
 */
enum io_dir pace_direction(const struct pace *, enum io_dir wanted, uint64_t now_ns);
/* When the next I/O of this direction may start: now or before, or later. PACE_NEVER: not before something completed. */
uint64_t pace_next(const struct pace *, enum io_dir);
/* The intended start of it, where the job sets one; 0: none, it may start when it can. */
uint64_t pace_due(const struct pace *, enum io_dir);
/* It starts now; true where it is late. */
bool pace_issued(struct pace *, enum io_dir, uint32_t bytes, uint64_t now_ns);
/* So many completed, and so many are still in flight. */
void pace_completed(struct pace *, unsigned n, unsigned in_flight, uint64_t now_ns);
/* Until when the processor is to be kept busy (thinktime_spin); 0: not. */
uint64_t pace_spin(const struct pace *);

#endif
