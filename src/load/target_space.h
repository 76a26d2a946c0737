/*
 * How large a test file gets: never so large that others are left without room. Pure.
 */
#ifndef LOAD_TARGET_SPACE_H
#define LOAD_TARGET_SPACE_H

#include <stddef.h>
#include <stdint.h>

#include "load/target.h"

struct space {
	uint64_t free_bytes;	/* for us: without what is reserved for root */
	uint64_t room;		/* of it, what may be taken */
};

/* From what a file system has, and what is free of it. */
void space_make(struct space *, uint64_t all_bytes, uint64_t free_bytes);
/*
 * A size, or no room for it: 0, or 3 with the reason, for `name`. `now`: the file's size, 0 for a new one; `have`: what it takes
 * already.
 */
int space_choose(const struct target_request *, const char *name, const struct space *, uint64_t now, uint64_t have,
    uint64_t *out, char *why, size_t size);

#endif
