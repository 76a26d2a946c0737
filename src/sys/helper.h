/*
 * What may hang (open or stat of a device or below a mount point, sysfs attributes that ask the device,
 * reading a configuration file from a home directory on a dead server) happens in a child process per
 * question, with a limit of 2 s: a target that does not answer is "not responding", and is not asked
 * again while its child still hangs. A small forking process is started early, before any thread, so a
 * question costs no fork of the big one.
 *
 * Main thread only; never blocks.
 */
#ifndef SYS_HELPER_H
#define SYS_HELPER_H

#include <stddef.h>

#define HELPER_LIMIT_MS 2000

struct helper;

enum helper_op {
	HELPER_READ,	/* contents of a file, at most 32 KiB */
	HELPER_STATFS,	/* decimal text: f_type f_bsize f_blocks f_bfree f_bavail */
	HELPER_STAT,	/* decimal text: st_mode st_rdev st_size */
};

/*
 * len >= 0: data[0..len), NUL-terminated, valid during the call. len < 0: -errno; -ETIMEDOUT after the
 * limit: not responding.
 */
typedef void helper_reply(void *arg, const char *data, long len);

/* NULL with errno where it cannot be started. Before any thread exists. */
struct helper *helper_start(void);
/*
 * 0 or -errno (-EBUSY: too many questions open, or this path still hangs; -EPIPE: the helper was lost).
 * The reply comes from helper_poll(), and may ask on.
 */
int helper_ask(struct helper *, enum helper_op, const char *path, helper_reply *, void *arg);
/* Forgets the questions with this arg: their replies are not delivered. */
void helper_forget(struct helper *, void *arg);
/* Readable when replies are there; for poll(), asked anew each time: -1 once the helper was lost. */
int helper_fd(const struct helper *);
/* Delivers replies and time-outs that are due. Returns ms until the next time-out, or -1. */
int helper_poll(struct helper *);
/* Milliseconds until the next time-out, or -1. Delivers nothing, and costs no system call where none waits. */
int helper_timeout(const struct helper *);
void helper_stop(struct helper *);	/* NULL is fine; never waits for a child that hangs */

#endif
