#include "load/target_case.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "load/target_facts.h"
#include "load/target_reservation.h"
#include "sys/text.h"

#define SYSFS_SECTOR 512
#define OPENER_TRIES 10
#define OPENER_WAIT_MS 100

/*
 * Whoever opened it a moment ago: udev looks at a device whenever one that was open for writing is
 * closed. Only what stays open is in use.
 */
static void
find_uses(const struct env *env, const struct quarry *quarry, struct uses *uses)
{
	const struct timespec wait = { .tv_nsec = OPENER_WAIT_MS * 1000000l };

	for (int i = 0; i < OPENER_TRIES; i++) {
		uses_find(env, quarry, uses);
		if (uses->n == 0 || uses_first(uses, USE_OPEN) != &uses->list[0])
			return;
		if (i + 1 < OPENER_TRIES) {
			uses_free(uses);
			nanosleep(&wait, NULL);
		}
	}
}

/* Through a descriptor of its own, without O_DIRECT: libblkid reads as it likes. */
static void
read_signature(int fd, struct device_case *out)
{
	char path[64];
	struct stat st;
	int own;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (own < 0 || fstat(own, &st) < 0 || st.st_rdev != out->st.st_rdev) {
		out->signature = (struct signature){ .unreadable = true, .text = "contents that cannot be read" };
	} else {
		signature_read(own, out->facts.size_bytes, &out->signature);
	}
	if (own >= 0)
		close(own);
}

static bool
sysfs_says(const struct device_case *c, const char *attr, char *out, size_t size)
{
	const char *name = c->family.n > 0 ? c->family.list[0].name : "";

	return name[0] != '\0' && env_attr(c->env, out, size, "/sys/class/block/%s/%s", name, attr) > 0;
}

static void
read_state(int fd, struct device_case *c)
{
	char text[64];
	int ro = 0;

	c->read_only = ioctl(fd, BLKROGET, &ro) == 0 && ro != 0;
	if (sysfs_says(c, "ro", text, sizeof(text)) && strcmp(text, "0") != 0)
		c->read_only = true;
	if (sysfs_says(c, "size", text, sizeof(text)))
		c->sysfs_bytes = strtoull(text, NULL, 10) * SYSFS_SECTOR;
	c->zoned = sysfs_says(c, "queue/zoned", text, sizeof(text)) && strcmp(text, "host-managed") == 0;
#ifdef BLKGETDISKSEQ
	if (ioctl(fd, BLKGETDISKSEQ, &c->diskseq) < 0)
		c->diskseq = 0;
#endif
}

/* The first process namespace has a number that never changes. From within another one not all processes are seen. */
static bool
in_container(const struct env *env)
{
	char ns[64];

	return env_link(env, ns, sizeof(ns), "/proc/self/ns/pid") > 0 && strcmp(ns, "pid:[4026531836]") != 0;
}

/* "ext4 "data", is mounted on /srv": what is on it, and the first use of each kind. */
void
device_case_describe(struct device_case *c)
{
	char *out = c->facts.holds;
	size_t size = sizeof(c->facts.holds), len;

	text_copy(out, size, c->signature.text);
	for (size_t i = 0; i < c->uses.n; i++) {
		if (i > 0 && c->uses.list[i].kind == c->uses.list[i - 1].kind)
			continue;
		len = strlen(out);
		snprintf(out + len, size - len, "%s%s", len > 0 ? ", " : "", c->uses.list[i].text);
	}
	len = strlen(out);
	if (c->facts.remote == REMOTE_NONE && in_container(c->env))
		snprintf(out + len, size - len, "%sprocesses outside this container cannot be seen", len > 0 ? ", " : "");
	facts_printable(out);
	c->facts.in_use = device_case_in_use(c) != NULL;
}

int
device_case_read(const struct env *env, int fd, const char *name, struct device_case *out)
{
	struct quarry quarry = { .family = &out->family };

	*out = (struct device_case){ .env = env };
	if (fstat(fd, &out->st) < 0)
		return -errno;
	if (!S_ISBLK(out->st.st_mode))
		return -ENOTBLK;
	out->facts.kind = TARGET_DEVICE;
	text_copy(out->facts.path, sizeof(out->facts.path), name);
	facts_printable(out->facts.path);
	out->family_error = family_read(env, out->st.st_rdev, &out->family);
	if (out->family.n > 0)
		facts_names(env, &out->family, &out->facts);
	facts_blocks(env, fd, &out->family, &out->facts);
	read_state(fd, out);
	reservation_read(fd, out->reservation, sizeof(out->reservation));
	find_uses(env, &quarry, &out->uses);
	read_signature(fd, out);
	device_case_describe(out);
	return 0;
}

void
device_case_free(struct device_case *c)
{
	family_free(&c->family);
	uses_free(&c->uses);
}

/* The serial is the disk's: it does not say which of its partitions is meant. */
static bool
has_serial(const struct device_case *c)
{
	for (size_t i = 0; i < c->family.n; i++)
		if (c->family.list[i].kin == KIN_DISK)
			return false;
	return c->facts.serial[0] != '\0';
}

void
device_case_wants(const struct device_case *c, char *out, size_t size)
{
	if (has_serial(c))
		text_copy(out, size, c->facts.serial);
	else
		snprintf(out, size, "%" PRIu64, c->facts.size_bytes);
}

bool
device_case_named(const struct device_case *c, const char *text)
{
	char bytes[32];

	snprintf(bytes, sizeof(bytes), "%" PRIu64, c->facts.size_bytes);
	return (c->facts.size_bytes > 0 && strcmp(text, bytes) == 0) ||
	    (has_serial(c) && strcmp(text, c->facts.serial) == 0);
}

bool
device_case_same(const struct device_case *a, const struct device_case *b)
{
	return a->st.st_rdev == b->st.st_rdev && a->diskseq == b->diskseq && a->facts.size_bytes == b->facts.size_bytes &&
	    strcmp(a->facts.serial, b->facts.serial) == 0 && strcmp(a->facts.wwn, b->facts.wwn) == 0 &&
	    strcmp(a->signature.text, b->signature.text) == 0;
}

/* A process that only reads does no harm to a reader, and is none of its business. */
const struct use *
device_case_in_use(const struct device_case *c)
{
	for (size_t i = 0; i < c->uses.n; i++)
		if (c->uses.list[i].kind != USE_OPEN || (c->uses.list[i].writing && c->uses.list[i].kin != KIN_DISK))
			return &c->uses.list[i];
	return NULL;
}

int
file_case_read(const struct env *env, int fd, struct file_case *out)
{
	struct quarry quarry;
	struct statx stx;

	*out = (struct file_case){ .env = env };
	if (fstat(fd, &out->st) < 0 || statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &stx) < 0)
		return -errno;
	out->attributes = stx.stx_attributes;
	out->network = facts_network(fd);
	quarry = (struct quarry){ .file_dev = out->st.st_dev, .file_ino = out->st.st_ino };
	out->marked = mark_read(fd, &out->mark);
	uses_find(env, &quarry, &out->uses);
	if (out->marked == 0 && out->st.st_size > 0)
		signature_has_superblock(fd, out->superblock, sizeof(out->superblock));
	return 0;
}

void
file_case_free(struct file_case *c)
{
	uses_free(&c->uses);
}
