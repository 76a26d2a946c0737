/*
 * What a run is going to do, worked out before it starts: which workers, on what part of the target, in which groups.
 */
#ifndef LOAD_RUN_PLAN_H
#define LOAD_RUN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/run.h"
#include "load/worker.h"

/* Sections between two stonewalls. */
struct run_group {
	uint64_t ramp_ns;	/* the longest of its jobs */
	uint64_t runtime_ns;	/* of the measured time; 0: until all have done their amount */
	bool waits;		/* it has no workers: only its time ends it */
};

struct run_plan {
	size_t n_workers, n_groups;
	struct worker_plan *workers;	/* names point into infos */
	struct run_worker *infos;	/* all but the counters */
	struct run_group *groups;
	uint64_t first, end;		/* of all areas: the working set lies between */
	char engine_why[160];		/* why another engine than the wanted one; "" */
};

/* 0, or -EINVAL with the reason. */
int run_plan_make(struct run_plan *, const struct run_options *, char *why, size_t size);
/*
 * Do its workers' buffers fit into so many bytes? false with the reason. They are taken at once and whole: more than there is
 * would make the kernel end us, or others.
 */
bool run_plan_fits(const struct run_plan *, uint64_t available, char *why, size_t size);
void run_plan_free(struct run_plan *);	/* also one that was never made, all zero */

#endif
