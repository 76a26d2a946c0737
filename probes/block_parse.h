/*
 * The counters of block devices as text: /proc/diskstats and /sys/block/DEVICE/stat. Pure; any thread.
 * Source: Documentation/admin-guide/iostats.rst, Documentation/block/stat.rst of the kernel.
 */
#ifndef PROBES_BLOCK_PARSE_H
#define PROBES_BLOCK_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/kinds/kinds.h"

#define BLOCK_NAME_MAX 32	/* DISK_NAME_LEN of the kernel, NUL included */

struct block_line {
	unsigned major, minor;
	const char *name;		/* in the buffer, not NUL-terminated; with '/' as in "cciss/c0d0" */
	size_t name_len;		/* below BLOCK_NAME_MAX */
	uint64_t cells[DISK_DIRECT];	/* ABSENT where this kernel does not print the column */
};

/* Walks over /proc/diskstats: start with { .p = buf, .end = buf + len }. */
struct block_cursor {
	const char *p, *end;
	size_t skipped;		/* lines that made no sense */
};

/*
 * The next line, false at the end. Takes 11, 15 or 17 counters and whatever newer kernels append, and
 * the 4 that partitions had before 2.6.25.
 */
bool block_next(struct block_cursor *, struct block_line *);

/* The same counters from /sys/block/DEVICE/stat. 0 or -EINVAL. */
int block_parse_stat(const char *buf, size_t len, uint64_t cells[static DISK_DIRECT]);

#endif
