#include "load/target_family.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "core/xalloc.h"
#include "sys/dirlist.h"
#include "sys/text.h"

/* 0, no device's number, where it is not told: a holder is a holder nevertheless. */
static dev_t
read_dev(const struct env *env, const char *name)
{
	char text[32];
	unsigned major, minor;

	if (env_attr(env, text, sizeof(text), "/sys/class/block/%s/dev", name) <= 0 ||
	    sscanf(text, "%u:%u", &major, &minor) != 2)
		return 0;
	return makedev(major, minor);
}

static bool
is_partition(const struct env *env, const char *name)
{
	char text[32];

	return env_attr(env, text, sizeof(text), "/sys/class/block/%s/partition", name) > 0;
}

static const struct relative *
find_name(const struct family *family, const char *name)
{
	for (size_t i = 0; i < family->n; i++)
		if (strcmp(family->list[i].name, name) == 0)
			return &family->list[i];
	return NULL;
}

/* false where it is in it already. */
static bool
add(const struct env *env, struct family *family, const char *name, enum kin kin)
{
	struct relative relative = { .dev = read_dev(env, name), .kin = kin };

	text_copy(relative.name, sizeof(relative.name), name);
	if (find_name(family, relative.name) != NULL)
		return false;
	family->list = xreallocarray(family->list, family->n + 1, sizeof(*family->list));
	family->list[family->n++] = relative;
	return true;
}

static void add_whole(const struct env *, struct family *, const char *name, enum kin);

/* One, and what stands on it. */
static void
add_with_holders(const struct env *env, struct family *family, const char *name, enum kin kin)
{
	struct dirlist holders;

	if (!add(env, family, name, kin) || dirlist_read(env, &holders, "/sys/class/block/%s/holders", name) < 0)
		return;
	for (size_t i = 0; i < holders.n; i++)
		add_whole(env, family, holders.names[i], KIN_HOLDER);
	dirlist_free(&holders);
}

/* One with its partitions, and what stands on any of them. */
static void
add_whole(const struct env *env, struct family *family, const char *name, enum kin kin)
{
	struct dirlist entries;

	add_with_holders(env, family, name, kin);
	if (dirlist_read(env, &entries, "/sys/class/block/%s", name) < 0)
		return;
	for (size_t i = 0; i < entries.n; i++)
		if (is_partition(env, entries.names[i]))
			add_with_holders(env, family, entries.names[i], kin == KIN_SELF ? KIN_PARTITION : kin);
	dirlist_free(&entries);
}

/* The WWN of a whole disk; only forms that name one LUN in the world ("t10." may be just a model's name). */
static bool
read_wwn(const struct env *env, const char *disk, char *out, size_t size)
{
	static const char *const unique[] = { "naa.", "eui.", "uuid.", "nvme." };

	if (env_attr(env, out, size, "/sys/class/block/%s/wwid", disk) <= 0 &&
	    env_attr(env, out, size, "/sys/class/block/%s/device/wwid", disk) <= 0)
		return false;
	for (size_t i = 0; i < sizeof(unique) / sizeof(unique[0]); i++)
		if (strncmp(out, unique[i], strlen(unique[i])) == 0)
			return true;
	return false;
}

static bool
dirlist_has(const struct dirlist *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->names[i], name) == 0)
			return true;
	return false;
}

/* The partition of a twin that lies where ours lies. */
static void
add_twin_partition(const struct env *env, struct family *family, const char *twin, const char *ours)
{
	char start[32], other[32];
	struct dirlist entries;

	if (env_attr(env, start, sizeof(start), "/sys/class/block/%s/start", ours) <= 0 ||
	    dirlist_read(env, &entries, "/sys/class/block/%s", twin) < 0)
		return;
	for (size_t i = 0; i < entries.n; i++)
		if (env_attr(env, other, sizeof(other), "/sys/class/block/%s/start", entries.names[i]) > 0 &&
		    strcmp(start, other) == 0)
			add_with_holders(env, family, entries.names[i], KIN_TWIN);
	dirlist_free(&entries);
}

/* Whole disks of this WWN. */
static void
find_twins(const struct env *env, const char *wwn, struct dirlist *out)
{
	struct dirlist disks;
	char other[256];

	*out = (struct dirlist){ .n = 0 };
	if (dirlist_read(env, &disks, "/sys/block") < 0)
		return;
	for (size_t i = 0; i < disks.n; i++) {
		if (!read_wwn(env, disks.names[i], other, sizeof(other)) || strcmp(wwn, other) != 0)
			continue;
		out->names = xreallocarray(out->names, out->n + 1, sizeof(*out->names));
		out->names[out->n++] = xstrdup(disks.names[i]);
	}
	dirlist_free(&disks);
}

/* Devices of the same WWN under other names. */
static void
add_twins_of(const struct env *env, struct family *family, const struct dirlist *below, const char *disk,
    const char *partition)
{
	struct dirlist twins;
	char wwn[256];

	if (!read_wwn(env, disk, wwn, sizeof(wwn)))
		return;
	find_twins(env, wwn, &twins);
	for (size_t i = 0; i < twins.n; i++) {
		const char *twin = twins.names[i];

		if (dirlist_has(below, twin))
			continue;
		if (partition == NULL) {
			add_whole(env, family, twin, KIN_TWIN);
		} else {
			add_with_holders(env, family, twin, KIN_TWIN);
			add_twin_partition(env, family, twin, partition);
		}
	}
	dirlist_free(&twins);
}

/* The disk, or the array or map, and all that it is made of. */
static void
add_below(const struct env *env, struct dirlist *below, const char *name)
{
	struct dirlist slaves;

	if (dirlist_has(below, name))
		return;
	below->names = xreallocarray(below->names, below->n + 1, sizeof(*below->names));
	below->names[below->n++] = xstrdup(name);
	if (dirlist_read(env, &slaves, "/sys/class/block/%s/slaves", name) < 0)
		return;
	for (size_t i = 0; i < slaves.n; i++)
		add_below(env, below, slaves.names[i]);
	dirlist_free(&slaves);
}

/*
 * Two paths to one LUN without multipath on top: the kernel does not know that a mount of the one is a
 * mount of the other, and an exclusive open of the other succeeds. With it, the paths are known as what
 * the map is made of, and belong to it.
 */
static void
add_twins(const struct env *env, struct family *family, const char *disk, const char *partition)
{
	struct dirlist below = { .n = 0 };

	add_below(env, &below, disk);
	add_twins_of(env, family, &below, disk, partition);
	for (size_t i = 1; i < below.n; i++)
		add_twins_of(env, family, &below, below.names[i], NULL);
	dirlist_free(&below);
}

/* Last part of a path, and of the one above it. */
static const char *
cut_last(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash == NULL)
		return path;
	*slash = '\0';
	return slash + 1;
}

int
family_read(const struct env *env, dev_t dev, struct family *out)
{
	char link[PATH_MAX];
	const char *name, *disk;
	long len;

	*out = (struct family){ .n = 0 };
	len = env_link(env, link, sizeof(link), "/sys/dev/block/%u:%u", major(dev), minor(dev));
	if (len < 0)
		return (int)len;
	name = cut_last(link);
	if (is_partition(env, name)) {
		disk = cut_last(link);
		add_with_holders(env, out, name, KIN_SELF);
		add_with_holders(env, out, disk, KIN_DISK);
		add_twins(env, out, disk, name);
	} else {
		add_whole(env, out, name, KIN_SELF);
		add_twins(env, out, name, NULL);
	}
	/* The name went to another device while we looked. */
	if (out->n == 0 || out->list[0].dev != dev) {
		family_free(out);
		return -ENOENT;
	}
	return 0;
}

void
family_of_wwn(const struct env *env, const char *wwn, struct family *out)
{
	struct dirlist twins;

	*out = (struct family){ .n = 0 };
	find_twins(env, wwn, &twins);
	for (size_t i = 0; i < twins.n; i++)
		add_whole(env, out, twins.names[i], KIN_TWIN);
	dirlist_free(&twins);
}

void
family_free(struct family *family)
{
	free(family->list);
	*family = (struct family){ .n = 0 };
}

const struct relative *
family_find(const struct family *family, dev_t dev)
{
	for (size_t i = 0; i < family->n; i++)
		if (family->list[i].dev == dev && dev != 0)
			return &family->list[i];
	return NULL;
}

const struct relative *
family_named(const struct family *family, const char *path)
{
	char name[TOPOLOGY_NAME_MAX];

	if (strncmp(path, "/dev/", 5) != 0)
		return NULL;
	text_copy(name, sizeof(name), path + 5);
	for (char *p = name; (p = strchr(p, '/')) != NULL;)
		*p = '!';
	return find_name(family, name);
}

void
relative_words(const struct relative *relative, char *out, size_t size)
{
	static const char *const before[] = {
		[KIN_SELF] = "", [KIN_PARTITION] = "its partition ", [KIN_DISK] = "its disk ", [KIN_HOLDER] = "",
		[KIN_TWIN] = "the same LUN by another path (",
	}, *const behind[] = {
		[KIN_SELF] = "", [KIN_PARTITION] = " ", [KIN_DISK] = " ", [KIN_HOLDER] = ", made of it, ", [KIN_TWIN] = ") ",
	};

	snprintf(out, size, "%s%s%s", before[relative->kin], relative->kin != KIN_SELF ? relative->name : "",
	    behind[relative->kin]);
	for (char *p = out; (p = strchr(p, '!')) != NULL;)
		*p = '/';
}
