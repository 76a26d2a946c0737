/* A probe by itself, without the sampler. */
#ifndef TESTS_PROBES_DRIVE_H
#define TESTS_PROBES_DRIVE_H

#include "probes/probe.h"

/* Opened, which must succeed. */
struct probe *drive_open(const struct probe_ops *, const struct env *);
void drive_close(struct probe *);
/* Its snapshot at so many seconds of CLOCK_MONOTONIC and, 1000 more, of CLOCK_BOOTTIME. Must succeed. */
struct snapshot *drive_sample(struct probe *, double seconds);
/* The row of that name; fails the test where there is none, or two. */
const uint64_t *drive_cells(const struct snapshot *, const struct kind *, const char *name);
struct object *drive_object(const struct snapshot *, const struct kind *, const char *name);
/* How many rows; fails the test where the kind was not sampled. */
size_t drive_rows(const struct snapshot *, const struct kind *);

#endif
