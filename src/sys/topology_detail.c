#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/dirlist.h"
#include "sys/text.h"
#include "sys/topology.h"
#include "sys/udevdb.h"

static long
read_long(const struct env *env, const char *dir, const char *attr)
{
	char text[32], *end;
	long value;

	if (dir == NULL || env_attr(env, text, sizeof(text), "%s/%s", dir, attr) <= 0)
		return -1;
	value = strtol(text, &end, 10);
	return end != text && value >= 0 ? value : -1;
}

static void
read_text(const struct env *env, char *out, size_t size, const char *dir, const char *attr)
{
	if (dir == NULL || env_attr(env, out, size, "%s/%s", dir, attr) < 0)
		out[0] = '\0';
}

/*
 * The unit serial number page as the kernel fetched it when it found the device (SPC-4, 7.8.15): four
 * bytes of header, then text padded with blanks.
 */
static void
read_scsi_serial(const struct env *env, const char *device_dir, char *out, size_t size)
{
	char page[TOPOLOGY_TEXT_MAX];
	long len = env_attr(env, page, sizeof(page), "%s/vpd_pg80", device_dir);
	size_t n = 0;

	for (long i = 4; i < len && n + 1 < size; i++)
		if (page[i] > ' ' && page[i] <= '~')
			out[n++] = page[i];
	out[n] = '\0';
}

static void
read_scsi(const struct env *env, const struct topology_facts *facts, struct topology_detail *out)
{
	const char *dir = facts->device_dir;

	if (dir == NULL)
		return;
	read_text(env, out->vendor, sizeof(out->vendor), dir, "vendor");
	read_text(env, out->model, sizeof(out->model), dir, "model");
	out->queue_depth = read_long(env, dir, "queue_depth");
	read_scsi_serial(env, dir, out->serial, sizeof(out->serial));
}

static void
read_nvme(const struct env *env, const struct topology_facts *facts, struct topology_detail *out)
{
	read_text(env, out->model, sizeof(out->model), facts->device_dir, "model");
	read_text(env, out->serial, sizeof(out->serial), facts->device_dir, "serial");
}

static void
read_mmc(const struct env *env, const struct topology_facts *facts, struct topology_detail *out)
{
	read_text(env, out->model, sizeof(out->model), facts->device_dir, "name");
	read_text(env, out->serial, sizeof(out->serial), facts->device_dir, "serial");
}

/* A device-mapper device tells what it is only by who made it. */
static const char *
mapper_level(const char *uuid)
{
	static const struct {
		const char *prefix, *level;
	} makers[] = {
		{ "LVM-", "lvm" }, { "CRYPT-", "crypt" }, { "mpath-", "multipath" }, { "part", "partition" },
		{ "DMRAID-", "dmraid" }, { "stratis-", "stratis" }, { "VERITY-", "verity" }, { "VDO-", "vdo" },
	};

	for (size_t i = 0; uuid != NULL && i < sizeof(makers) / sizeof(makers[0]); i++)
		if (strncmp(uuid, makers[i].prefix, strlen(makers[i].prefix)) == 0)
			return makers[i].level;
	return "";
}

/* Arrays have numbers; people's names for them are links in /dev/md. */
static void
find_md_name(const struct env *env, const char *device, char *out, size_t size)
{
	char link[PATH_MAX];
	struct dirlist list;

	if (dirlist_read(env, &list, "/dev/md") < 0)
		return;
	for (size_t i = 0; i < list.n; i++) {
		const char *last;

		if (env_link(env, link, sizeof(link), "/dev/md/%s", list.names[i]) <= 0)
			continue;
		last = strrchr(link, '/');
		/* A link that only repeats the number is no name. */
		if (strcmp(last != NULL ? last + 1 : link, device) == 0 &&
		    strspn(list.names[i], "0123456789") < strlen(list.names[i]))
			text_copy(out, size, list.names[i]);
	}
	dirlist_free(&list);
}

static void
read_md(const struct env *env, const char *name, const struct topology_facts *facts, struct topology_detail *out)
{
	read_text(env, out->level, sizeof(out->level), facts->dir, "md/level");
	if (out->name[0] == '\0')
		find_md_name(env, name, out->name, sizeof(out->name));
}

/* What udev asked the device is often fuller: SCSI cuts an ATA disk's model after 16 characters. */
static void
read_udev(const struct env *env, unsigned major, unsigned minor, struct topology_detail *out)
{
	char path[64], *buf = NULL;
	struct udevdb db;
	size_t cap = 0;
	long len;

	snprintf(path, sizeof(path), "/run/udev/data/b%u:%u", major, minor);
	len = env_read(env, path, &buf, &cap);
	if (len > 0) {
		udevdb_parse(buf, (size_t)len, &db);
		text_copy(out->vendor, sizeof(out->vendor), db.vendor);
		text_copy(out->model, sizeof(out->model), db.model);
		text_copy(out->serial, sizeof(out->serial), db.serial);
		text_copy(out->name, sizeof(out->name), db.md_name);
	}
	free(buf);
}

static void
prefer(char *best, size_t size, const char *other)
{
	if (strlen(other) > strlen(best))
		text_copy(best, size, other);
}

static void
tidy(struct topology_detail *out)
{
	/* "ATA" is the SCSI translator's word, no vendor. */
	if (strcmp(out->vendor, "ATA") == 0)
		out->vendor[0] = '\0';
}

/*
 * Drivers without requests (device-mapper, md, zram, NVMe heads) count for themselves, and their
 * queue/iostats can say 0 nevertheless.
 */
static bool
request_based(const struct topology_facts *facts)
{
	if (facts->bus == BUS_NVME_HEAD || facts->family->flags & (FAMILY_STACK | FAMILY_MEMORY | FAMILY_LAYER))
		return false;
	return facts->bus != BUS_VIRTUAL || strcmp(facts->family->prefix, "loop") == 0;
}

void
topology_detail(const struct env *env, const char *name, unsigned major, unsigned minor,
    const struct topology_facts *facts, struct topology_detail *out)
{
	struct topology_detail udev = { .queue_depth = -1 };

	*out = (struct topology_detail){ .queue_depth = -1 };
	out->rotational = (int)read_long(env, facts->dir, "queue/rotational");
	out->iostats = request_based(facts) ? (int)read_long(env, facts->dir, "queue/iostats") : -1;
	if ((major != 0 || minor != 0) && (facts->bus != BUS_VIRTUAL || strcmp(facts->family->prefix, "md") == 0))
		read_udev(env, major, minor, &udev);
	if (facts->bus == BUS_SCSI)
		read_scsi(env, facts, out);
	else if (facts->bus == BUS_NVME || facts->bus == BUS_NVME_HEAD)
		read_nvme(env, facts, out);
	else if (facts->bus == BUS_MMC)
		read_mmc(env, facts, out);
	text_copy(out->level, sizeof(out->level), mapper_level(facts->uuid));
	text_copy(out->name, sizeof(out->name), udev.name);
	if (strcmp(facts->family->prefix, "md") == 0)
		read_md(env, name, facts, out);
	prefer(out->model, sizeof(out->model), udev.model);
	prefer(out->vendor, sizeof(out->vendor), udev.vendor);
	if (udev.serial[0] != '\0')
		text_copy(out->serial, sizeof(out->serial), udev.serial);
	tidy(out);
}

void
topology_state(const struct env *env, const struct topology_facts *facts, char out[static TOPOLOGY_NAME_MAX])
{
	char ana[TOPOLOGY_NAME_MAX];

	out[0] = '\0';
	if (facts->bus != BUS_SCSI && facts->bus != BUS_NVME)
		return;
	read_text(env, out, TOPOLOGY_NAME_MAX, facts->device_dir, "state");
	if (facts->bus != BUS_NVME || strcmp(out, "live") != 0)
		return;
	read_text(env, ana, sizeof(ana), facts->dir, "ana_state");
	if (ana[0] != '\0' && strcmp(ana, "optimized") != 0)
		text_copy(out, TOPOLOGY_NAME_MAX, ana);
}

/*
 * enum scsi_device_state of the kernel, and the states of NVMe controllers and ANA groups. Unknown words
 * are taken to be well: a path is called failed only on evidence.
 */
bool
topology_state_usable(const char *state)
{
	static const char *const bad[] = {
		"cancel", "deleted", "quiesce", "offline", "transport-offline", "blocked", "created-blocked",
		"connecting", "deleting", "deleting (no IO)", "dead", "resetting", "new",
		"inaccessible", "persistent-loss", "change",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (strcmp(state, bad[i]) == 0)
			return false;
	return true;
}
