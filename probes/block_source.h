/*
 * Where the lines come from: /proc/diskstats, or /sys/block where that is absent or empty (masked in a
 * container, not recorded in a tree). Main thread.
 */
#ifndef PROBES_BLOCK_SOURCE_H
#define PROBES_BLOCK_SOURCE_H

#include "probes/block_parse.h"
#include "sys/env.h"

struct block_source {
	struct kept_file diskstats;
	struct block_cursor cursor;
	char *text;			/* lines made from /sys/block; NULL: those of diskstats */
};
#define BLOCK_SOURCE { .diskstats = KEPT_SEQ_FILE("/proc/diskstats") }

/* Then block_next(&source->cursor, ...) gives the lines. 0 or -errno: neither can be read. */
int block_source_read(const struct env *, struct block_source *);
void block_source_close(struct block_source *);

#endif
