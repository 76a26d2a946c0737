/*
 * Retention: ticks at full rate for a while, then added up to one a minute, then deleted; and a cap on the file,
 * oldest first. In small steps between the ticks that are recorded. One thread. Functions return SQLite's result codes.
 */
#ifndef DB_RETAIN_H
#define DB_RETAIN_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "db/rows.h"

struct retain;

struct retain_options {
	uint64_t full_rate_s;	/* older ticks are thinned */
	uint64_t minute_s;	/* older still by this much: deleted */
	uint64_t cap_bytes;	/* 0: none */
	uint64_t settle_s;	/* nothing is judged by its age before the clock has gone on steadily for so long */
};

/* The rows' statements are shared with the recording. *out is NULL on failure. */
int retain_new(sqlite3 *, const struct kind *const *kinds, struct rows *, const struct retain_options *,
    struct retain **out);
void retain_free(struct retain *);	/* NULL is fine */
/*
 * One transaction at most. now_ms is the wall time of the newest tick, 0: none yet. What ended after hold_ms is left as it is
 * (INT64_MAX: nothing is held). *done: nothing is left to do for now; asking costs nothing then.
 */
int retain_step(struct retain *, int64_t now_ms, int64_t hold_ms, bool *done);

#endif
