/*
 * Writes a result into an open database. One thread.
 */
#ifndef DB_RUNS_WRITE_H
#define DB_RUNS_WRITE_H

#include <sqlite3.h>
#include <stdint.h>

#include "core/result.h"

/* A result on its way to the thread of the store. */
struct run_item {
	struct result *result;
	int64_t first_ms, last_ms;
	void (*done)(void *, int64_t id);
	void *arg;
};

void run_item_free(struct run_item *);	/* NULL is fine */
/*
 * In one transaction. recording 0: there is none, the result stands alone. The ticks of that recording that ended after first_ms
 * and up to last_ms are the run's: marked at both ends, and never thinned. SQLite's result code; SQLITE_BUSY: nothing was changed.
 */
int runs_write(sqlite3 *, const struct run_item *, int64_t recording, int64_t *id);

#endif
