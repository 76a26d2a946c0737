#include "sys/env.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/xalloc.h"

#define FIRST_CAP 4096
#define HALF_PAGE 2048		/* of the smallest there are */
#define MAX_BYTES (64u << 20)	/* a recorded tree may hold anything, also a link to /dev/zero */

static int
path_below(const struct env *env, char out[static PATH_MAX], const char *path)
{
	int n = snprintf(out, PATH_MAX, "%s%s", env->root, path);

	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

__attribute__((format(printf, 3, 0)))
static int
path_format(const struct env *env, char out[static PATH_MAX], const char *format, va_list args)
{
	size_t root = strlen(env->root);
	int n;

	if (root >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(out, env->root, root);
	n = vsnprintf(out + root, PATH_MAX - root, format, args);
	return n < 0 || (size_t)n >= PATH_MAX - root ? -ENAMETOOLONG : 0;
}

/* O_NONBLOCK: a recorded tree may hold a FIFO, whose open would wait for a writer. */
static int
open_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

static ssize_t
pread_some(int fd, char *buf, size_t size, off_t at)
{
	ssize_t n;

	do
		n = pread(fd, buf, size, at);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/*
 * A seq_file fills at most a page a time however large the buffer, and stops before a line that does not fit, so
 * only a read of nothing is the end; or one of less than half a page, where any other line would have fitted.
 * Always leaves room for the NUL.
 */
static long
pread_whole(int fd, char **buf, size_t *cap, bool short_read_ends)
{
	size_t len = 0;
	ssize_t n;

	do {
		if (len + 1 >= *cap) {
			size_t grown = *cap < FIRST_CAP ? FIRST_CAP : *cap * 2;

			if (grown > MAX_BYTES)
				return -EFBIG;
			*buf = xreallocarray(*buf, grown, 1);
			*cap = grown;
		}
		n = pread_some(fd, *buf + len, *cap - len - 1, (off_t)len);
		if (n < 0)
			return n;
		len += (size_t)n;
	} while (n > 0 && !(short_read_ends && n < HALF_PAGE && len + 1 < *cap));
	(*buf)[len] = '\0';
	return (long)len;
}

long
env_read(const struct env *env, const char *path, char **buf, size_t *cap)
{
	char full[PATH_MAX];
	long len;
	int fd, rc = path_below(env, full, path);

	if (rc < 0)
		return rc;
	fd = open_path(full);
	if (fd < 0)
		return fd;
	len = pread_whole(fd, buf, cap, false);
	close(fd);
	return len;
}

static long
trimmed(char *text, long len)
{
	while (len > 0 && strchr(" \t\n\r", text[len - 1]) != NULL)
		len--;
	text[len] = '\0';
	return len;
}

long
env_attr(const struct env *env, char *out, size_t size, const char *format, ...)
{
	char full[PATH_MAX];
	va_list args;
	ssize_t len;
	int fd, rc;

	va_start(args, format);
	rc = path_format(env, full, format, args);
	va_end(args);
	if (rc < 0)
		return rc;
	fd = open_path(full);
	if (fd < 0)
		return fd;
	len = pread_some(fd, out, size - 1, 0);
	close(fd);
	return len < 0 ? len : trimmed(out, len);
}

long
env_link(const struct env *env, char *out, size_t size, const char *format, ...)
{
	char full[PATH_MAX];
	va_list args;
	ssize_t len;
	int rc;

	va_start(args, format);
	rc = path_format(env, full, format, args);
	va_end(args);
	if (rc < 0)
		return rc;
	len = readlink(full, out, size);
	if (len < 0)
		return -errno;
	if ((size_t)len >= size)
		return -ENAMETOOLONG;
	out[len] = '\0';
	return len;
}

static int
kept_file_read_anew(const struct env *env, struct kept_file *file)
{
	long len = env_read(env, file->path, &file->buf, &file->cap);

	file->len = len < 0 ? 0 : (size_t)len;
	return len < 0 ? (int)len : 0;
}

int
kept_file_read(const struct env *env, struct kept_file *file)
{
	char full[PATH_MAX];
	long len;
	int rc;

	if (env->foreign)
		return kept_file_read_anew(env, file);
	file->len = 0;
	if (file->fd < 0) {
		rc = path_below(env, full, file->path);
		if (rc < 0)
			return rc;
		rc = open_path(full);
		if (rc < 0)
			return rc;
		file->fd = rc;
	}
	len = pread_whole(file->fd, &file->buf, &file->cap, file->short_read_ends);
	if (len < 0) {
		/* What fd refers to may be gone for good; the path may work again next time. */
		close(file->fd);
		file->fd = -1;
		return (int)len;
	}
	file->len = (size_t)len;
	return 0;
}

void
kept_file_close(struct kept_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	free(file->buf);
	*file = (struct kept_file){ .path = file->path, .fd = -1, .short_read_ends = file->short_read_ends };
}

int
captures_add(struct captures *captures, const char *interface)
{
	if (interface[0] == '\0' || strlen(interface) >= CAPTURE_NAME_MAX)
		return -EINVAL;
	for (size_t i = 0; i < captures->n; i++)
		if (strcmp(captures->names[i], interface) == 0)
			return 0;
	if (captures->n == CAPTURES_MOST)
		return -ENOSPC;
	strcpy(captures->names[captures->n++], interface);
	return 0;
}
