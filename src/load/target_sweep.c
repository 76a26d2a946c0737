/* Test files that killed runs left behind. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "load/target_case.h"
#include "load/target_facts.h"
#include "load/target_held.h"
#include "sys/dirlist.h"

static const struct env machine = { .root = "" };

/* In a directory with more files only those with names of our making are looked at: each look may be a trip to a server. */
#define LOOK_AT_ALL 1000

bool
target_has_our_name(const char *name)
{
	size_t len = strlen(name), suffix = strlen(TARGET_FILE_SUFFIX);

	return strncmp(name, TARGET_FILE_PREFIX, strlen(TARGET_FILE_PREFIX)) == 0 && len > suffix &&
	    strcmp(name + len - suffix, TARGET_FILE_SUFFIX) == 0;
}

static bool
has_attribute(int dir_fd, const char *name)
{
	char path[NAME_MAX + 64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", dir_fd, name);
	return lgetxattr(path, MARK_ATTRIBUTE, NULL, 0) > 0;
}

static bool
is_regular(int dir_fd, const char *name)
{
	struct stat st;

	return fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0 && S_ISREG(st.st_mode);
}

/*
 * A run in another container has another process table, but the same locks. That of a killed run is gone a moment after its process:
 * the kernel ends its ring behind it.
 */
static bool
takes_lock(int fd)
{
	const struct timespec nap = { .tv_nsec = 25000000 };

	for (int i = 0; i < 20; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return true;
		nanosleep(&nap, NULL);
	}
	return false;
}

/*
 * The same checks as before a write: what has found another use, or another name, since is no leftover. The mark is cheap, and says
 * no of most files; all the rest (who uses it, what is on it) is looked at of the others only.
 */
static bool
is_leftover(int fd, const char *name)
{
	struct file_case c;
	struct mark mark;
	char why[512];
	bool yes;

	if (mark_read(fd, &mark) != 0 || !mark_is_leftover(&mark, name, facts_network(fd)) || file_case_read(&machine, fd, &c) < 0)
		return false;
	yes = file_checks_run(&c, "", why, sizeof(why)) == 0 && mark_is_leftover(&c.mark, name, c.network);
	file_case_free(&c);
	return yes && takes_lock(fd);
}

static bool
sweep_one(int dir_fd, const char *name)
{
	struct stat ours, there;
	int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool gone;

	if (fd < 0)
		return false;
	gone = is_leftover(fd, name) && fstat(fd, &ours) == 0 && fstatat(dir_fd, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	    ours.st_dev == there.st_dev && ours.st_ino == there.st_ino && unlinkat(dir_fd, name, 0) == 0;
	close(fd);
	return gone;
}

int
target_sweep_directory(int dir_fd)
{
	struct dirlist files;
	int n = 0;

	if (dirlist_read(&machine, &files, "/proc/self/fd/%d/.", dir_fd) < 0)
		return 0;
	for (size_t i = 0; i < files.n; i++) {
		const char *name = files.names[i];

		if (!target_has_our_name(name) && (files.n > LOOK_AT_ALL || !has_attribute(dir_fd, name)))
			continue;
		if (is_regular(dir_fd, name) && sweep_one(dir_fd, name))
			n++;
	}
	dirlist_free(&files);
	return n;
}

int
target_sweep(const char *directory)
{
	int n, fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	n = target_sweep_directory(fd);
	close(fd);
	return n;
}
