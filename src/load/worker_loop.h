/*
 * The inside of a worker.
 */
#ifndef LOAD_WORKER_LOOP_H
#define LOAD_WORKER_LOOP_H

#include <pthread.h>
#include <stdatomic.h>

#include "load/data.h"
#include "load/feed.h"
#include "load/worker.h"

struct worker {
	struct worker_plan plan;
	char name[64], note[120];
	struct crew *crew;
	const struct remote *remote;	/* the target's; NULL: none */
	pthread_t thread;
	_Atomic int state;
	_Atomic bool began;
	struct load_counters *counters;
	/* The rest is the thread's own. */
	struct engine *engine;
	uint8_t *buffers;
	size_t slot_bytes, map_bytes;
	struct io *ios;
	struct io **idle, **batch, **done;	/* depth of each */
	unsigned n_idle, in_flight, syncs;	/* syncs are of those in flight */
	struct feed feed;
	struct data data;
	bool writes;
	bool fed;			/* the feed has given all it had */
	uint64_t now_ns;		/* last look at the clock */
	uint64_t reaped_ns, gap_ns;	/* last completion, and the time between two, of late */
	uint64_t wait_ns;		/* when the feed may go on; 0: at once */
	uint64_t idled_ns;		/* last time the engine was told that there is nothing to do */
	uint64_t end_ns;		/* by itself */
};

/* Works until the feed ends, its time is over or it is stopped, and until nothing is in flight. */
void worker_loop(struct worker *);

#endif
