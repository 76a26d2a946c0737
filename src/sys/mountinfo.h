/*
 * /proc/self/mountinfo (proc(5)): which device is mounted where. Pure; any thread.
 */
#ifndef SYS_MOUNTINFO_H
#define SYS_MOUNTINFO_H

#include <stddef.h>

struct mount {
	unsigned major, minor;	/* of st_dev: 0 and anything for tmpfs, overlay, btrfs, zfs, NFS */
	char *root;		/* the part of the file system that is mounted: "/", or a subvolume or bind */
	char *point;		/* where, unescaped: "/mnt/my disk" */
	char *fstype;		/* "ext4", "fuse.bindfs" */
	char *source;		/* "/dev/sda1", "server:/export"; may be "" */
};

struct mounts {
	size_t n;
	struct mount *list;	/* in the order of the file: a later one lies over an earlier one */
	char *text;		/* what the strings point into */
};

/* Space, tab, newline and backslash come as three octal digits behind a backslash: puts them back, in place. */
char *mount_unescape(char *text);
/* Lines that make no sense are left out. Never NULL; free with mounts_free(). */
struct mounts *mounts_parse(const char *buf, size_t len);
void mounts_free(struct mounts *);	/* NULL is fine */
/*
 * The mount that holds an absolute path without "." and "..": the longest mount point that is the path or
 * above it, the last of several. NULL where there is none. Asks no file system.
 */
const struct mount *mounts_holding(const struct mounts *, const char *path);

#endif
