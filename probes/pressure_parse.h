/* /proc/pressure/io (Documentation/accounting/psi.rst) and the swapping in /proc/vmstat. Pure; any thread. */
#ifndef PROBES_PRESSURE_PARSE_H
#define PROBES_PRESSURE_PARSE_H

#include <stddef.h>
#include <stdint.h>

struct pressure {
	uint64_t some_us, full_us;	/* ABSENT where there is no such line */
};

void pressure_parse(const char *buf, size_t len, struct pressure *out);

struct swapping {
	uint64_t in_pages, out_pages;	/* ABSENT where there is no such line: a kernel without swap */
};

void swapping_parse(const char *buf, size_t len, struct swapping *out);

#endif
