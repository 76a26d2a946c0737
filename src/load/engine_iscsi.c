/*
 * An iSCSI initiator in this process, through libiscsi: one session for each worker, READ (16) and WRITE (16).
 */
#include "config.h"
#ifdef HAVE_LIBISCSI

#include <errno.h>
#include <iscsi/iscsi.h>
#include <iscsi/scsi-lowlevel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "load/iscsi_link.h"
#include "load/remote_engine.h"

struct slot {
	struct iscsi_engine *engine;
	struct io *io;
	struct scsi_iovec iov;
	struct scsi_task *task;
};

struct iscsi_engine {
	struct remote_engine remote;
	struct iscsi_link *link;
	struct iscsi_context *context;
	int lun;
	bool sync;
	struct slot *slots;
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
	const struct remote *remote = e->remote.remote;
	struct scsi_capacity capacity;
	char serial[sizeof(remote->serial)];
	int rc = iscsi_link_capacity(e->link, &capacity);

	if (rc == 0)
		iscsi_link_serial(e->link, serial, sizeof(serial));
	if (rc == 0 && (capacity.blocks != remote->blocks || capacity.block_bytes != remote->block_bytes ||
	    strcmp(serial, remote->serial) != 0))
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
	remote_engine_free(&e->remote);
	free(e->slots);
	free(e);
}

/* What the library cancels, nobody here having asked for it, was on a connection that went. */
static void
completed(struct iscsi_context *context, int status, void *data, void *arg)
{
	struct slot *slot = arg;
	struct remote_engine *e = &slot->engine->remote;
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
			remote_wire_lost(e->wire);
		else
			remote_engine_words(e, words);
	}
	scsi_free_scsi_task(slot->task);
	slot->task = NULL;
	remote_engine_done(e, io);
}

static struct scsi_task *
make_task(struct iscsi_engine *e, struct io *io, struct slot *slot)
{
	uint32_t block = e->remote.remote->block_bytes;
	uint64_t lba = io->offset / block;

	slot->iov = (struct scsi_iovec){ .iov_base = io->buf, .iov_len = io->bytes };
	switch (io->dir) {
	case IO_READ:
		return iscsi_read16_iov_task(e->context, e->lun, lba, io->bytes, (int)block, 0, 0, 0, 0, 0, completed, slot,
		    &slot->iov, 1);
	case IO_WRITE:
		return iscsi_write16_iov_task(e->context, e->lun, lba, NULL, io->bytes, (int)block, 0, 0, e->sync, 0, 0, completed,
		    slot, &slot->iov, 1);
	default:
		/* From the first block to the end. */
		return iscsi_synchronizecache16_task(e->context, e->lun, 0, 0, 0, 0, completed, slot);
	}
}

static int
start(struct remote_engine *remote, struct io *io)
{
	struct iscsi_engine *e = ours(&remote->engine);
	struct slot *slot = &e->slots[io->slot];

	*slot = (struct slot){ .engine = e, .io = io };
	slot->task = make_task(e, io, slot);
	return slot->task != NULL ? 0 : -1;
}

static int
iscsi_open_engine(struct engine **out, const struct engine_args *args)
{
	struct iscsi_engine *e = xcalloc(1, sizeof(*e));
	char why[200] = "";
	int rc;

	remote_engine_init(&e->remote, &engine_iscsi, args, start);
	e->sync = args->sync;
	e->slots = xcalloc(args->depth, sizeof(*e->slots));
	rc = iscsi_link_open(&e->link, args->remote->url, REMOTE_LIMIT_NS, why, sizeof(why));
	if (rc < 0 && args->why != NULL)
		snprintf(args->why, args->why_size, "%s", why);
	if (rc == 0)
		rc = find_proved(e, args);
	if (rc < 0) {
		iscsi_close_engine(&e->remote.engine);
		return rc;
	}
	e->context = iscsi_link_context(e->link);
	e->lun = iscsi_link_lun(e->link);
	e->remote.wire = iscsi_link_wire(e->link);
	*out = &e->remote.engine;
	return 0;
}

/* Targets ask from time to time whether anybody is there; the library answers when it is called, by idle(). */
const struct engine_ops engine_iscsi = {
	.name = "iscsi",
	.open = iscsi_open_engine,
	.submit = remote_engine_submit,
	.reap = remote_engine_reap,
	.idle = remote_engine_idle,
	.close = iscsi_close_engine,
};

#endif
