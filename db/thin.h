/*
 * Thinning: neighbouring ticks become one, exactly, as interval_add() says. One thread. Functions return SQLite's
 * result codes.
 */
#ifndef DB_THIN_H
#define DB_THIN_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "db/ticks.h"
#include "db/rows.h"

struct thin {
	sqlite3 *db;
	struct rows *rows;
	struct ticks *ticks;
	int64_t cursor;		/* ticks up to here are thinned */
};

/*
 * Adds up the next ticks of one minute that ended before `before_ms`, in one transaction. *did: false where there are
 * none. A minute of many ticks takes several calls, each adding to what the one before made.
 */
int thin_step(struct thin *, int64_t before_ms, int64_t now_ms, bool *did);

#endif
