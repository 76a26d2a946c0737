/*
 * How a run is made and how it ends: descriptors, workers, the layout of a test file, and what is left behind of them where a device
 * does not answer.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/xalloc.h"
#include "load/run_inside.h"
#include "sys/memory.h"

#define ERROR_LIMIT 100

static bool
start_workers(struct run *run, char *why, size_t size)
{
	run->workers = xcalloc(run->plan.n_workers, sizeof(struct worker *));
	run->noticed = xcalloc(run->plan.n_workers, sizeof(*run->noticed));
	for (size_t i = 0; i < run->plan.n_workers; i++) {
		run->workers[i] = worker_new(&run->plan.workers[i], run->crew);
		if (run->workers[i] == NULL) {
			snprintf(why, size, "cannot start worker %zu of %zu: %s", i + 1, run->plan.n_workers, strerror(errno));
			return false;
		}
		run->plan.infos[i].counters = worker_counters(run->workers[i]);
		run->n_started++;
	}
	return true;
}

/* Getting ready touches no device, so it does not hang; a server is waited for in the state of preparing. */
static bool
await_workers(struct run *run, char *why, size_t size)
{
	struct pollfd pfd = { .fd = run->event_fd, .events = POLLIN };

	run->connecting = run->o.target->remote != NULL;
	if (run->connecting)
		return true;
	while (!run_workers_ready(run))
		if (poll(&pfd, 1, -1) > 0)
			run_drain_fds(run);
	if (atomic_load(&run->crew->failed))
		crew_why(run->crew, why, size);
	return !atomic_load(&run->crew->failed);
}

static bool
start_layout(struct run *run, char *why, size_t size)
{
	struct target *target = run->o.target;
	char reason[160];

	if (target->facts.kind != TARGET_FILE || target->written || target->grant == NULL || run->plan.n_workers == 0)
		return true;
	run->prefill_bytes = target->area_bytes;
	run->layout = prefill_start(target, engine_choose(ENGINE_AUTO, target, reason, sizeof(reason)), run->prefill_bytes,
	    run->crew);
	if (run->layout == NULL)
		snprintf(why, size, "cannot lay out %s: %s", target->facts.path, strerror(errno));
	return run->layout != NULL;
}

static bool
make_fds(struct run *run)
{
	struct epoll_event event = { .events = EPOLLIN };

	run->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	run->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	run->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return run->event_fd >= 0 && run->timer_fd >= 0 && run->epoll_fd >= 0 &&
	    epoll_ctl(run->epoll_fd, EPOLL_CTL_ADD, run->event_fd, &event) == 0 &&
	    epoll_ctl(run->epoll_fd, EPOLL_CTL_ADD, run->timer_fd, &event) == 0;
}

struct run *
run_new(const struct run_options *options, char *why, size_t size)
{
	static const struct env machine = { .root = "" };
	struct run *run = xcalloc(1, sizeof(*run));

	run->o = *options;
	run->epoll_fd = run->event_fd = run->timer_fd = -1;
	if (!make_fds(run)) {
		snprintf(why, size, "no descriptors for the run: %s", strerror(errno));
		run_free(run);
		return NULL;
	}
	run->crew = crew_new(options->error_limit > 0 ? options->error_limit : ERROR_LIMIT, run->event_fd);
	if (run_plan_make(&run->plan, options, why, size) < 0) {
		run_free(run);
		return NULL;
	}
	snprintf(run->engine_why, sizeof(run->engine_why), "%s", run->plan.engine_why);
	if (!run_plan_fits(&run->plan, memory_available(&machine), why, size) || !start_workers(run, why, size) ||
	    !await_workers(run, why, size) || !start_layout(run, why, size)) {
		run_free(run);
		return NULL;
	}
	run_set_state(run, RUN_PREPARE, 0);
	run_poke(run);
	return run;
}

static bool
all_ended(const struct run *run)
{
	for (size_t i = 0; i < run->n_started; i++)
		if (worker_state(run->workers[i]) != WORKER_ENDED)
			return false;
	return run->layout == NULL || prefill_ended(run->layout);
}

/*
 * Some of their I/Os may still have to be handed over. Were the descriptor closed under them, its number would come to mean another
 * file some time, and they would write to that one.
 */
static void
leave_descriptor(struct run *run)
{
	struct target *target = run->o.target;

	run->crew->left_fd = target->fd;
	if (target->fd >= 0)
		target->fd = fcntl(target->fd, F_DUPFD_CLOEXEC, 0);
}

/* Frees those that have ended. True: there are others with I/Os, and the target's descriptor. */
static bool
dismiss(struct run *run)
{
	bool layout_stays = run->layout != NULL && !prefill_ended(run->layout), stay = layout_stays;

	for (size_t i = 0; i < run->n_started; i++) {
		struct worker *w = run->workers[i];
		enum worker_state state = worker_state(w);

		stay = stay || state < WORKER_DONE || counter_get(&worker_counters(w)->in_flight) > 0;
		worker_free(w, state != WORKER_ENDED);
	}
	prefill_free(run->layout, layout_stays);
	return stay;
}

static void
await_end(struct run *run)
{
	struct pollfd pfd = { .fd = run->event_fd, .events = POLLIN };
	uint64_t until_ns = clock_ns() + (run->left_behind ? 0 : STOP_NS);

	crew_stop(run->crew, ALL_GROUPS);
	while (!all_ended(run) && clock_ns() < until_ns) {
		poll(&pfd, 1, 10);
		run_drain_fds(run);
	}
}

void
run_free(struct run *run)
{
	if (run == NULL)
		return;
	if (run->crew != NULL) {
		await_end(run);
		crew_abandon(run->crew);
		if (dismiss(run))
			leave_descriptor(run);
		crew_unref(run->crew);
	}
	free(run->workers);
	free(run->noticed);
	run_plan_free(&run->plan);
	if (run->epoll_fd >= 0)
		close(run->epoll_fd);
	if (run->event_fd >= 0)
		close(run->event_fd);
	if (run->timer_fd >= 0)
		close(run->timer_fd);
	free(run);
}
