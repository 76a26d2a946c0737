/*
 * Where the CPU goes: fill the queue, hand over, wait, account. The clock is read once for what completes together, and
 * that moment is when what follows is ready; counters are published once a batch, only the histogram for each I/O.
 */
#include <errno.h>
#include <string.h>

#include "core/clock.h"
#include "load/worker_loop.h"

/* No longer is a stop unnoticed, or the time in flight not added up. */
#define SLICE_NS (100 * NS_PER_MS)
/* How often an engine with nothing to do is told so. */
#define IDLE_NS NS_PER_S
/*
 * In a deep queue on a fast device completions are waited for by so many: it halves how often the worker sleeps and wakes,
 * which costs more than the I/Os do. They are a quarter of the queue at most, so the device stays busy, and come within this
 * time at the pace at hand, or each is taken as it comes. A timer to bound the wait was tried: it costs what is saved.
 */
#define GATHER 16
#define GATHER_DEPTH (4 * GATHER)
#define GATHER_NS UINT64_C(200000)

/* What completed in one reap. */
struct tally {
	uint64_t ios[IO_DIRS], bytes[IO_DIRS], ns[IO_DIRS], response_ns[IO_DIRS];
};

/* The time in flight up to now. Syncs are left out, as they are of IOPS and latency: Little's law is to hold. */
static void
pass_time(struct worker *w, uint64_t now_ns)
{
	counter_add(&w->counters->weighted_ns, (now_ns - w->now_ns) * (w->in_flight - w->syncs));
	w->now_ns = now_ns;
}

static void
set_in_flight(struct worker *w, unsigned in_flight)
{
	w->in_flight = in_flight;
	counter_set(&w->counters->in_flight, in_flight);
}

static void
report_error(struct worker *w, const struct io *io)
{
	static const char *const what[IO_DIRS] = { "read", "write", "sync" };
	const char *words = w->engine->words, *between = words[0] != '\0' ? ": " : "";

	counter_add(&w->counters->errors[io->dir], 1);
	if (io->result >= 0)
		crew_error(w->crew, "%s: %s at %llu: %d of %u bytes", w->plan.name, what[io->dir],
		    (unsigned long long)io->offset, io->result, io->bytes);
	else if (io->dir == IO_SYNC)
		crew_error(w->crew, "%s: sync: %s%s%s", w->plan.name, strerror(-io->result), between, words);
	else
		crew_error(w->crew, "%s: %s of %u bytes at %llu: %s%s%s", w->plan.name, what[io->dir], io->bytes,
		    (unsigned long long)io->offset, strerror(-io->result), between, words);
}

static inline void
account(struct worker *w, const struct io *io, struct tally *t)
{
	uint64_t ns = w->now_ns - io->ready_ns;

	if (__builtin_expect(io->result != (int32_t)io->bytes, 0)) {
		report_error(w, io);
		return;
	}
	live_hist_count(&w->counters->latency[io->dir], ns);
	t->ios[io->dir]++;
	t->bytes[io->dir] += io->bytes;
	t->ns[io->dir] += ns;
	if (io->due_ns != 0) {
		live_hist_count(&w->counters->response[io->dir], w->now_ns - io->due_ns);
		t->response_ns[io->dir] += w->now_ns - io->due_ns;
	}
}

static void
publish(struct load_counters *c, const struct tally *t)
{
	for (int dir = 0; dir < IO_DIRS; dir++) {
		if (t->ios[dir] == 0)
			continue;
		counter_add(&c->ios[dir], t->ios[dir]);
		live_hist_sum(&c->latency[dir], t->ns[dir]);
		if (dir == IO_SYNC)
			continue;
		counter_add(&c->bytes[dir], t->bytes[dir]);
		if (t->response_ns[dir] > 0)
			live_hist_sum(&c->response[dir], t->response_ns[dir]);
	}
}

/* From one completion to the next, of late. */
static void
measure_gap(struct worker *w, unsigned n)
{
	if (n == 0)
		return;
	w->gap_ns = (7 * w->gap_ns + (w->now_ns - w->reaped_ns) / n) / 8;
	w->reaped_ns = w->now_ns;
}

/* Then the jobs are gone, and the target is not the run's any more. */
static bool
abandoned(const struct worker *w)
{
	return atomic_load_explicit(&w->crew->abandoned, memory_order_relaxed);
}

static void
complete(struct worker *w, unsigned n)
{
	struct tally t = { 0 };

	pass_time(w, clock_ns());
	measure_gap(w, n);
	for (unsigned i = 0; i < n; i++) {
		w->syncs -= w->done[i]->dir == IO_SYNC;
		account(w, w->done[i], &t);
		w->idle[w->n_idle++] = w->done[i];
	}
	publish(w->counters, &t);
	set_in_flight(w, w->in_flight - n);
	if (!abandoned(w))
		feed_completed(&w->feed, n, w->in_flight, w->now_ns);
}

static unsigned
worth_waiting_for(const struct worker *w)
{
	if (w->in_flight < GATHER_DEPTH || w->feed.paced || w->gap_ns * GATHER > GATHER_NS)
		return 1;
	return GATHER;
}

static void
engine_failed(struct worker *w, int error)
{
	const char *words = w->engine->words;

	crew_fail(w->crew, "%s: %s: %s", w->plan.name, w->plan.engine->name, words[0] != '\0' ? words : strerror(error));
}

/* Waits for min completions, no longer than a slice or until the feed may go on, and takes all there are. */
static void
harvest(struct worker *w, unsigned min)
{
	uint64_t deadline_ns = w->now_ns + SLICE_NS;
	int n;

	if (w->n_idle > 0 && w->wait_ns < deadline_ns && w->wait_ns != 0)
		deadline_ns = w->wait_ns;
	n = w->plan.engine->reap(w->engine, w->done, min, w->plan.depth, deadline_ns);
	if (n < 0) {
		engine_failed(w, -n);
		n = 0;
	}
	complete(w, (unsigned)n);
}

/* Takes what may start now from the feed, at most so much; how many. */
static unsigned
take_batch(struct worker *w, unsigned most)
{
	unsigned n = 0;
	bool wrote = false;

	w->wait_ns = 0;
	while (w->n_idle > 0 && n < most) {
		struct io *io = w->idle[w->n_idle - 1];
		bool late = false;
		enum feed_answer answer = feed_next(&w->feed, io, w->now_ns, &w->wait_ns, &late);

		if (answer != FEED_IO) {
			w->fed = answer == FEED_END;
			break;
		}
		w->n_idle--;
		if (io->dir == IO_WRITE) {
			data_fill(&w->data, io->buf, io->bytes);
			wrote = true;
		}
		if (late)
			counter_add(&w->counters->late, 1);
		w->batch[n++] = io;
	}
	counter_set(&w->counters->phase, w->feed.phase);
	/* Making data takes time that is not the I/O's. */
	if (wrote)
		pass_time(w, clock_ns());
	return n;
}

/* What the kernel does not take at once waits for completions; the clock runs already. */
static void
hand_over(struct worker *w, unsigned n)
{
	unsigned taken = 0;

	for (unsigned i = 0; i < n; i++) {
		w->batch[i]->ready_ns = w->now_ns;
		w->syncs += w->batch[i]->dir == IO_SYNC;
	}
	set_in_flight(w, w->in_flight + n);
	while (taken < n && !abandoned(w)) {
		int rc = w->plan.engine->submit(w->engine, w->batch + taken, n - taken);

		if (rc < 0) {
			engine_failed(w, -rc);
			set_in_flight(w, w->in_flight - (n - taken));
			for (; taken < n; taken++) {
				w->syncs -= w->batch[taken]->dir == IO_SYNC;
				w->idle[w->n_idle++] = w->batch[taken];
			}
			return;
		}
		taken += (unsigned)rc;
		if (taken < n)
			harvest(w, 1);
	}
}

/* Before a rest, not after it: what comes then is timed from when it was due. */
static void
idle(struct worker *w)
{
	if (w->plan.engine->idle == NULL || w->now_ns - w->idled_ns < IDLE_NS)
		return;
	w->idled_ns = w->now_ns;
	w->plan.engine->idle(w->engine);
}

/* Nothing to wait for but the time. */
static void
rest(struct worker *w)
{
	uint64_t spin_ns = pace_spin(&w->feed.pace), until_ns = w->now_ns + SLICE_NS;

	if (w->wait_ns < until_ns)
		until_ns = w->wait_ns;
	idle(w);
	if (spin_ns > w->now_ns) {
		while (clock_ns() < (spin_ns < until_ns ? spin_ns : until_ns))
			;
	} else {
		crew_sleep(w->crew, w->plan.group, until_ns);
	}
	w->now_ns = clock_ns();
}

static bool
over(const struct worker *w)
{
	return crew_stopped(w->crew, w->plan.group) || w->now_ns >= w->end_ns ||
	    atomic_load_explicit(&w->crew->failed, memory_order_relaxed);
}

/* The last thing of a job with end_fsync. */
static void
sync_at_end(struct worker *w)
{
	struct io *io = w->idle[--w->n_idle];

	*io = (struct io){ .dir = IO_SYNC, .slot = io->slot, .buf = io->buf };
	w->batch[0] = io;
	hand_over(w, 1);
}

static void
drain(struct worker *w)
{
	while (w->in_flight > 0 && !abandoned(w))
		harvest(w, 1);
}

/*
 * A job that thinks after so many completions looks for them after each I/O that it issues, as fio does: filling the whole
 * queue first would do more between two pauses.
 */
static void
turn(struct worker *w)
{
	bool singly = feed_thinks(&w->feed);
	unsigned n = take_batch(w, singly ? 1 : w->plan.depth);

	if (n > 0)
		hand_over(w, n);
	if (w->in_flight > 0)
		harvest(w, singly && n > 0 && w->n_idle > 0 ? 0 : worth_waiting_for(w));
	else if (!w->fed)
		rest(w);
}

void
worker_loop(struct worker *w)
{
	w->now_ns = w->reaped_ns = clock_ns();
	w->gap_ns = GATHER_NS;
	while (!over(w) && !(w->fed && w->in_flight == 0))
		turn(w);
	drain(w);
	if (!abandoned(w) && !over(w) && w->writes && w->plan.job->end_fsync) {
		sync_at_end(w);
		drain(w);
	}
}
