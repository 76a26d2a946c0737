/*
 * Intervals by hand and by chance for the tests of the store, and what reading them back should give.
 */
#ifndef TESTS_DB_TAPE_H
#define TESTS_DB_TAPE_H

#include <sqlite3.h>
#include <stdint.h>

#include "core/interval.h"
#include "db/record.h"

#define TAPE_SECOND UINT64_C(1000000000)
#define TAPE_START INT64_C(1700000000000)	/* wall time, ms: 20 s into a minute */

/* The catalogue's kinds and kind_test, which has a histogram; NULL-terminated. */
const struct kind *const *tape_kinds(void);

/* An interval that ends so many seconds after the start. */
struct interval *tape_interval(double at_s, double length_s);
/* A table whose cells are 0, of objects that the caller keeps; as long as the interval. */
struct interval_table *tape_table(struct interval *, const struct kind *, size_t n, struct object *const *);
struct object *tape_disk(const char *name);

/*
 * n intervals of so many seconds each, by chance but the same for the same seed: disks in two adapters, a partition, things with
 * histograms; hot-plug, idle ones, absent metrics, kinds that were not sampled, rows shorter than their sample.
 */
void tape_random(unsigned seed, double step_s, struct interval **out, size_t n);

/* An empty database in memory, or in a file. */
sqlite3 *tape_database(const char *path);
/* Records them in a recording of its own. */
void tape_record(sqlite3 *, struct interval *const *, size_t n);
/* All ticks of a database, in order; how many. */
size_t tape_read(sqlite3 *, struct interval **out, size_t max);
void tape_unref(struct interval **, size_t n);

/* Fails the test unless both say the same: objects by identity, cells, times, histograms, links. */
void tape_same(const struct interval *expected, const struct interval *got);
/* Fails unless the file is sound: integrity, foreign keys. */
void tape_sound(sqlite3 *);

/* A directory of the test's own, removed with all in it. */
char *tape_dir(void);
void tape_remove_dir(char *);

#endif
