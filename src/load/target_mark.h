/*
 * How a test file is known to be ours: a line of text in the extended attribute user.stortop, or, where the file system has none, in
 * a block behind the area that is tested. Parsing and printing are pure.
 */
#ifndef LOAD_TARGET_MARK_H
#define LOAD_TARGET_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define MARK_ATTRIBUTE "user.stortop"
#define MARK_TEXT_MAX 512
#define MARK_BLOCK 4096		/* behind the area, without extended attributes */

struct mark {
	bool kept;		/* its run ended, with --keep; false: a run uses it, or was killed */
	bool written;		/* laid out to its end */
	bool in_attribute;	/* where it stands; false: in the block behind the area. Not part of the text */
	char boot[40];		/* /proc/sys/kernel/random/boot_id of the machine that made it */
	char host[72];		/* its name, cut, in a container with the number of its process namespace; never "" */
	uint64_t pid, start;	/* of the process, and its start in ticks after boot (/proc/PID/stat, field 22) */
	uint64_t ino;		/* of the file: a copy, mark and all, is not ours */
	uint64_t name;		/* hash of its name when it was made (mark_hash): a file that got another name is somebody's */
	uint64_t area_bytes;
	int64_t mtime_ns;	/* kept: the file's, so that one changed since is not taken for ours */
};

/* 0 or -EINVAL. Pure. */
int mark_parse(const char *text, size_t len, struct mark *out);
/* The length. Pure. */
size_t mark_print(const struct mark *, char out[static MARK_TEXT_MAX]);

/* The same of the last block of a file with so many bytes, for a mark that stands there. 0 or -ENODATA. Pure. */
int mark_of_block(const char block[static MARK_BLOCK], uint64_t file_bytes, struct mark *out);

/* FNV-1a, 64 bits. Pure. */
uint64_t mark_hash(const char *name);

/* This process, now. Fields of the file are 0. */
void mark_self(struct mark *out);
/*
 * Makes a mark of mark_self() that of a file. `before`: the mark that a file of ours already had; it never shrinks, and one that
 * grows is no longer laid out to its end. NULL: a new file. Pure.
 */
void mark_sign(struct mark *, uint64_t ino, const char *name, uint64_t area_bytes, const struct mark *before);
/*
 * Makes it the mark of a file that stays: with a time of its own, not after the file's, so that a change by anybody else is
 * noticed: whole and even seconds, as there are file systems that keep no finer ones. Pure.
 */
void mark_keep(struct mark *, bool written, int64_t mtime_s);
/* 0; -ENODATA: not ours; -errno. */
int mark_read(int fd, struct mark *out);
/*
 * 0 or -errno, in the place that in_attribute says; the file grows by the block behind area_bytes. fd: open for reading and
 * writing, without O_DIRECT. A file's time is set to mtime_ns where that is not 0.
 */
int mark_write(int fd, const struct mark *);
/*
 * Is the process that made it gone? On this machine that is known. A mark from elsewhere (another host or container, on a network
 * file system) is taken to be in use.
 */
bool mark_is_stale(const struct mark *, bool network);
/*
 * Does a file of this name belong to nobody any more, as far as its mark tells: not kept, still under the name it was made with, and
 * its run gone? What else must hold before it is removed, file_checks_run() says.
 */
bool mark_is_leftover(const struct mark *, const char *name, bool network);

#endif
