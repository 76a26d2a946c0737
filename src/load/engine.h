/*
 * Engines move batches of I/Os between a worker and the kernel. One ops struct each; null comes first. Each instance
 * belongs to one worker thread.
 */
#ifndef LOAD_ENGINE_H
#define LOAD_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/job.h"
#include "load/target.h"

struct io {
	uint64_t offset;
	uint32_t bytes;		/* 0 with IO_SYNC */
	uint8_t dir;		/* enum io_dir */
	bool data_only;		/* IO_SYNC: fdatasync */
	uint16_t slot;		/* 0 .. depth - 1: its buffer */
	uint8_t *buf;
	uint64_t due_ns;	/* intended start of a paced job; 0: not paced */
	uint64_t ready_ns;	/* when it was ready to be submitted: latency counts from here */
	int32_t result;		/* bytes done, or -errno */
};

struct engine_args {
	int fd;			/* -1: none, for null and for what is on a server */
	const struct remote *remote;	/* what is on a server; NULL: fd */
	const struct write_grant *grant;	/* NULL: a write is refused with -EPERM before it reaches the kernel */
	unsigned depth;
	uint8_t *buffers;	/* depth x slot_bytes, aligned; one block, so that it can be registered once */
	size_t slot_bytes;
	bool sync;		/* writes are on the medium when they complete (RWF_SYNC) */
	char *why;		/* where open() puts more than an errno; NULL: nowhere */
	size_t why_size;
};

struct engine {
	const struct engine_ops *ops;
	char note[120];		/* what it had to do without ("buffers not registered: ..."), for the result; "" */
	char words[160];	/* what a server said of the last error, where that is more than an errno; "" */
};

struct engine_ops {
	const char *name;	/* "uring", as in results */
	/* May it run here? false with the reason (io_uring forbidden ...). */
	bool (*usable)(char *why, size_t size);
	/* 0 or -errno. One that has a server waits for it, REMOTE_LIMIT_NS for each answer. */
	int (*open)(struct engine **, const struct engine_args *);
	/*
	 * Hands over n; returns how many were taken, or -errno (nothing taken, and it will not get better). Does not wait,
	 * except psync of depth 1. They may start as late as at the reap() that must follow: one system call does both.
	 */
	int (*submit)(struct engine *, struct io *const *, unsigned n);
	/*
	 * Waits for at least `min` completions until the deadline (CLOCK_MONOTONIC ns; UINT64_MAX: none), takes up to max.
	 * May give fewer than min: at the deadline, or after a signal. -errno: the engine is of no use any more.
	 */
	int (*reap)(struct engine *, struct io **, unsigned min, unsigned max, uint64_t deadline_ns);
	/*
	 * With nothing in flight and nothing due, while a worker waits for its turn or for the time of its next I/O: once a second
	 * at most, and I/Os may have come between. A server is answered, or hears that somebody lives; does not wait. NULL: nobody
	 * needs to. What went wrong is told by the next submit() or reap().
	 */
	void (*idle)(struct engine *);
	/* Waits for what is in flight. */
	void (*close)(struct engine *);
};

extern const struct engine_ops engine_null, engine_psync, engine_aio, engine_uring;
extern const struct engine_ops engine_nfs, engine_iscsi;	/* only where remote_built_in() */
extern const struct engine_ops *const engine_table[];	/* by preference: uring, aio, psync, null; NULL-terminated */

/*
 * The engine for a job on a target: null: always takes null, and a server its protocol's; ENGINE_AUTO the first usable one; a named one that is not usable
 * falls back to the next with the reason in why (for the result), never silently.
 */
const struct engine_ops *engine_choose(enum job_engine, const struct target *, char *why, size_t size);

#endif
