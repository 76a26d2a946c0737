/*
 * A store in a directory of the test's own, on a file system that fails on demand.
 */
#ifndef TESTS_DB_DESK_H
#define TESTS_DB_DESK_H

#include <sqlite3.h>
#include <stdbool.h>

#include "db/store.h"
#include "fault.h"
#include "tape.h"

struct desk {
	char *dir, *path;
};

/* For cmocka: *state is a struct desk. */
int desk_set_up(void **state);
int desk_tear_down(void **state);
#define DESK_TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

struct sink *desk_open(const char *path);
/* Waits until the store is in a state and has written so many ticks; what it says then. */
struct store_status desk_wait(struct sink *, enum store_state, uint64_t ticks);
/* n intervals of a second with 100 + tick reads, from tick `first` on. */
void desk_put(struct sink *, struct object *disk, int first, int n);
/* Fails unless recording to the path stops at once, for this reason, and the program goes on. */
void desk_stops(const char *path, const char *reason);
/* The file again, which must be sound. */
sqlite3 *desk_reopen(const char *path);
bool desk_exists(const char *path, const char *suffix);

uint64_t desk_now_ms(void);
void desk_nap(void);	/* a millisecond */

#endif
