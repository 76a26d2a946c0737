/*
 * Which I/O comes next: direction, size and place, from a job's pattern over an area. Direction and random or sequential
 * are two independent coin flips for each I/O, as in fio; what is sequential goes on after the last I/O of its direction. One thread.
 */
#ifndef LOAD_PATTERN_H
#define LOAD_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "load/engine.h"
#include "load/job.h"
#include "load/rng.h"
#include "load/shuffle.h"
#include "load/spread.h"

struct pattern {
	const struct job_pattern *job;
	uint64_t start, end;		/* area */
	uint64_t position[JOB_DIRS];	/* where the last I/O ended */
	uint64_t place_bytes[JOB_DIRS];	/* from one to the next: the smallest block, or what the job says */
	uint64_t places[JOB_DIRS];
	unsigned repeats;		/* I/Os left before a new random place */
	enum { PLACE_EVEN, PLACE_MAP, PLACE_SPREAD } by;
	struct shuffle map[JOB_DIRS];
	unsigned map_of[JOB_DIRS];	/* one map for both directions where their blocks are the same */
	struct spread spread[JOB_DIRS];
	struct rng rng;
};

/* The job's pattern must outlive it; the area must hold its largest block. */
void pattern_init(struct pattern *, const struct job_pattern *, uint64_t start, uint64_t bytes, uint64_t seed);
void pattern_free(struct pattern *);

/* The next direction, by the mix. */
static inline enum io_dir
pattern_direction(struct pattern *p)
{
	return rng_chance(&p->rng, p->job->read_pct) ? IO_READ : IO_WRITE;
}

/* Fills in direction, offset and size. */
void pattern_place(struct pattern *, enum io_dir, struct io *);

#endif
