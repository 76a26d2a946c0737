#include "session/aside.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/xalloc.h"
#include "load/crew.h"

enum { AT_WORK, DONE, LEFT };

struct aside {
	void (*work)(struct aside *, void *);
	void (*drop)(void *);
	void *arg;
	int fd;
	atomic_int state;	/* the arg is of whoever changes it from AT_WORK last */
	atomic_int refs;	/* of this struct: the thread's and the starter's */
};

static void
unref(struct aside *a)
{
	if (atomic_fetch_sub(&a->refs, 1) > 1)
		return;
	close(a->fd);
	free(a);
}

static void *
live(void *arg)
{
	struct aside *a = arg;

	a->work(a, a->arg);
	if (atomic_exchange(&a->state, DONE) == LEFT)
		a->drop(a->arg);
	aside_tell(a);
	unref(a);
	return NULL;
}

struct aside *
aside_start(void (*work)(struct aside *, void *), void (*drop)(void *), void *arg)
{
	struct aside *a = xcalloc(1, sizeof(*a));
	pthread_t thread;

	*a = (struct aside){ .work = work, .drop = drop, .arg = arg, .fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), .refs = 2 };
	if (a->fd >= 0 && crew_thread(&thread, live, a) == 0) {
		pthread_detach(thread);
		return a;
	}
	if (a->fd >= 0)
		close(a->fd);
	free(a);
	return NULL;
}

int
aside_fd(const struct aside *a)
{
	return a->fd;
}

void
aside_tell(struct aside *a)
{
	eventfd_write(a->fd, 1);
}

bool
aside_done(struct aside *a)
{
	eventfd_t n;

	eventfd_read(a->fd, &n);
	return atomic_load(&a->state) == DONE;
}

bool
aside_wait(struct aside *a, uint64_t ns)
{
	uint64_t until = clock_ns() + ns, now;
	struct pollfd pfd = { .fd = a->fd, .events = POLLIN };

	while (!aside_done(a)) {
		now = clock_ns();
		if (now >= until)
			return false;
		poll(&pfd, 1, (int)((until - now) / NS_PER_MS) + 1);
	}
	return true;
}

bool
aside_end(struct aside *a)
{
	bool done = atomic_exchange(&a->state, LEFT) == DONE;

	unref(a);
	return done;
}
