/*
 * The run's state machine. A phase that is over is told to the caller first, who takes a tick; only then, at the next step, do
 * workers begin or stop: so no I/O of the measured time is outside the ticks between, and no idle time inside.
 */
#include "load/run_inside.h"

#include <stdio.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define DRAIN_NS (10 * NS_PER_S)	/* a device that does not answer when a run ended by itself */

const char *const run_state_name[] = {
	[RUN_PREPARE] = "prepare", [RUN_RAMP] = "ramp", [RUN_MEASURE] = "measure", [RUN_DRAIN] = "drain",
	[RUN_DONE] = "done", [RUN_STOPPED] = "stopped", [RUN_FAILED] = "failed",
};

void
run_poke(struct run *run)
{
	uint64_t one = 1;
	ssize_t n = write(run->event_fd, &one, sizeof(one));

	(void)n;
}

static void
set_timer(struct run *run, uint64_t at_ns)
{
	struct itimerspec spec = { .it_value = clock_timespec(at_ns) };

	timerfd_settime(run->timer_fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

void
run_set_state(struct run *run, enum run_state state, uint64_t duration_ns)
{
	run->state = state;
	run->since_ns = clock_ns();
	run->until_ns = duration_ns > 0 ? run->since_ns + duration_ns : 0;
	set_timer(run, run->until_ns);
}

static bool
time_over(const struct run *run)
{
	return run->until_ns > 0 && clock_ns() >= run->until_ns;
}

static bool
ending(const struct run *run)
{
	return run->stopping || atomic_load(&run->crew->failed);
}

/*
 * True where one began or ended since the last look. One that began after its group is published after the tick that this
 * makes: its time is counted from there.
 */
static bool
note_workers(struct run *run)
{
	bool news = false;

	for (size_t i = 0; i < run->n_started; i++) {
		struct run_worker *info = &run->plan.infos[i];

		if (!info->started && worker_began(run->workers[i])) {
			info->started = run->noticed[i];
			news = news || !run->noticed[i];
			run->noticed[i] = true;
		}
		if (info->started && !info->ended && worker_state(run->workers[i]) >= WORKER_DONE)
			news = info->ended = true;
	}
	if (news)
		run_poke(run);
	return news;
}

/* All of this group are done, and noted as such. */
static bool
group_ended(struct run *run)
{
	if (run->plan.groups[run->group].waits)
		return ending(run);
	for (size_t i = 0; i < run->n_started; i++)
		if (run->plan.infos[i].group == run->group && worker_state(run->workers[i]) < WORKER_DONE)
			return false;
	note_workers(run);
	return true;
}

/*
 * Workers without a delay are published before they begin, with their counters at zero, so that their time is the
 * measured time; one with a delay when it has begun.
 */
static void
publish_group(struct run *run)
{
	for (size_t i = 0; i < run->n_started; i++)
		if (run->plan.infos[i].group == run->group && run->plan.workers[i].delay_ns == 0)
			run->plan.infos[i].started = true;
}

static void
begin_group(struct run *run, unsigned group)
{
	const struct run_group *g = &run->plan.groups[group];

	run->group = group;
	publish_group(run);
	if (g->ramp_ns > 0) {
		run_set_state(run, RUN_RAMP, g->ramp_ns);
		crew_begin(run->crew, group);
		return;
	}
	run_set_state(run, RUN_MEASURE, 0);
	run->next = NEXT_BEGIN;
	run_poke(run);
}

static void
begin_drain(struct run *run)
{
	run_set_state(run, RUN_DRAIN, 0);
	run->next = NEXT_STOP;
	run_poke(run);
}

static void
finish(struct run *run)
{
	enum run_state state = RUN_DONE;

	if (atomic_load(&run->crew->failed))
		state = RUN_FAILED;
	else if (run->stopping)
		state = RUN_STOPPED;
	crew_stop(run->crew, ALL_GROUPS);
	run_set_state(run, state, 0);
}

static unsigned
in_flight(const struct run *run)
{
	uint64_t n = 0;

	for (size_t i = 0; i < run->n_started; i++)
		n += counter_get(&worker_counters(run->workers[i])->in_flight);
	return (unsigned)n;
}

/* The device does not answer. Its threads and buffers stay, the rest goes on. */
static void
give_up(struct run *run)
{
	const char *path = run->o.target->facts.path;

	if (run->layout != NULL)
		crew_fail(run->crew, "%s does not answer: what was laying it out is left behind", path);
	else
		crew_fail(run->crew, "%s does not answer: %u I/Os are still in flight, and left behind", path, in_flight(run));
	run->left_behind = true;
	run->o.target->silent = true;
	finish(run);
}

/* Several hosts begin at the same time of day. */
static bool
too_early(struct run *run)
{
	int64_t left_ms = run->o.start_at_ms > 0 ? run->o.start_at_ms - clock_wall_ms() : 0;

	if (left_ms <= 0)
		return false;
	run->until_ns = clock_ns() + (uint64_t)left_ms * NS_PER_MS;
	set_timer(run, run->until_ns);
	return true;
}

bool
run_workers_ready(struct run *run)
{
	for (size_t i = 0; i < run->n_started; i++) {
		if (worker_state(run->workers[i]) == WORKER_STARTING)
			return false;
		if (run->engine_why[0] == '\0')
			snprintf(run->engine_why, sizeof(run->engine_why), "%s", worker_note(run->workers[i]));
	}
	return true;
}

static bool
step_prepare(struct run *run)
{
	/* Looked at before what it may have failed with: one that ended in between did not fill the file. */
	bool laid_out = run->layout == NULL || prefill_ended(run->layout);

	if (ending(run)) {
		crew_stop(run->crew, ALL_GROUPS);
		if (!laid_out) {
			if (run->until_ns == 0) {
				run->until_ns = clock_ns() + STOP_NS;
				set_timer(run, run->until_ns);
			}
			if (!time_over(run))
				return false;
			give_up(run);
			return true;
		}
		finish(run);
		return true;
	}
	if (!laid_out)
		return false;
	if (run->layout != NULL) {
		prefill_free(run->layout, false);
		run->layout = NULL;
		run->o.target->written = true;
	}
	if (run->connecting && !run_workers_ready(run))
		return false;
	run->connecting = false;
	if (too_early(run))
		return false;
	begin_group(run, 0);
	return true;
}

static bool
step_ramp(struct run *run)
{
	if (ending(run) || group_ended(run)) {
		begin_drain(run);
		return true;
	}
	if (!time_over(run))
		return false;
	run_set_state(run, RUN_MEASURE, run->plan.groups[run->group].runtime_ns);
	return true;
}

static bool
step_measure(struct run *run, bool news)
{
	if (run->next == NEXT_BEGIN && !ending(run)) {
		run->next = NEXT_NOTHING;
		run_set_state(run, RUN_MEASURE, run->plan.groups[run->group].runtime_ns);
		crew_begin(run->crew, run->group);
		return false;
	}
	if (ending(run) || group_ended(run) || time_over(run)) {
		begin_drain(run);
		return true;
	}
	return news;
}

static bool
step_drain(struct run *run)
{
	if (run->next == NEXT_STOP) {
		run->next = NEXT_NOTHING;
		crew_stop(run->crew, ending(run) ? ALL_GROUPS : run->group);
		run->until_ns = clock_ns() + (ending(run) ? STOP_NS : DRAIN_NS);
		set_timer(run, run->until_ns);
	}
	if (!group_ended(run) && !(run->plan.groups[run->group].waits)) {
		if (!time_over(run))
			return false;
		give_up(run);
	} else if (ending(run) || run->group + 1 == run->plan.n_groups) {
		finish(run);
	} else {
		begin_group(run, run->group + 1);
	}
	return true;
}

void
run_drain_fds(struct run *run)
{
	uint64_t n;
	ssize_t events = read(run->event_fd, &n, sizeof(n));
	ssize_t timers = read(run->timer_fd, &n, sizeof(n));

	/* Either may have nothing. */
	(void)events;
	(void)timers;
}

bool
run_step(struct run *run)
{
	bool news;

	run_drain_fds(run);
	news = note_workers(run);
	switch (run->state) {
	case RUN_PREPARE:
		return step_prepare(run);
	case RUN_RAMP:
		return step_ramp(run);
	case RUN_MEASURE:
		return step_measure(run, news);
	case RUN_DRAIN:
		return step_drain(run);
	default:
		return false;
	}
}

enum run_state
run_state(const struct run *run)
{
	return run->state;
}

unsigned
run_section(const struct run *run)
{
	return run->group;
}

void
run_stop(struct run *run)
{
	if (run->state >= RUN_DONE || run->stopping)
		return;
	run->stopping = true;
	if (run->state == RUN_DRAIN && run->next == NEXT_NOTHING) {
		run->until_ns = clock_ns() + STOP_NS;
		set_timer(run, run->until_ns);
	}
	run_poke(run);
}

const char *
run_why(const struct run *run)
{
	struct run *mine = (struct run *)(uintptr_t)run;

	crew_why(run->crew, mine->why, sizeof(mine->why));
	return run->why;
}

void
run_progress(const struct run *run, uint64_t *done, uint64_t *all)
{
	if (run->layout != NULL) {
		*done = prefill_bytes_done(run->layout);
		*all = run->prefill_bytes;
		return;
	}
	*done = clock_ns() - run->since_ns;
	*all = run->until_ns > 0 && run->state != RUN_DRAIN ? run->until_ns - run->since_ns : 0;
}

size_t
run_workers(const struct run *run)
{
	return run->plan.n_workers;
}

const struct run_worker *
run_worker(const struct run *run, size_t i)
{
	return &run->plan.infos[i];
}

const struct run_options *
run_options(const struct run *run)
{
	return &run->o;
}

const char *
run_engine(const struct run *run, const char **why)
{
	*why = run->engine_why;
	return run->plan.n_workers > 0 ? run->plan.infos[0].engine : "none";
}

uint64_t
run_working_set(const struct run *run)
{
	return run->plan.end > run->plan.first ? run->plan.end - run->plan.first : 0;
}

int
run_fd(const struct run *run)
{
	return run->epoll_fd;
}
