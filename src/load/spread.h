/*
 * Where random I/Os fall, for all but the even distribution: zipf, pareto, normal, zones. fio's names and meanings. One thread.
 */
#ifndef LOAD_SPREAD_H
#define LOAD_SPREAD_H

#include <stdint.h>

#include "load/job.h"
#include "load/rng.h"
#include "load/shuffle.h"

struct spread_zone {
	double upto;		/* share of the accesses, this zone's and all before it */
	uint64_t first, n;	/* its places */
};

struct spread {
	enum job_distribution kind;
	uint64_t n;		/* places */
	uint64_t centre;	/* place of the hottest, where the hot ones stay together */
	bool scattered;		/* hot places lie anywhere */
	struct shuffle scatter;
	double theta;
	/* zipf, by rejection from the area under x^-theta: see zipf_rank() */
	double low, high, accept;
	double exponent;	/* pareto */
	double deviation;	/* normal, in places */
	struct spread_zone *zones;
	size_t n_zones;
};

/* Over an area of n places (above 0) of `place_bytes`. */
void spread_init(struct spread *, const struct job_pattern *, uint64_t n, uint64_t place_bytes, uint64_t seed);
void spread_free(struct spread *);
/* A place from 0 to n - 1. */
uint64_t spread_next(struct spread *, struct rng *);

#endif
