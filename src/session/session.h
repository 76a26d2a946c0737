/*
 * A session joins the live source to the store and to what is made of the intervals for people:
 * history for graphs, thresholds, the verdict. Used by the dashboard, the plain table and `record`.
 * Main thread.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/store.h"
#include "sampler/sampler.h"
#include "session/history.h"
#include "session/verdict.h"

struct session;

struct session_options {
	const struct env *env;
	const struct probe_ops *const *probes;
	uint64_t interval_ns;
	struct sink *store;		/* from store_sink(), taken over; NULL: not recording */
	const struct thresholds *thresholds;	/* NULL: the defaults */
	size_t history;			/* samples kept per object; 0: none */
	bool quick_first;		/* the first interval ends after 120 ms: nobody waits for first figures */
};

struct session *session_open(const struct session_options *);	/* NULL with errno: no timer; the store is then the caller's */
/* Drains the store (at most 2 s). */
void session_close(struct session *);

#define SESSION_FDS 5
/* Fills fds for poll(); returns how many. *timeout_ms gets the longest time to sleep, or -1. */
int session_pollfds(struct session *, struct pollfd fds[static SESSION_FDS], int *timeout_ms);
/*
 * Does what is due (uevents, replies of the helper, the tick) and hands a new interval to the store. One
 * reference to it, or NULL when there was no tick. `force`: take one now, and there is one.
 */
struct interval *session_step(struct session *, bool force);
/* An event of a test, which a command that is run as one is too, at the end of the next tick. */
__attribute__((format(printf, 2, 3))) void session_mark(struct session *, const char *format, ...);

struct sampler *session_sampler(struct session *);
const struct history *session_history(const struct session *);	/* NULL where none is kept */
const struct verdicts *session_verdicts(const struct session *);
/* From now on; the verdicts start over. NULL: the defaults. What it points to must outlive the session. */
void session_set_thresholds(struct session *, const struct thresholds *);
/* false when not recording at all (--no-record). */
bool session_store_status(struct session *, struct store_status *);

#endif
