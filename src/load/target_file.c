/* Test files: only what stortop made is written, and it goes when the run ends. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/xalloc.h"
#include "load/target_case.h"
#include "load/target_facts.h"
#include "load/target_grant.h"
#include "load/target_held.h"
#include "load/target_space.h"
#include "sys/mountinfo.h"
#include "sys/text.h"

#define NAME_TRIES 16

static const struct env machine = { .root = "" };

static int
space_of(int fd, struct space *out)
{
	struct statvfs fs;
	uint64_t unit;

	*out = (struct space){ .room = 0 };
	if (fstatvfs(fd, &fs) < 0)
		return -errno;
	unit = fs.f_frsize != 0 ? fs.f_frsize : fs.f_bsize;
	space_make(out, fs.f_blocks * unit, fs.f_bavail * unit);
	return 0;
}

/* devtmpfs may be mounted, or bound, at other places too. */
static bool
is_devtmpfs(const struct env *env, dev_t dev)
{
	char *buf = NULL;
	struct mounts *mounts;
	size_t cap = 0;
	long len = env_read(env, "/proc/self/mountinfo", &buf, &cap);
	bool found = false;

	mounts = mounts_parse(buf, len > 0 ? (size_t)len : 0);
	for (size_t i = 0; i < mounts->n; i++)
		if (mounts->list[i].major == major(dev) && mounts->list[i].minor == minor(dev))
			found = found || strcmp(mounts->list[i].fstype, "devtmpfs") == 0;
	mounts_free(mounts);
	free(buf);
	return found;
}

bool
target_below_dev(const struct env *env, int dir_fd)
{
	char path[PATH_MAX];
	struct stat st;

	facts_path(dir_fd, path, sizeof(path));
	if (path[0] != '/' || strcmp(path, "/dev") == 0 || strncmp(path, "/dev/", 5) == 0)
		return true;
	return fstat(dir_fd, &st) < 0 || is_devtmpfs(env, st.st_dev);
}

static int
refuse(const char *name, const char *reason, char *why, size_t size)
{
	snprintf(why, size, "%s refused: %s", name, reason);
	return TARGET_REFUSED;
}

static int
failed(const char *name, const char *what, int error, char *why, size_t size)
{
	snprintf(why, size, "%s %s: %s", name, what, strerror(error));
	return TARGET_FAILED;
}

/* This run's mark; of a file that had one before, or NULL. */
static int
sign(int fd, struct target_held *held, const struct mark *before)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	mark_self(&held->mark);
	mark_sign(&held->mark, st.st_ino, held->base, held->target.area_bytes, before);
	return 0;
}

/* Marks the file as ours before anything is in it. Where attributes are not kept, behind its area. */
static int
mark_new(int fd, struct target_held *held)
{
	int rc = sign(fd, held, NULL);

	if (rc < 0)
		return rc;
	held->mark.in_attribute = true;
	rc = mark_write(fd, &held->mark);
	if (rc == 0)
		return ftruncate(fd, (off_t)held->mark.area_bytes) < 0 ? -errno : 0;
	held->mark.in_attribute = false;
	return mark_write(fd, &held->mark);
}

/* O_DIRECT from here on. Not at open(): that leaves a new file behind where the file system cannot do it. */
static int
go_direct(const struct target_request *request, const char *name, int fd, char *why, size_t size)
{
	struct statx st;
	int flags = fcntl(fd, F_GETFL);

	if (request->buffered)
		return 0;
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_DIRECT) < 0) {
		snprintf(why, size, "%s: this file system does no direct I/O (%s): use a job with direct=0, or another directory",
		    name, strerror(errno));
		return TARGET_USAGE;
	}
#ifdef STATX_DIOALIGN
	/* Some file systems take the flag and go through the page cache nevertheless. */
	if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &st) == 0 && (st.stx_mask & STATX_DIOALIGN) != 0 &&
	    st.stx_dio_offset_align == 0) {
		snprintf(why, size, "%s: the kernel does no direct I/O on this file: use a job with direct=0, or another directory",
		    name);
		return TARGET_USAGE;
	}
#else
	(void)st;
#endif
	return 0;
}

static int
take_facts(int fd, const struct target_request *request, struct target_held *held, char *why, size_t size)
{
	struct target_facts *facts = &held->target.facts;
	int rc = facts_file(&machine, fd, facts);

	if (rc < 0)
		return failed(request->name, "cannot be looked at", -rc, why, size);
	facts->kind = TARGET_FILE;
	facts_path(fd, facts->path, sizeof(facts->path));
	facts_printable(facts->path);
	facts->size_bytes = held->target.area_bytes;
	return target_fits_block(request, facts, why, size);
}

/* A file of ours that stood there is this run's now, and may have to grow. */
static int
mark_again(int fd, struct target_held *held)
{
	const struct mark before = held->mark;

	if (sign(fd, held, &before) < 0)
		return -errno;
	if (before.in_attribute && held->mark.area_bytes > before.area_bytes && ftruncate(fd, (off_t)held->mark.area_bytes) < 0)
		return -errno;
	return mark_write(fd, &held->mark);
}

/* From an open, marked file to a target. */
static int
make_target(int fd, const struct target_request *request, struct target_held *held, char *why, size_t size)
{
	int rc = grant_file(fd, request->name, &held->target.grant, why, size), error;

	if (rc != 0)
		return rc;
	if (!held->created) {
		held->was_kept = held->mark.kept;
		error = mark_again(fd, held);
		if (error < 0)
			return failed(request->name, "cannot be marked", -error, why, size);
	}
	held->target.written = held->mark.written;
	rc = go_direct(request, request->name, fd, why, size);
	return rc != 0 ? rc : take_facts(fd, request, held, why, size);
}

/* A file of this name that did not exist a moment ago, in held->dir_fd. */
static int
create(const struct target_request *request, struct target_held *held, uint64_t bytes, char *why, size_t size)
{
	int fd, rc;

	fd = openat(held->dir_fd, held->base, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST)
		return -EEXIST;
	if (fd < 0)
		return failed(request->name, "no test file can be made", errno, why, size);
	held->target.fd = fd;
	held->created = true;
	/* Locked before it is marked: an unmarked file is nobody's leftover. */
	(void)flock(fd, LOCK_EX | LOCK_NB);
	held->target.area_bytes = bytes;
	rc = mark_new(fd, held);
	if (rc < 0)
		return failed(request->name, "no test file can be made", -rc, why, size);
	return make_target(fd, request, held, why, size);
}

static int
directory_for_files(int dir_fd, const char *name, char *why, size_t size)
{
	if (target_below_dev(&machine, dir_fd))
		return refuse(name, "no file is created under /dev", why, size);
	return 0;
}

/* A test file of a size that fits: the directory is clean of leftovers first, as they take room. */
static int
size_new(const struct target_request *request, struct target_held *held, uint64_t *bytes, char *why, size_t size)
{
	struct space space;
	int rc;

	target_sweep_directory(held->dir_fd);
	rc = space_of(held->dir_fd, &space);
	if (rc < 0)
		return failed(request->name, "cannot be looked at", -rc, why, size);
	return space_choose(request, request->name, &space, 0, 0, bytes, why, size);
}

void
target_make_name(char *out, size_t size)
{
	uint32_t number = 0;

	if (getrandom(&number, sizeof(number), 0) < 0)
		number = (uint32_t)getpid() ^ (uint32_t)clock_ns();
	snprintf(out, size, TARGET_FILE_PREFIX "%08x" TARGET_FILE_SUFFIX, number);
}

int
target_open_directory(int path_fd, const struct target_request *request, struct target_held *held, char *why, size_t size)
{
	uint64_t bytes;
	int rc = directory_for_files(path_fd, request->name, why, size);

	if (rc != 0)
		return rc;
	held->dir_fd = grant_reopen(path_fd, O_RDONLY | O_DIRECTORY);
	if (held->dir_fd < 0)
		return failed(request->name, "cannot be opened", errno, why, size);
	rc = size_new(request, held, &bytes, why, size);
	if (rc != 0)
		return rc;
	rc = -EEXIST;
	for (int i = 0; i < NAME_TRIES && rc == -EEXIST; i++) {
		target_make_name(held->base, sizeof(held->base));
		rc = create(request, held, bytes, why, size);
	}
	return rc == -EEXIST ? failed(request->name, "no test file can be made", EEXIST, why, size) : rc;
}

/* A file of ours again: as large as it is, or larger. */
static int
take_again(int look, const struct target_request *request, struct target_held *held, char *why, size_t size)
{
	struct space space;
	struct stat st = { .st_blocks = 0 };
	uint64_t bytes;
	int fd, rc = space_of(look, &space);

	if (rc == 0 && fstat(look, &st) < 0)
		rc = -errno;
	if (rc < 0)
		return failed(request->name, "cannot be looked at", -rc, why, size);
	/* It may have holes, where it was not laid out whole. */
	rc = space_choose(request, request->name, &space, held->mark.area_bytes, (uint64_t)st.st_blocks * 512, &bytes, why, size);
	if (rc != 0)
		return rc;
	fd = grant_reopen(look, O_RDWR);
	if (fd < 0)
		return grant_not_opened(request->name, errno, why, size);
	held->target.fd = fd;
	held->target.area_bytes = bytes;
	return make_target(fd, request, held, why, size);
}

static int
open_existing(const struct target_request *request, struct target_held *held, char *why, size_t size)
{
	struct file_case c;
	int rc, look = openat(held->dir_fd, held->base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (look < 0 && errno == ELOOP)
		return refuse(request->name, "it is a symbolic link: name the file itself", why, size);
	if (look < 0)
		return failed(request->name, "cannot be opened", errno, why, size);
	rc = file_case_read(&machine, look, &c);
	if (rc < 0) {
		close(look);
		return failed(request->name, "cannot be looked at", -rc, why, size);
	}
	rc = file_checks_run(&c, request->name, why, size);
	held->mark = c.mark;
	file_case_free(&c);
	if (rc == 0)
		rc = take_again(look, request, held, why, size);
	close(look);
	return rc;
}

/* The directory of a name, and what is behind its last slash. */
static int
split(const struct target_request *request, struct target_held *held, char *why, size_t size)
{
	const char *slash = strrchr(request->name, '/'), *base = slash != NULL ? slash + 1 : request->name;
	char parent[PATH_MAX];

	if (base[0] == '\0' || strlen(base) >= sizeof(held->base) || (slash != NULL && slash - request->name >= PATH_MAX))
		return failed(request->name, "cannot be a test file", base[0] == '\0' ? ENOENT : ENAMETOOLONG, why, size);
	text_copy(held->base, sizeof(held->base), base);
	snprintf(parent, sizeof(parent), "%.*s", slash == NULL ? 1 : slash == request->name ? 1 : (int)(slash - request->name),
	    slash == NULL ? "." : request->name);
	held->dir_fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (held->dir_fd < 0 && strncmp(request->name, "/dev/", 5) == 0)
		return refuse(request->name, "it does not exist, and nothing is created under /dev", why, size);
	/* As mount(8) writes it, with a slash too few, or another protocol's. */
	if (held->dir_fd < 0 && errno == ENOENT && strstr(request->name, ":/") != NULL)
		return failed(request->name, "is neither a URL (nfs://server/export/dir, iscsi://portal/iqn/lun) nor in a directory",
		    ENOENT, why, size);
	return held->dir_fd < 0 ? failed(request->name, "cannot be made, its directory", errno, why, size) : 0;
}

int
target_open_file(const struct target_request *request, struct target_held *held, char *why, size_t size)
{
	struct stat st;
	uint64_t bytes;
	int rc = split(request, held, why, size);

	if (rc != 0)
		return rc;
	if (target_below_dev(&machine, held->dir_fd))
		return refuse(request->name, fstatat(held->dir_fd, held->base, &st, AT_SYMLINK_NOFOLLOW) < 0 ?
		    "it does not exist, and nothing is created under /dev" : "it exists under /dev and is no device", why, size);
	if (fstatat(held->dir_fd, held->base, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return open_existing(request, held, why, size);
	if (errno != ENOENT)
		return failed(request->name, "cannot be looked at", errno, why, size);
	rc = size_new(request, held, &bytes, why, size);
	if (rc == 0)
		rc = create(request, held, bytes, why, size);
	return rc == -EEXIST ? refuse(request->name, "it exists and was not made by stortop", why, size) : rc;
}

/* Only if the name still means our file: somebody may have put another one there. */
static int
remove_own(const struct target_held *held)
{
	struct stat ours, there;

	if (fstat(held->target.fd, &ours) < 0 || fstatat(held->dir_fd, held->base, &there, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (ours.st_dev != there.st_dev || ours.st_ino != there.st_ino)
		return -ESTALE;
	return unlinkat(held->dir_fd, held->base, 0) < 0 ? -errno : 0;
}

static int
leave_marked(struct target_held *held)
{
	int fd = held->target.fd, flags = fcntl(fd, F_GETFL);
	struct stat st;

	if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_DIRECT) < 0 || fstat(fd, &st) < 0)
		return -errno;
	mark_keep(&held->mark, held->target.written, st.st_mtim.tv_sec);
	return mark_write(fd, &held->mark);
}

int
target_close_file(struct target_held *held)
{
	if (held->target.fd < 0)
		return 0;
	/* Refused: it is not ours to touch, unless we made it just now. */
	if (held->target.grant == NULL)
		return held->created ? remove_own(held) : 0;
	return held->target.keep ? leave_marked(held) : remove_own(held);
}
