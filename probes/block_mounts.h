/*
 * What is mounted where, read again when the kernel says it changed (poll on mountinfo, proc(5)); of a
 * foreign root, every few seconds. Main thread.
 */
#ifndef PROBES_BLOCK_MOUNTS_H
#define PROBES_BLOCK_MOUNTS_H

#include "sys/env.h"
#include "sys/mountinfo.h"

struct block_mounts {
	const struct env *env;
	struct kept_file file;
	struct mounts *parsed;	/* NULL: not known */
	uint64_t read_ns;	/* 0: never */
};

void block_mounts_init(struct block_mounts *, const struct env *);
/* True: they were read anew. */
bool block_mounts_read(struct block_mounts *, uint64_t now_ns);
void block_mounts_close(struct block_mounts *);

#endif
