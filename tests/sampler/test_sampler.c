#include <errno.h>
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/kinds/kinds.h"
#include "sampler/sampler.h"
#include "tests/nan_fails.h"

/* The dummy probe: a core whose counters grow by known steps, and which can be told to fail. */
struct dummy {
	struct probe probe;
	struct object *core;
	uint64_t samples;
	bool fail, slow;
};

static int
dummy_open(struct probe *p)
{
	((struct dummy *)p)->core = object_new(&kind_cpu, 0, "cpu0", "cpu0");
	return 0;
}

static int
dummy_sample(struct probe *p, struct snapshot *s)
{
	struct dummy *d = (struct dummy *)p;
	uint64_t *cells = snapshot_add(snapshot_table(s, &kind_cpu), d->core);

	if (d->slow)
		nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
	cells[CPU_USER] = 100 * ++d->samples;
	cells[CPU_IDLE] = 300 * d->samples;
	return d->fail ? -EIO : 0;
}

static void
dummy_close(struct probe *p)
{
	object_unref(((struct dummy *)p)->core);
}

static int
broken_open(struct probe *p)
{
	probe_why(p, "no such thing");
	return -ENOENT;
}

static void
broken_close(struct probe *p)
{
	(void)p;
}

static const struct kind *const dummy_kinds[] = { &kind_cpu, NULL };
static const struct kind *const no_kinds[] = { NULL };

static const struct probe_ops dummy = {
	.name = "dummy", .what = "numbers of a test", .kinds = dummy_kinds, .size = sizeof(struct dummy),
	.open = dummy_open, .sample = dummy_sample, .close = dummy_close,
};
static const struct probe_ops broken = {
	.name = "broken", .what = "never opens", .kinds = no_kinds, .size = sizeof(struct probe),
	.open = broken_open, .sample = dummy_sample, .close = broken_close,
};

static const struct env env = { .root = "", .foreign = true };
static const struct probe_ops *const table[] = { &broken, &dummy, NULL };

static struct interval *
tick(struct sampler *s)
{
	struct interval *v;

	assert_int_equal(sampler_tick(s, true, &v), 1);
	return v;
}

/* A phase of a test that begins and ends at once is not lost. */
static void
test_a_forced_tick_is_never_left_out(void **state)
{
	struct sampler *s = sampler_open(&env, table, UINT64_C(3600000000000));

	(void)state;
	for (int i = 0; i < 20; i++) {
		struct interval *v = tick(s);

		assert_true(v->ns >= 1000000);
		interval_unref(v);
	}
	sampler_close(s);
}

static void
test_the_first_interval_is_real(void **state)
{
	struct sampler *s = sampler_open(&env, table, UINT64_C(3600000000000));
	struct interval *v;

	(void)state;
	assert_non_null(s);
	v = tick(s);
	assert_int_equal(interval_table(v, &kind_cpu)->n, 1);
	assert_float_equal(interval_table(v, &kind_cpu)->rows[0].cells[CPU_USER], 100, 0);
	assert_float_equal(interval_table(v, &kind_cpu_total)->rows[0].cells[CPU_IDLE], 300, 0);
	assert_int_equal(v->ns, interval_table(v, &kind_cpu)->ns);
	interval_unref(v);
	sampler_close(s);
}

static void
test_a_probe_that_fails_is_absent(void **state)
{
	struct sampler *s = sampler_open(&env, table, UINT64_C(3600000000000));
	const struct probe *p = sampler_probe(s, 1);
	struct interval *v;

	(void)state;
	assert_string_equal(sampler_probe(s, 0)->why, "no such thing");
	assert_false(sampler_probe(s, 0)->opened);
	assert_null(sampler_probe(s, 2));
	/* The sampler owns it; the test has made it. */
	((struct dummy *)(uintptr_t)p)->fail = true;
	v = tick(s);
	assert_null(interval_table(v, &kind_cpu));
	assert_string_equal(p->why, strerror(EIO));
	interval_unref(v);
	((struct dummy *)(uintptr_t)p)->fail = false;
	v = tick(s);		/* nothing to compare with yet */
	assert_null(interval_table(v, &kind_cpu));
	interval_unref(v);
	v = tick(s);
	assert_non_null(interval_table(v, &kind_cpu));
	interval_unref(v);
	sampler_close(s);
}

static void
test_a_costly_probe_is_told(void **state)
{
	struct sampler *s = sampler_open(&env, table, UINT64_C(100000000));
	const struct probe *p = sampler_probe(s, 1);

	(void)state;
	((struct dummy *)(uintptr_t)p)->slow = true;
	interval_unref(tick(s));
	/* 2 ms at least: too much of 100 ms, not of an hour */
	assert_true(sampler_costly(s, 1));
	sampler_set_interval(s, UINT64_C(3600000000000));
	assert_false(sampler_costly(s, 1));
	assert_false(sampler_costly(s, 0));
	assert_false(sampler_costly(s, 2));
	sampler_close(s);
}

static void
test_the_source_waits_and_can_be_stopped(void **state)
{
	struct sampler *s = sampler_open(&env, table, UINT64_C(100000000));
	struct source *source;
	struct interval *v;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	source = sampler_source(s, fds[0]);
	assert_int_equal(source_next(source, &v), 1);
	/* A deadline on the clock: not before it, however late. */
	assert_true(v->ns >= UINT64_C(90000000));
	interval_unref(v);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(source_next(source, &v), -EINTR);
	source_close(source);
	close(fds[0]);
	close(fds[1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_first_interval_is_real),
		cmocka_unit_test(test_a_forced_tick_is_never_left_out),
		cmocka_unit_test(test_a_probe_that_fails_is_absent),
		cmocka_unit_test(test_a_costly_probe_is_told),
		cmocka_unit_test(test_the_source_waits_and_can_be_stopped),
	};

	return cmocka_run_group_tests_name("sampler", tests, NULL, NULL);
}
