/*
 * What the run and its workers share: when to begin, when to stop, and what went wrong first. Any thread. Counted by
 * references: a worker that a dead device holds keeps it.
 */
#ifndef LOAD_CREW_H
#define LOAD_CREW_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct crew {
	atomic_uint refs;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int event_fd;			/* tells the main thread that something happened; -1 when it listens no more */
	int left_fd;			/* the target's, for those who are left behind: the last to go closes it; -1: none */
	unsigned begun;			/* groups below this may work; guarded by the lock */
	_Atomic unsigned stopped;	/* groups below this are to end */
	_Atomic bool abandoned;		/* nobody waits for the workers any more */
	_Atomic bool failed;		/* the run is to end: why says what of */
	_Atomic uint64_t errors;
	uint64_t error_limit;
	char why[256];			/* first error; guarded by the lock */
};

struct crew *crew_new(uint64_t error_limit, int event_fd);
struct crew *crew_ref(struct crew *);
void crew_unref(struct crew *);

/* Main thread. */
void crew_begin(struct crew *, unsigned group);
void crew_stop(struct crew *, unsigned group);		/* this and all before it; UINT_MAX - 1: all */
void crew_abandon(struct crew *);
void crew_why(struct crew *, char *out, size_t size);

/*
 * A thread that takes no signals: they are the main thread's, whose poll() they are to interrupt. It should be handed a
 * reference of the crew. 0 or an errno.
 */
int crew_thread(pthread_t *, void *(*run)(void *), void *arg);

/* Workers. Waits until the group may begin; false: it is to stop. */
bool crew_wait(struct crew *, unsigned group);
static inline bool
crew_stopped(const struct crew *crew, unsigned group)
{
	return atomic_load_explicit(&crew->stopped, memory_order_relaxed) > group;
}
/* The same, no longer than until then: false where the time came first. */
bool crew_wait_until(struct crew *, unsigned group, uint64_t until_ns);
/* Wakes the main thread. */
void crew_tell(struct crew *);
/* Keeps the text where it is the first; counts an I/O error, and at the limit the run fails. */
__attribute__((format(printf, 2, 3)))
void crew_error(struct crew *, const char *format, ...);
/* The run is to end at once. */
__attribute__((format(printf, 2, 3)))
void crew_fail(struct crew *, const char *format, ...);
/* Sleeps until then, or until the group is to stop: false. */
bool crew_sleep(struct crew *, unsigned group, uint64_t until_ns);

#endif
