/*
 * The configuration file of a command: read without waiting for a dead home directory, saved by a thread of its own.
 * Main thread.
 */
#ifndef CMD_CONFIGURE_H
#define CMD_CONFIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/cmd.h"
#include "session/settings.h"

struct configure {
	char *path;		/* NULL: there is no place for it */
	bool named;		/* by --config: it must be there */
	struct settings settings;
	char why[200];		/* what is wrong with the file, for a status line; "" nothing */
	bool pending;		/* asked for and not there yet */
	bool late;		/* came after configure_open(): not applied yet */
	struct helper *helper;
	int save_fd;		/* readable when a save has ended; -1: none under way */
};

/*
 * Asks for the file. The dashboard waits for it at most 100 ms, and one that comes later is in settings when `late` is
 * set; other commands, and whoever names it by --config, give it the 2 s that anything has. 0, or the exit status: a
 * file named by --config that cannot be read, or has an error, was reported on stderr.
 */
int configure_open(struct configure *, const struct options *, const struct env *);
void configure_close(struct configure *);
/* -d, else what the file says, else the default; nanoseconds. */
uint64_t configure_interval(const struct configure *, const struct options *);
/* Does the home directory answer? Waits at most 100 ms, and not at all where the file in it has not come either. */
bool configure_home_answers(const struct configure *);

/* Begins to write the changes; they are copied. 0 or -errno (-EBUSY: the one before is under way). */
int configure_save(struct configure *, const struct config_change *, size_t n);
/* The outcome, once save_fd is readable: 0 or -errno. */
int configure_saved(struct configure *);

#endif
