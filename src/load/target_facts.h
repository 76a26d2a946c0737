/*
 * What people know a device or a file system by. Reads sysfs, and the descriptor's ioctls. Any thread.
 */
#ifndef LOAD_TARGET_FACTS_H
#define LOAD_TARGET_FACTS_H

#include <stdbool.h>

#include "load/target.h"
#include "load/target_family.h"
#include "sys/env.h"

/* Names of the device itself; for a partition model, serial and WWN are its disk's. family: not empty. */
void facts_names(const struct env *, const struct family *, struct target_facts *);
/* Size and alignments of an open device. */
void facts_blocks(const struct env *, int fd, const struct family *, struct target_facts *);
/* File system, device below, free space and alignment of an open file or directory (O_PATH will do). 0 or -errno. */
int facts_file(const struct env *, int fd, struct target_facts *);
/* Is the file system shared with other machines? */
bool facts_network(int fd);
/* "/srv/x" of an open descriptor, as the kernel knows it; "" where it does not. */
void facts_path(int fd, char *out, size_t size);
/* Replaces what would move the cursor or break the line. In place. */
void facts_printable(char *text);

#endif
