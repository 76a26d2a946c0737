/*
 * The store as a source: recorded intervals in order, added up to a wanted step. Opens read-only; others
 * may be writing. One thread.
 */
#ifndef DB_READ_H
#define DB_READ_H

#include <stdint.h>

#include "core/flow.h"

struct read_options {
	const char *path;
	int64_t from_ms, to_ms;	/* wall time, inclusive; INT64_MIN and INT64_MAX: all */
	uint64_t every_ns;	/* add ticks up to this length; 0: as recorded */
};

/*
 * NULL on failure, with a message in why (size bytes): no such file, not a stortop database, newer than this
 * program and unreadable ... Intervals come with stall bounds (stall_watch) and roll-ups, and never span two
 * recordings or a gap.
 */
struct source *read_source(const struct read_options *, char *why, size_t size);
/* Host name of the recording of the interval handed out last (or of the first); valid as long as the source. */
const char *read_host(struct source *);

#endif
