/*
 * Work that may never end.
 */
#include "session/aside.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#define SECOND UINT64_C(1000000000)

struct job {
	int go;			/* the work waits for it */
	int dropped;		/* told when it was put away */
	atomic_bool worked;
};

static void
work(struct aside *aside, void *arg)
{
	struct job *job = arg;
	eventfd_t n;

	aside_tell(aside);
	eventfd_read(job->go, &n);
	atomic_store(&job->worked, true);
}

static void
drop(void *arg)
{
	struct job *job = arg;

	eventfd_write(job->dropped, 1);
}

static struct aside *
start(struct job *job)
{
	struct pollfd pfd = { .events = POLLIN };
	struct aside *a;

	*job = (struct job){ .go = eventfd(0, EFD_CLOEXEC), .dropped = eventfd(0, EFD_CLOEXEC) };
	a = aside_start(work, drop, job);
	assert_non_null(a);
	/* It tells something before it is through. */
	pfd.fd = aside_fd(a);
	assert_int_equal(poll(&pfd, 1, 5000), 1);
	assert_false(aside_done(a));
	assert_false(aside_wait(a, SECOND / 100));
	return a;
}

static void
end(struct job *job)
{
	close(job->go);
	close(job->dropped);
}

static void
test_waited_for(void **state)
{
	struct job job;
	struct aside *a = start(&job);
	struct pollfd pfd = { .fd = job.dropped, .events = POLLIN };

	(void)state;
	eventfd_write(job.go, 1);
	assert_true(aside_wait(a, 5 * SECOND));
	assert_true(atomic_load(&job.worked));
	assert_true(aside_end(a));
	assert_int_equal(poll(&pfd, 1, 0), 0);
	end(&job);
}

static void
test_left_behind(void **state)
{
	struct job job;
	struct aside *a = start(&job);
	eventfd_t n;

	(void)state;
	assert_false(aside_end(a));
	assert_false(atomic_load(&job.worked));
	eventfd_write(job.go, 1);
	eventfd_read(job.dropped, &n);
	assert_true(atomic_load(&job.worked));
	end(&job);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waited_for),
		cmocka_unit_test(test_left_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
