#include "load/worker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "core/xalloc.h"
#include "core/clock.h"
#include "load/worker_loop.h"

#define PAGE 4096
/* Waits are as exact as asked for: a thread's usual slack of 50 us would be seen at a pace of 1 ms. */
#define TIMER_SLACK_NS 1

/* One block for all slots, so that it can be registered once. Its pages are there before the clock runs. */
static int
make_buffers(struct worker *w)
{
	w->slot_bytes = ((size_t)job_largest_block(w->plan.job) + PAGE - 1) / PAGE * PAGE;
	w->map_bytes = w->slot_bytes * w->plan.depth;
	w->buffers = mmap(NULL, w->map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (w->buffers == MAP_FAILED) {
		w->buffers = NULL;
		return -errno;
	}
	for (unsigned i = 0; w->writes && i < w->plan.depth; i++)
		data_prepare(&w->data, w->buffers + i * w->slot_bytes, w->slot_bytes);
	return 0;
}

static void
make_slots(struct worker *w)
{
	unsigned depth = w->plan.depth;

	w->ios = xcalloc(depth, sizeof(*w->ios));
	w->idle = xcalloc(depth, sizeof(struct io *));
	w->batch = xcalloc(depth, sizeof(struct io *));
	w->done = xcalloc(depth, sizeof(struct io *));
	for (unsigned i = depth; i-- > 0;) {
		w->ios[i].slot = (uint16_t)i;
		w->ios[i].buf = w->buffers + i * w->slot_bytes;
		w->idle[w->n_idle++] = &w->ios[i];
	}
}

static int
get_ready(struct worker *w)
{
	const struct worker_plan *plan = &w->plan;
	char why[200] = "";
	struct engine_args args = { .fd = plan->target->fd, .remote = w->remote, .depth = plan->depth, .sync = plan->job->sync,
		.why = why, .why_size = sizeof(why) };
	int rc;

	prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
	w->writes = job_one_writes(plan->job);
	args.grant = w->writes ? plan->target->grant : NULL;
	data_init(&w->data, plan->job->dedupe_pct, plan->job->compress_pct);
	rc = make_buffers(w);
	if (rc < 0) {
		crew_fail(w->crew, "%s: %zu MiB of buffers: %s", plan->name, w->map_bytes >> 20, strerror(-rc));
		return rc;
	}
	make_slots(w);
	args.buffers = w->buffers;
	args.slot_bytes = w->slot_bytes;
	rc = plan->engine->open(&w->engine, &args);
	if (rc < 0 && w->remote != NULL)
		crew_fail(w->crew, "%s: %s", plan->name, why[0] != '\0' ? why : strerror(-rc));
	else if (rc < 0)
		crew_fail(w->crew, "%s: cannot open engine %s: %s", plan->name, plan->engine->name, strerror(-rc));
	else
		snprintf(w->note, sizeof(w->note), "%s", w->engine->note);
	return rc;
}

/* Of a thread that is through; a thread left behind keeps it all, and the kernel its buffers. */
static void
let_go(struct worker *w)
{
	if (w->engine != NULL)
		w->plan.engine->close(w->engine);
	w->engine = NULL;
	if (w->buffers != NULL)
		munmap(w->buffers, w->map_bytes);
	data_free(&w->data);
	feed_free(&w->feed);
	free(w->ios);
	free(w->idle);
	free(w->batch);
	free(w->done);
}

static void
set_state(struct worker *w, enum worker_state state)
{
	atomic_store(&w->state, (int)state);
	crew_tell(w->crew);
}

static void
do_work(struct worker *w)
{
	const struct worker_plan *plan = &w->plan;
	uint64_t began_ns = clock_ns();

	if (plan->delay_ns > 0 && !crew_sleep(w->crew, plan->group, began_ns + plan->delay_ns))
		return;
	w->end_ns = plan->limit_ns == UINT64_MAX ? UINT64_MAX : began_ns + plan->limit_ns;
	feed_init(&w->feed, plan->job, plan->area_start, plan->area_bytes,
	    plan->job->time_based && plan->limit_ns != UINT64_MAX ? UINT64_MAX : feed_amount(plan->job, plan->area_bytes),
	    plan->seed, clock_ns());
	atomic_store(&w->began, true);
	set_state(w, WORKER_BUSY);
	worker_loop(w);
}

/* False: it is to stop. */
static bool
await_turn(struct worker *w)
{
	const struct engine_ops *ops = w->plan.engine;

	while (ops->idle != NULL && !crew_wait_until(w->crew, w->plan.group, clock_ns() + NS_PER_S))
		ops->idle(w->engine);
	return crew_wait(w->crew, w->plan.group);
}

static void *
live(void *arg)
{
	struct worker *w = arg;
	struct crew *crew = w->crew;

	prctl(PR_SET_NAME, "load");
	if (get_ready(w) == 0) {
		set_state(w, WORKER_READY);
		if (await_turn(w))
			do_work(w);
	}
	set_state(w, WORKER_DONE);
	if (w->in_flight == 0)
		let_go(w);
	set_state(w, WORKER_ENDED);
	crew_unref(crew);
	return NULL;
}

struct worker *
worker_new(const struct worker_plan *plan, struct crew *crew)
{
	struct worker *w = xcalloc(1, sizeof(*w));
	int rc;

	w->plan = *plan;
	w->crew = crew_ref(crew);
	w->remote = remote_ref(plan->target->remote);
	snprintf(w->name, sizeof(w->name), "%s", plan->name);
	w->plan.name = w->name;
	w->counters = aligned_alloc(_Alignof(struct load_counters), sizeof(*w->counters));
	rc = w->counters == NULL ? ENOMEM : 0;
	if (rc == 0) {
		load_counters_init(w->counters);
		rc = crew_thread(&w->thread, live, w);
	}
	if (rc == 0)
		return w;
	crew_unref(crew);
	remote_unref(w->remote);
	free(w->counters);
	free(w);
	errno = rc;
	return NULL;
}

enum worker_state
worker_state(const struct worker *w)
{
	return (enum worker_state)atomic_load(&w->state);
}

bool
worker_began(const struct worker *w)
{
	return atomic_load(&w->began);
}

const struct load_counters *
worker_counters(const struct worker *w)
{
	return w->counters;
}

const char *
worker_note(const struct worker *w)
{
	return worker_state(w) != WORKER_STARTING ? w->note : "";
}

void
worker_free(struct worker *w, bool leave_behind)
{
	if (leave_behind) {
		pthread_detach(w->thread);
		return;
	}
	pthread_join(w->thread, NULL);
	remote_unref(w->remote);
	free(w->counters);
	free(w);
}
