#include "load/target_grant.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/xalloc.h"

#define FAILED 1
#define REFUSED 3

/* The key to a write: of one open descriptor, which is still that of the thing that was proved. */
struct write_grant {
	int fd;		/* -1: null:, or on a server */
	const struct remote *remote;	/* NULL: here. For comparison only */
	dev_t dev, rdev;
	ino_t ino;
};

static const struct write_grant *
make_remote(const struct remote *remote)
{
	struct write_grant *grant = xmalloc(sizeof(*grant));

	*grant = (struct write_grant){ .fd = -1, .remote = remote };
	return grant;
}

static const struct write_grant *
make(int fd, const struct stat *st)
{
	struct write_grant *grant = xmalloc(sizeof(*grant));

	*grant = (struct write_grant){ .fd = fd };
	if (st != NULL) {
		grant->dev = st->st_dev;
		grant->rdev = st->st_rdev;
		grant->ino = st->st_ino;
	}
	return grant;
}

bool
grant_covers(const struct write_grant *grant, int fd)
{
	struct stat st;

	if (grant == NULL || grant->remote != NULL || grant->fd != fd)
		return false;
	if (fd < 0)
		return true;
	return fstat(fd, &st) == 0 && st.st_dev == grant->dev && st.st_rdev == grant->rdev && st.st_ino == grant->ino;
}

bool
grant_covers_remote(const struct write_grant *grant, const struct remote *remote)
{
	return grant != NULL && remote != NULL && grant->remote == remote;
}

void
grant_free(const struct write_grant *grant)
{
	union {
		const struct write_grant *given;
		void *memory;
	} ours = { .given = grant };

	free(ours.memory);
}

const struct write_grant *
grant_null(void)
{
	return make(-1, NULL);
}

int
grant_reopen(int fd, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, flags | O_CLOEXEC);
}

/* In use and read-only are refusals, the rest are failures. */
int
grant_not_opened(const char *name, int error, char *why, size_t size)
{
	switch (error) {
	case EBUSY:
		snprintf(why, size, "%s refused: it is held exclusively, by the kernel or another program (mounted in a namespace "
		    "that cannot be seen, a RAID, an export ...)", name);
		return REFUSED;
	case EROFS:
		snprintf(why, size, "%s refused: it is read-only", name);
		return REFUSED;
	case ETXTBSY:
		snprintf(why, size, "%s refused: it is in use (swap, or a program that runs)", name);
		return REFUSED;
	default:
		snprintf(why, size, "%s cannot be opened for writing: %s", name, strerror(error));
		return FAILED;
	}
}

static int
prove_same(const struct device_case *agreed, const struct device_case *now, bool named, char *why, size_t size)
{
	const char *name = agreed->facts.path;
	int rc = device_checks_run(now, why, size);

	if (rc == 0 && !named) {
		snprintf(why, size, "%s refused: nobody named it", name);
		rc = REFUSED;
	}
	if (rc == 0 && !device_case_same(agreed, now)) {
		snprintf(why, size, "%s refused: it is not what it was a moment ago", name);
		rc = REFUSED;
	}
	return rc;
}

/* All that was looked at before is looked at again: minutes may have passed while a person thought about it. */
static int
prove_device(int fd, const struct device_case *agreed, bool named, char *why, size_t size)
{
	const char *name = agreed->facts.path;
	struct device_case now;
	int rc = device_case_read(agreed->env, fd, name, &now);

	if (rc < 0) {
		snprintf(why, size, "%s: %s", name, strerror(-rc));
		return FAILED;
	}
	rc = prove_same(agreed, &now, named, why, size);
	device_case_free(&now);
	return rc;
}

int
grant_device(int path_fd, const struct device_case *agreed, bool named, bool direct, int *fd,
    const struct write_grant **grant, char *why, size_t size)
{
	struct stat st;
	int rc;

	/* Without O_CREAT, O_EXCL of a device means: nobody else may hold it so, no mount, no swap, no RAID. */
	*fd = grant_reopen(path_fd, O_RDWR | O_EXCL | (direct ? O_DIRECT : 0));
	if (*fd < 0)
		return grant_not_opened(agreed->facts.path, errno, why, size);
	rc = prove_device(*fd, agreed, named, why, size);
	if (rc == 0 && fstat(*fd, &st) == 0) {
		*grant = make(*fd, &st);
		return 0;
	}
	close(*fd);
	*fd = -1;
	return rc != 0 ? rc : FAILED;
}

/* The lock tells other runs, in other containers too, that this one lives. Where there are none, the mark must do. */
static int
lock(int fd, const char *name, char *why, size_t size)
{
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0;
	snprintf(why, size, "%s refused: it is in use by another run of stortop", name);
	return REFUSED;
}

static int
prove_file(int fd, const char *name, char *why, size_t size)
{
	static const struct env machine = { .root = "" };
	struct file_case now;
	int rc = file_case_read(&machine, fd, &now);

	if (rc < 0) {
		snprintf(why, size, "%s: %s", name, strerror(-rc));
		return FAILED;
	}
	rc = file_checks_run(&now, name, why, size);
	file_case_free(&now);
	return rc;
}

int
grant_file(int fd, const char *name, const struct write_grant **grant, char *why, size_t size)
{
	struct stat st;
	int rc = lock(fd, name, why, size);

	if (rc == 0)
		rc = prove_file(fd, name, why, size);
	if (rc != 0)
		return rc;
	if (fstat(fd, &st) < 0) {
		snprintf(why, size, "%s: %s", name, strerror(errno));
		return FAILED;
	}
	*grant = make(fd, &st);
	return 0;
}

int
grant_lun(const struct device_case *agreed, const struct device_case *now, bool named, const struct remote *remote,
    const struct write_grant **grant, char *why, size_t size)
{
	int rc = prove_same(agreed, now, named, why, size);

	if (rc == 0)
		*grant = make_remote(remote);
	return rc;
}

int
grant_remote_file(const struct file_case *now, const char *name, const struct remote *remote,
    const struct write_grant **grant, char *why, size_t size)
{
	int rc = file_checks_run(now, name, why, size);

	if (rc == 0)
		*grant = make_remote(remote);
	return rc;
}
