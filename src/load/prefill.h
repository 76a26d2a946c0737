/*
 * Laying out a test file: written once from end to end with incompressible data, so that reads find blocks and random writes
 * allocate none. A thread of its own. Main thread.
 */
#ifndef LOAD_PREFILL_H
#define LOAD_PREFILL_H

#include <stdbool.h>
#include <stdint.h>

#include "load/crew.h"
#include "load/engine.h"
#include "load/target.h"

struct layout;

/* Starts it; it tells the crew when it ends, and fails it with the reason. The target must outlive it. NULL with errno. */
struct layout *prefill_start(const struct target *, const struct engine_ops *, uint64_t bytes, struct crew *);
bool prefill_ended(const struct layout *);
uint64_t prefill_bytes_done(const struct layout *);
void prefill_free(struct layout *, bool leave_behind);	/* NULL is fine */

#endif
