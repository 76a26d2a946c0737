/*
 * pread and pwrite. A single slot is served by the worker's own thread, inside submit(); more depth is made by as many
 * threads, which take I/Os from one queue.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/xalloc.h"
#include "core/clock.h"
#include "load/engine_util.h"

struct psync {
	struct engine engine;
	int fd;
	bool may_write, sync;
	struct done_list done;
	/* From here on for the threads; the lock guards done too. */
	unsigned n_threads;
	pthread_t *threads;
	pthread_mutex_t lock;
	pthread_cond_t todo_cond, done_cond;
	struct done_list todo;
	bool closing;
};

static ssize_t
one(const struct psync *p, const struct io *io)
{
	struct iovec vec = { .iov_base = io->buf, .iov_len = io->bytes };

	switch (io->dir) {
	case IO_READ:
		return pread(p->fd, io->buf, io->bytes, (off_t)io->offset);
	case IO_WRITE:
		return pwritev2(p->fd, &vec, 1, (off_t)io->offset, p->sync ? RWF_SYNC : 0);
	default:
		return io->data_only ? fdatasync(p->fd) : fsync(p->fd);
	}
}

static void
serve(const struct psync *p, struct io *io)
{
	ssize_t n;

	do {
		n = one(p, io);
	} while (n < 0 && errno == EINTR);
	io->result = n < 0 ? -errno : (int32_t)n;
}

static void *
serve_slot(void *arg)
{
	struct psync *p = arg;
	struct io *io;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		while (done_take(&p->todo, &io, 1) == 0) {
			if (p->closing) {
				pthread_mutex_unlock(&p->lock);
				return NULL;
			}
			pthread_cond_wait(&p->todo_cond, &p->lock);
		}
		pthread_mutex_unlock(&p->lock);
		serve(p, io);
		pthread_mutex_lock(&p->lock);
		done_put(&p->done, io);
		pthread_cond_signal(&p->done_cond);
	}
}

static void
psync_close(struct engine *engine)
{
	struct psync *p = (struct psync *)engine;

	pthread_mutex_lock(&p->lock);
	p->closing = true;
	pthread_cond_broadcast(&p->todo_cond);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->n_threads; i++)
		pthread_join(p->threads[i], NULL);
	pthread_cond_destroy(&p->todo_cond);
	pthread_cond_destroy(&p->done_cond);
	pthread_mutex_destroy(&p->lock);
	free(p->threads);
	free(p->todo.ios);
	free(p->done.ios);
	free(p);
}

static void
init_conditions(struct psync *p)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->done_cond, &attr);
	pthread_cond_init(&p->todo_cond, &attr);
	pthread_condattr_destroy(&attr);
}

static int
psync_open(struct engine **out, const struct engine_args *args)
{
	struct psync *p = xcalloc(1, sizeof(*p));
	int rc = 0;

	p->engine.ops = &engine_psync;
	p->fd = args->fd;
	p->sync = args->sync;
	p->may_write = engine_may_write(args);
	p->done.cap = p->todo.cap = args->depth;
	p->done.ios = xcalloc(args->depth, sizeof(struct io *));
	p->todo.ios = xcalloc(args->depth, sizeof(struct io *));
	p->threads = xcalloc(args->depth, sizeof(*p->threads));
	init_conditions(p);
	while (args->depth > 1 && p->n_threads < args->depth && rc == 0) {
		rc = pthread_create(&p->threads[p->n_threads], NULL, serve_slot, p);
		p->n_threads += rc == 0;
	}
	if (rc != 0) {
		psync_close(&p->engine);
		return -rc;
	}
	*out = &p->engine;
	return 0;
}

static int
psync_submit(struct engine *engine, struct io *const *ios, unsigned n)
{
	struct psync *p = (struct psync *)engine;

	if (engine_refuses(p->may_write, ios, n))
		return -EPERM;
	if (p->n_threads == 0) {
		for (unsigned i = 0; i < n; i++) {
			serve(p, ios[i]);
			done_put(&p->done, ios[i]);
		}
		return (int)n;
	}
	pthread_mutex_lock(&p->lock);
	for (unsigned i = 0; i < n; i++) {
		done_put(&p->todo, ios[i]);
		pthread_cond_signal(&p->todo_cond);
	}
	pthread_mutex_unlock(&p->lock);
	return (int)n;
}

static int
psync_reap(struct engine *engine, struct io **out, unsigned min, unsigned max, uint64_t deadline_ns)
{
	struct psync *p = (struct psync *)engine;
	struct timespec until = clock_timespec(deadline_ns);
	int n, rc = 0;

	if (p->n_threads == 0)
		return (int)done_take(&p->done, out, max);
	pthread_mutex_lock(&p->lock);
	while (p->done.n < min && rc == 0)
		rc = deadline_ns == UINT64_MAX ? pthread_cond_wait(&p->done_cond, &p->lock)
		    : pthread_cond_timedwait(&p->done_cond, &p->lock, &until);
	n = (int)done_take(&p->done, out, max);
	pthread_mutex_unlock(&p->lock);
	return n;
}

const struct engine_ops engine_psync = {
	.name = "psync",
	.open = psync_open,
	.submit = psync_submit,
	.reap = psync_reap,
	.close = psync_close,
};
