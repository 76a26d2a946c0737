#include "db/runs.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "db/runs_fields.h"
#include "db/sql.h"
#include "db/store.h"
#include "tape.h"
#include "tests/nan_fails.h"

struct place {
	char *dir, *path;
};

static int
set_up(void **state)
{
	struct place *p = xcalloc(1, sizeof(*p));

	p->dir = tape_dir();
	p->path = xasprintf("%s/runs.db", p->dir);
	*state = p;
	return 0;
}

static int
tear_down(void **state)
{
	struct place *p = *state;

	free(p->path);
	tape_remove_dir(p->dir);
	free(p);
	return 0;
}

static struct sink *
open_store(const char *path)
{
	const struct store_options options = {
		.path = path, .source = "live", .host = "box", .boot_id = "b", STORE_RETENTION_DEFAULTS,
	};

	return store_sink(&options);
}

static struct hist *
values(uint64_t ns, uint64_t times)
{
	struct hist *h = hist_new(6);

	hist_add_value(h, ns, times);
	hist_add_value(h, ns * 3, 2);
	return h;
}

/* Every field with a value of its own, so that two that change places are seen; NaN stays in some. */
static void
fill(const struct fields *list, void *record, unsigned seed)
{
	for (size_t i = 0; i < list->n; i++) {
		void *at = (char *)record + list->fields[i].offset;
		uint64_t number = seed + i;

		switch (list->fields[i].type) {
		case FIELD_TEXT:
			snprintf(at, list->fields[i].size, "text %u", (unsigned)number);
			break;
		case FIELD_STRING:
			*(char **)at = xasprintf("[job]\nrw=randread ; %u\n", (unsigned)number);
			break;
		case FIELD_REAL:
			*(double *)at = i % 5 == 4 ? NAN : (double)number + 0.25;
			break;
		case FIELD_INT64:
		case FIELD_UINT64:
			*(uint64_t *)at = number * UINT64_C(10000000019);
			break;
		case FIELD_UINT32:
			*(uint32_t *)at = (uint32_t)number;
			break;
		case FIELD_BOOL:
			*(bool *)at = number % 2 == 0;
			break;
		}
	}
}

static void
fill_row(struct result_row *row, unsigned seed)
{
	fill(&fields_row, row, seed);
	row->read = values(seed, 10);
	row->write = values(seed + 1, 20);
	row->response = seed % 2 ? values(seed + 2, 30) : NULL;
	row->sync = seed % 2 ? NULL : values(seed + 3, 40);
}

static struct result *
make(unsigned seed)
{
	struct result *r = result_new();

	fill(&fields_result, r, seed);
	r->steady = STEADY_NO;
	fill_row(&r->total, seed + 100);
	r->n_rows = 2;
	r->rows = xcalloc(2, sizeof(*r->rows));
	fill_row(&r->rows[0], seed + 201);
	fill_row(&r->rows[1], seed + 300);
	r->n_series = 3;
	r->series = xcalloc(3, sizeof(*r->series));
	for (unsigned i = 0; i < 3; i++)
		fill(&fields_point, &r->series[i], seed + 400 + 10 * i);
	return r;
}

static void
same_fields(const struct fields *list, const void *a, const void *b)
{
	for (size_t i = 0; i < list->n; i++) {
		const void *x = (const char *)a + list->fields[i].offset, *y = (const char *)b + list->fields[i].offset;
		bool same = list->fields[i].type == FIELD_TEXT ? strcmp(x, y) == 0 :
		    list->fields[i].type == FIELD_STRING ? strcmp(*(char *const *)x, *(char *const *)y) == 0 :
		    list->fields[i].type == FIELD_REAL && isnan(*(const double *)x) ? isnan(*(const double *)y) :
		    memcmp(x, y, list->fields[i].size) == 0;

		if (!same)
			fail_msg("%s differs", list->fields[i].name);
	}
}

static void
same_hist(const struct hist *a, const struct hist *b)
{
	size_t n, m;
	unsigned char *x = hist_encode(a, &n), *y = hist_encode(b, &m);

	assert_int_equal(n, m);
	if (n > 0)
		assert_memory_equal(x, y, n);
	free(x);
	free(y);
}

static void
same_row(const struct result_row *a, const struct result_row *b)
{
	same_fields(&fields_row, a, b);
	same_hist(a->read, b->read);
	same_hist(a->write, b->write);
	same_hist(a->response, b->response);
	same_hist(a->sync, b->sync);
}

static void
same_result(const struct result *a, const struct result *b)
{
	same_fields(&fields_result, a, b);
	same_row(&a->total, &b->total);
	assert_int_equal(a->n_rows, b->n_rows);
	for (size_t i = 0; i < a->n_rows; i++)
		same_row(&a->rows[i], &b->rows[i]);
	assert_int_equal(a->n_series, b->n_series);
	for (size_t i = 0; i < a->n_series; i++)
		same_fields(&fields_point, &a->series[i], &b->series[i]);
}

struct number {
	_Atomic int64_t id;	/* -1: not told yet */
};

static void
take_id(void *arg, int64_t id)
{
	((struct number *)arg)->id = id;
}

/* What was told, -1 where nothing was within so many ms. */
static int64_t
wait_id(struct number *n, int ms)
{
	const struct timespec nap = { .tv_nsec = 1000000 };

	for (; n->id < 0 && ms > 0; ms--)
		nanosleep(&nap, NULL);
	return n->id;
}

static void
put_ticks(struct sink *sink, int first, int last)
{
	struct object *disk = tape_disk("sda");

	for (int i = first; i <= last; i++) {
		struct interval *v = tape_interval(i, 1);
		struct interval_table *t = tape_table(v, &kind_disk, 1, &disk);

		t->rows[0].cells[DISK_READS] = i;
		interval_rollup(v);
		assert_int_equal(sink_put(sink, v), 0);
		interval_unref(v);
	}
	object_unref(disk);
}

static void
test_round_trip(void **state)
{
	const struct place *p = *state;
	struct sink *sink = open_store(p->path);
	struct result *one = make(1000), *two = make(2000), *got;
	struct number first = { -1 }, second = { -1 };
	char why[300];

	put_ticks(sink, 1, 2);
	runs_put(sink, one, TAPE_START, TAPE_START + 2000, take_id, &first);
	runs_put(sink, two, TAPE_START, TAPE_START + 2000, take_id, &second);
	assert_int_equal(wait_id(&first, 20000), 1);
	assert_int_equal(wait_id(&second, 20000), 2);
	got = runs_read(p->path, 1, why, sizeof(why));
	assert_non_null(got);
	assert_int_equal(got->id, 1);
	same_result(one, got);
	result_free(got);
	assert_int_equal(sink_close(sink), 0);
	/* The last one is the second. */
	got = runs_read(p->path, 0, why, sizeof(why));
	assert_non_null(got);
	same_result(two, got);
	result_free(got);
	assert_null(runs_read(p->path, 3, why, sizeof(why)));
	assert_non_null(strstr(why, "there is no run 3"));
	result_free(one);
	result_free(two);
}

static int64_t
count_of(const char *path, const char *sql)
{
	sqlite3 *db;
	int64_t n;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	n = sql_int(db, -1, sql);
	sqlite3_close(db);
	return n;
}

static uint64_t
ticks_of(struct sink *sink)
{
	struct store_status s;

	store_status(sink, &s);
	return s.ticks;
}

/* Another program records, say a dashboard: the result goes to its ticks, and it goes on. */
static void
test_beside_a_recorder(void **state)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	const struct place *p = *state;
	struct sink *recorder = open_store(p->path), *beside;
	struct result *one = make(1000), *got;
	struct number id = { -1 };
	struct store_status status;
	int64_t from, to;
	char why[300];

	put_ticks(recorder, 1, 3);
	for (int ms = 20000; ticks_of(recorder) < 3 && ms > 0; ms--)
		nanosleep(&nap, NULL);
	beside = open_store(p->path);
	runs_put(beside, one, TAPE_START, TAPE_START + 2000, take_id, &id);
	assert_int_equal(wait_id(&id, 20000), 1);
	store_status(beside, &status);
	assert_int_equal(status.state, STORE_STOPPED);
	assert_true(status.results);
	assert_non_null(strstr(status.reason, "another stortop is recording to it"));
	put_ticks(beside, 4, 5);
	assert_int_equal(sink_close(beside), 0);
	put_ticks(recorder, 4, 4);
	assert_int_equal(sink_close(recorder), 0);
	got = runs_read(p->path, 0, why, sizeof(why));
	assert_non_null(got);
	same_result(one, got);
	assert_int_equal(runs_span(p->path, 1, &from, &to, why, sizeof(why)), 0);
	assert_int_equal(from, TAPE_START);
	assert_int_equal(to, TAPE_START + 2000);
	/* Its ticks are the recorder's, those offered beside it are in nobody's way. */
	assert_int_equal(count_of(p->path, "SELECT count(*) FROM tick"), 4);
	assert_int_equal(count_of(p->path, "SELECT count(*) FROM recording"), 1);
	result_free(got);
	result_free(one);
}

static void
test_list(void **state)
{
	const struct place *p = *state;
	struct sink *sink = open_store(p->path);
	struct result *r = result_new();
	struct run_line lines[3];
	char why[300];

	for (int i = 1; i <= 3; i++) {
		snprintf(r->workload, sizeof(r->workload), i == 2 ? "curve" : "oltp-4k");
		snprintf(r->target.name, sizeof(r->target.name), "/mnt/%d", i);
		r->total.seconds = 2;
		r->total.reads = (uint64_t)i * 100;
		r->total.write_bytes = (uint64_t)i << 21;
		hist_free(r->total.read);
		r->total.read = hist_new(6);
		hist_add_value(r->total.read, 1000000, (uint64_t)i * 1000);
		r->warnings = (uint32_t)i;
		runs_put(sink, r, 0, 0, NULL, NULL);
	}
	assert_int_equal(sink_close(sink), 0);
	assert_int_equal(runs_list(p->path, NULL, lines, 2, why, sizeof(why)), 2);
	assert_int_equal(lines[0].id, 3);
	assert_int_equal(lines[1].id, 2);
	assert_string_equal(lines[0].target, "/mnt/3");
	assert_float_equal(lines[0].iops, 150, 1e-9);
	assert_float_equal(lines[0].mib_s, 3, 1e-9);
	assert_float_equal(lines[0].mean_ms, 1, 1e-9);
	assert_float_equal(lines[0].p99_ms, 1, 0.01);
	assert_true(isnan(lines[0].runtime_s));
	assert_int_equal(lines[0].warnings, 3);
	assert_int_equal(runs_list(p->path, "oltp-4k", lines, 3, why, sizeof(why)), 2);
	assert_int_equal(lines[1].id, 1);
	assert_int_equal(runs_list(p->path, "nothing", lines, 3, why, sizeof(why)), 0);
	result_free(r);
}

/* Of ten ticks a second long, those that end at 4 s to 8 s. */
static void
test_span_and_marks(void **state)
{
	const struct place *p = *state;
	struct sink *sink = open_store(p->path);
	struct result *r = result_new();
	int64_t from, to;
	char why[300];
	sqlite3 *db;

	snprintf(r->workload, sizeof(r->workload), "oltp-4k");
	snprintf(r->target.name, sizeof(r->target.name), "/mnt/new");
	put_ticks(sink, 1, 10);
	runs_put(sink, r, TAPE_START + 3000, TAPE_START + 8000, NULL, NULL);
	runs_put(sink, r, TAPE_START + 30000, TAPE_START + 40000, NULL, NULL);
	assert_int_equal(sink_close(sink), 0);
	assert_int_equal(runs_span(p->path, 1, &from, &to, why, sizeof(why)), 0);
	assert_int_equal(from, TAPE_START + 3000);
	assert_int_equal(to, TAPE_START + 8000);
	assert_int_equal(runs_span(p->path, 2, &from, &to, why, sizeof(why)), -ENOENT);
	assert_non_null(strstr(why, "nothing was recorded while run 2"));
	assert_int_equal(runs_span(p->path, 9, &from, &to, why, sizeof(why)), -ENOENT);
	assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
	assert_int_equal(sql_int(db, 0, "SELECT first_tick FROM run WHERE id = 1"), 4);
	assert_int_equal(sql_int(db, 0, "SELECT last_tick FROM run WHERE id = 1"), 8);
	assert_int_equal(sql_int(db, 0, "SELECT recording FROM run WHERE id = 1"), 1);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM event WHERE type = 'test'"), 2);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM event WHERE type = 'test' AND tick = 4"
	    " AND text = 'run 1, oltp-4k on /mnt/new: start'"), 1);
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM event WHERE tick = 8 AND text LIKE '%%: end'"), 1);
	tape_sound(db);
	sql_exec(db, "DELETE FROM tick WHERE tick < 7");
	sqlite3_close(db);
	assert_int_equal(runs_span(p->path, 1, &from, &to, why, sizeof(why)), -ENOENT);
	assert_non_null(strstr(why, "has been deleted"));
	result_free(r);
}

/* A store that could not be opened says so at once or when it finds out; nobody waits for ever. */
static void
test_no_store(void **state)
{
	const struct place *p = *state;
	struct sink *sink = open_store("/proc/nowhere/runs.db");
	struct result *r = result_new();
	struct number id = { -1 };
	char why[300];

	runs_put(sink, r, 0, 0, take_id, &id);
	assert_int_equal(wait_id(&id, 20000), 0);
	id.id = -1;
	runs_put(sink, r, 0, 0, take_id, &id);
	assert_int_equal(wait_id(&id, 20000), 0);
	assert_int_equal(sink_close(sink), 0);
	assert_null(runs_read(p->path, 1, why, sizeof(why)));
	assert_non_null(strstr(why, p->path));
	result_free(r);
}

/* A file of before there were tests can be read, and gains the tables when it is recorded to. */
static void
test_older_file(void **state)
{
	const struct place *p = *state;
	struct result *r = result_new();
	struct run_line line;
	struct sink *sink = open_store(p->path);
	char why[300];
	sqlite3 *db;

	put_ticks(sink, 1, 1);
	sink_close(sink);
	assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
	sql_exec(db, "DROP TABLE run_worker; DROP TABLE run_hist; DROP TABLE run_series; DROP TABLE run");
	sqlite3_close(db);
	assert_int_equal(runs_list(p->path, NULL, &line, 1, why, sizeof(why)), 0);
	assert_null(runs_read(p->path, 0, why, sizeof(why)));
	assert_non_null(strstr(why, "no test was recorded in it"));
	sink = open_store(p->path);
	put_ticks(sink, 1, 1);
	runs_put(sink, r, 0, 0, NULL, NULL);
	sink_close(sink);
	assert_int_equal(runs_list(p->path, NULL, &line, 1, why, sizeof(why)), 1);
	/* A column that another program has not made is not known. */
	assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
	assert_int_equal(sql_exec(db, "UPDATE run SET device_gavg_ms = 7; ALTER TABLE run DROP COLUMN device_gavg_ms"), SQLITE_OK);
	sqlite3_close(db);
	result_free(r);
	r = runs_read(p->path, 1, why, sizeof(why));
	assert_non_null(r);
	assert_true(isnan(r->device.gavg_ms));
	result_free(r);
}

static void
test_damaged(void **state)
{
	const struct place *p = *state;
	struct sink *sink = open_store(p->path);
	struct result *r = make(50);
	char why[300];
	sqlite3 *db;

	runs_put(sink, r, 0, 0, NULL, NULL);
	sink_close(sink);
	result_free(r);
	assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
	sql_exec(db, "UPDATE run SET workload = printf('%%.*c', 5000, 'x'), steady = 77, depth = 'deep', target = x'ff00ff'");
	sqlite3_close(db);
	r = runs_read(p->path, 1, why, sizeof(why));
	assert_non_null(r);
	assert_int_equal(strlen(r->workload), sizeof(r->workload) - 1);
	assert_int_equal(r->steady, STEADY_UNKNOWN);
	result_free(r);
	assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
	sql_exec(db, "UPDATE run_hist SET hist = x'0605'");
	sqlite3_close(db);
	assert_null(runs_read(p->path, 1, why, sizeof(why)));
	assert_non_null(strstr(why, "damaged"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_round_trip, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_beside_a_recorder, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_list, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_span_and_marks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_store, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_older_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_damaged, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
