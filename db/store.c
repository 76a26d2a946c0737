#include "db/store.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/xalloc.h"
#include "db/runs_write.h"
#include "db/writer.h"

#define QUEUE_INTERVALS 256
#define QUEUE_RUNS 64	/* results find room where the intervals have none left */
#define QUEUE_ITEMS (QUEUE_INTERVALS + QUEUE_RUNS)
#define QUEUE_BYTES ((size_t)16 << 20)
#define DEAD_S 2	/* without a sign of life: the disk is dead */
#define DRAIN_S 5	/* one that is slow gets longer */

struct item {
	struct interval *interval;	/* or NULL */
	struct run_item *run;		/* or NULL */
	size_t bytes;
	uint64_t dropped;	/* intervals lost before this one */
};

/* Shared by the sink and its thread; whoever is the last frees it. */
struct store {
	struct sink sink;
	struct writer_options options;
	pthread_t thread;
	bool has_thread;

	pthread_mutex_t lock;	/* of all below */
	pthread_cond_t more;	/* for the thread: an item, or closing */
	pthread_cond_t life;	/* for close(): the thread got on, or ended */
	unsigned refs;
	bool closing, ended;
	uint64_t steps;		/* that the thread has done: while they go up, the disk lives */
	bool abandoned;		/* nobody waits for the thread any more */
	struct item queue[QUEUE_ITEMS];
	size_t first, n, bytes;
	int64_t hold_ms;	/* what ends later is not thinned */
	uint64_t dropped;	/* since the last item that found room */
	struct store_status status;
};

static void
free_store(struct store *s)
{
	for (; s->n > 0; s->n--, s->first = (s->first + 1) % QUEUE_ITEMS) {
		interval_unref(s->queue[s->first].interval);
		run_item_free(s->queue[s->first].run);
	}
	writer_options_clear(&s->options);
	pthread_cond_destroy(&s->more);
	pthread_cond_destroy(&s->life);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* Called with the lock held, which is gone afterwards. */
static void
unref_locked(struct store *s)
{
	bool last = --s->refs == 0;

	pthread_mutex_unlock(&s->lock);
	if (last)
		free_store(s);
}

static size_t
interval_bytes(const struct interval *v)
{
	size_t bytes = sizeof(*v);

	for (size_t i = 0; i < v->n_tables; i++) {
		const struct interval_table *t = &v->tables[i];
		size_t cells = t->n * t->kind->n_metrics;

		bytes += t->n * sizeof(*t->rows) + cells * sizeof(*t->cells);
		for (size_t j = 0; t->hists != NULL && j < cells; j++)
			bytes += sizeof(*t->hists) + (t->hists[j] != NULL ? t->hists[j]->n * sizeof(uint64_t) : 0);
	}
	return bytes;
}

static void
push(struct store *s, const struct item *item)
{
	s->queue[(s->first + s->n) % QUEUE_ITEMS] = *item;
	s->n++;
	s->bytes += item->bytes;
	pthread_cond_signal(&s->more);
}

static int
store_put(struct sink *sink, struct interval *v)
{
	struct store *s = (struct store *)sink;
	size_t bytes = interval_bytes(v);

	pthread_mutex_lock(&s->lock);
	if (s->status.state == STORE_STOPPED) {
		/* Said once, in the status. */
	} else if (s->n >= QUEUE_INTERVALS || (s->n > 0 && s->bytes + bytes > QUEUE_BYTES)) {
		s->dropped++;
		s->status.dropped++;
	} else {
		push(s, &(struct item){ .interval = interval_ref(v), .bytes = bytes, .dropped = s->dropped });
		s->dropped = 0;
	}
	pthread_mutex_unlock(&s->lock);
	return 0;
}

/* The earlier of so many seconds from now and a limit. */
static struct timespec
seconds_on(time_t seconds, const struct timespec *limit)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += seconds;
	if (limit != NULL && (t.tv_sec > limit->tv_sec || (t.tv_sec == limit->tv_sec && t.tv_nsec > limit->tv_nsec)))
		t = *limit;
	return t;
}

/* With the lock held. */
static void
wait_for_end(struct store *s)
{
	struct timespec limit = seconds_on(DRAIN_S, NULL), until = seconds_on(DEAD_S, &limit);
	uint64_t steps = s->steps;

	while (!s->ended) {
		if (pthread_cond_timedwait(&s->life, &s->lock, &until) == ETIMEDOUT)
			break;
		if (s->steps != steps)
			until = seconds_on(DEAD_S, &limit);
		steps = s->steps;
	}
}

/* Frees the item when it has told, or nobody listens any more. */
static void
tell(struct store *s, struct run_item *item, int64_t id)
{
	pthread_mutex_lock(&s->lock);
	if (!s->abandoned && item->done != NULL)
		item->done(item->arg, id);
	pthread_mutex_unlock(&s->lock);
	run_item_free(item);
}

void
store_put_run(struct sink *sink, struct run_item *run)
{
	struct store *s = (struct store *)sink;
	bool taken;

	pthread_mutex_lock(&s->lock);
	taken = (s->status.state != STORE_STOPPED || s->status.results) && !s->ended && s->n < QUEUE_ITEMS;
	if (taken)
		push(s, &(struct item){ .run = run });
	pthread_mutex_unlock(&s->lock);
	if (!taken)
		tell(s, run, 0);
}

void
store_hold(struct sink *sink, int64_t from_ms)
{
	struct store *s = (struct store *)sink;

	pthread_mutex_lock(&s->lock);
	s->hold_ms = from_ms;
	pthread_mutex_unlock(&s->lock);
}

static int
store_close(struct sink *sink)
{
	struct store *s = (struct store *)sink;

	pthread_mutex_lock(&s->lock);
	s->closing = true;
	pthread_cond_signal(&s->more);
	if (s->has_thread)
		wait_for_end(s);
	if (s->has_thread && s->ended)
		pthread_join(s->thread, NULL);
	else if (s->has_thread)
		pthread_detach(s->thread);	/* hangs in a dead disk; it must not hang us */
	s->abandoned = true;
	unref_locked(s);
	return 0;
}

void
store_status(struct sink *sink, struct store_status *out)
{
	struct store *s = (struct store *)sink;

	pthread_mutex_lock(&s->lock);
	*out = s->status;
	pthread_mutex_unlock(&s->lock);
}

/* With the lock held. */
static void
give_sign_of_life(struct store *s)
{
	s->steps++;
	pthread_cond_signal(&s->life);
}

/* The thread tells how it stands. */
static void
set_status(struct store *s, enum store_state state, const char *path, const char *reason)
{
	pthread_mutex_lock(&s->lock);
	s->status.state = state;
	snprintf(s->status.path, sizeof(s->status.path), "%s", path);
	snprintf(s->status.reason, sizeof(s->status.reason), "%s", reason);
	give_sign_of_life(s);
	pthread_mutex_unlock(&s->lock);
}

static bool
is_closing(struct store *s)
{
	bool closing;

	pthread_mutex_lock(&s->lock);
	closing = s->closing;
	pthread_mutex_unlock(&s->lock);
	return closing;
}

enum taken { TAKEN, NOTHING, CLOSED };

/* Waits for the next item; NOTHING at once where there is other work to do meanwhile. */
static enum taken
take(struct store *s, bool wait, struct item *out)
{
	enum taken taken = NOTHING;

	pthread_mutex_lock(&s->lock);
	while (wait && s->n == 0 && !s->closing)
		pthread_cond_wait(&s->more, &s->lock);
	if (s->n > 0) {
		*out = s->queue[s->first];
		s->first = (s->first + 1) % QUEUE_ITEMS;
		s->n--;
		s->bytes -= out->bytes;
		taken = TAKEN;
	} else if (s->closing) {
		taken = CLOSED;
	}
	pthread_mutex_unlock(&s->lock);
	return taken;
}

/* Another program may hold the file for a while: then the queue fills, and what is lost is counted. */
static int
write_interval(struct store *s, struct writer *w, const struct item *item)
{
	int error;

	do {
		error = writer_put(w, item->interval, item->dropped);
	} while (error == -EBUSY && !is_closing(s));
	interval_unref(item->interval);
	if (error != 0)
		return error;
	pthread_mutex_lock(&s->lock);
	s->status.ticks++;
	s->status.bytes = writer_bytes(w);
	give_sign_of_life(s);
	pthread_mutex_unlock(&s->lock);
	return 0;
}

/* The result is there. The hold of a test that began since stays. */
static void
end_hold(struct store *s, const struct run_item *run)
{
	pthread_mutex_lock(&s->lock);
	if (s->hold_ms <= run->first_ms)
		s->hold_ms = INT64_MAX;
	pthread_mutex_unlock(&s->lock);
}

static int
write_run(struct store *s, struct writer *w, struct run_item *run)
{
	int64_t id = 0;
	int error;

	do {
		error = writer_put_run(w, run, &id);
	} while (error == -EBUSY && !is_closing(s));
	end_hold(s, run);
	tell(s, run, id);
	return error;
}

static int
write_item(struct store *s, struct writer *w, const struct item *item)
{
	return item->run != NULL ? write_run(s, w, item->run) : write_interval(s, w, item);
}

/* Results that the thread left in the queue when it gave up. */
static void
refuse_runs(struct store *s)
{
	struct item item;

	while (take(s, false, &item) == TAKEN) {
		interval_unref(item.interval);
		if (item.run != NULL)
			tell(s, item.run, 0);
	}
}

static int64_t
hold_of(struct store *s)
{
	int64_t hold;

	pthread_mutex_lock(&s->lock);
	hold = s->hold_ms;
	pthread_mutex_unlock(&s->lock);
	return hold;
}

static int
write_all(struct store *s, struct writer *w)
{
	bool tidy = true;	/* nothing left to thin */
	int error = 0;

	while (error == 0) {
		struct item item;
		enum taken taken = take(s, tidy, &item);

		if (taken == CLOSED)
			return 0;
		if (taken == TAKEN)
			error = write_item(s, w, &item);
		if (error == 0)
			error = writer_retain(w, hold_of(s), &tidy);
	}
	return error;
}

/* Another program records: what is left to do are results. */
static void
write_results(struct store *s, struct writer *w)
{
	struct item item;

	pthread_mutex_lock(&s->lock);
	s->status.results = true;
	pthread_mutex_unlock(&s->lock);
	set_status(s, STORE_STOPPED, writer_path(w), writer_why(w));
	while (take(s, true, &item) == TAKEN) {
		interval_unref(item.interval);
		if (item.run != NULL)
			write_run(s, w, item.run);
	}
}

static void *
store_thread(void *arg)
{
	struct store *s = arg;
	struct writer *w = writer_new(&s->options);
	int error = writer_open(w);

	if (error == -EBUSY && writer_open_beside(w) == 0)
		write_results(s, w);
	if (error == 0) {
		set_status(s, STORE_RECORDING, writer_path(w), writer_why(w));
		error = write_all(s, w);
	}
	if (error == 0)
		error = writer_end(w);
	if (error != 0)
		set_status(s, STORE_STOPPED, writer_path(w), writer_why(w));
	refuse_runs(s);
	writer_free(w);
	pthread_mutex_lock(&s->lock);
	s->ended = true;
	pthread_cond_signal(&s->life);
	unref_locked(s);
	return NULL;
}

static void
start_thread(struct store *s)
{
	sigset_t all, old;
	int error;

	/* Signals are the main thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	s->refs++;
	error = pthread_create(&s->thread, NULL, store_thread, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	s->has_thread = error == 0;
	if (error == 0)
		return;
	s->refs--;
	s->status.state = STORE_STOPPED;
	snprintf(s->status.reason, sizeof(s->status.reason), "no thread: %s", strerror(error));
}

static const struct sink_ops store_ops = {
	.name = "store",
	.put = store_put,
	.close = store_close,
};

struct sink *
store_sink(const struct store_options *options)
{
	struct store *s = xcalloc(1, sizeof(*s));
	pthread_condattr_t attr;

	s->sink.ops = &store_ops;
	s->refs = 1;
	s->hold_ms = INT64_MAX;
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->more, &attr);
	pthread_cond_init(&s->life, &attr);
	pthread_condattr_destroy(&attr);
	writer_options_copy(&s->options, options);
	if (s->options.path != NULL)
		snprintf(s->status.path, sizeof(s->status.path), "%s", s->options.path);
	start_thread(s);
	return &s->sink;
}
