/* /proc/net/dev (net/core/net-procfs.c), and what /sys/class/net says of a link. Pure; any thread. */
#ifndef PROBES_NIC_PARSE_H
#define PROBES_NIC_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/kinds/kinds.h"

struct nic_line {
	const char *name;	/* in the buffer, not NUL-terminated */
	size_t name_len;	/* below IF_NAMESIZE (16) */
	uint64_t cells[NIC_METRICS];
};

/* Start with { .p = buf, .end = buf + len }. */
struct nic_cursor {
	const char *p, *end;
	size_t skipped;		/* lines that made no sense, without the two of the heading */
};

/* The next interface, false at the end. */
bool nic_next(struct nic_cursor *, struct nic_line *);

/*
 * "10 Gbit" and 1e10 from the attribute `speed`, in Mbit/s. False where the interface does not say:
 * the attribute is empty, -1 or 4294967295.
 */
bool nic_speed(const char *attr, char *text, size_t size, double *bits_per_s);

#endif
