#include "sampler/sampler.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/stall.h"
#include "core/xalloc.h"
#include "sys/helper.h"
#include "sys/uevent.h"

/* Two ticks closer than this would divide by next to nothing. */
#define SHORTEST_NS UINT64_C(1000000)

struct sampler {
	struct source source;		/* sampler_source() hands out this */
	const struct env *env;
	struct probe **probes;
	size_t n_probes;
	uint64_t interval_ns;
	int timer;
	int uevents;			/* -1: none (foreign root, or no permission) */
	struct snapshot *last;
	struct stall *stall;
	int stop_fd;
	char error[80];
};

static struct stamp
stamp_now(void)
{
	return (struct stamp){
		.mono_ns = clock_ns(),
		.boot_ns = clock_read_ns(CLOCK_BOOTTIME),
		.wall_ms = clock_wall_ms(),
	};
}

static struct probe *
probe_start(const struct probe_ops *ops, const struct env *env)
{
	struct probe *p = xcalloc(1, ops->size);

	p->ops = ops;
	p->env = env;
	if (ops->usable != NULL && !ops->usable(env)) {
		if (p->why[0] == '\0')
			probe_why(p, "not here");
		return p;
	}
	if (ops->open != NULL && ops->open(p) < 0)
		ops->close(p);
	else
		p->opened = true;
	return p;
}

static void
probe_sample(struct probe *p, struct snapshot *snapshot)
{
	uint64_t began;
	int rc;

	if (!p->opened)
		return;
	began = clock_ns();
	rc = p->ops->sample(p, snapshot);
	p->cost_ns = clock_ns() - began;
	if (rc == 0)
		return;
	/* Absent, which is not idle: what it had appended before it failed goes. */
	for (size_t i = 0; p->ops->kinds[i] != NULL; i++)
		snapshot_drop(snapshot, p->ops->kinds[i]);
	if (p->why[0] == '\0')
		probe_why(p, "%s", strerror(-rc));
}

static struct snapshot *
take_snapshot(struct sampler *s)
{
	struct stamp stamp = stamp_now();
	struct snapshot *snapshot = snapshot_new(&stamp);

	for (size_t i = 0; i < s->n_probes; i++)
		probe_sample(s->probes[i], snapshot);
	return snapshot;
}

static void
arm_timer(const struct sampler *s)
{
	uint64_t first = clock_ns() + s->interval_ns;
	struct itimerspec spec = {
		.it_interval = { .tv_sec = (time_t)(s->interval_ns / NS_PER_S), .tv_nsec = (long)(s->interval_ns % NS_PER_S) },
		.it_value = { .tv_sec = (time_t)(first / NS_PER_S), .tv_nsec = (long)(first % NS_PER_S) },
	};

	timerfd_settime(s->timer, TFD_TIMER_ABSTIME, &spec, NULL);
}

static const struct source_ops source_ops;

struct sampler *
sampler_open(const struct env *env, const struct probe_ops *const *table, uint64_t interval_ns)
{
	struct sampler *s = xcalloc(1, sizeof(*s));

	s->source.ops = &source_ops;
	s->env = env;
	s->interval_ns = interval_ns;
	s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (s->timer < 0) {
		free(s);
		return NULL;
	}
	/* Before the topology is read, so that no change falls in between. */
	s->uevents = env->foreign ? -1 : uevent_open();
	s->stall = stall_new();
	while (table[s->n_probes] != NULL)
		s->n_probes++;
	s->probes = xcalloc(s->n_probes, sizeof(struct probe *));
	for (size_t i = 0; i < s->n_probes; i++)
		s->probes[i] = probe_start(table[i], env);
	s->last = take_snapshot(s);
	arm_timer(s);
	return s;
}

void
sampler_close(struct sampler *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n_probes; i++) {
		if (s->probes[i]->opened)
			s->probes[i]->ops->close(s->probes[i]);
		free(s->probes[i]);
	}
	free(s->probes);
	snapshot_free(s->last);
	stall_free(s->stall);
	if (s->uevents >= 0)
		close(s->uevents);
	close(s->timer);
	free(s);
}

int
sampler_timer_fd(const struct sampler *s)
{
	return s->timer;
}

int
sampler_uevent_fd(const struct sampler *s)
{
	return s->uevents;
}

static void
tell_probes(void *arg, const struct uevent *event)
{
	struct sampler *s = arg;

	for (size_t i = 0; i < s->n_probes; i++) {
		struct probe *p = s->probes[i];

		if (p->opened && p->ops->changed != NULL)
			p->ops->changed(p, event != NULL ? event->subsystem : NULL, event != NULL ? event->device : NULL);
	}
}

void
sampler_uevents(struct sampler *s)
{
	if (s->uevents >= 0)
		uevent_read(s->uevents, tell_probes, s);
}

static void
sleep_until(uint64_t ns)
{
	struct timespec ts = clock_timespec(ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

int
sampler_tick(struct sampler *s, bool force, struct interval **out)
{
	struct snapshot *now;
	uint64_t expired, age_ns;

	if (read(s->timer, &expired, sizeof(expired)) != (ssize_t)sizeof(expired) && !force)
		return 0;
	age_ns = clock_ns() - s->last->stamp.mono_ns;
	if (age_ns < SHORTEST_NS && !force)
		return 0;
	/* A forced one is never left out: a phase of a test that nobody saw begin would have no result. */
	if (age_ns < SHORTEST_NS)
		sleep_until(s->last->stamp.mono_ns + SHORTEST_NS);
	/* Whoever waited for the timer has heard of those before it. */
	if (force)
		sampler_uevents(s);
	now = take_snapshot(s);
	*out = interval_diff(s->last, now);
	stall_watch(s->stall, *out);
	snapshot_free(s->last);
	s->last = now;
	return 1;
}

void
sampler_set_interval(struct sampler *s, uint64_t interval_ns)
{
	s->interval_ns = interval_ns;
	arm_timer(s);
}

uint64_t
sampler_interval(const struct sampler *s)
{
	return s->interval_ns;
}

const struct probe *
sampler_probe(const struct sampler *s, size_t i)
{
	return i < s->n_probes ? s->probes[i] : NULL;
}

bool
sampler_costly(const struct sampler *s, size_t i)
{
	return i < s->n_probes && s->probes[i]->cost_ns > s->interval_ns / 100;
}

/* Waits for the timer; replies of the helper and uevents are dealt with meanwhile. */
static int
wait_for_tick(struct sampler *s)
{
	struct helper *helper = s->env->helper;
	struct pollfd fds[4] = {
		{ .fd = s->timer, .events = POLLIN },
		{ .fd = s->uevents, .events = POLLIN },
		{ .fd = helper != NULL ? helper_fd(helper) : -1, .events = POLLIN },
		{ .fd = s->stop_fd, .events = POLLIN },
	};

	for (;;) {
		int n = poll(fds, 4, helper != NULL ? helper_timeout(helper) : -1);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n < 0)
			continue;
		if (helper != NULL && (n == 0 || fds[2].revents != 0))
			helper_poll(helper);
		if (fds[3].revents != 0)
			return -EINTR;
		if (fds[1].revents & POLLIN)
			sampler_uevents(s);
		if (fds[0].revents & POLLIN)
			return 0;
	}
}

static int
next_interval(struct source *source, struct interval **out)
{
	struct sampler *s = (struct sampler *)source;
	int rc;

	do {
		rc = wait_for_tick(s);
		if (rc < 0) {
			snprintf(s->error, sizeof(s->error), "waiting for the next tick: %s", strerror(-rc));
			return rc;
		}
		rc = sampler_tick(s, false, out);
	} while (rc == 0);
	return rc;
}

static const char *
error_of(struct source *source)
{
	return ((struct sampler *)source)->error;
}

static void
close_source(struct source *source)
{
	sampler_close((struct sampler *)source);
}

static const struct source_ops source_ops = {
	.name = "live",
	.next = next_interval,
	.error = error_of,
	.close = close_source,
};

struct source *
sampler_source(struct sampler *s, int stop_fd)
{
	s->stop_fd = stop_fd;
	return &s->source;
}
