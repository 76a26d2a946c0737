/*
 * The processes on this machine that serve a target: what they cost, and which device is below what they serve. A server
 * elsewhere has none here.
 */
#ifndef LOAD_REMOTE_SERVERS_H
#define LOAD_REMOTE_SERVERS_H

#include <stddef.h>
#include <stdint.h>

#include "load/remote.h"
#include "sys/env.h"

struct remote_servers {
	size_t n;
	struct remote_server {		/* nfsd has a thread, and so a process, for each call it takes at once */
		uint64_t pid, start_ticks, begin_ticks, used_ticks;
		char name[16];
	} *list;
};

/* By their names: of a server here. Reads /proc; any thread. */
struct remote_servers *remote_servers_find(const struct env *, enum remote_kind);
void remote_servers_free(struct remote_servers *);	/* NULL is fine */
/*
 * The device below the file or device of `size_bytes` (a file with the number ino, where that is not 0) that they have open; "" where
 * they have none, or several on different devices. Looks at what they have open: may hang where that does.
 */
void remote_servers_device(const struct env *, const struct remote_servers *, uint64_t size_bytes, uint64_t ino, char *out,
    size_t size);

/* What they use between begin and end adds up. Reads /proc/PID/stat of each. */
void remote_servers_begin(const struct env *, struct remote_servers *);
void remote_servers_end(const struct env *, struct remote_servers *);
/* CPU seconds so far, and the names of those that used any, "" for none. Forgets them. */
double remote_servers_take(struct remote_servers *, char *out, size_t size);

#endif
