/*
 * Small machines in a directory: what tests of probes look at instead of /proc and /sys.
 */
#ifndef TESTS_PROBES_TREE_H
#define TESTS_PROBES_TREE_H

#include "sys/env.h"

struct tree {
	char root[64];
	struct env env;		/* foreign, all details at once */
};

struct tree *tree_new(void);
void tree_free(struct tree *);

/* Writes a file, with the directories above it. */
__attribute__((format(printf, 3, 4)))
void tree_put(struct tree *, const char *path, const char *format, ...);
void tree_put_bytes(struct tree *, const char *path, const void *bytes, size_t len);
void tree_link(struct tree *, const char *path, const char *target);
void tree_dir(struct tree *, const char *path);
/* Removes a file, or a directory with all in it. */
void tree_remove(struct tree *, const char *path);

/*
 * The usual things: a device at "pci0000:00/..." below /sys/devices, linked from /sys/block, with size in
 * sectors.
 */
void tree_disk(struct tree *, const char *devpath, unsigned long sectors);

/* For cmocka: setup and teardown with a tree as the state. */
int tree_setup(void **state);
int tree_teardown(void **state);

#endif
