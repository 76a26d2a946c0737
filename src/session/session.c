#include "session/session.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/clock.h"
#include "core/xalloc.h"
#include "session/test_run.h"
#include "sys/helper.h"

/* Figures stand on the screen within 300 ms, 100 of which may go by for a home directory that does not answer. */
#define QUICK_FIRST_NS UINT64_C(120000000)

struct session {
	const struct env *env;
	struct sampler *sampler;
	struct sink *store;	/* NULL: not recording */
	struct history *history;
	struct verdicts *verdicts;
	struct test *test;	/* the test at hand, or the last one; NULL: none */
	uint64_t first_due_ns;	/* CLOCK_MONOTONIC; 0: the timer decides */
	char mark[200];		/* of the next tick; "": none */
};

struct session *
session_open(const struct session_options *options)
{
	struct session *s = xcalloc(1, sizeof(*s));

	s->env = options->env;
	s->sampler = sampler_open(options->env, options->probes, options->interval_ns);
	if (s->sampler == NULL) {
		free(s);
		return NULL;
	}
	s->store = options->store;
	if (options->history > 0)
		s->history = history_new(options->history);
	s->verdicts = verdicts_new(options->thresholds);
	if (options->quick_first && options->interval_ns > 2 * QUICK_FIRST_NS)
		s->first_due_ns = clock_ns() + QUICK_FIRST_NS;
	return s;
}

void
session_close(struct session *s)
{
	if (s == NULL)
		return;
	test_free(s->test);
	sampler_close(s->sampler);
	sink_close(s->store);
	history_free(s->history);
	verdicts_free(s->verdicts);
	free(s);
}

static void
sooner(int *timeout_ms, int ms)
{
	if (ms >= 0 && (*timeout_ms < 0 || ms < *timeout_ms))
		*timeout_ms = ms;
}

int
session_pollfds(struct session *s, struct pollfd fds[static SESSION_FDS], int *timeout_ms)
{
	int n = 0;

	*timeout_ms = -1;
	fds[n++] = (struct pollfd) { .fd = sampler_timer_fd(s->sampler), .events = POLLIN };
	if (sampler_uevent_fd(s->sampler) >= 0)
		fds[n++] = (struct pollfd) { .fd = sampler_uevent_fd(s->sampler), .events = POLLIN };
	if (s->env->helper != NULL) {
		fds[n++] = (struct pollfd) { .fd = helper_fd(s->env->helper), .events = POLLIN };
		sooner(timeout_ms, helper_timeout(s->env->helper));
	}
	if (s->test != NULL && test_fd(s->test) >= 0)
		fds[n++] = (struct pollfd) { .fd = test_fd(s->test), .events = POLLIN };
	if (s->first_due_ns != 0) {
		uint64_t now = clock_ns();

		sooner(timeout_ms, now < s->first_due_ns ? (int)((s->first_due_ns - now) / 1000000 + 1) : 0);
	}
	return n;
}

struct interval *
session_step(struct session *s, bool force)
{
	struct interval *interval;

	if (sampler_uevent_fd(s->sampler) >= 0)
		sampler_uevents(s->sampler);
	if (s->env->helper != NULL)
		helper_poll(s->env->helper);
	if (s->first_due_ns != 0 && clock_ns() >= s->first_due_ns)
		force = true;
	/* A phase ends or begins: the tick comes first, whatever else waits. */
	if (s->test != NULL && test_step(s->test))
		force = true;
	if (sampler_tick(s->sampler, force, &interval) != 1)
		return NULL;
	s->first_due_ns = 0;
	if (s->mark[0] != '\0')
		interval_event(interval, EVENT_TEST, NULL, "%s", s->mark);
	s->mark[0] = '\0';
	if (s->test != NULL) {
		test_mark(s->test, interval);
		test_feed(s->test, interval);
	}
	if (s->store != NULL)
		sink_put(s->store, interval);
	if (s->history != NULL)
		history_feed(s->history, interval);
	verdicts_feed(s->verdicts, interval);
	return interval;
}

void
session_mark(struct session *s, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(s->mark, sizeof(s->mark), format, ap);
	va_end(ap);
}

struct sampler *
session_sampler(struct session *s)
{
	return s->sampler;
}

const struct history *
session_history(const struct session *s)
{
	return s->history;
}

const struct verdicts *
session_verdicts(const struct session *s)
{
	return s->verdicts;
}

void
session_set_thresholds(struct session *s, const struct thresholds *thresholds)
{
	verdicts_free(s->verdicts);
	s->verdicts = verdicts_new(thresholds);
}

bool
session_store_status(struct session *s, struct store_status *status)
{
	if (s->store == NULL)
		return false;
	store_status(s->store, status);
	return true;
}

int
session_test_start(struct session *s, const struct test_request *request, void (*note)(const char *), char *why, size_t size)
{
	struct test_place place = { .board = s->env->board, .store = s->store };
	struct store_status store;
	struct test *test;
	int status;

	if (test_running(s->test)) {
		snprintf(why, size, "a test is running");
		return 1;
	}
	if (place.board == NULL) {
		snprintf(why, size, "no load is made under a foreign root");
		return 2;
	}
	if (session_store_status(s, &store))
		place.store_path = store.path;
	status = test_start(&test, &place, request, note, why, size);
	if (status != 0)
		return status;
	test_free(s->test);
	s->test = test;
	return 0;
}

const struct test_status *
session_test(struct session *s)
{
	return s->test != NULL ? test_status(s->test) : NULL;
}

const struct result *
session_test_now(struct session *s)
{
	return s->test != NULL ? test_now(s->test) : NULL;
}

bool
session_test_running(struct session *s)
{
	return test_running(s->test);
}

void
session_test_stop(struct session *s)
{
	if (test_running(s->test))
		test_stop(s->test);
}

const struct result *const *
session_test_results(struct session *s, size_t *n)
{
	*n = 0;
	return s->test != NULL ? test_results(s->test, n) : NULL;
}

bool
session_test_stored(struct session *s)
{
	return s->test == NULL || test_stored(s->test);
}

void
session_test_clear(struct session *s)
{
	if (test_running(s->test))
		return;
	test_free(s->test);
	s->test = NULL;
}
