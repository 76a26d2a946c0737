/*
 * The kernel's older asynchronous interface, for where io_uring is forbidden. It is asynchronous with O_DIRECT only:
 * otherwise io_submit() itself waits.
 */
#include <errno.h>
#include <libaio.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "core/clock.h"
#include "load/engine_util.h"

struct aio {
	struct engine engine;
	io_context_t context;
	int fd;
	bool may_write, sync;
	struct iocb *iocbs;		/* one per slot */
	struct iocb **batch;
	struct io_event *events;
	struct done_list failed;	/* refused by io_submit(), each with its error */
	unsigned depth;
};

static bool
aio_usable(char *why, size_t size)
{
	io_context_t context = NULL;
	int rc = io_setup(1, &context);

	if (rc < 0) {
		snprintf(why, size, rc == -EAGAIN ? "fs.aio-max-nr is used up" : "io_setup: %s", strerror(-rc));
		return false;
	}
	io_destroy(context);
	return true;
}

static void
aio_close(struct engine *engine)
{
	struct aio *aio = (struct aio *)engine;

	if (aio->context != NULL)
		io_destroy(aio->context);
	free(aio->iocbs);
	free(aio->batch);
	free(aio->events);
	free(aio->failed.ios);
	free(aio);
}

static int
aio_open(struct engine **out, const struct engine_args *args)
{
	struct aio *aio = xcalloc(1, sizeof(*aio));
	int rc;

	aio->engine.ops = &engine_aio;
	aio->fd = args->fd;
	aio->sync = args->sync;
	aio->depth = args->depth;
	aio->may_write = engine_may_write(args);
	aio->iocbs = xcalloc(args->depth, sizeof(*aio->iocbs));
	aio->batch = xcalloc(args->depth, sizeof(struct iocb *));
	aio->events = xcalloc(args->depth, sizeof(*aio->events));
	aio->failed.cap = args->depth;
	aio->failed.ios = xcalloc(args->depth, sizeof(struct io *));
	rc = io_setup((int)args->depth, &aio->context);
	if (rc < 0) {
		aio_close(&aio->engine);
		return rc;
	}
	*out = &aio->engine;
	return 0;
}

static struct iocb *
prepare(struct aio *aio, struct io *io)
{
	struct iocb *iocb = &aio->iocbs[io->slot];

	switch (io->dir) {
	case IO_READ:
		io_prep_pread(iocb, aio->fd, io->buf, io->bytes, (long long)io->offset);
		break;
	case IO_WRITE:
		io_prep_pwrite(iocb, aio->fd, io->buf, io->bytes, (long long)io->offset);
		if (aio->sync)
			iocb->aio_rw_flags = RWF_SYNC;
		break;
	default:
		if (io->data_only)
			io_prep_fdsync(iocb, aio->fd);
		else
			io_prep_fsync(iocb, aio->fd);
	}
	iocb->data = io;
	return iocb;
}

/* io_submit() stops before an I/O that it refuses: that one is handed out with its error, the rest goes on. */
static int
aio_submit(struct engine *engine, struct io *const *ios, unsigned n)
{
	struct aio *aio = (struct aio *)engine;
	unsigned taken = 0;

	if (engine_refuses(aio->may_write, ios, n))
		return -EPERM;
	for (unsigned i = 0; i < n; i++)
		aio->batch[i] = prepare(aio, ios[i]);
	while (taken < n) {
		int rc = io_submit(aio->context, (long)(n - taken), aio->batch + taken);

		if (rc == -EINTR)
			continue;
		if (rc == -EAGAIN || rc == 0)
			break;
		if (rc < 0) {
			ios[taken]->result = rc;
			done_put(&aio->failed, ios[taken]);
			rc = 1;
		}
		taken += (unsigned)rc;
	}
	return (int)taken;
}

static int
aio_reap(struct engine *engine, struct io **out, unsigned min, unsigned max, uint64_t deadline_ns)
{
	struct aio *aio = (struct aio *)engine;
	unsigned failed = done_take(&aio->failed, out, max);
	uint64_t now = deadline_ns == UINT64_MAX ? 0 : clock_ns();
	struct timespec left = clock_timespec(deadline_ns > now ? deadline_ns - now : 0);
	int rc;

	out += failed;
	max -= failed;
	min = min > failed ? min - failed : 0;
	if (max > aio->depth)
		max = aio->depth;
	if (max == 0)
		return (int)failed;
	rc = io_getevents(aio->context, (long)min, (long)max, aio->events,
	    deadline_ns == UINT64_MAX ? NULL : &left);
	if (rc < 0)
		return rc == -EINTR ? (int)failed : rc;
	for (int i = 0; i < rc; i++) {
		out[i] = aio->events[i].data;
		out[i]->result = (int32_t)aio->events[i].res;
	}
	return (int)failed + rc;
}

const struct engine_ops engine_aio = {
	.name = "aio",
	.usable = aio_usable,
	.open = aio_open,
	.submit = aio_submit,
	.reap = aio_reap,
	.close = aio_close,
};
