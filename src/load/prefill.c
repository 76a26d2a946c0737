#include "load/prefill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/xalloc.h"
#include "core/clock.h"
#include "load/data.h"

#define DEPTH 4
#define CHUNK ((size_t)512 << 10)
#define SECTOR 4096

struct layout {
	pthread_t thread;
	struct crew *crew;
	const struct engine_ops *ops;
	struct engine_args args;
	uint64_t bytes;
	_Atomic uint64_t done_bytes;
	_Atomic bool ended;
	/* The thread's own. */
	struct engine *engine;
	struct data data;
	struct io ios[DEPTH];
	unsigned in_flight;
	uint64_t next;
	char path[512], why[200];
};

static bool
stopped(const struct layout *l)
{
	return crew_stopped(l->crew, 0) || atomic_load(&l->crew->failed);
}

static void
failed(struct layout *l, int error)
{
	const char *words = l->engine != NULL && l->engine->words[0] != '\0' ? l->engine->words : l->why;

	crew_fail(l->crew, "laying out %s: %s after %llu of %llu MiB", l->path, words[0] != '\0' ? words : strerror(error),
	    (unsigned long long)(atomic_load(&l->done_bytes) >> 20), (unsigned long long)(l->bytes >> 20));
}

/* The next chunk from a free slot; false: nothing is left. */
static bool
put_next(struct layout *l, struct io *io)
{
	uint64_t left = l->bytes - l->next;
	int rc;

	if (left == 0 || stopped(l))
		return false;
	io->dir = IO_WRITE;
	io->offset = l->next;
	io->bytes = (uint32_t)(left < CHUNK ? left : CHUNK);
	data_fill(&l->data, io->buf, io->bytes);
	rc = l->ops->submit(l->engine, &io, 1);
	if (rc != 1) {
		failed(l, rc < 0 ? -rc : EAGAIN);
		return false;
	}
	l->next += io->bytes;
	l->in_flight++;
	return true;
}

/* Takes what completed and puts the next in its place. */
static void
turn(struct layout *l)
{
	struct io *done[DEPTH];
	int n = l->ops->reap(l->engine, done, 1, DEPTH, clock_ns() + 100 * NS_PER_MS);

	if (n < 0) {
		failed(l, -n);
		l->in_flight = 0;
		return;
	}
	for (int i = 0; i < n; i++) {
		l->in_flight--;
		if (done[i]->result != (int32_t)done[i]->bytes)
			failed(l, done[i]->result < 0 ? -done[i]->result : ENOSPC);
		else
			atomic_fetch_add(&l->done_bytes, done[i]->bytes);
		put_next(l, done[i]);
	}
}

/* What is not on the medium yet would be written in the middle of the test. */
static void
sync_all(struct layout *l)
{
	struct io *io = &l->ios[0];

	io->dir = IO_SYNC;
	io->bytes = 0;
	if (l->ops->submit(l->engine, &io, 1) != 1)
		return;
	for (l->in_flight = 1; l->in_flight > 0 && !atomic_load(&l->crew->abandoned);) {
		int n = l->ops->reap(l->engine, &io, 1, 1, clock_ns() + 100 * NS_PER_MS);

		if (n < 0 || (n == 1 && io->result < 0))
			failed(l, n < 0 ? -n : -io->result);
		l->in_flight -= n != 0;
	}
}

static void
write_all(struct layout *l)
{
	for (unsigned i = 0; i < DEPTH; i++) {
		l->ios[i].slot = (uint16_t)i;
		l->ios[i].buf = l->args.buffers + i * CHUNK;
		put_next(l, &l->ios[i]);
	}
	while (l->in_flight > 0 && !atomic_load(&l->crew->abandoned))
		turn(l);
	if (!stopped(l))
		sync_all(l);
	/* fio's invalidate: what was just written would be read back from memory where a job asks for the page cache. */
	posix_fadvise(l->args.fd, 0, 0, POSIX_FADV_DONTNEED);
}

static void *
live(void *arg)
{
	struct layout *l = arg;
	struct crew *crew = l->crew;
	int rc;

	l->args.why = l->why;
	l->args.why_size = sizeof(l->why);
	rc = l->ops->open(&l->engine, &l->args);
	if (rc < 0)
		failed(l, -rc);
	else
		write_all(l);
	if (rc == 0 && l->in_flight == 0)
		l->ops->close(l->engine);
	atomic_store(&l->ended, true);
	crew_tell(crew);
	crew_unref(crew);
	return NULL;
}

static void
release(struct layout *l)
{
	remote_unref(l->args.remote);
	munmap(l->args.buffers, DEPTH * CHUNK);
	data_free(&l->data);
	free(l);
}

struct layout *
prefill_start(const struct target *target, const struct engine_ops *ops, uint64_t bytes, struct crew *crew)
{
	struct layout *l = xcalloc(1, sizeof(*l));
	void *buffers = mmap(NULL, DEPTH * CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	int rc;

	if (buffers == MAP_FAILED) {
		free(l);
		return NULL;
	}
	/* A last part that is no whole sector is beyond the reach of O_DIRECT, and of the jobs. */
	*l = (struct layout){ .ops = ops, .bytes = bytes / SECTOR * SECTOR, .crew = crew_ref(crew) };
	l->args = (struct engine_args){ .fd = target->fd, .remote = remote_ref(target->remote), .grant = target->grant,
		.depth = DEPTH, .buffers = buffers, .slot_bytes = CHUNK };
	snprintf(l->path, sizeof(l->path), "%s", target->facts.path);
	data_init(&l->data, 0, 0);
	data_prepare(&l->data, buffers, DEPTH * CHUNK);
	rc = crew_thread(&l->thread, live, l);
	if (rc == 0)
		return l;
	crew_unref(crew);
	release(l);
	errno = rc;
	return NULL;
}

bool
prefill_ended(const struct layout *l)
{
	return atomic_load(&l->ended);
}

uint64_t
prefill_bytes_done(const struct layout *l)
{
	return atomic_load(&l->done_bytes);
}

void
prefill_free(struct layout *l, bool leave_behind)
{
	if (l == NULL)
		return;
	if (leave_behind) {
		pthread_detach(l->thread);
		return;
	}
	pthread_join(l->thread, NULL);
	release(l);
}
