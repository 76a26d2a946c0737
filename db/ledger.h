/*
 * Which objects a recording has and since when they are there: rows of object and presence, kept in step
 * with the intervals. One thread; whoever calls has begun a transaction. Functions return SQLite's result codes.
 */
#ifndef DB_LEDGER_H
#define DB_LEDGER_H

#include <sqlite3.h>
#include <stdint.h>

#include "core/interval.h"

struct ledger;

struct ledger *ledger_new(sqlite3 *, const struct kind *const *kinds, int64_t recording);	/* NULL on failure */
void ledger_free(struct ledger *);	/* NULL is fine */

/*
 * Opens, keeps and closes the presence of the objects of one table, which was sampled at `tick`. *ids gets the
 * id of each row's object, 0 for one that is not recorded (a hidden one that never had I/O); valid until the
 * next call.
 */
int ledger_table(struct ledger *, int64_t tick, const struct interval_table *, const int64_t **ids);
/* After all tables of a tick: parents, which may stand in a later table than their children. */
int ledger_links(struct ledger *);
/*
 * The id of an object that an event names, which may have no row in the interval. *id is 0 for a hidden
 * one that never had I/O.
 */
int ledger_object(struct ledger *, struct object *, int64_t *id);
/* Closes all presence: the recording ends with tick `last`. */
int ledger_end(struct ledger *, int64_t last);

#endif
