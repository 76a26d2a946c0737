/*
 * Who uses a device or a file: mounts (of every mount namespace), what stands on it, swap, loop devices, exports, processes that
 * have it open. Below the root, so that a recorded machine can be asked. The thread that opens the target; reads /proc and
 * /sys, and asks loop devices (never the storage itself).
 */
#ifndef LOAD_TARGET_USE_H
#define LOAD_TARGET_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "load/target_family.h"
#include "sys/env.h"

enum use_kind { USE_MOUNT, USE_HOLDER, USE_SWAP, USE_LOOP, USE_EXPORT, USE_BACKING, USE_OPEN };

struct use {
	enum use_kind kind;
	enum kin kin;		/* of the relative that is used */
	bool writing;		/* USE_OPEN: for writing */
	char text[240];		/* "its partition sdb1 is mounted on /srv" */
};

struct uses {
	size_t n;
	struct use *list;
	char blind[160];	/* what could not be looked at, and so proves nothing; "" */
};

/* What is looked for: a device with its relatives, or a file. */
struct quarry {
	const struct family *family;	/* NULL: a file */
	dev_t file_dev;
	ino_t file_ino;
	const char *not_loop;		/* a loop device that may be backed by it; NULL: none */
};

void uses_find(const struct env *, const struct quarry *, struct uses *out);
void uses_free(struct uses *);
/* The first of a kind; NULL. */
const struct use *uses_first(const struct uses *, enum use_kind);

/* For the parts of it. */
void use_add(struct uses *, enum use_kind, const struct relative *, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Says that something could not be seen; the first one is kept. */
void use_blind(struct uses *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The relative that an open file or a name stands for; NULL with *hit false where it is none; a file has none either. */
bool quarry_is(const struct quarry *, mode_t mode, dev_t dev, ino_t ino, dev_t rdev, const struct relative **out);
void use_mounts(const struct env *, const struct quarry *, struct uses *);
void use_openers(const struct env *, const struct quarry *, struct uses *);
void use_loops(const struct env *, const struct quarry *, struct uses *);
/* Loop devices are as much in use as what backs them: other uses of that (USE_BACKING). */
void use_backing(const struct env *, const struct family *, struct uses *);

#endif
