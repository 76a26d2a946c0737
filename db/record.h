/*
 * A recording in an open database: one transaction per interval, so that a crash loses at most the last. One
 * thread. Functions return SQLite's result codes.
 */
#ifndef DB_RECORD_H
#define DB_RECORD_H

#include <sqlite3.h>
#include <stdint.h>

#include "core/interval.h"
#include "db/rows.h"

struct record;

struct record_info {
	const char *source, *host, *boot_id;
};

/*
 * The file's schema is made already (schema_make). Nothing is written before the first interval; a span that a
 * crash left open is closed at its recording's last tick. *out is NULL on failure. The info is copied.
 */
int record_new(sqlite3 *, const struct kind *const *kinds, const struct record_info *, struct record **out);
void record_free(struct record *);	/* NULL is fine; does not end the recording: a crash looks the same */
/*
 * dropped: intervals before this one that were lost, which leaves an event. SQLITE_BUSY: another program
 * writes, nothing was changed, try again; anything else is final.
 */
int record_put(struct record *, const struct interval *, uint64_t dropped);
/* The recording ends here. */
int record_end(struct record *);

/* For the retention that runs beside it. */
struct rows *record_rows(struct record *);
int64_t record_recording(const struct record *);	/* its number; 0: no interval yet */
int64_t record_wall_ms(const struct record *);	/* of the newest interval; 0: none yet */

#endif
