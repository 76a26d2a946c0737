/*
 * The only place that makes a write grant: behind all checks, on the very descriptor that will be written. Main thread.
 */
#ifndef LOAD_TARGET_GRANT_H
#define LOAD_TARGET_GRANT_H

#include <stdbool.h>
#include <stddef.h>

#include "load/target_case.h"

/* 0 with *grant (for grant_free()) and *fd the caller's; else an exit status (1, 3) with why. */

/*
 * Opens the device that path_fd (O_PATH) stands for exclusively, and proves it anew: it must be what was `agreed` on, which a person
 * or the command line must have named.
 */
int grant_device(int path_fd, const struct device_case *agreed, bool named, bool direct, int *fd,
    const struct write_grant **grant, char *why, size_t size);
/* Locks an open file (read and write, without O_DIRECT) for this run, and proves it. */
int grant_file(int fd, const char *name, const struct write_grant **grant, char *why, size_t size);
/*
 * On a server: `now` is what it says of the LUN, or of the file, at this moment. The grant is for connections to this remote, each
 * of which makes sure that it found the same.
 */
int grant_lun(const struct device_case *agreed, const struct device_case *now, bool named, const struct remote *,
    const struct write_grant **grant, char *why, size_t size);
int grant_remote_file(const struct file_case *now, const char *name, const struct remote *,
    const struct write_grant **grant, char *why, size_t size);
/* Opens the same inode again, whatever its name has come to mean since. A descriptor or -1 with errno. */
int grant_reopen(int fd, int flags);
/* Why open() for writing failed: the exit status, and why. */
int grant_not_opened(const char *name, int error, char *why, size_t size);
/* null: has nothing to lose. */
const struct write_grant *grant_null(void);
void grant_free(const struct write_grant *);	/* NULL is fine */

#endif
