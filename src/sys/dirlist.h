/*
 * The names in a directory of /proc, /sys or /dev below the root. Any thread.
 */
#ifndef SYS_DIRLIST_H
#define SYS_DIRLIST_H

#include <stddef.h>

#include "sys/env.h"

struct dirlist {
	size_t n;
	char **names;	/* in the order people count: sda2 before sda10; without dot files */
};

/* 0 or -errno; *out is empty then, and dirlist_free() is not needed. */
int dirlist_read(const struct env *, struct dirlist *out, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void dirlist_free(struct dirlist *);

#endif
