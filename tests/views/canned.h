/*
 * A machine that exists nowhere else: disks behind every kind of adapter, a multipath device with a failed path,
 * a slow LUN, one that stands still, a layer with a long name, hidden loop devices. Each tick of 2 s is the same
 * in every run.
 */
#ifndef TESTS_VIEWS_CANNED_H
#define TESTS_VIEWS_CANNED_H

#include "core/interval.h"

struct canned;

struct canned *canned_new(void);
void canned_free(struct canned *);
/* The next interval, stalls watched; one reference. */
struct interval *canned_next(struct canned *);
/* The uid of a device by its kernel name. */
uint64_t canned_uid(const struct canned *, const char *name);

#endif
