#include "probes/host_memory.h"

#include "core/kinds/kinds.h"

/*
 * libstatgrab counts the page cache as free, and buffers, the cache of block devices, as used. Here free is
 * what nothing uses, and cache is both, without shared memory and tmpfs: the kernel keeps them there too, but
 * cannot drop them.
 */
void
host_memory_cells(const struct host_memory *m, uint64_t *cells)
{
	uint64_t all = m->cache + m->buffers, shared = m->shared < all ? m->shared : all;

	cells[HOST_MEM_TOTAL] = m->total;
	cells[HOST_MEM_FREE] = m->free > m->cache ? m->free - m->cache : 0;
	cells[HOST_MEM_CACHE] = all - shared;
	cells[HOST_MEM_USED] = (m->total - m->free > m->buffers ? m->total - m->free - m->buffers : 0) + shared;
}
