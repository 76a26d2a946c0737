/*
 * An iSCSI initiator in this process, through libiscsi: one session for each worker, READ (16) and WRITE (16).
 */
#include "config.h"
#ifdef HAVE_LIBISCSI

#include <errno.h>
#include <iscsi/iscsi.h>
#include <iscsi/scsi-lowlevel.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/xalloc.h"
#include "load/engine_util.h"
#include "load/iscsi_link.h"
#include "load/remote.h"

struct slot {
	struct iscsi_engine *engine;
	struct io *io;
	struct scsi_iovec iov;
	struct scsi_task *task;
};

struct iscsi_engine {
	struct engine engine;
	const struct remote *remote;
	struct iscsi_link *link;
	struct iscsi_context *context;
	int lun;
	bool may_write, sync;
	struct done_list done;
	struct slot *slots;
	int broken;		/* -errno of the connection; 0: it stands */
	bool told;		/* and was told to who reaps */
};

static struct iscsi_engine *
ours(struct engine *engine)
{
	return (struct iscsi_engine *)engine;
}

/* The target must have the very LUN that was proved: its number may have come to mean another. */
static int
find_proved(struct iscsi_engine *e, const struct engine_args *args)
{
	struct scsi_capacity capacity;
	char serial[sizeof(e->remote->serial)];
	int rc = iscsi_link_capacity(e->link, &capacity);

	if (rc == 0)
		iscsi_link_serial(e->link, serial, sizeof(serial));
	if (rc == 0 && (capacity.blocks != e->remote->blocks || capacity.block_bytes != e->remote->block_bytes ||
	    strcmp(serial, e->remote->serial) != 0))
		rc = -ESTALE;
	if (rc == -ESTALE && args->why != NULL)
		snprintf(args->why, args->why_size, "the LUN is not what it was a moment ago");
	else if (rc < 0 && args->why != NULL)
		snprintf(args->why, args->why_size, "%s", iscsi_link_words(e->link, rc));
	return rc;
}

static void
iscsi_close_engine(struct engine *engine)
{
	struct iscsi_engine *e = ours(engine);

	iscsi_link_close(e->link);
	remote_unref(e->remote);
	free(e->done.ios);
	free(e->slots);
	free(e);
}

static int
iscsi_open_engine(struct engine **out, const struct engine_args *args)
{
	struct iscsi_engine *e = xcalloc(1, sizeof(*e));
	char why[200] = "";
	int rc;

	e->engine.ops = &engine_iscsi;
	e->remote = remote_ref(args->remote);
	e->may_write = engine_may_write(args);
	e->sync = args->sync;
	e->done.cap = args->depth;
	e->done.ios = xcalloc(args->depth, sizeof(struct io *));
	e->slots = xcalloc(args->depth, sizeof(*e->slots));
	rc = iscsi_link_open(&e->link, e->remote->url, REMOTE_LIMIT_NS, why, sizeof(why));
	if (rc < 0 && args->why != NULL)
		snprintf(args->why, args->why_size, "%s", why);
	if (rc == 0)
		rc = find_proved(e, args);
	if (rc < 0) {
		iscsi_close_engine(&e->engine);
		return rc;
	}
	e->context = iscsi_link_context(e->link);
	e->lun = iscsi_link_lun(e->link);
	*out = &e->engine;
	return 0;
}

static void
break_off(struct iscsi_engine *e)
{
	const char *error = iscsi_get_error(e->context);

	if (e->broken != 0)
		return;
	e->broken = -ECONNRESET;
	snprintf(e->engine.words, sizeof(e->engine.words), "the connection to the target is lost: %.*s", (int)strcspn(error, "\n"),
	    error);
}

/* What the library cancels, nobody here having asked for it, was on a connection that went. */
static void
completed(struct iscsi_context *context, int status, void *data, void *arg)
{
	struct slot *slot = arg;
	struct iscsi_engine *e = slot->engine;
	struct io *io = slot->io;

	(void)context;
	if (status == SCSI_STATUS_GOOD) {
		io->result = (int32_t)io->bytes;
		if (slot->task->residual_status == SCSI_RESIDUAL_UNDERFLOW && io->dir != IO_SYNC)
			io->result -= (int32_t)slot->task->residual;
	} else {
		char words[sizeof(e->engine.words)] = "";

		io->result = iscsi_link_error(status, data, words, sizeof(words));
		if (io->result == -ECONNRESET)
			break_off(e);
		else if (e->engine.words[0] == '\0')
			memcpy(e->engine.words, words, sizeof(words));
	}
	scsi_free_scsi_task(slot->task);
	slot->task = NULL;
	done_put(&e->done, io);
}

static struct scsi_task *
start(struct iscsi_engine *e, struct io *io, struct slot *slot)
{
	int block = (int)e->remote->block_bytes;
	uint64_t lba = io->offset / e->remote->block_bytes;

	slot->iov = (struct scsi_iovec){ .iov_base = io->buf, .iov_len = io->bytes };
	switch (io->dir) {
	case IO_READ:
		return iscsi_read16_iov_task(e->context, e->lun, lba, io->bytes, block, 0, 0, 0, 0, 0, completed, slot, &slot->iov, 1);
	case IO_WRITE:
		return iscsi_write16_iov_task(e->context, e->lun, lba, NULL, io->bytes, block, 0, 0, e->sync, 0, 0, completed, slot,
		    &slot->iov, 1);
	default:
		/* From the first block to the end. */
		return iscsi_synchronizecache16_task(e->context, e->lun, 0, 0, 0, 0, completed, slot);
	}
}

static int
iscsi_submit(struct engine *engine, struct io *const *ios, unsigned n)
{
	struct iscsi_engine *e = ours(engine);

	if (engine_refuses(e->may_write, ios, n))
		return -EPERM;
	if (e->broken != 0)
		return e->broken;
	for (unsigned i = 0; i < n; i++) {
		struct slot *slot = &e->slots[ios[i]->slot];

		*slot = (struct slot){ .engine = e, .io = ios[i] };
		slot->task = start(e, ios[i], slot);
		if (slot->task == NULL) {
			ios[i]->result = -EIO;
			done_put(&e->done, ios[i]);
		}
	}
	return (int)n;
}

static void
serve(struct iscsi_engine *e, int revents)
{
	if (e->broken == 0 && iscsi_service(e->context, revents) < 0)
		break_off(e);
}

static void
wait_for_target(struct iscsi_engine *e, uint64_t deadline_ns)
{
	struct pollfd pfd = { .fd = iscsi_get_fd(e->context), .events = (short)iscsi_which_events(e->context) };
	uint64_t now = clock_ns();
	struct timespec left = clock_timespec(deadline_ns > now ? deadline_ns - now : 0);

	if (ppoll(&pfd, 1, deadline_ns == UINT64_MAX ? NULL : &left, NULL) > 0)
		serve(e, pfd.revents);
	/* The library that is not to connect again says nothing: it forgets that it was logged in. */
	if (!iscsi_is_logged_in(e->context))
		break_off(e);
}

/*
 * A connection that broke is told first, as what ended the run; what was in flight on it comes after, with errors.
 */
static int
iscsi_reap(struct engine *engine, struct io **out, unsigned min, unsigned max, uint64_t deadline_ns)
{
	struct iscsi_engine *e = ours(engine);

	/* What was submitted goes out before anything is waited for. */
	if (e->broken == 0 && (iscsi_which_events(e->context) & POLLOUT) != 0)
		serve(e, POLLOUT);
	do {
		if (e->broken == 0 && (e->done.n < min || min == 0))
			wait_for_target(e, min == 0 ? 0 : deadline_ns);
	} while (e->done.n < min && e->broken == 0 && clock_ns() < deadline_ns);
	if (e->broken != 0 && !e->told) {
		e->told = true;
		return e->broken;
	}
	return (int)done_take(&e->done, out, max);
}

/* Targets ask from time to time whether anybody is there; the library answers when it is called. */
static void
iscsi_idle(struct engine *engine)
{
	struct iscsi_engine *e = ours(engine);

	if (e->broken == 0)
		wait_for_target(e, 0);
	if (e->broken == 0 && (iscsi_which_events(e->context) & POLLOUT) != 0)
		serve(e, POLLOUT);
}

const struct engine_ops engine_iscsi = {
	.name = "iscsi",
	.asynchronous = true,
	.open = iscsi_open_engine,
	.submit = iscsi_submit,
	.reap = iscsi_reap,
	.idle = iscsi_idle,
	.close = iscsi_close_engine,
};

#endif
