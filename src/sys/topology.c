#include "sys/topology.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "sys/dirlist.h"
#include "sys/udevdb.h"

#define SYSFS_SECTOR 512	/* of `size`, whatever the device's own sectors are */

/* As sysfs spells a device's name: '!' for '/'. */
static void
sysfs_name(const char *name, char out[static TOPOLOGY_NAME_MAX])
{
	snprintf(out, TOPOLOGY_NAME_MAX, "%s", name);
	for (char *p = out; (p = strchr(p, '/')) != NULL;)
		*p = '!';
}

/*
 * Recorded trees may have an attribute beside the link that the kernel has behind it, so under a
 * foreign root /sys/block/NAME is tried too.
 */
static long
read_attr(const struct env *env, char *out, size_t size, const char *dir, const char *sysname, const char *attr)
{
	long len = dir != NULL ? env_attr(env, out, size, "%s/%s", dir, attr) : -ENOENT;

	if (len < 0 && env->foreign && sysname != NULL)
		len = env_attr(env, out, size, "/sys/block/%s/%s", sysname, attr);
	if (len < 0)
		out[0] = '\0';
	return len;
}

static uint64_t
read_number(const struct env *env, const char *dir, const char *sysname, const char *attr, uint64_t otherwise)
{
	char text[32], *end;
	unsigned long long value;

	if (read_attr(env, text, sizeof(text), dir, sysname, attr) <= 0 || text[0] == '-')
		return otherwise;
	errno = 0;
	value = strtoull(text, &end, 10);
	return end != text && errno == 0 ? value : otherwise;
}

/* NULL where it is not there or empty. */
static char *
read_string(const struct env *env, const char *dir, const char *sysname, const char *attr)
{
	char text[512];

	return read_attr(env, text, sizeof(text), dir, sysname, attr) > 0 ? xstrdup(text) : NULL;
}

/*
 * Where the link of a whole disk leads. Some recorded trees have a directory with the link inside.
 * -errno; -ENOENT: no disk.
 */
static long
disk_link(const struct env *env, const char *sysname, char *out, size_t size)
{
	long len = env_link(env, out, size, "/sys/block/%s", sysname);

	if (len == -EINVAL && env_link(env, out, size, "/sys/block/%s/%s", sysname, sysname) > 0)
		return (long)strlen(out);
	return len;
}

bool
topology_is_disk(const struct env *env, const char *name)
{
	char link[PATH_MAX], sysname[TOPOLOGY_NAME_MAX];
	long len;

	sysfs_name(name, sysname);
	len = env_link(env, link, sizeof(link), "/sys/block/%s", sysname);
	return len > 0 || len == -EINVAL;
}

static void
take_path(struct topology_facts *facts, const struct topology_path *path)
{
	facts->bus = path->bus;
	facts->dir = xasprintf("/sys/%s", path->devices);
	if (path->device_len > 0 && path->bus != BUS_VIRTUAL)
		facts->device_dir = xasprintf("/sys/%.*s", (int)path->device_len, path->devices);
	if (path->adapter_len > 0)
		facts->adapter_dir = xasprintf("/sys/%.*s", (int)path->adapter_len, path->devices);
	if (path->adapter[0] != '\0')
		strcpy(facts->adapter, path->adapter);
	strcpy(facts->address, path->address);
	strcpy(facts->pci, path->pci);
	strcpy(facts->session, path->session);
	facts->transport = path->transport;
}

/* What a tree without links tells of the bus: nothing but the name. */
static enum topology_bus
bus_by_name(const struct topology_family *family)
{
	if (strcmp(family->prefix, "nvme") == 0)
		return BUS_NVME;
	if (strcmp(family->prefix, "sd") == 0 || strcmp(family->prefix, "sr") == 0)
		return BUS_SCSI;
	if (strcmp(family->prefix, "vd") == 0)
		return BUS_VIRTIO;
	return BUS_OTHER;
}

static void
read_place(const struct env *env, const char *sysname, struct topology_facts *facts)
{
	char link[PATH_MAX];
	struct topology_path path;
	long len = disk_link(env, sysname, link, sizeof(link));

	if (len > 0 && topology_parse_path(link, &path)) {
		take_path(facts, &path);
		return;
	}
	facts->bus = bus_by_name(facts->family);
	if (len > 0 || len == -EINVAL) {
		facts->dir = xasprintf("/sys/block/%s", sysname);
		facts->device_dir = xasprintf("/sys/block/%s/device", sysname);
	}
}

/* The names in slaves/, in order; NULL where there is no such directory. */
static char *
read_slaves(const struct env *env, const char *dir)
{
	struct dirlist list;
	size_t len = 1;
	char *text, *p;

	if (dirlist_read(env, &list, "%s/slaves", dir) < 0)
		return NULL;
	for (size_t i = 0; i < list.n; i++)
		len += strlen(list.names[i]) + 1;
	p = text = xmalloc(len);
	for (size_t i = 0; i < list.n; i++)
		p += sprintf(p, "%s%s", i > 0 ? " " : "", list.names[i]);
	*p = '\0';
	for (p = text; (p = strchr(p, '!')) != NULL;)
		*p = '/';
	dirlist_free(&list);
	return text;
}

/* "t10.ATA     ST4000NM0035  ZC13XYZ1" is padded as on the wire. */
static char *
squeeze(char *text)
{
	char *out = text;

	for (const char *p = text; text != NULL && *p != '\0'; p++)
		if (*p != ' ' || (out > text && out[-1] != ' '))
			*out++ = *p;
	if (text != NULL)
		*out = '\0';
	return text;
}

/* dm-multipath names a map after the WWN of its paths, with the designator type in front. */
static char *
wwn_of_map(const char *uuid)
{
	if (uuid == NULL || strncmp(uuid, "mpath-", 6) != 0)
		return NULL;
	if (uuid[6] == '3' && uuid[7] != '\0')
		return xasprintf("naa.%s", uuid + 7);
	return uuid[6] == '2' && uuid[7] != '\0' ? xasprintf("eui.%s", uuid + 7) : NULL;
}

static char *
read_wwn(const struct env *env, const char *sysname, const struct topology_facts *facts)
{
	switch (facts->bus) {
	case BUS_SCSI:
		return squeeze(read_string(env, facts->device_dir, NULL, "wwid"));
	case BUS_NVME:
	case BUS_NVME_HEAD:
		return squeeze(read_string(env, facts->dir, sysname, "wwid"));
	case BUS_MMC:
		return read_string(env, facts->device_dir, NULL, "cid");
	default:
		return wwn_of_map(facts->uuid);
	}
}

/* sysfs has no WWN of these; udev may have asked the device. Costs an open, so not for what is virtual. */
static void
read_udev_identity(const struct env *env, unsigned major, unsigned minor, struct topology_facts *facts)
{
	char path[64], *buf = NULL;
	struct udevdb db;
	size_t cap = 0;
	long len;

	if (facts->wwn != NULL || facts->bus == BUS_VIRTUAL || (major == 0 && minor == 0))
		return;
	snprintf(path, sizeof(path), "/run/udev/data/b%u:%u", major, minor);
	len = env_read(env, path, &buf, &cap);
	if (len > 0) {
		udevdb_parse(buf, (size_t)len, &db);
		facts->wwn = db.wwn[0] != '\0' ? xstrdup(db.wwn) : NULL;
		facts->serial = db.serial[0] != '\0' ? xstrdup(db.serial) : NULL;
	}
	free(buf);
}

static void
read_below(const struct env *env, const char *sysname, struct topology_facts *facts)
{
	const char *prefix = facts->family->prefix;

	if (facts->family->flags & FAMILY_STACK)
		facts->slaves = read_slaves(env, facts->dir);
	if (strcmp(prefix, "dm-") == 0) {
		facts->mapper = read_string(env, facts->dir, sysname, "dm/name");
		facts->uuid = read_string(env, facts->dir, sysname, "dm/uuid");
	} else if (strcmp(prefix, "loop") == 0) {
		facts->backing = read_string(env, facts->dir, sysname, "loop/backing_file");
	}
}

static uint64_t
read_size(const struct env *env, const char *dir, const char *sysname)
{
	uint64_t sectors = read_number(env, dir, sysname, "size", UINT64_MAX);

	return sectors <= UINT64_MAX / SYSFS_SECTOR ? sectors * SYSFS_SECTOR : UINT64_MAX;
}

void
topology_read(const struct env *env, const char *name, unsigned major, unsigned minor, struct topology_facts *out)
{
	char sysname[TOPOLOGY_NAME_MAX];

	*out = (struct topology_facts){ .family = topology_family(name), .size_bytes = UINT64_MAX };
	topology_adapter_of(name, out->adapter);
	sysfs_name(name, sysname);
	read_place(env, sysname, out);
	if (out->dir != NULL) {
		read_below(env, sysname, out);
		out->size_bytes = read_size(env, out->dir, sysname);
		out->diskseq = read_number(env, out->dir, sysname, "diskseq", 0);
		out->wwn = read_wwn(env, sysname, out);
	}
	read_udev_identity(env, major, minor, out);
}

void
topology_read_partition(const struct env *env, const char *name, const struct topology_facts *disk,
    struct topology_facts *out)
{
	char sysname[TOPOLOGY_NAME_MAX];

	*out = (struct topology_facts){
		.family = disk->family,
		.bus = disk->bus,
		.transport = disk->transport,
		.size_bytes = UINT64_MAX,
		.diskseq = disk->diskseq,
	};
	if (disk->dir == NULL)
		return;
	sysfs_name(name, sysname);
	out->dir = xasprintf("%s/%s", disk->dir, sysname);
	out->size_bytes = read_size(env, out->dir, NULL);
}

void
topology_facts_clear(struct topology_facts *facts)
{
	free(facts->dir);
	free(facts->device_dir);
	free(facts->adapter_dir);
	free(facts->wwn);
	free(facts->serial);
	free(facts->slaves);
	free(facts->mapper);
	free(facts->uuid);
	free(facts->backing);
	*facts = (struct topology_facts){ .size_bytes = UINT64_MAX };
}

/* What one of them does not tell is no difference: udev may not have written its database yet. */
static bool
other_text(const char *a, const char *b)
{
	return a != NULL && b != NULL && strcmp(a, b) != 0;
}

bool
topology_same_thing(const struct topology_facts *a, const struct topology_facts *b)
{
	bool other_file = (a->backing == NULL) != (b->backing == NULL) || other_text(a->backing, b->backing);
	bool other_seq = a->diskseq != 0 && b->diskseq != 0 && a->diskseq != b->diskseq;

	return !other_seq && !other_file && !other_text(a->wwn, b->wwn) && !other_text(a->uuid, b->uuid) &&
	    !other_text(a->serial, b->serial) && !other_text(a->dir, b->dir);
}
