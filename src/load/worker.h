/*
 * One worker: a thread that keeps a queue full and times every I/O. worker.c is its life, worker_loop.c what it does all day.
 */
#ifndef LOAD_WORKER_H
#define LOAD_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/counters.h"
#include "load/crew.h"
#include "load/engine.h"
#include "load/job.h"
#include "load/target.h"

/* What it points to must outlive the worker's work; name is copied. */
struct worker_plan {
	const char *name;
	const struct job *job;
	const struct engine_ops *engine;
	const struct target *target;
	uint64_t area_start, area_bytes;
	unsigned depth, group;
	uint64_t seed;
	/* From when its group may work: start delay, and when it ends by itself; UINT64_MAX: when it has done its amount. */
	uint64_t delay_ns, limit_ns;
};

/* DONE: its work is done, nothing is in flight; ENDED: it holds nothing any more. */
enum worker_state { WORKER_STARTING, WORKER_READY, WORKER_BUSY, WORKER_DONE, WORKER_ENDED };

struct worker;

/* Starts the thread, which gets ready and waits for its group. NULL with errno: no thread. */
struct worker *worker_new(const struct worker_plan *, struct crew *);
enum worker_state worker_state(const struct worker *);
/* It began to do I/O. */
bool worker_began(const struct worker *);
const struct load_counters *worker_counters(const struct worker *);
/* What its engine does without; "" while it is starting. */
const char *worker_note(const struct worker *);
/* Frees one that has ended, or is about to; one that a dead device holds is left behind with all it has. */
void worker_free(struct worker *, bool leave_behind);

#endif
