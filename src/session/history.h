/*
 * The last minutes of each object for sparklines and graphs: figures, not intervals, and in two bytes each (within 0.4 %), so that
 * thousands of objects stay small; an object that does nothing costs next to nothing. Main thread.
 */
#ifndef SESSION_HISTORY_H
#define SESSION_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "core/interval.h"

enum history_figure {
	HISTORY_IOPS,		/* the kind's main column: CMDS/s, %USED of a core, packets of an interface */
	HISTORY_IOPS_READ, HISTORY_IOPS_WRITE,	/* of an interface: packets received and sent */
	HISTORY_MB_READ, HISTORY_MB_WRITE,	/* of an interface: megabits received and sent */
	HISTORY_GAVG, HISTORY_GAVG_READ, HISTORY_GAVG_WRITE,	/* of a flow on the wire: DAVG, all that is seen of it */
	HISTORY_FIGURES
};

struct history;

/* So many objects that do something are remembered; of the next ones nothing is known until one of these has been at rest. */
#define HISTORY_BUSY 1536

struct history *history_new(size_t samples);	/* kept per object: 300 */
void history_free(struct history *);		/* NULL is fine */
/* Also forgets objects that have been gone for HISTORY_FORGET intervals. */
#define HISTORY_FORGET 10
void history_feed(struct history *, const struct interval *);
/*
 * Copies the newest n figures, oldest first, NaN where absent or before its birth. Returns how many
 * of them exist (the rest are NaN at the front).
 */
size_t history_get(const struct history *, uint64_t uid, enum history_figure, float *out, size_t n);
/* Objects remembered now. */
size_t history_objects(const struct history *);

#endif
