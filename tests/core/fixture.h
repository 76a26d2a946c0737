/*
 * Snapshots by hand for the tests of the model.
 */
#ifndef TESTS_CORE_FIXTURE_H
#define TESTS_CORE_FIXTURE_H

#include "core/interval.h"
#include "core/snapshot.h"

#define SECOND UINT64_C(1000000000)

/* A small kind with each nature of metric: counter, ms, gauge, histogram, counter. */
enum { TK_OPS, TK_MS, TK_NOW, TK_HIST, TK_BYTES, TK_METRICS };
extern const struct kind kind_test;		/* unknown past */
extern const struct kind kind_test_born;	/* from zero */

/* At this many seconds since boot, no suspend so far. */
struct snapshot *fixture_snapshot(double seconds);
/* The same, suspended before for so long. */
struct snapshot *fixture_snapshot_suspended(double seconds, double suspended);
/* A disk (or anything with the kind's metrics): the object and its first cells, the rest 0. */
uint64_t *fixture_add(struct snapshot *, const struct kind *, struct object *);
struct object *fixture_disk(const char *name, enum object_role, uint64_t parent, uint64_t counts_in);

#endif
