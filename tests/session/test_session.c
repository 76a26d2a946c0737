#include <errno.h>
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/kinds/kinds.h"
#include "session/session.h"
#include "tests/nan_fails.h"

#define SECOND UINT64_C(1000000000)

/* A probe of one disk that does 10 reads of 30 ms each time it is looked at. */
struct dummy {
	struct probe probe;
	struct object *disk;
	uint64_t samples;
};

static const struct kind *const dummy_kinds[] = { &kind_disk, NULL };

static int
dummy_open(struct probe *p)
{
	struct dummy *d = (struct dummy *)p;

	d->disk = object_new(&kind_disk, 0, "sdx", "sdx");
	object_label(d->disk, LABEL_CLASS, "san");
	return 0;
}

static int
dummy_sample(struct probe *p, struct snapshot *s)
{
	struct dummy *d = (struct dummy *)p;
	uint64_t *cells = snapshot_add(snapshot_table(s, &kind_disk), d->disk);

	d->samples++;
	for (int i = 0; i < DISK_DIRECT; i++)
		cells[i] = 0;
	cells[DISK_READS] = 10 * d->samples;
	cells[DISK_READ_MS] = 300 * d->samples;
	return 0;
}

static void
dummy_close(struct probe *p)
{
	object_unref(((struct dummy *)p)->disk);
}

static const struct probe_ops probe_dummy = {
	.name = "dummy",
	.what = "a disk that is not there",
	.kinds = dummy_kinds,
	.size = sizeof(struct dummy),
	.open = dummy_open,
	.sample = dummy_sample,
	.close = dummy_close,
};
static const struct probe_ops *const dummy_table[] = { &probe_dummy, NULL };

/* A store that only counts. */
struct counter {
	struct sink sink;
	unsigned puts;
	bool closed;
};

static int
counter_put(struct sink *s, struct interval *v)
{
	(void)v;
	((struct counter *)s)->puts++;
	return 0;
}

static int
counter_close(struct sink *s)
{
	((struct counter *)s)->closed = true;
	return 0;
}

static const struct sink_ops counter_ops = { "counter", counter_put, counter_close };

static struct interval *
wait_interval(struct session *s, bool force)
{
	for (int i = 0; i < 100; i++) {
		struct pollfd fds[SESSION_FDS];
		int timeout, n = session_pollfds(s, fds, &timeout);
		struct interval *v;

		poll(fds, (nfds_t)n, force ? 0 : timeout);
		v = session_step(s, force);
		if (v != NULL)
			return v;
	}
	fail_msg("no interval");
	return NULL;
}

/* The timer is an hour away: the first figures come all the same, and go everywhere. */
static void
test_first_interval(void **state)
{
	struct env env = { .root = "/nonexistent", .foreign = true };
	struct counter store = { .sink.ops = &counter_ops };
	struct session_options options = {
		.env = &env,
		.probes = dummy_table,
		.interval_ns = 3600 * SECOND,
		.store = &store.sink,
		.history = 10,
		.quick_first = true,
	};
	struct session *s = session_open(&options);
	struct interval *v = wait_interval(s, false);
	const struct interval_table *t = interval_table(v, &kind_disk);
	float iops[2];

	(void)state;
	assert_true(v->ns >= SECOND / 10 && v->ns < 600 * SECOND);
	assert_int_equal(t->n, 1);
	assert_float_equal(t->rows[0].cells[DISK_READS], 10, 1e-9);
	assert_int_equal(store.puts, 1);
	assert_int_equal(history_get(session_history(s), t->rows[0].object->uid, HISTORY_IOPS, iops, 2), 1);
	assert_true(iops[1] > 0);
	interval_unref(v);
	/* asked for one: 3 in a row over 25 ms are a verdict */
	interval_unref(wait_interval(s, true));
	assert_int_equal(verdicts_count(session_verdicts(s)), 0);
	interval_unref(wait_interval(s, true));
	assert_int_equal(verdicts_count(session_verdicts(s)), 1);
	assert_int_equal(store.puts, 3);
	/* not asked for and not due */
	assert_null(session_step(s, false));
	session_close(s);
	assert_true(store.closed);
}

/* What a mark says stands at the end of one tick, the next. */
static void
test_mark(void **state)
{
	struct env env = { .root = "/nonexistent", .foreign = true };
	struct session_options options = { .env = &env, .probes = dummy_table, .interval_ns = 3600 * SECOND };
	struct session *s = session_open(&options);
	struct interval *v;

	(void)state;
	session_mark(s, "test %s: begins", "copy");
	v = session_step(s, true);
	assert_int_equal(v->n_events, 1);
	assert_int_equal(v->events[0].type, EVENT_TEST);
	assert_string_equal(v->events[0].text, "test copy: begins");
	interval_unref(v);
	v = session_step(s, true);
	assert_int_equal(v->n_events, 0);
	interval_unref(v);
	session_close(s);
}

static void
test_without_store_and_history(void **state)
{
	static const struct threshold patient[] = { { "san", 1000, 2000 } };
	static const struct thresholds thresholds = { patient, 1, 1, 1 };
	struct env env = { .root = "/nonexistent", .foreign = true };
	struct session_options options = { .env = &env, .probes = dummy_table, .interval_ns = SECOND / 10 };
	struct session *s = session_open(&options);
	struct store_status status;

	(void)state;
	assert_null(session_history(s));
	assert_false(session_store_status(s, &status));
	session_set_thresholds(s, &thresholds);
	for (int i = 0; i < 4; i++)
		interval_unref(wait_interval(s, false));
	assert_int_equal(verdicts_count(session_verdicts(s)), 0);
	session_close(s);
	session_close(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_interval),
		cmocka_unit_test(test_mark),
		cmocka_unit_test(test_without_store_and_history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
