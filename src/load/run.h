/*
 * A run: workers on a target through prepare -> ramp -> measure -> drain -> done, stopped or failed. Driven by the main thread: it
 * polls run_fd(), calls run_step(), and when that says a phase begins or ends, takes a tick at once, so that a result is the sum of
 * the ticks between two phase changes, for workers, device and CPU alike.
 */
#ifndef LOAD_RUN_H
#define LOAD_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/counters.h"
#include "load/engine.h"
#include "load/job.h"
#include "load/target.h"

enum run_state { RUN_PREPARE, RUN_RAMP, RUN_MEASURE, RUN_DRAIN, RUN_DONE, RUN_STOPPED, RUN_FAILED };
extern const char *const run_state_name[];

struct run_options {
	const struct job_file *jobs;	/* must outlive the run */
	struct target *target;		/* must outlive the run */
	uint64_t runtime_ns, ramp_ns;	/* override the jobs'; UINT64_MAX: as the jobs say */
	uint64_t size_bytes;		/* --size: working set; 0: as the jobs and the target say */
	unsigned workers, depth;	/* the test screen's: override numjobs and iodepth; 0: as the jobs say */
	uint64_t error_limit;		/* I/O errors that end the run; 100 by default */
	int64_t start_at_ms;		/* wall time of the common start of several hosts; 0: at once */
};

struct run;

/* One worker, for the probe and the tables. Valid as long as the run. */
struct run_worker {
	char name[64];			/* "oltp-4k #1" */
	uint64_t uid;			/* of its object: object_next_uid() */
	const struct job *job;
	const struct load_counters *counters;
	unsigned depth;
	const char *engine;
	unsigned group;			/* of sections between stonewalls */
	bool started, ended;
};

/* NULL with a message: no thread, no memory for buffers, an engine that cannot be opened ... Workers stand ready. */
struct run *run_new(const struct run_options *, char *why, size_t size);
/* Readable when run_step() has something to do. */
int run_fd(const struct run *);
/* Moves on; true when the state changed (take a tick now, before anything else is looked at). */
bool run_step(struct run *);
enum run_state run_state(const struct run *);
/* The group at hand, of the sections between stonewalls. */
unsigned run_section(const struct run *);
/* Drains and ends within a second: a device that has not answered by then is given up. Again: changes nothing. */
void run_stop(struct run *);
/* First error, with its errno in words, or why it failed; "" where all is well. */
const char *run_why(const struct run *);
/* ns since the state began, and how long it is to last (0: not known); the layout in bytes while preparing. */
void run_progress(const struct run *, uint64_t *done, uint64_t *all);
size_t run_workers(const struct run *);
const struct run_worker *run_worker(const struct run *, size_t i);
const struct run_options *run_options(const struct run *);
/* Engine used, and why another was not ("" where it was the wanted one). */
const char *run_engine(const struct run *, const char **why);
uint64_t run_working_set(const struct run *);
/*
 * Stops and waits for the workers (at most a second). Releases nothing of the target; where workers are left behind they keep its
 * descriptor, and the target has another of the same open file (-1: there was none to be had).
 */
void run_free(struct run *);

/*
 * The board: where probes/load.c finds the run at hand. One in the program, in env->board; main thread.
 */
struct board {
	struct run *run;	/* NULL: none */
	uint64_t test_uid;	/* of the run's object */
};

#endif
