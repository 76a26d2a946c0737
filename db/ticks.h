/*
 * Recorded ticks as intervals again: zeros where an object was idle, NaN where a metric was absent, roll-ups
 * computed. Tolerates whatever a damaged or hostile file says. One thread. Functions return SQLite's result codes.
 */
#ifndef DB_TICKS_H
#define DB_TICKS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/interval.h"
#include "db/layout.h"
#include "db/presence.h"

struct ticks;

/* A row of the table tick. */
struct tick {
	int64_t tick, recording, wall_ms;
	uint64_t ns;
	unsigned added;		/* ticks it is the sum of; 0: as recorded */
	bool gap;		/* does not follow on the tick before it */
	bool empty;		/* is the gap itself (a suspend): nothing was sampled, the next one does not follow either */
};

/* Columns for ticks_row(): SELECT TICK_COLUMNS FROM tick AS t ... */
#define TICK_COLUMNS "t.tick, t.recording, t.wall_ms, t.ns, t.added," \
	" EXISTS (SELECT 1 FROM event AS e WHERE e.tick = t.tick AND e.type IN ('gap', 'drop'))," \
	" NOT EXISTS (SELECT 1 FROM sample AS s WHERE s.tick = t.tick)"
#define TICK_N_COLUMNS 7
void ticks_row(sqlite3_stmt *, struct tick *out);

/* Kinds and metrics that the file lacks are absent. */
int ticks_new(sqlite3 *, const struct layout *, const struct kind *const *kinds, struct ticks **out);
void ticks_free(struct ticks *);	/* NULL is fine */
/* Before ticks_load(): the objects that a recording has between two ticks, both included. */
int ticks_span(struct ticks *, int64_t recording, int64_t first, int64_t last);
/*
 * The interval of a tick within the span; ticks go upwards. One reference. Stalls are left to stall_watch(),
 * which sees them again, so their events are left out.
 */
int ticks_load(struct ticks *, const struct tick *, struct interval **out);

/* What ticks_span() read. */
const struct presence *ticks_presence(const struct ticks *);

#endif
