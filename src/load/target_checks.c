/*
 * What forbids writing to a target. Each check says no with a reason, or nothing; all must say nothing. There is no order of
 * importance: the first reason is the one that is told, so the plainest come first.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "load/target_case.h"

#define REFUSED 3

typedef bool device_check(const struct device_case *, char *why, size_t size);
typedef bool file_check(const struct file_case *, char *why, size_t size);

/* "it is mounted on /srv", "its partition sdb1 is mounted on /srv". */
static bool
told(const struct use *use, char *why, size_t size)
{
	if (use == NULL)
		return false;
	snprintf(why, size, "%s%s", strncmp(use->text, "is ", 3) == 0 || strncmp(use->text, "backs ", 6) == 0 ? "it " : "",
	    use->text);
	return true;
}

/* Without sysfs partitions and holders cannot be known; without /proc neither mounts nor processes. */
static bool
unknown_to_sysfs(const struct device_case *c, char *why, size_t size)
{
	if (c->family_error == 0)
		return false;
	snprintf(why, size, "/sys does not tell what stands on it (%s)", strerror(-c->family_error));
	return true;
}

static bool
mounted(const struct device_case *c, char *why, size_t size)
{
	return told(uses_first(&c->uses, USE_MOUNT), why, size);
}

static bool
swapped_to(const struct device_case *c, char *why, size_t size)
{
	return told(uses_first(&c->uses, USE_SWAP), why, size);
}

static bool
held(const struct device_case *c, char *why, size_t size)
{
	return told(uses_first(&c->uses, USE_HOLDER), why, size);
}

static bool
backing_a_loop(const struct device_case *c, char *why, size_t size)
{
	return told(uses_first(&c->uses, USE_LOOP), why, size);
}

static bool
backed_by_the_used(const struct device_case *c, char *why, size_t size)
{
	return told(uses_first(&c->uses, USE_BACKING), why, size);
}

static bool
exported(const struct device_case *c, char *why, size_t size)
{
	return told(uses_first(&c->uses, USE_EXPORT), why, size);
}

/* A partition of a disk that somebody only reads (a monitor, a path checker) is not that reader's. */
static bool
open_elsewhere(const struct device_case *c, char *why, size_t size)
{
	for (size_t i = 0; i < c->uses.n; i++) {
		const struct use *use = &c->uses.list[i];

		if (use->kind == USE_OPEN && (use->kin != KIN_DISK || use->writing))
			return told(use, why, size);
	}
	return false;
}

static bool
seen_by_halves(const struct device_case *c, char *why, size_t size)
{
	if (c->uses.blind[0] == '\0')
		return false;
	snprintf(why, size, "it cannot be proved unused: %s", c->uses.blind);
	return true;
}

static bool
read_only(const struct device_case *c, char *why, size_t size)
{
	if (c->read_only)
		snprintf(why, size, "it is read-only");
	return c->read_only;
}

static bool
odd_size(const struct device_case *c, char *why, size_t size)
{
	uint64_t bytes = c->facts.size_bytes;

	if (bytes == 0 || bytes > INT64_MAX)
		snprintf(why, size, "it has no size: no medium?");
	else if (c->sysfs_bytes != 0 && c->sysfs_bytes != bytes)
		snprintf(why, size, "its size is not certain: %" PRIu64 " or %" PRIu64 " bytes", bytes, c->sysfs_bytes);
	else
		return false;
	return true;
}

static bool
zoned(const struct device_case *c, char *why, size_t size)
{
	if (c->zoned)
		snprintf(why, size, "its zones can be written in order only (host-managed)");
	return c->zoned;
}

static bool
reserved(const struct device_case *c, char *why, size_t size)
{
	if (c->reservation[0] == '\0')
		return false;
	snprintf(why, size, "%s", c->reservation);
	return true;
}

static device_check *const device_checks[] = {
	unknown_to_sysfs, mounted, swapped_to, held, backing_a_loop, exported, backed_by_the_used, read_only, open_elsewhere, seen_by_halves,
	odd_size, zoned, reserved,
};

int
device_checks_run(const struct device_case *c, char *why, size_t size)
{
	for (size_t i = 0; i < sizeof(device_checks) / sizeof(device_checks[0]); i++) {
		char reason[400];

		if (!device_checks[i](c, reason, sizeof(reason)))
			continue;
		snprintf(why, size, "%s refused: %s", c->facts.path, reason);
		return REFUSED;
	}
	return 0;
}

static bool
no_file(const struct file_case *c, char *why, size_t size)
{
	if (S_ISREG(c->st.st_mode))
		return false;
	snprintf(why, size, "it is no regular file");
	return true;
}

static bool
used_as_swap(const struct file_case *c, char *why, size_t size)
{
	return told(uses_first(&c->uses, USE_SWAP), why, size);
}

static bool
used_by_a_loop(const struct file_case *c, char *why, size_t size)
{
	return told(uses_first(&c->uses, USE_LOOP), why, size);
}

static bool
used_by_a_target(const struct file_case *c, char *why, size_t size)
{
	return told(uses_first(&c->uses, USE_EXPORT), why, size);
}

static bool
foreign(const struct file_case *c, char *why, size_t size)
{
	if (c->marked == 0)
		return false;
	snprintf(why, size, "it exists and was not made by stortop");
	return true;
}

static bool
unchangeable(const struct file_case *c, char *why, size_t size)
{
	if ((c->attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND | STATX_ATTR_VERITY)) == 0)
		return false;
	snprintf(why, size, "it is marked immutable or append-only");
	return true;
}

static bool
linked(const struct file_case *c, char *why, size_t size)
{
	if (c->st.st_nlink <= 1)
		return false;
	snprintf(why, size, "it has other names (hard links): not stortop's alone");
	return true;
}

/* Somebody may have found a use for a file that was ours. */
static bool
changed(const struct file_case *c, char *why, size_t size)
{
	int64_t mtime = (int64_t)c->st.st_mtim.tv_sec * 1000000000 + c->st.st_mtim.tv_nsec;

	if (!c->mark.kept && c->superblock[0] != '\0')
		snprintf(why, size, "stortop made it, but now it holds somebody's data: %s", c->superblock);
	else if (c->mark.kept && c->mark.mtime_ns != mtime)
		snprintf(why, size, "stortop made it, but did not change it last: somebody wrote to it since");
	else
		return false;
	return true;
}

static bool
mine(const struct mark *mark)
{
	struct mark self;

	mark_self(&self);
	return mark->pid == self.pid && mark->start == self.start && strcmp(mark->boot, self.boot) == 0;
}

static bool
in_a_run(const struct file_case *c, char *why, size_t size)
{
	if (c->mark.kept || mine(&c->mark) || mark_is_stale(&c->mark, c->network))
		return false;
	snprintf(why, size, "it is in use by another run of stortop (process %" PRIu64 " on %s)", c->mark.pid, c->mark.host);
	return true;
}

/* One that was made a moment ago, for this run, is of no use to anybody: another run looks if it is a leftover. */
static bool
file_open_elsewhere(const struct file_case *c, char *why, size_t size)
{
	if (!c->mark.kept && mine(&c->mark))
		return false;
	return told(uses_first(&c->uses, USE_OPEN), why, size);
}

static file_check *const file_checks[] = {
	no_file, used_as_swap, used_by_a_loop, used_by_a_target, foreign, unchangeable, linked, in_a_run, changed,
	file_open_elsewhere,
};

int
file_checks_run(const struct file_case *c, const char *name, char *why, size_t size)
{
	for (size_t i = 0; i < sizeof(file_checks) / sizeof(file_checks[0]); i++) {
		char reason[400];

		if (!file_checks[i](c, reason, sizeof(reason)))
			continue;
		snprintf(why, size, "%s refused: %s", name, reason);
		return REFUSED;
	}
	return 0;
}
