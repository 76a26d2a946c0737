/*
 * Within load/: what the state machine of a run (run.c) and its making and end (run_life.c) share. Main thread.
 */
#ifndef LOAD_RUN_INSIDE_H
#define LOAD_RUN_INSIDE_H

#include <limits.h>

#include "core/clock.h"
#include "load/prefill.h"
#include "load/run.h"
#include "load/run_plan.h"

#define STOP_NS NS_PER_S	/* after a stop a device is waited for so long that does not answer */
#define ALL_GROUPS (UINT_MAX - 1)

struct run {
	struct run_options o;
	struct run_plan plan;
	struct crew *crew;
	struct worker **workers;
	size_t n_started;		/* of them */
	bool *noticed;			/* of each: that it began */
	struct layout *layout;
	uint64_t prefill_bytes;
	int epoll_fd, event_fd, timer_fd;
	enum run_state state;
	uint64_t since_ns, until_ns;	/* of the state; until 0: not known */
	unsigned group;
	enum { NEXT_NOTHING, NEXT_BEGIN, NEXT_STOP } next;	/* at the next step, after the tick */
	bool connecting;		/* workers are not ready yet: a server has to answer them first */
	bool stopping;
	bool left_behind;		/* workers that a dead device holds */
	char why[256];
	char engine_why[160];
};

/* To be looked at again at once: makes run_fd() readable. */
void run_poke(struct run *);
void run_drain_fds(struct run *);
/* A state begins now; duration 0: not known. */
void run_set_state(struct run *, enum run_state, uint64_t duration_ns);
/* True once all workers are; what an engine does without is noted for the result. */
bool run_workers_ready(struct run *);

#endif
