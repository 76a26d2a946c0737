#include "load/target.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "core/xalloc.h"
#include "load/remote_servers.h"
#include "load/target_case.h"
#include "load/target_facts.h"
#include "load/target_grant.h"
#include "load/target_held.h"
#include "sys/text.h"

#define NULL_BYTES (UINT64_C(64) << 30)
#define NULL_BLOCK 512

static const struct env machine = { .root = "" };

static void
null_facts(uint64_t bytes, struct target_facts *out)
{
	*out = (struct target_facts){
		.kind = TARGET_NULL, .path = "null:", .size_bytes = bytes, .logical_block = NULL_BLOCK,
		.physical_block = NULL_BLOCK, .mem_align = NULL_BLOCK,
	};
}

static int
open_null(const struct target_request *request, struct target_held *held)
{
	uint64_t bytes = request->size_bytes != 0 ? request->size_bytes : NULL_BYTES;

	null_facts(bytes, &held->target.facts);
	held->target.area_bytes = bytes;
	held->target.grant = grant_null();
	held->target.written = true;
	return 0;
}

int
target_fits_block(const struct target_request *request, const struct target_facts *facts, char *why, size_t size)
{
	unsigned sector = facts->logical_block;

	if ((request->buffered && facts->remote == REMOTE_NONE) || sector == 0 || request->block % sector == 0)
		return 0;
	if (facts->remote != REMOTE_NONE) {
		snprintf(why, size, "blocks of %" PRIu32 " bytes do not fit the %u-byte blocks of %s: use a multiple of them",
		    request->block, sector, facts->path);
		return TARGET_USAGE;
	}
	snprintf(why, size, "blocks of %" PRIu32 " bytes do not fit the %u-byte sectors of %s: use a block size that is a multiple "
	    "of %u, or direct=0 in the job (then the page cache cuts and joins them)", request->block, sector, facts->path, sector);
	return TARGET_USAGE;
}

static int
refuse_kind(const char *name, mode_t mode, char *why, size_t size)
{
	snprintf(why, size, "%s refused: it is a %s: not a directory, a block device or a file that stortop made", name,
	    S_ISCHR(mode) ? "character device" : S_ISFIFO(mode) ? "pipe" : S_ISSOCK(mode) ? "socket" : "special file");
	return TARGET_REFUSED;
}

/*
 * What a name stands for is looked at with O_PATH: that opens nothing (a tape would rewind, a watchdog
 * would start). All else goes through this one descriptor.
 */
static int
open_named(const struct target_request *request, struct target_held *held, char *why, size_t size)
{
	struct stat st;
	int rc, fd = open(request->name, O_PATH | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return target_open_file(request, held, why, size);
	if (fd < 0 || fstat(fd, &st) < 0) {
		snprintf(why, size, "%s cannot be opened: %s", request->name, strerror(errno));
		if (fd >= 0)
			close(fd);
		return TARGET_FAILED;
	}
	if (S_ISBLK(st.st_mode))
		rc = target_open_device(fd, request, held, why, size);
	else if (S_ISDIR(st.st_mode))
		rc = target_open_directory(fd, request, held, why, size);
	else if (S_ISREG(st.st_mode))
		rc = target_open_file(request, held, why, size);
	else
		rc = refuse_kind(request->name, st.st_mode, why, size);
	close(fd);
	return rc;
}

/* From here on the name is shown without what is secret in it. */
static int
open_remote(const struct target_request *request, struct target_held *held, char *why, size_t size)
{
	enum remote_kind kind = remote_kind(request->name);
	char shown[sizeof(held->target.facts.path)], reason[160];
	struct target_request mine = *request;
	struct remote *remote;

	remote_shown(request->name, shown, sizeof(shown));
	if (!remote_built_in(kind, reason, sizeof(reason))) {
		snprintf(why, size, "%s: %s", shown, reason);
		return TARGET_USAGE;
	}
	mine.name = shown;
	remote = remote_new(kind, request->name);
	held->target.remote = remote;
	held->target.facts.remote = kind;
	text_copy(held->target.facts.path, sizeof(held->target.facts.path), shown);
#ifdef HAVE_LIBNFS
	if (kind == REMOTE_NFS)
		return target_open_nfs(remote, &mine, held, why, size);
#endif
#ifdef HAVE_LIBISCSI
	if (kind == REMOTE_ISCSI)
		return target_open_iscsi(remote, &mine, held, why, size);
#endif
	(void)mine;
	return TARGET_USAGE;
}

static int
open_any(const struct target_request *request, struct target_held *held, char *why, size_t size)
{
	if (strcmp(request->name, "null:") == 0)
		return open_null(request, held);
	if (remote_kind(request->name) != REMOTE_NONE)
		return open_remote(request, held, why, size);
	if (request->name[0] != '\0')
		return open_named(request, held, why, size);
	snprintf(why, size, "no target was named");
	return TARGET_USAGE;
}

/* A server elsewhere has none here; those of this host that have the same names serve others. Behind a test file the mark stands too. */
static void
look_for_servers(struct target_held *held)
{
	struct target *target = &held->target;
	uint64_t bytes = target->facts.size_bytes;

	if (!target->remote->here)
		return;
	target->servers = remote_servers_find(&machine, target->remote->kind);
	if (target->remote->kind == REMOTE_NFS)
		bytes = held->mark.area_bytes + MARK_BLOCK;
	remote_servers_device(&machine, target->servers, bytes, target->remote->ino, target->facts.device,
	    sizeof(target->facts.device));
}

int
target_open(const struct target_request *request, struct target **out, char *why, size_t size)
{
	struct target_held *held = xcalloc(1, sizeof(*held));
	int rc;

	held->target.fd = held->dir_fd = -1;
	if (size > 0)
		why[0] = '\0';
	rc = open_any(request, held, why, size);
	if (rc == 0 && held->target.remote != NULL)
		look_for_servers(held);
	facts_printable(why);
	if (rc == 0) {
		held->target.keep = request->keep;
		*out = &held->target;
		return 0;
	}
	/* A file that was kept before stays so; one that was made for this run goes. */
	held->target.keep = held->was_kept;
	target_close(&held->target);
	*out = NULL;
	return rc;
}

int
target_close(struct target *target)
{
	struct target_held *held = (struct target_held *)target;
	int rc = 0;

	if (target == NULL)
		return 0;
#ifdef HAVE_LIBNFS
	if (target->facts.remote == REMOTE_NFS)
		rc = target_close_nfs(held);
#endif
	if (held->dir_fd >= 0)
		rc = target_close_file(held);
	if (target->fd >= 0 && close(target->fd) < 0 && rc == 0)
		rc = -errno;
	if (held->dir_fd >= 0)
		close(held->dir_fd);
	grant_free(target->grant);
	remote_unref(target->remote);
	remote_servers_free(target->servers);
	free(held);
	return rc;
}

/* A device that cannot be opened still has a name, a size and mounts. */
static int
describe_device(int path_fd, const char *name, struct target_facts *facts)
{
	struct device_case c;
	int rc, fd = grant_reopen(path_fd, O_RDONLY | O_NONBLOCK);

	rc = device_case_read(&machine, fd >= 0 ? fd : path_fd, name, &c);
	if (rc == 0)
		*facts = c.facts;
	device_case_free(&c);
	if (fd >= 0)
		close(fd);
	return rc;
}

static int
describe_file(int fd, const struct stat *st, struct target_facts *facts)
{
	facts->kind = TARGET_FILE;
	facts_path(fd, facts->path, sizeof(facts->path));
	facts_printable(facts->path);
	if (S_ISREG(st->st_mode))
		facts->size_bytes = (uint64_t)st->st_size;
	return facts_file(&machine, fd, facts);
}

/* A file that is yet to be made: its directory tells. */
static int
describe_new(const char *name, struct target_facts *facts)
{
	const char *slash = strrchr(name, '/');
	char *parent = slash == NULL ? xstrdup(".") : xstrndup(name, slash == name ? 1 : (size_t)(slash - name));
	struct stat st;
	int rc, fd = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);

	free(parent);
	if (fd < 0)
		return -errno;
	rc = fstat(fd, &st) < 0 ? -errno : describe_file(fd, &st, facts);
	close(fd);
	text_copy(facts->path, sizeof(facts->path), name);
	facts_printable(facts->path);
	return rc;
}

int
target_describe(const char *name, struct target_facts *facts)
{
	struct stat st;
	int rc, fd;

	*facts = (struct target_facts){ .kind = TARGET_FILE, .remote = remote_kind(name) };
	if (strcmp(name, "null:") == 0) {
		null_facts(NULL_BYTES, facts);
		return 0;
	}
	/* What a server has is found out when the test begins. */
	if (facts->remote != REMOTE_NONE) {
		facts->kind = facts->remote == REMOTE_ISCSI ? TARGET_DEVICE : TARGET_FILE;
		remote_shown(name, facts->path, sizeof(facts->path));
		return 0;
	}
	fd = open(name, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? describe_new(name, facts) : -errno;
	if (fstat(fd, &st) < 0)
		rc = -errno;
	else if (S_ISBLK(st.st_mode))
		rc = describe_device(fd, name, facts);
	else if (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode))
		rc = describe_file(fd, &st, facts);
	else
		rc = -ENOTSUP;
	close(fd);
	return rc;
}
