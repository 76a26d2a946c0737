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
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/xalloc.h"
#include "load/engine_util.h"
#include "load/nfs_link.h"
#include "load/remote.h"

#define QUIET_NS (10 * NS_PER_S)	/* so long nothing is asked, then something is */

struct slot {
	struct nfs_engine *engine;
	struct io *io;
};

struct nfs_engine {
	struct engine engine;
	const struct remote *remote;
	struct nfs_link *link;
	struct nfs_context *context;
	struct nfsfh *fh;
	bool may_write;
	struct done_list done;
	struct slot *slots;
	unsigned in_flight;
	int broken;		/* -errno of the connection; 0: it stands */
	bool told;		/* and was told to who reaps */
	bool submitted;		/* since the last idle() */
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
	struct stat st;
	int rc = nfs_link_open_file(e->link, e->remote->file, (e->may_write ? O_RDWR : O_RDONLY) | (args->sync ? O_SYNC : 0), &e->fh);

	if (rc == 0)
		rc = nfs_link_fstat(e->link, e->fh, &st);
	if (rc == 0 && st.st_ino != e->remote->ino)
		rc = -ESTALE;
	if (rc < 0 && args->why != NULL)
		snprintf(args->why, args->why_size, "%s: %s", e->remote->file, nfs_link_words(e->link, rc));
	return rc;
}

static void
nfs_close_engine(struct engine *engine)
{
	struct nfs_engine *e = ours(engine);

	if (e->fh != NULL && e->broken == 0 && e->in_flight == 0)
		nfs_link_close_file(e->link, e->fh);
	nfs_link_close(e->link);
	remote_unref(e->remote);
	free(e->done.ios);
	free(e->slots);
	free(e);
}

static int
nfs_open_engine(struct engine **out, const struct engine_args *args)
{
	struct nfs_engine *e = xcalloc(1, sizeof(*e));
	char why[200] = "";
	int rc, version;

	e->engine.ops = &engine_nfs;
	e->remote = remote_ref(args->remote);
	e->may_write = engine_may_write(args);
	e->done.cap = args->depth;
	e->done.ios = xcalloc(args->depth, sizeof(struct io *));
	e->slots = xcalloc(args->depth, sizeof(*e->slots));
	version = e->may_write ? nfs_link_writing_version(e->remote->version) : e->remote->version;
	rc = nfs_link_open(&e->link, e->remote->directory, version, REMOTE_LIMIT_NS, why, sizeof(why));
	if (rc < 0 && args->why != NULL)
		snprintf(args->why, args->why_size, "%s", why);
	if (rc == 0)
		rc = open_proved(e, args);
	if (rc < 0) {
		nfs_close_engine(&e->engine);
		return rc;
	}
	e->context = nfs_link_context(e->link);
	e->asked_ns = clock_ns();
	*out = &e->engine;
	return 0;
}

/* After the connection broke the library ends what was under way with errors of its own. */
static void
completed(int status, struct nfs_context *context, void *data, void *arg)
{
	struct slot *slot = arg;
	struct nfs_engine *e = slot->engine;

	(void)context;
	if (status < 0 && e->broken == 0 && e->engine.words[0] == '\0' && data != NULL)
		snprintf(e->engine.words, sizeof(e->engine.words), "%s", (const char *)data);
	slot->io->result = status < 0 && e->broken != 0 ? e->broken : status;
	done_put(&e->done, slot->io);
	e->in_flight--;
}

static int
start(struct nfs_engine *e, struct io *io)
{
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
nfs_submit(struct engine *engine, struct io *const *ios, unsigned n)
{
	struct nfs_engine *e = ours(engine);

	if (engine_refuses(e->may_write, ios, n))
		return -EPERM;
	if (e->broken != 0)
		return e->broken;
	e->submitted = true;
	for (unsigned i = 0; i < n; i++) {
		e->in_flight++;
		if (start(e, ios[i]) < 0) {
			e->in_flight--;
			ios[i]->result = -EIO;
			done_put(&e->done, ios[i]);
		}
	}
	return (int)n;
}

static void
serve(struct nfs_engine *e, int revents)
{
	if (e->broken != 0 || nfs_service(e->context, revents) >= 0)
		return;
	e->broken = -ECONNRESET;
	snprintf(e->engine.words, sizeof(e->engine.words), "the connection to the server is lost: %s", nfs_get_error(e->context));
}

/* Waits for the server's bytes, or for room to send. */
static void
wait_for_server(struct nfs_engine *e, uint64_t deadline_ns)
{
	struct pollfd pfd = { .fd = nfs_get_fd(e->context), .events = (short)nfs_which_events(e->context) };
	uint64_t now = clock_ns();
	struct timespec left = clock_timespec(deadline_ns > now ? deadline_ns - now : 0);

	if (ppoll(&pfd, 1, deadline_ns == UINT64_MAX ? NULL : &left, NULL) > 0)
		serve(e, pfd.revents);
}

/*
 * A connection that broke is told first, as what ended the run; what was in flight on it comes after, with errors.
 */
static int
nfs_reap(struct engine *engine, struct io **out, unsigned min, unsigned max, uint64_t deadline_ns)
{
	struct nfs_engine *e = ours(engine);

	/* What was submitted goes out before anything is waited for. */
	if (e->broken == 0 && (nfs_which_events(e->context) & POLLOUT) != 0)
		serve(e, POLLOUT);
	do {
		if (e->broken == 0 && (e->done.n < min || min == 0))
			wait_for_server(e, min == 0 ? 0 : deadline_ns);
	} while (e->done.n < min && e->broken == 0 && clock_ns() < deadline_ns);
	if (e->broken != 0 && !e->told) {
		e->told = true;
		return e->broken;
	}
	return (int)done_take(&e->done, out, max);
}

static void
idle_answered(int status, struct nfs_context *context, void *data, void *arg)
{
	(void)status;
	(void)context;
	(void)data;
	((struct nfs_engine *)arg)->asking = false;
}

/* Servers close connections on which nothing was asked for minutes. One that closed it is noticed here too. */
static void
nfs_idle(struct engine *engine)
{
	struct nfs_engine *e = ours(engine);
	uint64_t now = clock_ns();

	if (e->submitted)
		e->asked_ns = now;
	e->submitted = false;
	if (e->broken == 0 && !e->asking && now - e->asked_ns >= QUIET_NS) {
		e->asked_ns = now;
		e->asking = nfs_fstat64_async(e->context, e->fh, idle_answered, e) == 0;
	}
	if (e->broken == 0)
		wait_for_server(e, 0);
	if (e->broken == 0 && (nfs_which_events(e->context) & POLLOUT) != 0)
		serve(e, POLLOUT);
}

const struct engine_ops engine_nfs = {
	.name = "nfs",
	.asynchronous = true,
	.open = nfs_open_engine,
	.submit = nfs_submit,
	.reap = nfs_reap,
	.idle = nfs_idle,
	.close = nfs_close_engine,
};

#endif
