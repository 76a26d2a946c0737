#include "load/target_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sys/mountinfo.h"
#include "sys/text.h"

#define SYSFS_SECTOR 512

void
facts_printable(char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < ' ' || *text == 127)
			*text = '?';
}

static const char *
disk_of(const struct family *family)
{
	for (size_t i = 0; i < family->n; i++)
		if (family->list[i].kin == KIN_DISK)
			return family->list[i].name;
	return family->list[0].name;
}

static dev_t
dev_of(const struct family *family, const char *name)
{
	for (size_t i = 0; i < family->n; i++)
		if (strcmp(family->list[i].name, name) == 0)
			return family->list[i].dev;
	return 0;
}

static void
slashes(char *out, size_t size, const char *sysfs_name)
{
	text_copy(out, size, sysfs_name);
	for (char *p = out; (p = strchr(p, '!')) != NULL;)
		*p = '/';
}

static void
take_names(const struct env *env, const char *name, const struct topology_facts *topology,
    const struct topology_detail *detail, struct target_facts *facts)
{
	snprintf(facts->model, sizeof(facts->model), "%.38s%s%.40s", detail->vendor, detail->vendor[0] != '\0' ? " " : "",
	    detail->model);
	text_copy(facts->serial, sizeof(facts->serial), detail->serial);
	if (facts->serial[0] == '\0' && topology->serial != NULL)
		text_copy(facts->serial, sizeof(facts->serial), topology->serial);
	/* virtio keeps it beside the queue. */
	if (facts->serial[0] == '\0' && env_attr(env, facts->serial, sizeof(facts->serial), "/sys/class/block/%s/serial", name) < 0)
		facts->serial[0] = '\0';
	if (topology->wwn != NULL)
		text_copy(facts->wwn, sizeof(facts->wwn), topology->wwn);
	text_copy(facts->mapper, sizeof(facts->mapper), topology->mapper != NULL ? topology->mapper : detail->name);
}

void
facts_names(const struct env *env, const struct family *family, struct target_facts *facts)
{
	char name[TOPOLOGY_NAME_MAX];
	struct topology_facts topology;
	struct topology_detail detail;
	dev_t dev = dev_of(family, disk_of(family));

	slashes(facts->device, sizeof(facts->device), family->list[0].name);
	slashes(name, sizeof(name), disk_of(family));
	topology_read(env, name, major(dev), minor(dev), &topology);
	topology_detail(env, name, major(dev), minor(dev), &topology, &detail);
	take_names(env, disk_of(family), &topology, &detail, facts);
	topology_facts_clear(&topology);
	facts_printable(facts->model);
	facts_printable(facts->serial);
	facts_printable(facts->wwn);
	facts_printable(facts->mapper);
}

static uint64_t
read_number(const struct env *env, const char *name, const char *attr)
{
	char text[32];

	if (env_attr(env, text, sizeof(text), "/sys/class/block/%s/%s", name, attr) <= 0 || text[0] == '-')
		return 0;
	return strtoull(text, NULL, 10);
}

/* What O_DIRECT needs of this very file, where the kernel says so (6.1; devices 6.11). 0: not told. */
static void
direct_alignment(int fd, unsigned *offset, unsigned *memory)
{
	struct statx st;

	*offset = *memory = 0;
#ifdef STATX_DIOALIGN
	if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &st) == 0 && (st.stx_mask & STATX_DIOALIGN) != 0) {
		*offset = st.stx_dio_offset_align;
		*memory = st.stx_dio_mem_align;
	}
#else
	(void)st;
	(void)fd;
#endif
}

/* Asked of the device, or, where it cannot be opened, of sysfs. */
void
facts_blocks(const struct env *env, int fd, const struct family *family, struct target_facts *facts)
{
	const char *name = family->n > 0 ? family->list[0].name : "", *disk = family->n > 0 ? disk_of(family) : "";
	uint64_t bytes = 0;
	unsigned offset, memory, physical = 0;
	int logical = 0;

	if (ioctl(fd, BLKGETSIZE64, &bytes) < 0)
		bytes = read_number(env, name, "size") * SYSFS_SECTOR;
	if (ioctl(fd, BLKSSZGET, &logical) < 0 || logical <= 0)
		logical = (int)read_number(env, disk, "queue/logical_block_size");
	if (logical <= 0)
		logical = SYSFS_SECTOR;
	if (ioctl(fd, BLKPBSZGET, &physical) < 0)
		physical = (unsigned)read_number(env, disk, "queue/physical_block_size");
	direct_alignment(fd, &offset, &memory);
	facts->size_bytes = bytes;
	facts->logical_block = (unsigned)logical;
	facts->physical_block = physical > (unsigned)logical ? physical : (unsigned)logical;
	facts->mem_align = memory != 0 ? memory : (unsigned)logical;
}

/* What the file system says it stands on; the device of btrfs and the like is only in the mount's source. */
static void
look_below(const struct env *env, const struct mount *mount, dev_t dev, struct target_facts *facts)
{
	struct family family;
	struct stat st;

	if (major(dev) == 0) {
		if (mount == NULL || strncmp(mount->source, "/dev/", 5) != 0 || stat(mount->source, &st) < 0 ||
		    !S_ISBLK(st.st_mode))
			return;
		dev = st.st_rdev;
	}
	if (family_read(env, dev, &family) < 0)
		return;
	facts_names(env, &family, facts);
	facts->logical_block = (unsigned)read_number(env, disk_of(&family), "queue/logical_block_size");
	facts->physical_block = (unsigned)read_number(env, disk_of(&family), "queue/physical_block_size");
	family_free(&family);
}

/* By its number; a subvolume of btrfs has one that mountinfo does not know: then by its path. */
static const struct mount *
mount_of(const struct mounts *mounts, int fd, dev_t dev)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < mounts->n; i++)
		if (mounts->list[i].major == major(dev) && mounts->list[i].minor == minor(dev))
			return &mounts->list[i];
	facts_path(fd, path, sizeof(path));
	return mounts_holding(mounts, path);
}

/* Where the kernel does not say what direct I/O needs: the device's sector, or btrfs' own. */
static void
settle_alignment(int fd, const struct statfs *fs, struct target_facts *facts)
{
	unsigned offset, memory;

	direct_alignment(fd, &offset, &memory);
	if (offset != 0)
		facts->logical_block = offset;
	else if (fs->f_type == BTRFS_SUPER_MAGIC || facts->logical_block == 0)
		facts->logical_block = fs->f_type == BTRFS_SUPER_MAGIC ? (unsigned)fs->f_bsize : SYSFS_SECTOR;
	if (facts->physical_block < facts->logical_block)
		facts->physical_block = facts->logical_block;
	facts->mem_align = memory != 0 ? memory : facts->logical_block;
}

int
facts_file(const struct env *env, int fd, struct target_facts *facts)
{
	const struct mount *mount;
	struct mounts *mounts;
	struct statfs fs;
	struct stat st;
	char *buf = NULL;
	size_t cap = 0;
	long len;

	if (fstat(fd, &st) < 0 || fstatfs(fd, &fs) < 0)
		return -errno;
	len = env_read(env, "/proc/self/mountinfo", &buf, &cap);
	mounts = mounts_parse(buf, len > 0 ? (size_t)len : 0);
	mount = mount_of(mounts, fd, st.st_dev);
	if (mount != NULL)
		text_copy(facts->fs, sizeof(facts->fs), mount->fstype);
	look_below(env, mount, st.st_dev, facts);
	facts->free_bytes = (uint64_t)fs.f_bavail * (uint64_t)(fs.f_frsize != 0 ? fs.f_frsize : fs.f_bsize);
	settle_alignment(fd, &fs, facts);
	mounts_free(mounts);
	free(buf);
	return 0;
}

bool
facts_network(int fd)
{
	/* NFS, SMB, CIFS, SMB2, FUSE, Ceph, 9P, AFS, OCFS2, GFS2, Lustre */
	static const unsigned shared[] = {
		0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x00c36400, 0x01021997, 0x5346414f, 0x7461636f, 0x01161970,
		0x0bd00bd0,
	};
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return true;
	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
		if ((unsigned)fs.f_type == shared[i])
			return true;
	return false;
}

void
facts_path(int fd, char *out, size_t size)
{
	char link[64], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	text_copy(out, size, path);
}
