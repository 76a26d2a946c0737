/*
 * What the engines of servers share: I/Os that one connection carries, done as its library says so. An engine of its own
 * adds how it connects, how it starts an I/O and what the answer means.
 */
#ifndef LOAD_REMOTE_ENGINE_H
#define LOAD_REMOTE_ENGINE_H

#include "load/engine_util.h"
#include "load/remote.h"
#include "load/remote_wire.h"

struct remote_engine {
	struct engine engine;
	const struct remote *remote;
	struct remote_wire *wire;	/* of the connection, once there is one */
	/* Hands it to the library; below 0: not taken, and not done. */
	int (*start)(struct remote_engine *, struct io *);
	bool may_write;
	bool submitted;			/* since the last idle() */
	bool told;			/* to who reaps, that the connection is lost */
	unsigned in_flight;
	struct done_list done;
};

void remote_engine_init(struct remote_engine *, const struct engine_ops *, const struct engine_args *,
    int (*start)(struct remote_engine *, struct io *));
/* Frees what it has, not itself. */
void remote_engine_free(struct remote_engine *);
/* Its result is there. */
void remote_engine_done(struct remote_engine *, struct io *);
/* Keeps what was said of an error, unless something is kept. */
void remote_engine_words(struct remote_engine *, const char *);

/* Hooks of engine_ops. */
int remote_engine_submit(struct engine *, struct io *const *, unsigned n);
int remote_engine_reap(struct engine *, struct io **, unsigned min, unsigned max, uint64_t deadline_ns);
/* Answers what the other end asks; notices where it closed the connection. */
void remote_engine_idle(struct engine *);

#endif
