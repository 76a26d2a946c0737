#include "load/target_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "core/clock.h"
#include "sys/env.h"
#include "sys/pidstat.h"
#include "sys/text.h"

/* The first words of a mark. The number is that of the form that follows. */
#define MAGIC "stortop test file 1"
#define FIRST_NAMESPACE 4026531836u	/* kernel: PROC_PID_INIT_INO in include/linux/proc_ns.h */

static bool
is_word(const char *text)
{
	return text[0] != '\0' && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == strlen(text);
}

size_t
mark_print(const struct mark *mark, char out[static MARK_TEXT_MAX])
{
	return (size_t)snprintf(out, MARK_TEXT_MAX, MAGIC " %s %s boot=%s host=%s pid=%" PRIu64 " start=%" PRIu64 " ino=%" PRIu64
	    " name=%016" PRIx64 " area=%" PRIu64 " mtime=%" PRId64 "\n", mark->kept ? "kept" : "used", mark->written ? "whole" : "part", mark->boot, mark->host,
	    mark->pid, mark->start, mark->ino, mark->name, mark->area_bytes, mark->mtime_ns);
}

/* Taken only if it is what we would have written, to the byte: scanf is lenient. */
int
mark_parse(const char *text, size_t len, struct mark *out)
{
	char copy[MARK_TEXT_MAX], again[MARK_TEXT_MAX], state[8], layout[8];

	*out = (struct mark){ .kept = false };
	if (len >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (sscanf(copy, MAGIC " %7[a-z] %7[a-z] boot=%39[0-9a-f-] host=%71[^ \n] pid=%19" SCNu64 " start=%19" SCNu64
	    " ino=%19" SCNu64 " name=%16" SCNx64 " area=%19" SCNu64 " mtime=%19" SCNd64, state, layout, out->boot, out->host,
	    &out->pid, &out->start, &out->ino, &out->name, &out->area_bytes, &out->mtime_ns) != 10 || !is_word(out->host))
		return -EINVAL;
	out->kept = strcmp(state, "kept") == 0;
	out->written = strcmp(layout, "whole") == 0;
	return mark_print(out, again) == len && memcmp(text, again, len) == 0 ? 0 : -EINVAL;
}

uint64_t
mark_hash(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name != '\0'; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return hash;
}

/* When a process started, in ticks after boot. 0: there is none. */
static uint64_t
start_of(const struct env *env, uint64_t pid)
{
	char text[1024];
	struct pidstat stat;
	long len = env_attr(env, text, sizeof(text), "/proc/%" PRIu64 "/stat", pid);

	return len > 0 && pidstat_parse(text, (size_t)len, &stat) == 0 ? stat.start_ticks : 0;
}

static void
read_boot(const struct env *env, char *out, size_t size)
{
	if (env_attr(env, out, size, "/proc/sys/kernel/random/boot_id") <= 0 || strspn(out, "0123456789abcdef-") != strlen(out))
		text_copy(out, size, "0");
}

/*
 * Within a process namespace of its own, a container's, process numbers mean others than outside: to that it is another host. The
 * first namespace has a number that never changes.
 */
static void
read_host(const struct env *env, char *out, size_t size)
{
	char name[256] = "", ns[64];
	unsigned number;

	gethostname(name, sizeof(name) - 1);
	if (!is_word(name))
		text_copy(name, sizeof(name), "unknown");
	text_copy(out, size, name);
	if (env_link(env, ns, sizeof(ns), "/proc/self/ns/pid") > 0 && sscanf(ns, "pid:[%u]", &number) == 1 && number != FIRST_NAMESPACE)
		snprintf(out, size, "%.50s-%u", name, number);
}

void
mark_self(struct mark *out)
{
	static const struct env machine = { .root = "" };

	*out = (struct mark){ .pid = (uint64_t)getpid() };
	out->start = start_of(&machine, out->pid);
	read_boot(&machine, out->boot, sizeof(out->boot));
	read_host(&machine, out->host, sizeof(out->host));
}

void
mark_sign(struct mark *mark, uint64_t ino, const char *name, uint64_t area_bytes, const struct mark *before)
{
	mark->ino = ino;
	mark->name = mark_hash(name);
	mark->area_bytes = area_bytes;
	if (before == NULL)
		return;
	mark->in_attribute = before->in_attribute;
	if (before->area_bytes >= area_bytes) {
		mark->area_bytes = before->area_bytes;
		mark->written = before->written;
	}
}

void
mark_keep(struct mark *mark, bool written, int64_t mtime_s)
{
	mark->kept = true;
	mark->written = written;
	mark->mtime_ns = mtime_s / 2 * 2 * (int64_t)NS_PER_S;
}

/* It names the area before it: a copy of the block at another place is no mark. */
int
mark_of_block(const char block[static MARK_BLOCK], uint64_t file_bytes, struct mark *out)
{
	if (mark_parse(block, strnlen(block, MARK_TEXT_MAX - 1), out) != 0)
		return -ENODATA;
	return file_bytes >= MARK_BLOCK && out->area_bytes == file_bytes - MARK_BLOCK ? 0 : -ENODATA;
}

static int
read_block(int fd, off_t file_bytes, struct mark *out)
{
	char block[MARK_BLOCK];
	ssize_t n;

	if (file_bytes < MARK_BLOCK)
		return -ENODATA;
	n = pread(fd, block, sizeof(block), file_bytes - MARK_BLOCK);
	if (n != MARK_BLOCK)
		return n < 0 ? -errno : -ENODATA;
	return mark_of_block(block, (uint64_t)file_bytes, out);
}

int
mark_read(int fd, struct mark *out)
{
	char text[MARK_TEXT_MAX];
	struct stat st;
	ssize_t n;
	int rc;

	if (fstat(fd, &st) < 0)
		return -errno;
	n = fgetxattr(fd, MARK_ATTRIBUTE, text, sizeof(text));
	if (n >= 0)
		rc = mark_parse(text, (size_t)n, out) == 0 ? 0 : -ENODATA;
	else
		rc = read_block(fd, st.st_size, out);
	out->in_attribute = n >= 0;
	return rc == 0 && out->ino != st.st_ino ? -ENODATA : rc;
}

static int
write_block(int fd, const struct mark *mark)
{
	char block[MARK_BLOCK] = "";
	ssize_t n;

	mark_print(mark, block);
	n = pwrite(fd, block, sizeof(block), (off_t)mark->area_bytes);
	if (n == MARK_BLOCK)
		return ftruncate(fd, (off_t)mark->area_bytes + MARK_BLOCK) < 0 ? -errno : 0;
	return n < 0 ? -errno : -ENOSPC;
}

/* The time of access too: FUSE's older library takes both or none. */
static int
set_times(int fd, int64_t ns)
{
	const int64_t second = (int64_t)NS_PER_S;	/* signed: before 1970 there were files too */
	const struct timespec time = { .tv_sec = ns / second, .tv_nsec = ns % second }, both[2] = { time, time };

	return futimens(fd, both) < 0 ? -errno : 0;
}

int
mark_write(int fd, const struct mark *mark)
{
	char text[MARK_TEXT_MAX];
	size_t len;
	int rc = 0;

	if (mark->in_attribute) {
		len = mark_print(mark, text);
		rc = fsetxattr(fd, MARK_ATTRIBUTE, text, len, 0) < 0 ? -errno : 0;
	} else {
		rc = write_block(fd, mark);
	}
	return rc == 0 && mark->mtime_ns != 0 ? set_times(fd, mark->mtime_ns) : rc;
}

bool
mark_is_stale(const struct mark *mark, bool network)
{
	static const struct env machine = { .root = "" };
	struct mark self;

	mark_self(&self);
	if (network && strcmp(mark->host, self.host) != 0)
		return false;
	return strcmp(mark->boot, self.boot) != 0 || start_of(&machine, mark->pid) != mark->start;
}

bool
mark_is_leftover(const struct mark *mark, const char *name, bool network)
{
	return !mark->kept && mark->name == mark_hash(name) && mark_is_stale(mark, network);
}
