#include "load/crew.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/xalloc.h"
#include "core/clock.h"

struct crew *
crew_new(uint64_t error_limit, int event_fd)
{
	struct crew *crew = xcalloc(1, sizeof(*crew));
	pthread_condattr_t attr;

	atomic_store(&crew->refs, 1);
	crew->error_limit = error_limit;
	crew->event_fd = event_fd;
	crew->left_fd = -1;
	pthread_mutex_init(&crew->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&crew->changed, &attr);
	pthread_condattr_destroy(&attr);
	return crew;
}

struct crew *
crew_ref(struct crew *crew)
{
	atomic_fetch_add(&crew->refs, 1);
	return crew;
}

void
crew_unref(struct crew *crew)
{
	if (atomic_fetch_sub(&crew->refs, 1) != 1)
		return;
	if (crew->left_fd >= 0)
		close(crew->left_fd);
	pthread_cond_destroy(&crew->changed);
	pthread_mutex_destroy(&crew->lock);
	free(crew);
}

int
crew_thread(pthread_t *thread, void *(*run)(void *), void *arg)
{
	sigset_t all, mine;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mine);
	rc = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &mine, NULL);
	return rc;
}

void
crew_begin(struct crew *crew, unsigned group)
{
	pthread_mutex_lock(&crew->lock);
	if (crew->begun < group + 1)
		crew->begun = group + 1;
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->lock);
}

void
crew_stop(struct crew *crew, unsigned group)
{
	pthread_mutex_lock(&crew->lock);
	if (atomic_load(&crew->stopped) < group + 1)
		atomic_store(&crew->stopped, group + 1);
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->lock);
}

/* The descriptor is the run's: after this nobody writes to it. */
void
crew_abandon(struct crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	atomic_store(&crew->abandoned, true);
	crew->event_fd = -1;
	pthread_mutex_unlock(&crew->lock);
}

void
crew_why(struct crew *crew, char *out, size_t size)
{
	pthread_mutex_lock(&crew->lock);
	snprintf(out, size, "%s", crew->why);
	pthread_mutex_unlock(&crew->lock);
}

bool
crew_wait(struct crew *crew, unsigned group)
{
	pthread_mutex_lock(&crew->lock);
	while (crew->begun <= group && !crew_stopped(crew, group))
		pthread_cond_wait(&crew->changed, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
	return !crew_stopped(crew, group);
}

bool
crew_wait_until(struct crew *crew, unsigned group, uint64_t until_ns)
{
	struct timespec until = clock_timespec(until_ns);
	bool over;
	int rc = 0;

	pthread_mutex_lock(&crew->lock);
	while (!(over = crew->begun > group || crew_stopped(crew, group)) && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&crew->changed, &crew->lock, &until);
	pthread_mutex_unlock(&crew->lock);
	return over;
}

static void
tell_locked(struct crew *crew)
{
	uint64_t one = 1;
	ssize_t n = 0;

	/* A full counter is readable too. */
	if (crew->event_fd >= 0)
		n = write(crew->event_fd, &one, sizeof(one));
	(void)n;
}

void
crew_tell(struct crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	tell_locked(crew);
	pthread_mutex_unlock(&crew->lock);
}

__attribute__((format(printf, 2, 0)))
static void
keep_first(struct crew *crew, const char *format, va_list ap)
{
	if (crew->why[0] == '\0')
		vsnprintf(crew->why, sizeof(crew->why), format, ap);
}

void
crew_error(struct crew *crew, const char *format, ...)
{
	uint64_t errors = atomic_fetch_add(&crew->errors, 1) + 1;
	va_list ap;

	if (errors > 1 && errors != crew->error_limit)
		return;
	pthread_mutex_lock(&crew->lock);
	va_start(ap, format);
	keep_first(crew, format, ap);
	va_end(ap);
	if (errors >= crew->error_limit) {
		atomic_store(&crew->failed, true);
		tell_locked(crew);
	}
	pthread_mutex_unlock(&crew->lock);
}

void
crew_fail(struct crew *crew, const char *format, ...)
{
	va_list ap;

	pthread_mutex_lock(&crew->lock);
	va_start(ap, format);
	keep_first(crew, format, ap);
	va_end(ap);
	atomic_store(&crew->failed, true);
	tell_locked(crew);
	pthread_mutex_unlock(&crew->lock);
}

bool
crew_sleep(struct crew *crew, unsigned group, uint64_t until_ns)
{
	struct timespec until = clock_timespec(until_ns);
	int rc = 0;

	pthread_mutex_lock(&crew->lock);
	while (!crew_stopped(crew, group) && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&crew->changed, &crew->lock, &until);
	pthread_mutex_unlock(&crew->lock);
	return !crew_stopped(crew, group);
}
