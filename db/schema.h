/*
 * What the file looks like, generated from the catalogue (design.md section 7):
 *
 *   recording, object, tick, sample, presence, event    the same for all kinds
 *   KIND       (tick, object): what happened in that tick; an object whose numbers are all 0 has no row
 *   KIND_rare  (tick, object): metrics that are hardly ever above 0; no row where all of them are 0
 *   KIND_hist  (tick << 20 | object): histograms
 *   KIND_peak  (tick, object): highest tick within one that was thinned
 *   KIND_all, KIND_rate    views for people: idle ticks are zeros again; the catalogue's columns
 *
 * A roll-up's numbers are not stored; its table keeps the time of those that were there for a part of a tick.
 */
#ifndef DB_SCHEMA_H
#define DB_SCHEMA_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/kind.h"
#include "db/layout.h"

#define SCHEMA_APPLICATION_ID 0x73746f70	/* "stop" */
#define SCHEMA_VERSION 1			/* user_version */
/* The id of KIND_hist: 20 bits are the object's. */
#define SCHEMA_HIST_OBJECT INT64_C(0xfffff)
static inline int64_t
schema_hist_id(int64_t tick, int64_t object)
{
	return (int64_t)((uint64_t)tick << 20 | (uint64_t)object);
}

enum place {
	PLACE_NONE,	/* not stored: derived, or of a roll-up */
	PLACE_MAIN,
	PLACE_RARE,
	PLACE_HIST,
	PLACE_COUNT
};
extern const char *const schema_suffix[PLACE_COUNT];	/* "", "_rare", "_hist" */

/* Where a metric is kept, and the metrics kept in a place. */
enum place schema_place(const struct kind *, size_t metric);
uint64_t schema_mask(const struct kind *, enum place);
/* Has the kind objects of its own in the store? Not so the totals, which the roll-up makes. */
bool schema_stored(const struct kind *);
/* Are the highest figures kept when its ticks are thinned? */
bool schema_peaks(const struct kind *);

/*
 * Makes the tables in an empty file, adds what an older one lacks, never drops anything. 0 or -errno with
 * a reason in why: not a stortop database, newer than this program, has columns it does not know.
 * Nothing is changed on failure. kinds ends with NULL.
 */
int schema_make(sqlite3 *, const struct kind *const *kinds, char *why, size_t size);
/* Is it a stortop database? 0 or -errno with a reason. A newer one is. */
int schema_check(sqlite3 *, char *why, size_t size);
/* Has it the tables that all kinds share, as far as reading needs them? 0 or -errno with a reason. */
int schema_readable(sqlite3 *, const struct layout *, char *why, size_t size);
/* The metrics of a place that the file has a column for; 0 where it has no such table. */
uint64_t schema_columns(const struct layout *, const struct kind *, enum place);

/* The statements that make the views of a leaf kind; sqlite3_free() them. NULL: out of memory. */
char *schema_view_all(const struct kind *);
char *schema_view_rate(const struct kind *);

#endif
