/*
 * A target with what is needed to let go of it again. Main thread.
 */
#ifndef LOAD_TARGET_HELD_H
#define LOAD_TARGET_HELD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "load/target.h"
#include "load/target_mark.h"
#include "sys/env.h"

#define TARGET_FILE_PREFIX "stortop-"	/* then eight hexadecimal digits */
#define TARGET_FILE_SUFFIX ".test"

#define TARGET_FAILED 1
#define TARGET_USAGE 2
#define TARGET_REFUSED 3

struct target_held {
	struct target target;		/* first: it is what others have */
	int dir_fd;			/* of the test file; -1: no file */
	char base[NAME_MAX + 1];	/* its name there */
	struct mark mark;
	bool created;			/* the file did not exist before */
	bool was_kept;			/* it was one that --keep had left */
};

/* These open what path_fd (O_PATH) stands for, into *held whose fields are unset but for the descriptors. Exit status. */
int target_open_device(int path_fd, const struct target_request *, struct target_held *, char *why, size_t size);
int target_open_directory(int path_fd, const struct target_request *, struct target_held *, char *why, size_t size);
/* A name that does not exist yet, or that of a file. */
int target_open_file(const struct target_request *, struct target_held *, char *why, size_t size);
/* Removes the file, or leaves it with the mark of a kept one. 0 or -errno. */
int target_close_file(struct target_held *);

/* The same of the URL in remote->url; only where it is built in. */
int target_open_nfs(struct remote *, const struct target_request *, struct target_held *, char *why, size_t size);
int target_open_iscsi(struct remote *, const struct target_request *, struct target_held *, char *why, size_t size);
/* As target_close_file(), of a file on a server. */
int target_close_nfs(struct target_held *);

/*
 * What is asked of a person, or of the command line: which device is meant, before it is written; and whether it may be read while
 * others use it. 0, or TARGET_REFUSED.
 */
struct device_case;
int target_ask_name(const struct target_request *, const struct device_case *, char *why, size_t size);
int target_ask_to_share(const struct target_request *, const struct device_case *, char *why, size_t size);

/* Names of leftovers begin and end as those that are made here; pure. */
bool target_has_our_name(const char *name);
void target_make_name(char *out, size_t size);
/* As target_sweep(), of an open directory. */
int target_sweep_directory(int dir_fd);

/* The block must be a multiple of what direct I/O needs. 0 or TARGET_USAGE. */
int target_fits_block(const struct target_request *, const struct target_facts *, char *why, size_t size);
/* Is this directory /dev or below it, by whatever name? */
bool target_below_dev(const struct env *, int dir_fd);

#endif
