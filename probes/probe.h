/*
 * A probe reads raw counters of one subsystem and appends them to a snapshot. NAME.c does the I/O,
 * NAME_parse.c is pure. table.c lists them. Main thread.
 */
#ifndef PROBES_PROBE_H
#define PROBES_PROBE_H

#include <stdbool.h>

#include "core/snapshot.h"
#include "sys/env.h"

struct probe;

struct probe_ops {
	const char *name;	/* "block", as in `list probes` */
	const char *what;	/* one line: what it reads */
	const struct kind *const *kinds;	/* NULL-terminated: what it fills */
	size_t size;		/* of the struct that begins with struct probe */
	/* May it run here (root, privileges)? No side effects. NULL: always. */
	bool (*usable)(const struct env *);
	/* 0 or -errno; sets probe_why(). close undoes, also a failed one. NULL: nothing to open. */
	int (*open)(struct probe *);
	/* Appends raw counters. 0 or -errno: its kinds are absent from this snapshot. */
	int (*sample)(struct probe *, struct snapshot *);
	/* A kernel uevent names a device of this subsystem (or all: NULL): read its topology again. NULL: no interest. */
	void (*changed)(struct probe *, const char *subsystem, const char *device);
	void (*close)(struct probe *);
};

struct probe {
	const struct probe_ops *ops;
	const struct env *env;
	bool opened;
	/* Why it gives no data, or what it could not read; "" where all is well. For the status line. */
	char why[160];
	/* What this machine does not have, so nothing is wrong: for `list probes` alone. "" where it has all. */
	char note[160];
	uint64_t cost_ns;	/* of the last sample; sampler_costly() says when it is too much */
};

extern const struct probe_ops *const probe_table[];	/* NULL-terminated */
extern const struct probe_ops probe_block, probe_cpu, probe_nic, probe_host, probe_port, probe_load, probe_nfs_mount, probe_nfsd, probe_iscsi,
	probe_wire;

__attribute__((format(printf, 2, 3)))
void probe_why(struct probe *, const char *format, ...);
/* "cannot read PATH: REASON"; returns rc, a negative errno. */
int probe_cannot(struct probe *, const char *path, int rc);
/* The uid of the adapter of that name, if a probe before this one found it; else 0. */
uint64_t probe_adapter(const struct snapshot *, const char *name);

#endif
