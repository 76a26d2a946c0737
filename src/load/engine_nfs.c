/*
 * An NFS client in this process, through libnfs: one connection for each worker. What is read stays in the library's own
 * memory: nobody looks at it, and a copy would be charged to the server. Writes are the server's to keep until a sync, as those of
 * any client, unless the job says sync=1.
 */
#include "config.h"
#ifdef HAVE_LIBNFS

#include <errno.h>
#include <fcntl.h>
#include <nfsc/libnfs.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/clock.h"
#include "core/xalloc.h"
#include "load/nfs_link.h"
#include "load/remote_engine.h"

#define QUIET_NS (10 * NS_PER_S)	/* so long nothing is asked, then something is */

struct slot {
	struct nfs_engine *engine;
	struct io *io;
};

struct nfs_engine {
	struct remote_engine remote;
	struct nfs_link *link;
	struct nfs_context *context;
	struct nfsfh *fh;
	struct slot *slots;
	uint64_t asked_ns;	/* something was asked, as far as idle() knows */
	bool asking;		/* a question of idle() is under way */
};

static struct nfs_engine *
ours(struct engine *engine)
{
	return (struct nfs_engine *)engine;
}

/* The server must have the very file that was proved: its number is the same over every version of the protocol. */
static int
open_proved(struct nfs_engine *e, const struct engine_args *args)
{
	const struct remote *remote = e->remote.remote;
	struct stat st;
	int rc = nfs_link_open_file(e->link, remote->file, (e->remote.may_write ? O_RDWR : O_RDONLY) | (args->sync ? O_SYNC : 0),
	    &e->fh);

	if (rc == 0)
		rc = nfs_link_fstat(e->link, e->fh, &st);
	if (rc == 0 && st.st_ino != remote->ino)
		rc = -ESTALE;
	if (rc < 0 && args->why != NULL)
		snprintf(args->why, args->why_size, "%s: %s", remote->file, nfs_link_words(e->link, rc));
	return rc;
}

static void
nfs_close_engine(struct engine *engine)
{
	struct nfs_engine *e = ours(engine);

	if (e->fh != NULL && e->remote.in_flight == 0 && nfs_link_wire(e->link)->dead == 0)
		nfs_link_close_file(e->link, e->fh);
	else if (e->fh != NULL && e->remote.in_flight == 0 && !e->asking)
		nfs_link_drop_file(e->link, e->fh);
	nfs_link_close(e->link);
	remote_engine_free(&e->remote);
	free(e->slots);
	free(e);
}

/*
 * After the connection broke the library ends what was under way with errors of its own. Of what the server refused it keeps the
 * reason as its last error: the status is a "bad address" whatever that was, and the data are not always a text.
 */
static void
completed(int status, struct nfs_context *context, void *data, void *arg)
{
	struct slot *slot = arg;
	struct remote_engine *e = &slot->engine->remote;
	const char *words = nfs_get_error(context);

	(void)data;
	if (status < 0 && e->wire->dead == 0 && words != NULL)
		remote_engine_words(e, words);
	if (status < 0 && e->wire->dead != 0)
		status = e->wire->dead;
	slot->io->result = status == -EFAULT ? -EIO : status;
	remote_engine_done(e, slot->io);
}

static int
start(struct remote_engine *remote, struct io *io)
{
	struct nfs_engine *e = ours(&remote->engine);
	struct slot *slot = &e->slots[io->slot];

	*slot = (struct slot){ e, io };
	switch (io->dir) {
	case IO_READ:
#ifdef LIBNFS_API_V2
		return nfs_pread_async(e->context, e->fh, io->buf, io->bytes, io->offset, completed, slot);
	case IO_WRITE:
		return nfs_pwrite_async(e->context, e->fh, io->buf, io->bytes, io->offset, completed, slot);
#else
		return nfs_pread_async(e->context, e->fh, io->offset, io->bytes, completed, slot);
	case IO_WRITE:
		return nfs_pwrite_async(e->context, e->fh, io->offset, io->bytes, io->buf, completed, slot);
#endif
	default:
		return nfs_fsync_async(e->context, e->fh, completed, slot);
	}
}

static int
nfs_open_engine(struct engine **out, const struct engine_args *args)
{
	struct nfs_engine *e = xcalloc(1, sizeof(*e));
	char why[200] = "";
	int rc, version = args->remote->version;

	remote_engine_init(&e->remote, &engine_nfs, args, start);
	e->slots = xcalloc(args->depth, sizeof(*e->slots));
	if (e->remote.may_write)
		version = nfs_link_writing_version(version);
	rc = nfs_link_open(&e->link, args->remote->directory, version, REMOTE_LIMIT_NS, why, sizeof(why));
	if (rc < 0 && args->why != NULL)
		snprintf(args->why, args->why_size, "%s", why);
	if (rc == 0)
		rc = open_proved(e, args);
	if (rc < 0) {
		nfs_close_engine(&e->remote.engine);
		return rc;
	}
	e->context = nfs_link_context(e->link);
	e->remote.wire = nfs_link_wire(e->link);
	e->asked_ns = clock_ns();
	*out = &e->remote.engine;
	return 0;
}

static void
idle_answered(int status, struct nfs_context *context, void *data, void *arg)
{
	(void)status;
	(void)context;
	(void)data;
	((struct nfs_engine *)arg)->asking = false;
}

/* Servers close connections on which nothing was asked for minutes. */
static void
nfs_idle(struct engine *engine)
{
	struct nfs_engine *e = ours(engine);
	uint64_t now = clock_ns();

	if (e->remote.submitted)
		e->asked_ns = now;
	if (e->remote.wire->dead == 0 && !e->asking && now - e->asked_ns >= QUIET_NS) {
		e->asked_ns = now;
		e->asking = nfs_fstat64_async(e->context, e->fh, idle_answered, e) == 0;
	}
	remote_engine_idle(engine);
}

const struct engine_ops engine_nfs = {
	.name = "nfs",
	.open = nfs_open_engine,
	.submit = remote_engine_submit,
	.reap = remote_engine_reap,
	.idle = nfs_idle,
	.close = nfs_close_engine,
};

#endif
