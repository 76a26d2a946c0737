/*
 * The evidence on which it is decided whether a target may be written: all read from an open descriptor, never by a name. The
 * thread that opens the target.
 */
#ifndef LOAD_TARGET_CASE_H
#define LOAD_TARGET_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "load/target.h"
#include "load/target_family.h"
#include "load/target_mark.h"
#include "load/target_signature.h"
#include "load/target_use.h"
#include "sys/env.h"

struct device_case {
	const struct env *env;
	struct stat st;
	struct family family;
	int family_error;		/* 0, or why sysfs does not tell: -errno */
	struct uses uses;
	struct signature signature;
	struct target_facts facts;
	uint64_t diskseq;		/* which thing under this number; 0: the kernel does not say */
	uint64_t sysfs_bytes;		/* 0: not told */
	bool read_only, zoned;
	char reservation[120];		/* that other hosts may use it, in words; "" */
};

/* fd: of the device, readable, any flags. 0 or -errno (the descriptor is no block device's, or it went). */
int device_case_read(const struct env *, int fd, const char *name, struct device_case *out);
void device_case_free(struct device_case *);
/* Sets facts.holds and facts.in_use from the signature and the uses. */
void device_case_describe(struct device_case *);
/* What must be named before it is written over: the serial of a whole device, else the exact size in bytes. */
void device_case_wants(const struct device_case *, char *out, size_t size);
/* Does the text name exactly this device: its serial (whole devices), or its size in bytes? */
bool device_case_named(const struct device_case *, const char *text);
/* Is it the same device, with the same on it? */
bool device_case_same(const struct device_case *, const struct device_case *);

struct file_case {
	const struct env *env;
	struct stat st;
	uint64_t attributes;		/* STATX_ATTR_... */
	struct uses uses;
	int marked;			/* 0, or -errno: -ENODATA where it is not ours */
	struct mark mark;
	bool network;
	char superblock[80];		/* file system on it; "" */
};

int file_case_read(const struct env *, int fd, struct file_case *out);
void file_case_free(struct file_case *);

/*
 * The checks: 0, or 3 with the reason in why. All of them on every target, before it is written; the tables in target_checks.c say
 * which there are. They change nothing.
 */
int device_checks_run(const struct device_case *, char *why, size_t size);
int file_checks_run(const struct file_case *, const char *name, char *why, size_t size);
/* For jobs that only read: is it in use by anybody? The use, or NULL. */
const struct use *device_case_in_use(const struct device_case *);

#endif
