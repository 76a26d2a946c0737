/*
 * All block devices that share bytes with one: its partitions, its disk, whatever stands on them, and the same LUN under another
 * name. What any of them is used for forbids writing to the one. From sysfs below the root; asks no device. Any thread.
 */
#ifndef LOAD_TARGET_FAMILY_H
#define LOAD_TARGET_FAMILY_H

#include <stddef.h>
#include <sys/types.h>

#include "sys/env.h"
#include "sys/topology.h"

enum kin {
	KIN_SELF,
	KIN_PARTITION,	/* of the device */
	KIN_DISK,	/* the one that the partition is on */
	KIN_HOLDER,	/* stands on one of the others: md, dm, bcache ..., and so on upwards */
	KIN_TWIN,	/* another path to the same LUN: same WWN */
};

struct relative {
	char name[TOPOLOGY_NAME_MAX];	/* as sysfs spells it: '!' for '/' */
	dev_t dev;
	enum kin kin;
};

struct family {
	size_t n;
	struct relative *list;	/* the device itself first */
};

/* 0 or -errno; -ENOENT: sysfs does not know the device, or is not there. *out is empty then. */
int family_read(const struct env *, dev_t, struct family *out);
/* Of a LUN that is reached otherwise: the devices here that are paths to it, by its WWN ("naa.6001405..."), and what stands on them. */
void family_of_wwn(const struct env *, const char *wwn, struct family *out);
void family_free(struct family *);
/* NULL where it is none of them. */
const struct relative *family_find(const struct family *, dev_t);
/* By the last part of a path ("/dev/sdb1"); for sources that cannot be looked at. */
const struct relative *family_named(const struct family *, const char *path);
/* "" for the device itself, "its partition sdb1 ", "its disk sdb ", ...: to begin a sentence ("is mounted on /srv"). */
void relative_words(const struct relative *, char *out, size_t size);

#endif
