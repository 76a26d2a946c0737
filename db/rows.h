/*
 * Writes and removes the rows of a tick; whoever calls has begun a transaction. One thread. Functions return
 * SQLite's result codes.
 */
#ifndef DB_ROWS_H
#define DB_ROWS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/interval.h"

struct rows;

/* The highest figures of the ticks that were added up into one; NaN where there was none. */
struct peak {
	double iops, mb_s, gavg;
};

/* Prepares the statements for the kinds (NULL-terminated, with tables in the file). NULL on failure. */
struct rows *rows_new(sqlite3 *, const struct kind *const *kinds);
void rows_free(struct rows *);	/* NULL is fine */

/* added: number of ticks it is the sum of; 0: as recorded. */
int rows_put_tick(struct rows *, int64_t tick, int64_t recording, int64_t wall_ms, uint64_t ns, unsigned added);
/* tick_ns is the tick's own length, which most samples share. */
int rows_put_sample(struct rows *, int64_t tick, const struct kind *, uint64_t ns, uint64_t tick_ns);
/*
 * The row of an object, as far as anything in it is neither 0 nor absent, or its time differs from the
 * sample's. Kinds without a table are left out.
 */
int rows_put(struct rows *, int64_t tick, int64_t object, const struct row *, uint64_t sample_ns);
int rows_put_peak(struct rows *, int64_t tick, int64_t object, const struct kind *, const struct peak *);
/* object 0: none */
int rows_put_event(struct rows *, int64_t tick, int64_t wall_ms, enum event_type, int64_t object, const char *text);
/* Removes samples and rows of all kinds from tick first to tick last. Ticks and events stay. */
int rows_delete(struct rows *, int64_t first, int64_t last);

/* Did nothing happen? Gauges count too. */
bool rows_idle(const struct row *);
/* The metrics that are kept and absent from the row. */
uint64_t rows_lacks(const struct row *);
/* Those as they stand in presence.lacks: " a b ", malloc'd, or NULL where there are none. And back. */
char *rows_lacks_text(const struct kind *, uint64_t lacks);
uint64_t rows_lacks_of(const struct kind *, const char *text);

#endif
