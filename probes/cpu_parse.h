/* The cores in /proc/stat (fs/proc/stat.c, proc(5)). Pure; any thread. */
#ifndef PROBES_CPU_PARSE_H
#define PROBES_CPU_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/kinds/kinds.h"

struct cpu_line {
	const char *name;	/* "cpu0", in the buffer, not NUL-terminated */
	size_t name_len;
	/*
	 * In USER_HZ ticks; ABSENT where this kernel does not print the column. The kernel counts a guest's time
	 * in user and nice as well: here it is taken out.
	 */
	uint64_t cells[CPU_METRICS];
};

/* Start with { .p = buf, .end = buf + len }. */
struct cpu_cursor {
	const char *p, *end;
	size_t skipped;		/* lines that made no sense */
};

/* The next core that is online, false at the end. The sum of all, in the first line, is left out. */
bool cpu_next(struct cpu_cursor *, struct cpu_line *);

#endif
