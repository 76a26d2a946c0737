#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/clock.h"
#include "core/xalloc.h"
#include "load/engine_util.h"
#include "load/worker.h"
#include "tests/load/jobs.h"

#define MIB (1 << 20)
#define LIMIT_MS 30000	/* only where the program hangs */

/* An engine whose I/Os are done at once, and that notes when it is idle. */
struct noting {
	struct engine engine;
	struct done_list done;
};

static unsigned idles, idle_when_due;
static uint64_t idled_ns;

static void
noting_close(struct engine *engine)
{
	free(((struct noting *)engine)->done.ios);
	free(engine);
}

static int
noting_open(struct engine **out, const struct engine_args *args)
{
	struct noting *e = xcalloc(1, sizeof(*e));

	e->done.cap = args->depth;
	e->done.ios = xcalloc(args->depth, sizeof(struct io *));
	*out = &e->engine;
	return 0;
}

static int
noting_submit(struct engine *engine, struct io *const *ios, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		idle_when_due += idled_ns > ios[i]->due_ns;
		ios[i]->result = (int32_t)ios[i]->bytes;
		done_put(&((struct noting *)engine)->done, ios[i]);
	}
	idled_ns = 0;
	return (int)n;
}

static int
noting_reap(struct engine *engine, struct io **out, unsigned min, unsigned max, uint64_t deadline_ns)
{
	(void)min;
	(void)deadline_ns;
	return (int)done_take(&((struct noting *)engine)->done, out, max);
}

static void
noting_idle(struct engine *engine)
{
	(void)engine;
	idles++;
	idled_ns = clock_ns();
}

static const struct engine_ops noting = {
	.name = "noting",
	.open = noting_open,
	.submit = noting_submit,
	.reap = noting_reap,
	.idle = noting_idle,
	.close = noting_close,
};

static void
work(const struct job *job)
{
	const struct target target = { .facts = { .kind = TARGET_NULL, .path = "null:" }, .fd = -1, .area_bytes = MIB };
	const struct worker_plan plan = { .name = "w", .job = job, .engine = &noting, .target = &target, .area_bytes = MIB,
		.depth = 1, .limit_ns = UINT64_MAX };
	struct pollfd pfd = { .fd = eventfd(0, EFD_CLOEXEC), .events = POLLIN };
	struct crew *crew = crew_new(1, pfd.fd);
	struct worker *w;
	eventfd_t n;

	crew_begin(crew, 0);
	w = worker_new(&plan, crew);
	assert_non_null(w);
	while (worker_state(w) != WORKER_ENDED) {
		assert_int_equal(poll(&pfd, 1, LIMIT_MS), 1);
		eventfd_read(pfd.fd, &n);
	}
	worker_free(w, false);
	crew_unref(crew);
	close(pfd.fd);
}

/* Four I/Os with a tenth of a second between: time that an engine takes for itself is not to delay, nor to be part of, the next. */
static void
engine_is_idle_before_a_rest(void **state)
{
	const struct job *job;
	struct job_file *file = job_of_lines("rw=randread\nrate_iops=10\nnumber_ios=4", &job);
	uint64_t begun_ns = clock_ns();

	(void)state;
	idles = idle_when_due = 0;
	idled_ns = 0;
	work(job);
	assert_true(idles >= 1);
	assert_true(idles <= 1 + (clock_ns() - begun_ns) / NS_PER_S);
	assert_int_equal(idle_when_due, 0);
	job_free(file);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(engine_is_idle_before_a_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
