/*
 * io_uring, with all that makes an I/O cheap where the kernel has it: one registered buffer, a registered file and ring,
 * completions run by the worker when it asks for them. One system call submits what is new and waits for what is done.
 */
#include <errno.h>
#include <liburing.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "core/clock.h"
#include "load/engine_util.h"

/* A buffer registered as one may be so large (the kernel's limit). */
#define LARGEST_BUFFER (UINT64_C(1) << 30)

struct uring {
	struct engine engine;
	struct io_uring ring;
	int fd;			/* or its number in the ring */
	uint8_t read, write;	/* operations */
	uint8_t file_flags;
	uint32_t write_flags;
	bool may_write;
};

/* Rings and registered buffers count as locked memory of the user. */
static const char *
words(int rc)
{
	return rc == -ENOMEM ? "more than the memory that may be locked (ulimit -l)" : strerror(-rc);
}

static bool
uring_usable(char *why, size_t size)
{
	struct io_uring ring;
	int rc = io_uring_queue_init(2, &ring, 0);

	if (rc == 0) {
		io_uring_queue_exit(&ring);
		return true;
	}
	if (rc == -EPERM || rc == -EACCES)
		snprintf(why, size, "io_uring is forbidden here (kernel.io_uring_disabled, or seccomp)");
	else if (rc == -ENOSYS)
		snprintf(why, size, "io_uring is not in this kernel, or forbidden");
	else
		snprintf(why, size, "io_uring: %s", words(rc));
	return false;
}

/* The best first; a kernel says EINVAL to what it does not know. */
static int
make_ring(struct uring *u, unsigned depth)
{
	static const unsigned flags[] = {
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN,
		IORING_SETUP_COOP_TASKRUN,
		0,
	};
	int rc = -EINVAL;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]) && rc == -EINVAL; i++)
		rc = io_uring_queue_init(depth, &u->ring, flags[i]);
	return rc;
}

static void
register_all(struct uring *u, const struct engine_args *args)
{
	struct iovec vec = { .iov_base = args->buffers, .iov_len = args->depth * args->slot_bytes };
	int rc = vec.iov_len > LARGEST_BUFFER ? -EFBIG : io_uring_register_buffers(&u->ring, &vec, 1);

	u->read = IORING_OP_READ_FIXED;
	u->write = IORING_OP_WRITE_FIXED;
	if (rc < 0) {
		engine_note(&u->engine, "buffers not registered", words(rc));
		u->read = IORING_OP_READ;
		u->write = IORING_OP_WRITE;
	}
	u->fd = args->fd;
	rc = io_uring_register_files(&u->ring, &args->fd, 1);
	if (rc < 0) {
		engine_note(&u->engine, "file not registered", words(rc));
	} else {
		u->fd = 0;
		u->file_flags = IOSQE_FIXED_FILE;
	}
	/* Saves a look-up; kernels before 5.18 have it not. */
	io_uring_register_ring_fd(&u->ring);
}

static int
uring_open(struct engine **out, const struct engine_args *args)
{
	struct uring *u = xcalloc(1, sizeof(*u));
	int rc = make_ring(u, args->depth);

	if (rc < 0) {
		free(u);
		return rc;
	}
	u->engine.ops = &engine_uring;
	u->may_write = engine_may_write(args);
	u->write_flags = args->sync ? RWF_SYNC : 0;
	register_all(u, args);
	*out = &u->engine;
	return 0;
}

static void
prepare(const struct uring *u, struct io_uring_sqe *sqe, struct io *io)
{
	if (io->dir == IO_SYNC) {
		io_uring_prep_fsync(sqe, u->fd, io->data_only ? IORING_FSYNC_DATASYNC : 0);
	} else {
		io_uring_prep_rw(io->dir == IO_READ ? u->read : u->write, sqe, u->fd, io->buf, io->bytes, io->offset);
		if (io->dir == IO_WRITE)
			sqe->rw_flags = (int)u->write_flags;
	}
	sqe->flags = u->file_flags;
	sqe->user_data = (uintptr_t)io;
}

/* They start with the reap() that follows. */
static int
uring_submit(struct engine *engine, struct io *const *ios, unsigned n)
{
	struct uring *u = (struct uring *)engine;

	if (engine_refuses(u->may_write, ios, n))
		return -EPERM;
	for (unsigned i = 0; i < n; i++) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

		if (sqe == NULL)
			return (int)i;
		prepare(u, sqe, ios[i]);
	}
	return (int)n;
}

static unsigned
take(struct uring *u, struct io **out, unsigned max)
{
	struct io_uring_cqe *cqe;
	unsigned head, n = 0;

	io_uring_for_each_cqe(&u->ring, head, cqe) {
		if (n == max)
			break;
		out[n] = (struct io *)(uintptr_t)cqe->user_data;
		out[n++]->result = cqe->res;
	}
	io_uring_cq_advance(&u->ring, n);
	return n;
}

static int
enter(struct uring *u, unsigned min, uint64_t deadline_ns)
{
	struct __kernel_timespec left;
	struct io_uring_cqe *cqe;
	uint64_t now;

	if (min == 0)
		return io_uring_submit_and_get_events(&u->ring);
	if (deadline_ns == UINT64_MAX)
		return io_uring_submit_and_wait(&u->ring, min);
	now = clock_ns();
	if (now > deadline_ns)
		now = deadline_ns;
	left.tv_sec = (long long)((deadline_ns - now) / NS_PER_S);
	left.tv_nsec = (long long)((deadline_ns - now) % NS_PER_S);
	return io_uring_submit_and_wait_timeout(&u->ring, &cqe, min, &left, NULL);
}

static int
uring_reap(struct engine *engine, struct io **out, unsigned min, unsigned max, uint64_t deadline_ns)
{
	struct uring *u = (struct uring *)engine;
	int rc;

	/* What was left over last time may do. */
	if (io_uring_sq_ready(&u->ring) == 0 && min > 0 && io_uring_cq_ready(&u->ring) >= min)
		return (int)take(u, out, max);
	rc = enter(u, min, deadline_ns);
	/* EAGAIN, EBUSY: the kernel is short of something for now, and takes the rest the next time. */
	if (rc < 0 && rc != -ETIME && rc != -EINTR && rc != -EAGAIN && rc != -EBUSY)
		return rc;
	return (int)take(u, out, max);
}

static void
uring_close(struct engine *engine)
{
	struct uring *u = (struct uring *)engine;

	/* Closing the ring alone lets go of the file some time later: the device would still be held. */
	io_uring_unregister_files(&u->ring);
	io_uring_unregister_buffers(&u->ring);
	io_uring_queue_exit(&u->ring);
	free(u);
}

const struct engine_ops engine_uring = {
	.name = "uring",
	.usable = uring_usable,
	.open = uring_open,
	.submit = uring_submit,
	.reap = uring_reap,
	.close = uring_close,
};
