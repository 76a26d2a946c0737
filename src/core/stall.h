/*
 * The stall watch: a device with I/O in flight that completes nothing must not read as idle. Fed with
 * every interval in order, live and replayed alike; says since when each object stands. A stall
 * begins with the second interval in a row with in_flight > 0 and completed == 0; its length counts from
 * the start of the first. Main thread (or one reader).
 */
#ifndef CORE_STALL_H
#define CORE_STALL_H

#include "core/interval.h"

struct stall;

struct stall *stall_new(void);
void stall_free(struct stall *);	/* NULL is fine */
/* Sets row.stalled_ns and adds EVENT_STALL and EVENT_RESUME. Before the interval is shared. */
void stall_watch(struct stall *, struct interval *);

#endif
