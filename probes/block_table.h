/*
 * The block devices and adapters the block probe knows, with what was read about them and how they stand
 * to each other. Inner part of the block probe; main thread.
 */
#ifndef PROBES_BLOCK_TABLE_H
#define PROBES_BLOCK_TABLE_H

#include "core/object.h"
#include "probes/block_parse.h"
#include "sys/mountinfo.h"
#include "sys/topology.h"

struct block_table;

struct block_adapter {
	char name[TOPOLOGY_NAME_MAX];
	struct object *object;			/* NULL until built */
	uint64_t uid;
	const struct block_device *device;	/* one on it; NULL: an FC host without disks */
	struct topology_adapter detail;
	bool detailed;
	bool fc_host;				/* worth a row without disks too */
	bool hidden;				/* all its devices are */
	uint64_t read_ns;			/* when the detail was read */
};

struct block_device {
	struct block_table *table;
	char name[BLOCK_NAME_MAX];
	unsigned major, minor;
	uint64_t seen;			/* number of the last read that had it */
	uint64_t cells[DISK_DIRECT];	/* of that read */
	bool dirty;			/* its facts must be read (again) */

	/* read from sysfs */
	bool partition;
	unsigned number;		/* of the partition */
	struct topology_facts facts;
	bool detailed;			/* detail is there */
	bool relabel;			/* the object does not say yet what was read */
	struct topology_detail detail;
	char state[TOPOLOGY_NAME_MAX];
	uint64_t state_ns;		/* when the state was read */
	unsigned state_reads;
	bool asked;			/* the helper has been asked for its serial number, and not answered */
	bool serial_known;		/* or known to be empty */
	bool silent;			/* and the device did not answer */

	/* derived by block_link() */
	struct block_device *whole;	/* of a partition */
	struct block_device *head;	/* of a path */
	struct block_device *below;	/* of a layer: the first thing it stands on */
	struct block_device *first_path;	/* of a head */
	struct block_adapter *adapter;
	bool counts;			/* in its adapter */
	enum object_role role;
	bool hidden;
	unsigned paths, paths_usable, paths_unknown;	/* of a head */
	bool in_memory;			/* a loop device whose file is in memory */
	const char *class_key;		/* NULL: not known */
	char *mounts;			/* NULL: none */
	uint64_t visited;

	/* what makes it this thing and no other */
	uint64_t uid;			/* 0: a new thing, not yet named */
	uint64_t generation;
	char *identity;
	struct object *object;		/* as published; NULL until built */

	/* SCSI error counters; fds -1: not open, -2: there are none */
	int error_fd, timeout_fd;
	uint64_t errors, timeouts, errors_ns;
};

struct block_table {
	const struct env *env;
	size_t n, cap;
	struct block_device **devices;	/* in the order of the last read */
	size_t n_adapters;
	struct block_adapter **adapters;
	struct block_device **slots;	/* hash of names; a power of two */
	size_t n_slots, n_used;
	uint64_t visit;
	uint64_t generation;		/* grows with every thing that goes */
	char boot_id[64];		/* "": not known */
};

void block_table_init(struct block_table *, const struct env *);
void block_table_clear(struct block_table *);

/* NULL where there is none of that name. */
struct block_device *block_table_find(const struct block_table *, const char *name, size_t len);
/* A new device, dirty; not yet in devices[]. */
struct block_device *block_table_add(struct block_table *, const char *name, size_t len);
/* devices[] is now `list` (with room for cap); those not in read number `seen` are freed. Any gone? */
bool block_table_replace(struct block_table *, struct block_device **list, size_t n, size_t cap, uint64_t seen);
struct block_adapter *block_table_adapter(struct block_table *, const char *name);

/* Reads what makes the tree of all dirty devices. Any of them? */
bool block_table_read_facts(struct block_table *);

/*
 * Who stands on whom: roles, adapters, mount points, classes; gives a uid to what is a new thing. Reads
 * only what the table has. mounts may be NULL.
 */
void block_link(struct block_table *, const struct mounts *);
typedef void block_visit(struct block_device *, void *arg);
/*
 * Calls fn for a linked device and what it stands on, each once. A head stands for its paths: there it ends.
 */
void block_walk_down(struct block_device *d, block_visit *fn, void *arg);
/* The class of a linked device, which its thresholds come from; NULL: not known. */
const char *block_class(struct block_device *);

/* Makes the object, or leaves the one there is where nothing has changed. */
void block_device_build(struct block_device *);
void block_adapter_build(struct block_adapter *);

#endif
