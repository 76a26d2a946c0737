/*
 * The last minutes of each object for sparklines and graphs: figures, not intervals, so that 1,000
 * objects stay small. Main thread.
 */
#ifndef SESSION_HISTORY_H
#define SESSION_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "core/interval.h"

enum history_figure {
	HISTORY_IOPS_READ, HISTORY_IOPS_WRITE, HISTORY_MB_READ, HISTORY_MB_WRITE,
	HISTORY_GAVG_READ, HISTORY_GAVG_WRITE, HISTORY_GAVG, HISTORY_IOPS, HISTORY_FIGURES
};

struct history;

struct history *history_new(size_t samples);	/* kept per object: 300 */
void history_free(struct history *);
/* Also forgets objects that have been gone for the whole length. */
void history_feed(struct history *, const struct interval *);
/*
 * Copies the newest n figures, oldest first, NaN where absent or before its birth. Returns how many
 * of them exist (the rest are NaN at the front).
 */
size_t history_get(const struct history *, uint64_t uid, enum history_figure, float *out, size_t n);

#endif
