/* Mounts of a device, in this mount namespace and in all others. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "core/xalloc.h"
#include "load/target_use.h"
#include "sys/dirlist.h"
#include "sys/mountinfo.h"

/* Namespaces that were looked at, each with the root it was seen from: below a chroot only a part is shown. */
struct seen {
	size_t n;
	char **keys;
};

/* true where it is new. */
static bool
see(struct seen *seen, const char *key)
{
	for (size_t i = 0; i < seen->n; i++)
		if (strcmp(seen->keys[i], key) == 0)
			return false;
	seen->keys = xreallocarray(seen->keys, seen->n + 1, sizeof(*seen->keys));
	seen->keys[seen->n++] = xstrdup(key);
	return true;
}

static void
seen_free(struct seen *seen)
{
	for (size_t i = 0; i < seen->n; i++)
		free(seen->keys[i]);
	free(seen->keys);
}

/* The device's number as the root sees it: what the source of an anonymous file system names. */
static const struct relative *
by_source(const struct env *env, const struct family *family, const char *source)
{
	const struct relative *relative = NULL;
	struct quarry quarry = { .family = family };
	char full[PATH_MAX];
	struct stat st;

	if (strncmp(source, "/dev/", 5) != 0 || snprintf(full, sizeof(full), "%s%s", env->root, source) >= PATH_MAX)
		return NULL;
	if (stat(full, &st) == 0 && quarry_is(&quarry, st.st_mode, st.st_dev, st.st_ino, st.st_rdev, &relative))
		return relative;
	return family_named(family, source);
}

/* st_dev of btrfs and others is no device's: then the source says which. */
static const struct relative *
mounted_relative(const struct env *env, const struct family *family, const struct mount *mount)
{
	if (mount->major != 0)
		return family_find(family, makedev(mount->major, mount->minor));
	return by_source(env, family, mount->source);
}

/* One mountinfo; who: NULL for our own, else a process of the namespace. */
static long
look(const struct env *env, const struct family *family, const char *path, const char *who, struct uses *uses)
{
	char *buf = NULL;
	struct mounts *mounts;
	size_t cap = 0;
	long len = env_read(env, path, &buf, &cap);

	if (len >= 0) {
		mounts = mounts_parse(buf, (size_t)len);
		for (size_t i = 0; i < mounts->n; i++) {
			const struct relative *relative = mounted_relative(env, family, &mounts->list[i]);

			if (relative != NULL && who == NULL)
				use_add(uses, USE_MOUNT, relative, "is mounted on %s", mounts->list[i].point);
			else if (relative != NULL)
				use_add(uses, USE_MOUNT, relative, "is mounted on %s in the mount namespace of process %s",
				    mounts->list[i].point, who);
		}
		mounts_free(mounts);
	}
	free(buf);
	return len;
}

/* "mnt:[4026531841] /"; 0 or -errno. */
static long
namespace_key(const struct env *env, const char *pid, char *out, size_t size)
{
	char ns[64], root[PATH_MAX];
	long len = env_link(env, ns, sizeof(ns), "/proc/%s/ns/mnt", pid);

	if (len < 0)
		return len;
	if (env_link(env, root, sizeof(root), "/proc/%s/root", pid) < 0)
		strcpy(root, "/");
	snprintf(out, size, "%s %s", ns, root);
	return 0;
}

static void
look_at_process(const struct env *env, const struct family *family, const char *pid, struct seen *seen,
    struct uses *uses)
{
	char key[PATH_MAX + 80], path[64];

	/* A process that ended meanwhile, or one of somebody else: their openers' check tells the difference. */
	if (namespace_key(env, pid, key, sizeof(key)) < 0 || !see(seen, key))
		return;
	snprintf(path, sizeof(path), "/proc/%s/mountinfo", pid);
	look(env, family, path, pid, uses);
}

/*
 * A mounted btrfs names all its devices, also those that no mount's source names. The directory is there
 * as long as it is mounted anywhere.
 */
static void
look_at_btrfs(const struct env *env, const struct family *family, struct uses *uses)
{
	struct dirlist systems;
	char link[PATH_MAX];

	if (uses_first(uses, USE_MOUNT) != NULL || dirlist_read(env, &systems, "/sys/fs/btrfs") < 0)
		return;
	for (size_t i = 0; i < systems.n; i++)
		for (size_t k = 0; k < family->n; k++)
			if (env_link(env, link, sizeof(link), "/sys/fs/btrfs/%s/devices/%s", systems.names[i],
			    family->list[k].name) >= 0)
				use_add(uses, USE_MOUNT, &family->list[k], "is part of a mounted btrfs (%s)",
				    systems.names[i]);
	dirlist_free(&systems);
}

void
use_mounts(const struct env *env, const struct quarry *quarry, struct uses *uses)
{
	struct seen seen = { .n = 0 };
	char key[PATH_MAX + 80];
	struct dirlist processes;
	long len;

	if (quarry->family == NULL)
		return;
	len = look(env, quarry->family, "/proc/self/mountinfo", NULL, uses);
	if (len < 0)
		use_blind(uses, "mounts cannot be seen: /proc/self/mountinfo: %s", strerror((int)-len));
	if (namespace_key(env, "self", key, sizeof(key)) == 0)
		see(&seen, key);
	if (dirlist_read(env, &processes, "/proc") == 0) {
		for (size_t i = 0; i < processes.n; i++)
			if (strspn(processes.names[i], "0123456789") == strlen(processes.names[i]))
				look_at_process(env, quarry->family, processes.names[i], &seen, uses);
		dirlist_free(&processes);
	}
	look_at_btrfs(env, quarry->family, uses);
	seen_free(&seen);
}
