/*
 * The live source: runs the probe table on a timer with absolute deadlines on CLOCK_MONOTONIC, takes
 * differences, watches for stalls and listens to kernel uevents. Main thread.
 */
#ifndef SAMPLER_SAMPLER_H
#define SAMPLER_SAMPLER_H

#include "core/flow.h"
#include "probes/probe.h"
#include "sys/env.h"

struct sampler;

/*
 * Opens the probes of the table (NULL-terminated) and takes the priming snapshot, so that the first
 * interval is real. A probe that fails says why in sampler_probe(); the rest goes on. interval_ns
 * at least 100 ms. NULL with errno only where no timer is to be had.
 */
struct sampler *sampler_open(const struct env *, const struct probe_ops *const *table, uint64_t interval_ns);
void sampler_close(struct sampler *);

/* For poll(): readable when a tick is due. */
int sampler_timer_fd(const struct sampler *);
/* For poll(): readable when a uevent has come, or -1. sampler_uevents() reads them. */
int sampler_uevent_fd(const struct sampler *);
void sampler_uevents(struct sampler *);
/*
 * The tick that is due: one reference to the interval since the last tick. 1 when there is one, 0 when no
 * tick is due yet. `force` takes one now, whatever the timer says (Space, a phase change): it never gives 0, and waits for up to a
 * millisecond where the last one is not that old.
 */
int sampler_tick(struct sampler *, bool force, struct interval **);
/* From the next tick on. */
void sampler_set_interval(struct sampler *, uint64_t interval_ns);
uint64_t sampler_interval(const struct sampler *);

/* The probes, with their reasons; i from 0, NULL at the end. */
const struct probe *sampler_probe(const struct sampler *, size_t i);
/* Did its last reading take more than 1 % of the interval? False where there is no probe i. */
bool sampler_costly(const struct sampler *, size_t i);

/* The same as a source: next() waits for the tick, and gives -EINTR once stop_fd is readable (-1: never). */
struct source *sampler_source(struct sampler *, int stop_fd);

#endif
