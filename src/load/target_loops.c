/*
 * Loop devices backed by a device or a file. The kernel holds the backing file by itself: no process has
 * it open, no holder is named, and an exclusive open succeeds.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/loop.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "load/target_use.h"
#include "sys/dirlist.h"

/* The kernel's own form of a device number: 8 low bits of the minor, 12 of the major, the rest of the minor. */
static dev_t
decode_dev(uint64_t dev)
{
	return makedev((unsigned)((dev & 0xfff00) >> 8), (unsigned)((dev & 0xff) | ((dev >> 12) & 0xfff00)));
}

/* Is this descriptor the loop device that sysfs calls so? */
static bool
is_loop(const struct env *env, int fd, const char *name)
{
	char dev[32], ours[32];
	struct stat st;

	if (fstat(fd, &st) < 0 || env_attr(env, dev, sizeof(dev), "/sys/block/%s/dev", name) <= 0)
		return false;
	snprintf(ours, sizeof(ours), "%u:%u", major(st.st_rdev), minor(st.st_rdev));
	return S_ISBLK(st.st_mode) && strcmp(dev, ours) == 0;
}

/*
 * The numbers of the backing file: right in any namespace, also where it was renamed. false where it
 * cannot be asked.
 */
static bool
ask(const struct env *env, const char *name, struct loop_info64 *out)
{
	char path[PATH_MAX];
	int fd;
	bool asked;

	snprintf(path, sizeof(path), "/dev/%s", name);
	fd = env->foreign ? -1 : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	asked = is_loop(env, fd, name) && ioctl(fd, LOOP_GET_STATUS64, out) == 0;
	close(fd);
	return asked;
}

static bool
backed_by(const struct quarry *quarry, const struct loop_info64 *info, const struct relative **relative)
{
	/* A device's own number is given for devices only. */
	mode_t mode = info->lo_rdevice != 0 ? S_IFBLK : S_IFREG;

	return quarry_is(quarry, mode, decode_dev(info->lo_device), info->lo_inode, decode_dev(info->lo_rdevice), relative);
}

/* By name, as the kernel remembers it. */
static bool
backed_by_name(const struct env *env, const struct quarry *quarry, const char *backing,
    const struct relative **relative)
{
	char full[PATH_MAX];
	struct stat st;

	if (snprintf(full, sizeof(full), "%s%s", env->root, backing) < PATH_MAX && stat(full, &st) == 0 &&
	    quarry_is(quarry, st.st_mode, st.st_dev, st.st_ino, st.st_rdev, relative))
		return true;
	*relative = quarry->family != NULL ? family_named(quarry->family, backing) : NULL;
	return *relative != NULL;
}

void
use_loops(const struct env *env, const struct quarry *quarry, struct uses *uses)
{
	const struct relative *relative;
	char backing[PATH_MAX];
	struct dirlist disks;

	if (dirlist_read(env, &disks, "/sys/block") < 0)
		return;
	for (size_t i = 0; i < disks.n; i++) {
		struct loop_info64 info;
		const char *name = disks.names[i];

		if ((quarry->not_loop != NULL && strcmp(name, quarry->not_loop) == 0) ||
		    env_attr(env, backing, sizeof(backing), "/sys/block/%s/loop/backing_file", name) <= 0)
			continue;
		/* Looking at the name may hang where the file is on a dead server: only without a better way. */
		if (ask(env, name, &info) ? backed_by(quarry, &info, &relative) :
		    backed_by_name(env, quarry, backing, &relative))
			use_add(uses, USE_LOOP, relative, "backs the loop device %s", name);
	}
	dirlist_free(&disks);
}

/* What a loop device stands on, by its numbers or by the name that sysfs gives. false where that cannot be told. */
static bool
find_backing(const struct env *env, const char *name, struct stat *out)
{
	char backing[PATH_MAX], full[PATH_MAX];
	struct loop_info64 info;

	*out = (struct stat){ .st_dev = 0 };
	if (ask(env, name, &info)) {
		out->st_mode = info.lo_rdevice != 0 ? S_IFBLK : S_IFREG;
		out->st_dev = decode_dev(info.lo_device);
		out->st_rdev = decode_dev(info.lo_rdevice);
		out->st_ino = info.lo_inode;
		return true;
	}
	return env_attr(env, backing, sizeof(backing), "/sys/block/%s/loop/backing_file", name) > 0 &&
	    snprintf(full, sizeof(full), "%s%s", env->root, backing) < PATH_MAX && stat(full, out) == 0;
}

/* The uses of what backs a loop device, but for the device itself. */
static void
add_uses(const struct env *env, const char *loop, const struct stat *st, struct uses *uses)
{
	struct family family = { .n = 0 };
	struct quarry quarry = { .file_dev = st->st_dev, .file_ino = st->st_ino, .not_loop = loop };
	struct uses found;

	if (S_ISBLK(st->st_mode)) {
		if (family_read(env, st->st_rdev, &family) < 0)
			return;
		quarry.family = &family;
	}
	uses_find(env, &quarry, &found);
	for (size_t i = 0; i < found.n; i++)
		if (found.list[i].kind != USE_OPEN || found.list[i].writing)
			use_add(uses, USE_BACKING, NULL, "what backs %s is in use: %s%s", loop,
			    found.list[i].kin == KIN_SELF ? "it " : "", found.list[i].text);
	uses_free(&found);
	family_free(&family);
}

static void
add_loop_below(const struct env *env, const char *name, unsigned depth, struct uses *uses)
{
	struct dirlist slaves;
	struct stat st;

	if (find_backing(env, name, &st)) {
		add_uses(env, name, &st, uses);
		return;
	}
	if (depth == 0 || dirlist_read(env, &slaves, "/sys/class/block/%s/slaves", name) < 0)
		return;
	for (size_t i = 0; i < slaves.n; i++)
		add_loop_below(env, slaves.names[i], depth - 1, uses);
	dirlist_free(&slaves);
}

#define STACK_MOST 8	/* layers that are followed down */

/*
 * A loop device holds nothing of what it stands on: two may share a file, or a file a virtual machine
 * runs from, and an exclusive open of the one succeeds. Layers on top hold their loop device.
 */
void
use_backing(const struct env *env, const struct family *family, struct uses *uses)
{
	for (size_t i = 0; i < family->n; i++)
		if (family->list[i].kin == KIN_SELF || family->list[i].kin == KIN_DISK)
			add_loop_below(env, family->list[i].name, STACK_MOST, uses);
}
