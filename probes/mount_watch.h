/*
 * What is mounted where, read again when the kernel says it changed (poll on mountinfo, proc(5)); of a
 * foreign root, every few seconds. Main thread.
 */
#ifndef PROBES_MOUNT_WATCH_H
#define PROBES_MOUNT_WATCH_H

#include "sys/env.h"
#include "sys/mountinfo.h"

struct mount_watch {
	const struct env *env;
	struct kept_file file;
	struct mounts *parsed;	/* NULL: not known */
	uint64_t read_ns;	/* 0: never */
};

void mount_watch_init(struct mount_watch *, const struct env *);
/* True: they were read anew. */
bool mount_watch_read(struct mount_watch *, uint64_t now_ns);
void mount_watch_close(struct mount_watch *);

#endif
