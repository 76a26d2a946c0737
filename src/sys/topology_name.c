#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/topology.h"

/* Longer prefixes first where one begins another. The adapters of real hardware are those of a tree without paths. */
static const struct topology_family families[] = {
	{ "nvme", "nvme", "nvme", FAMILY_NUMBERED },
	{ "dm-", "device-mapper", "device-mapper", FAMILY_STACK | FAMILY_LAYER },
	{ "md", "md", "md", FAMILY_STACK | FAMILY_LAYER },
	{ "loop", "loop", "loop", FAMILY_HIDE_EMPTY },
	{ "zram", "zram", "zram", FAMILY_MEMORY | FAMILY_HIDE_EMPTY },
	{ "ram", "ram", "brd", FAMILY_MEMORY | FAMILY_HIDE_UNUSED },
	{ "pmem", "pmem", "nd_pmem", FAMILY_MEMORY },
	{ "nullb", "null_blk", "null_blk", FAMILY_MEMORY },
	{ "nbd", "nbd", "nbd", FAMILY_NETWORK | FAMILY_HIDE_EMPTY },
	{ "rbd", "rbd", "rbd", FAMILY_NETWORK },
	{ "drbd", "drbd", "drbd", FAMILY_STACK | FAMILY_LAYER },
	{ "bcache", "bcache", "bcache", FAMILY_STACK | FAMILY_LAYER },
	{ "zd", "zfs", "zfs", FAMILY_LAYER },
	{ "sd", "scsi", NULL, FAMILY_LETTERED },
	{ "sr", "scsi", NULL, 0 },
	{ "vd", "virtio", "virtio_blk", FAMILY_VIRTUAL | FAMILY_LETTERED },
	{ "xvd", "xen", "xen_blkfront", FAMILY_VIRTUAL | FAMILY_LETTERED },
	{ "hd", "ide", NULL, FAMILY_LETTERED },
	{ "mmcblk", "mmc", "mmcblk", FAMILY_NUMBERED },
	{ "cciss/c", "cciss", "cciss", FAMILY_NUMBERED },
	{ "ida/c", "ida", "cpqarray", FAMILY_NUMBERED },
	{ "dasd", "dasd", "dasd", FAMILY_LETTERED },
	{ "fd", "floppy", "floppy", 0 },
	{ "", NULL, NULL, FAMILY_STACK },
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

/* md arrays may have names: md_home. */
static bool
fits(const char *name, const struct topology_family *family)
{
	size_t n = strlen(family->prefix);

	if (strncmp(name, family->prefix, n) != 0)
		return false;
	if (n == 0)
		return true;
	return family->flags & FAMILY_LETTERED ? is_lower(name[n]) : is_digit(name[n]) || name[n] == '_';
}

const struct topology_family *
topology_family(const char *name)
{
	const struct topology_family *family = families;

	while (!fits(name, family))
		family++;
	return family;
}

/* The name up to its first digit; the whole name where that would be nothing. */
static void
name_without_number(const char *name, char out[static TOPOLOGY_NAME_MAX])
{
	int n = (int)strcspn(name, "0123456789");

	if (n > 0 && name[n - 1] == '-')
		n--;
	snprintf(out, TOPOLOGY_NAME_MAX, "%.*s", n > 0 ? n : (int)strlen(name), name);
}

void
topology_adapter_of(const char *name, char out[static TOPOLOGY_NAME_MAX])
{
	const struct topology_family *family = topology_family(name);
	const char *number = name + strlen(family->prefix);
	const char *path;

	if (family->adapter == NULL) {
		name_without_number(name, out);
		return;
	}
	if ((family->flags & FAMILY_NUMBERED) == 0) {
		snprintf(out, TOPOLOGY_NAME_MAX, "%s", family->adapter);
		return;
	}
	/* nvme0c1n1 is the path to nvme0n1 through the controller nvme1. */
	path = number + strspn(number, "0123456789");
	if (strcmp(family->prefix, "nvme") == 0 && *path == 'c' && is_digit(path[1]))
		number = path + 1;
	snprintf(out, TOPOLOGY_NAME_MAX, "%s%.*s", family->adapter, (int)strspn(number, "0123456789"), number);
}

/*
 * The kernel's own rule: a disk whose name ends with a digit has its partitions after a 'p'.
 */
bool
topology_whole_of(const char *name, char disk[static TOPOLOGY_NAME_MAX], unsigned *number)
{
	size_t len = strlen(name), n = len;

	while (n > 0 && is_digit(name[n - 1]))
		n--;
	if (n == len || n == 0 || name[n] == '0' || len - n > 6 || n >= TOPOLOGY_NAME_MAX)
		return false;
	*number = (unsigned)strtoul(name + n, NULL, 10);
	if (n >= 2 && name[n - 1] == 'p' && is_digit(name[n - 2]))
		n--;
	memcpy(disk, name, n);
	disk[n] = '\0';
	return true;
}
