/*
 * Test files on an NFS server, by the same rules as on a file system: only what stortop made is written, and it goes when the
 * run ends. NFSv3 has neither attributes for the mark, which stands behind the area, nor locks that need no daemon: what two
 * runs write into the mark at the same moment tells them apart.
 */
#include "config.h"
#ifdef HAVE_LIBNFS

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/xalloc.h"
#include "load/nfs_link.h"
#include "load/remote_wire.h"
#include "load/target_case.h"
#include "load/target_grant.h"
#include "load/target_held.h"
#include "load/target_space.h"
#include "sys/text.h"

#define NAME_TRIES 16
/* Is the server there at all? And to forget a large file may take it its time. */
#define CLOSE_NS NS_PER_S
#define UNLINK_NS (30 * NS_PER_S)

static const struct env machine = { .root = "" };

/* What is at hand while a target is opened. */
struct nfs_case {
	const struct target_request *request;
	struct target_held *held;
	struct remote *remote;
	struct nfs_link *link;
	struct nfsfh *fh;
	char *why;
	size_t size;
};

static int
failed(struct nfs_case *c, const char *what, int rc)
{
	snprintf(c->why, c->size, "%s %s: %s%s", c->request->name, what, nfs_link_words(c->link, rc),
	    rc == -EACCES || rc == -EPERM ? ": the server does not let this user; ?uid=N&gid=N says who asks" : "");
	return TARGET_FAILED;
}

static int
refuse(struct nfs_case *c, const char *reason)
{
	snprintf(c->why, c->size, "%s refused: %s", c->request->name, reason);
	return TARGET_REFUSED;
}

static void
path_of(const char *base, char *out, size_t size)
{
	snprintf(out, size, "/%s", base);
}

/* ---- the mark ---- */

static int
read_mark(struct nfs_link *link, struct nfsfh *fh, const struct stat *st, struct mark *out)
{
	char block[MARK_BLOCK];
	int rc;

	if (st->st_size < MARK_BLOCK)
		return -ENODATA;
	rc = nfs_link_read(link, fh, (uint64_t)st->st_size - MARK_BLOCK, block, sizeof(block));
	if (rc == 0)
		rc = mark_of_block(block, (uint64_t)st->st_size, out);
	return rc == 0 && out->ino != st->st_ino ? -ENODATA : rc;
}

/* Behind the area, where the file then ends; and it must be there: another run may have had the same thought. */
static int
write_mark(struct nfs_link *link, struct nfsfh *fh, const struct mark *mark)
{
	char block[MARK_BLOCK] = "", again[MARK_BLOCK] = "";
	int rc;

	mark_print(mark, block);
	rc = nfs_link_write(link, fh, mark->area_bytes, block, sizeof(block));
	if (rc == 0)
		rc = nfs_link_truncate(link, fh, mark->area_bytes + MARK_BLOCK);
	if (rc == 0)
		rc = nfs_link_sync(link, fh);
	if (rc == 0)
		rc = nfs_link_read(link, fh, mark->area_bytes, again, sizeof(again));
	return rc == 0 && memcmp(block, again, sizeof(block)) != 0 ? -EBUSY : rc;
}

struct source {
	struct nfs_link *link;
	struct nfsfh *fh;
};

static int
read_source(void *arg, uint64_t at, void *buf, size_t len)
{
	struct source *source = arg;

	return nfs_link_read(source->link, source->fh, at, buf, len);
}

/* Has somebody made a file system of it? */
static void
look_for_superblock(struct nfs_link *link, struct nfsfh *fh, struct file_case *c)
{
	struct source source = { link, fh };
	int fd = signature_copy(read_source, &source, (uint64_t)c->st.st_size, false);

	if (fd < 0)
		return;
	signature_has_superblock(fd, c->superblock, sizeof(c->superblock));
	close(fd);
}

static int
read_case(struct nfs_link *link, struct nfsfh *fh, struct file_case *out)
{
	int rc;

	*out = (struct file_case){ .env = &machine, .network = true };
	rc = nfs_link_fstat(link, fh, &out->st);
	if (rc < 0)
		return rc;
	out->marked = read_mark(link, fh, &out->st, &out->mark);
	if (out->marked == 0 && !out->mark.kept)
		look_for_superblock(link, fh, out);
	return 0;
}

/* ---- leftovers ---- */

struct names {
	char **list;
	size_t n;
};

static void
keep_name(void *arg, const char *name)
{
	struct names *names = arg;

	if (!target_has_our_name(name))
		return;
	names->list = xreallocarray(names->list, names->n + 1, sizeof(*names->list));
	names->list[names->n++] = xstrdup(name);
}

/* The mark first: it is one read, and says no of most files. Only of the others all is looked at. */
static bool
is_leftover(struct nfs_link *link, struct nfsfh *fh, const struct stat *st, const char *name)
{
	struct file_case c;
	struct mark mark;
	char why[512];

	return read_mark(link, fh, st, &mark) == 0 && mark_is_leftover(&mark, name, true) && read_case(link, fh, &c) == 0 &&
	    file_checks_run(&c, "", why, sizeof(why)) == 0 && mark_is_leftover(&c.mark, name, true);
}

static void
sweep_one(struct nfs_link *link, const char *name)
{
	char path[NAME_MAX + 2];
	struct stat st, there;
	struct nfsfh *fh;
	bool gone;

	path_of(name, path, sizeof(path));
	if (nfs_link_stat(link, path, &st) < 0 || !S_ISREG(st.st_mode) || nfs_link_open_file(link, path, O_RDONLY, &fh) < 0)
		return;
	gone = is_leftover(link, fh, &st, name);
	nfs_link_close_file(link, fh);
	/* Somebody may have put another one there. */
	if (gone && nfs_link_stat(link, path, &there) == 0 && there.st_ino == st.st_ino)
		nfs_link_unlink(link, path);
}

static void
sweep(struct nfs_link *link)
{
	struct names names = { NULL, 0 };

	nfs_link_list(link, "/", keep_name, &names);
	for (size_t i = 0; i < names.n; i++) {
		sweep_one(link, names.list[i]);
		free(names.list[i]);
	}
	free(names.list);
}

/* ---- a file ---- */

static int
size_new(struct nfs_case *c, uint64_t *bytes)
{
	struct space space;
	uint64_t all, available;
	int rc;

	sweep(c->link);
	rc = nfs_link_space(c->link, &all, &available);
	if (rc < 0)
		return failed(c, "cannot be looked at", rc);
	space_make(&space, all, available);
	c->held->target.facts.free_bytes = available;
	return space_choose(c->request, c->request->name, &space, 0, 0, bytes, c->why, c->size);
}

static int
sign(struct nfs_case *c, const struct mark *before)
{
	struct mark *mark = &c->held->mark;
	struct stat st;
	int rc = nfs_link_fstat(c->link, c->fh, &st);

	if (rc < 0)
		return rc;
	mark_self(mark);
	mark_sign(mark, st.st_ino, c->held->base, c->held->target.area_bytes, before);
	return write_mark(c->link, c->fh, mark);
}

/* The file itself: one that is left behind, or kept, is found again by it. */
static void
name_file(struct nfs_case *c)
{
	struct target_facts *facts = &c->held->target.facts;
	char *url = nfs_url_join(c->remote->directory, c->held->base);

	remote_shown(url, facts->path, sizeof(facts->path));
	free(url);
}

/* From an open, marked file to a target. */
static int
make_target(struct nfs_case *c)
{
	struct target *target = &c->held->target;
	struct file_case now;
	int rc = read_case(c->link, c->fh, &now);

	if (rc < 0)
		return failed(c, "cannot be looked at", rc);
	rc = grant_remote_file(&now, c->request->name, c->remote, &target->grant, c->why, c->size);
	if (rc != 0)
		return rc;
	c->remote->ino = now.st.st_ino;
	c->remote->file = xasprintf("/%s", c->held->base);
	name_file(c);
	target->written = c->held->mark.written;
	target->facts.kind = TARGET_FILE;
	target->facts.size_bytes = target->area_bytes;
	snprintf(target->facts.fs, sizeof(target->facts.fs), "nfs%d", c->remote->version);
	return 0;
}

static int
create(struct nfs_case *c, uint64_t bytes)
{
	char path[NAME_MAX + 2];
	int rc;

	path_of(c->held->base, path, sizeof(path));
	rc = nfs_link_create(c->link, path, &c->fh);
	if (rc == -EEXIST)
		return rc;
	if (rc < 0)
		return failed(c, "no test file can be made", rc);
	c->held->created = true;
	c->held->target.area_bytes = bytes;
	rc = sign(c, NULL);
	return rc < 0 ? failed(c, "no test file can be made", rc) : make_target(c);
}

static int
open_directory(struct nfs_case *c)
{
	uint64_t bytes;
	int rc = size_new(c, &bytes);

	if (rc != 0)
		return rc;
	rc = -EEXIST;
	for (int i = 0; i < NAME_TRIES && rc == -EEXIST; i++) {
		target_make_name(c->held->base, sizeof(c->held->base));
		rc = create(c, bytes);
	}
	return rc == -EEXIST ? failed(c, "no test file can be made", rc) : rc;
}

/* A file of ours again: as large as it is, or larger. */
static int
take_again(struct nfs_case *c, const struct file_case *found)
{
	struct space space;
	uint64_t all, available;
	int rc = nfs_link_space(c->link, &all, &available);

	if (rc < 0)
		return failed(c, "cannot be looked at", rc);
	space_make(&space, all, available);
	rc = space_choose(c->request, c->request->name, &space, found->mark.area_bytes, (uint64_t)found->st.st_blocks * 512,
	    &c->held->target.area_bytes, c->why, c->size);
	if (rc != 0)
		return rc;
	c->held->was_kept = found->mark.kept;
	rc = sign(c, &found->mark);
	if (rc == -EBUSY)
		return refuse(c, "it is in use by another run of stortop");
	return rc < 0 ? failed(c, "cannot be marked", rc) : make_target(c);
}

static int
open_existing(struct nfs_case *c, const char *path)
{
	struct file_case found;
	int rc = nfs_link_open_file(c->link, path, O_RDWR, &c->fh);

	if (rc < 0)
		return failed(c, "cannot be opened", rc);
	rc = read_case(c->link, c->fh, &found);
	if (rc < 0)
		return failed(c, "cannot be looked at", rc);
	rc = file_checks_run(&found, c->request->name, c->why, c->size);
	return rc != 0 ? rc : take_again(c, &found);
}

static int
open_file(struct nfs_case *c)
{
	char path[NAME_MAX + 2];
	struct stat st;
	uint64_t bytes;
	int rc;

	path_of(c->held->base, path, sizeof(path));
	rc = nfs_link_stat(c->link, path, &st);
	if (rc == 0 && S_ISLNK(st.st_mode))
		return refuse(c, "it is a symbolic link: name the file itself");
	if (rc == 0 && !S_ISREG(st.st_mode))
		return refuse(c, "it is no regular file");
	if (rc == 0)
		return open_existing(c, path);
	if (rc != -ENOENT)
		return failed(c, "cannot be looked at", rc);
	rc = size_new(c, &bytes);
	if (rc == 0)
		rc = create(c, bytes);
	return rc == -EEXIST ? refuse(c, "it exists and was not made by stortop") : rc;
}

/* ---- what the URL names ---- */

static int
connect_to(struct nfs_case *c, const char *url, char *reason, size_t size)
{
	struct stat st;
	int rc = nfs_link_open(&c->link, url, nfs_link_writing_version(c->remote->version), REMOTE_LIMIT_NS, reason, size);

	if (rc < 0)
		return rc;
	c->remote->here = remote_wire_is_here(nfs_link_wire(c->link));
	rc = nfs_link_stat(c->link, "/", &st);
	if (rc == 0 && !S_ISDIR(st.st_mode))
		rc = -ENOTDIR;
	if (rc == 0)
		return 0;
	snprintf(reason, size, "%s", nfs_link_words(c->link, rc));
	nfs_link_close(c->link);
	c->link = NULL;
	return rc;
}

/* A directory; where it is none, a file in the one above. */
static int
open_named(struct nfs_case *c)
{
	char reason[200], second[200], *file = NULL;
	int rc = connect_to(c, c->remote->url, reason, sizeof(reason));

	if (rc == 0) {
		c->remote->directory = xstrdup(c->remote->url);
		return open_directory(c);
	}
	if (rc != -ETIMEDOUT && rc != -EINVAL && rc != -ECONNREFUSED &&
	    nfs_url_split(c->remote->url, &c->remote->directory, &file) == 0) {
		text_copy(c->held->base, sizeof(c->held->base), file);
		free(file);
		if (connect_to(c, c->remote->directory, second, sizeof(second)) == 0)
			return open_file(c);
	}
	snprintf(c->why, c->size, "%s: %s", c->request->name, reason);
	return rc == -EINVAL ? TARGET_USAGE : TARGET_FAILED;
}

static int
refuse_writing(struct nfs_case *c)
{
	snprintf(c->why, c->size, "%s: libnfs %d.%d.%d, which this stortop was built with, cannot write 4 KiB or more over NFSv4: "
	    "leave out version=4 (NFSv3), or use a job that only reads", c->request->name, HAVE_LIBNFS / 10000,
	    HAVE_LIBNFS / 100 % 100, HAVE_LIBNFS % 100);
	return TARGET_USAGE;
}

int
target_open_nfs(struct remote *remote, const struct target_request *request, struct target_held *held, char *why, size_t size)
{
	struct nfs_case c = { .request = request, .held = held, .remote = remote, .why = why, .size = size };
	char reason[200];
	int rc;

	remote->version = nfs_url_version(remote->url, reason, sizeof(reason));
	if (remote->version < 0) {
		snprintf(why, size, "%s: %s", request->name, reason);
		return TARGET_USAGE;
	}
	if (request->writes && nfs_link_writing_version(remote->version) != remote->version)
		return refuse_writing(&c);
	rc = open_named(&c);
	if (c.fh != NULL)
		nfs_link_close_file(c.link, c.fh);
	nfs_link_close(c.link);
	return rc;
}

/* ---- the end ---- */

static int
leave_marked(struct nfs_link *link, struct target_held *held, const char *path)
{
	struct nfsfh *fh;
	struct stat st;
	int rc = nfs_link_open_file(link, path, O_RDWR, &fh);

	if (rc < 0)
		return rc;
	rc = nfs_link_fstat(link, fh, &st);
	if (rc == 0) {
		mark_keep(&held->mark, held->target.written, st.st_mtim.tv_sec);
		rc = write_mark(link, fh, &held->mark);
	}
	nfs_link_close_file(link, fh);
	return rc == 0 ? nfs_link_times(link, path, held->mark.mtime_ns) : rc;
}

int
target_close_nfs(struct target_held *held)
{
	const struct remote *remote = held->target.remote;
	char path[NAME_MAX + 2], why[200];
	struct nfs_link *link;
	struct stat st;
	int rc;

	/* Refused: it is not ours to touch, unless we made it just now. */
	if (remote->directory == NULL || (held->target.grant == NULL && !held->created))
		return 0;
	if (held->target.silent)
		return -ETIMEDOUT;
	rc = nfs_link_open(&link, remote->directory, nfs_link_writing_version(remote->version), CLOSE_NS, why, sizeof(why));
	/* libnfs calls it a bad address where it cannot speak with the server. */
	if (rc < 0)
		return rc == -EFAULT ? -ECONNREFUSED : rc;
	path_of(held->base, path, sizeof(path));
	rc = nfs_link_stat(link, path, &st);
	/* Somebody may have put another one there. */
	if (rc == 0 && held->mark.ino != 0 && st.st_ino != held->mark.ino)
		rc = -ESTALE;
	nfs_link_limit(link, UNLINK_NS);
	if (rc == 0)
		rc = held->target.keep && held->target.grant != NULL ? leave_marked(link, held, path) : nfs_link_unlink(link, path);
	nfs_link_close(link);
	return rc;
}

#endif
