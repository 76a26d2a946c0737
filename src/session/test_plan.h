/*
 * The steps of a test: once, the depths of a curve, repeats, rounds until steady.
 */
#ifndef SESSION_TEST_PLAN_H
#define SESSION_TEST_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/job.h"
#include "session/test.h"

struct test_step {
	char name[128];			/* "oltp-4k", "curve" */
	char workload[128];		/* with its place in a test of several: "curve depth 8" */
	uint64_t runtime_ns, ramp_ns;	/* UINT64_MAX: as the job says */
	unsigned depth;			/* 0: as the job says */
	bool quick;
};

struct test_plan {
	struct job_file *jobs;		/* owned; NULL: none could be read */
	struct test_step *steps;
	size_t n_steps;
	bool until_steady;		/* steps are rounds: the first steady one is the last */
	bool writes;			/* any of them */
	uint64_t span_bytes;		/* what the jobs use of a target, where all say it in bytes; 0: not known */
	uint32_t smallest_block;
	bool buffered;
	char title[128];
};

/* 0, or the exit status (2: no such workload, or the job file is wrong) with a reason. */
int test_plan_make(struct test_plan *, const struct test_request *, char *why, size_t size);
/* What a step of the plan asks of a run, but for the common start. */
void test_step_options(const struct test_plan *, unsigned at, const struct test_request *, struct target *, struct run_options *out);
void test_plan_clear(struct test_plan *);

#endif
