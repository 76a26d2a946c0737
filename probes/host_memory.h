/*
 * What memory is used, free and cache, from what libstatgrab and sysinfo(2) say. Pure; any thread.
 */
#ifndef PROBES_HOST_MEMORY_H
#define PROBES_HOST_MEMORY_H

#include <stdint.h>

/* In bytes. */
struct host_memory {
	uint64_t total, free, cache;	/* libstatgrab's: free with the page cache, which is without the buffers */
	uint64_t buffers;		/* cache of block devices */
	uint64_t shared;		/* shared memory and tmpfs, within the page cache */
};

/* Sets HOST_MEM_TOTAL, HOST_MEM_FREE, HOST_MEM_CACHE and HOST_MEM_USED. */
void host_memory_cells(const struct host_memory *, uint64_t *cells);

#endif
