/*
 * Processes that have a device or a file open: an exclusive open does not notice those that opened it
 * without O_EXCL (a backup, a virtual machine, an iSCSI target).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "load/target_use.h"
#include "sys/dirlist.h"
#include "sys/text.h"

struct opener {
	const struct env *env;
	const struct quarry *quarry;
	struct uses *uses;
	const char *pid;
};

static bool
is_number(const char *text)
{
	return text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
}

/* Names are given by whoever runs it: nothing but printable characters may come through. */
static void
command_name(const struct opener *opener, char *out, size_t size)
{
	if (env_attr(opener->env, out, size, "/proc/%s/comm", opener->pid) <= 0)
		text_copy(out, size, "a process");
	for (char *p = out; *p != '\0'; p++)
		if ((unsigned char)*p < ' ' || *p == 127)
			*p = '?';
}

/*
 * Asks what an open file is without asking its server: a descriptor of a file on a dead NFS server must
 * not hang us (AT_STATX_DONT_SYNC).
 */
static bool
is_quarry(const struct opener *opener, int dir, const char *fd, const struct relative **relative)
{
	struct statx st;

	if (statx(dir, fd, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_TYPE | STATX_INO, &st) < 0)
		return false;
	return quarry_is(opener->quarry, st.stx_mode, makedev(st.stx_dev_major, st.stx_dev_minor), st.stx_ino,
	    makedev(st.stx_rdev_major, st.stx_rdev_minor), relative);
}

/* The link's own permissions are the mode it was opened with. */
static bool
opened_for_writing(int dir, const char *fd)
{
	struct stat st;

	return fstatat(dir, fd, &st, AT_SYMLINK_NOFOLLOW) == 0 && (st.st_mode & S_IWUSR) != 0;
}

static void
report(const struct opener *opener, const struct relative *relative, bool writing)
{
	char command[64];

	command_name(opener, command, sizeof(command));
	use_add(opener->uses, USE_OPEN, relative, "is open in process %s (pid %s)%s", command, opener->pid,
	    writing ? " for writing" : "");
	opener->uses->list[opener->uses->n - 1].writing = writing;
}

/* How many descriptors there are, or -errno. A process is named once, for writing if it has it open so. */
static int
scan_descriptors(const struct opener *opener, const char *path)
{
	const struct relative *found = NULL, *relative;
	const struct dirent *entry;
	bool hit = false, writing = false;
	DIR *dir = opendir(path);
	int n = 0;

	if (dir == NULL)
		return -errno;
	while ((entry = readdir(dir)) != NULL) {
		if (!is_number(entry->d_name))
			continue;
		n++;
		if (!is_quarry(opener, dirfd(dir), entry->d_name, &relative))
			continue;
		hit = true;
		found = relative;
		writing = writing || opened_for_writing(dirfd(dir), entry->d_name);
	}
	closedir(dir);
	if (hit)
		report(opener, found, writing);
	return n;
}

/* A process whose first thread has ended shows its descriptors only through the others. */
static void
scan_threads(const struct opener *opener)
{
	char path[PATH_MAX];
	struct dirlist threads;

	if (dirlist_read(opener->env, &threads, "/proc/%s/task", opener->pid) < 0)
		return;
	for (size_t i = 0; i < threads.n; i++) {
		snprintf(path, sizeof(path), "%s/proc/%s/task/%s/fd", opener->env->root, opener->pid, threads.names[i]);
		if (strcmp(threads.names[i], opener->pid) != 0 && scan_descriptors(opener, path) > 0)
			break;
	}
	dirlist_free(&threads);
}

static void
scan_process(const struct opener *opener)
{
	char path[PATH_MAX];
	int n;

	snprintf(path, sizeof(path), "%s/proc/%s/fd", opener->env->root, opener->pid);
	n = scan_descriptors(opener, path);
	if (n == 0)
		scan_threads(opener);
	if (n == -EACCES || n == -EPERM)
		use_blind(opener->uses, "open files of process %s cannot be seen (%s): run as root", opener->pid,
		    strerror(-n));
}

/*
 * With hidepid the processes of others are not even listed: only who can look into process 1 sees all
 * there are to see.
 */
static void
check_sight(const struct env *env, struct uses *uses)
{
	char path[PATH_MAX];
	DIR *dir;

	snprintf(path, sizeof(path), "%s/proc/1/fd", env->root);
	dir = opendir(path);
	if (dir == NULL)
		use_blind(uses, "open files of other processes cannot be seen (/proc/1/fd: %s): run as root",
		    strerror(errno));
	else
		closedir(dir);
}

void
use_openers(const struct env *env, const struct quarry *quarry, struct uses *uses)
{
	struct opener opener = { .env = env, .quarry = quarry, .uses = uses };
	struct dirlist processes;
	char self[32];
	int error = dirlist_read(env, &processes, "/proc");

	if (error < 0) {
		use_blind(uses, "open files of other processes cannot be seen: /proc: %s", strerror(-error));
		return;
	}
	if (env_link(env, self, sizeof(self), "/proc/self") < 0)
		self[0] = '\0';
	check_sight(env, uses);
	for (size_t i = 0; i < processes.n; i++) {
		opener.pid = processes.names[i];
		if (is_number(opener.pid) && strcmp(opener.pid, self) != 0)
			scan_process(&opener);
	}
	dirlist_free(&processes);
}
