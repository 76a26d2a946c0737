#include "canned_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "tests/out/canned_result.h"

#define TICKS 30
#define WORKERS 2
#define STEPS 3

struct canned_test {
	struct test_status status;
	struct object *test, *workers[WORKERS], *disk;
	struct interval *last;
	struct result *result;		/* as it is now, and then the only one */
	double errors;
	size_t n_results;
	struct result *results[STEPS];
};

static void
put_load(struct row *row, struct object *o, double times, double wave)
{
	row->object = object_ref(o);
	for (size_t i = 0; i < WORKER_METRICS; i++)
		row->cells[i] = 0;
	row->cells[WORKER_READS] = round(1400 * times * wave);
	row->cells[WORKER_WRITES] = round(600 * times * wave);
	row->cells[WORKER_READ_BYTES] = row->cells[WORKER_READS] * 4096;
	row->cells[WORKER_WRITE_BYTES] = row->cells[WORKER_WRITES] * 4096;
	row->cells[WORKER_READ_NS] = row->cells[WORKER_READS] * 700e3;
	row->cells[WORKER_WRITE_NS] = row->cells[WORKER_WRITES] * 900e3;
	row->cells[WORKER_WEIGHTED_NS] = 8e9 * times;
	row->hists[WORKER_READ_HIST] = hist_new(6);
	row->hists[WORKER_WRITE_HIST] = hist_new(6);
	hist_add_value(row->hists[WORKER_READ_HIST], 300000, (uint64_t)(800 * times * wave));
	hist_add_value(row->hists[WORKER_READ_HIST], 600000, (uint64_t)(500 * times * wave));
	hist_add_value(row->hists[WORKER_READ_HIST], 1500000, (uint64_t)(100 * times * wave));
	hist_add_value(row->hists[WORKER_WRITE_HIST], 600000, (uint64_t)(500 * times * wave));
	hist_add_value(row->hists[WORKER_WRITE_HIST], 9000000, (uint64_t)(100 * times * wave));
}

static struct interval *
tick(struct canned_test *t, int i)
{
	struct stamp end = { .mono_ns = (uint64_t)(i + 1) * 1000000000, .wall_ms = 1700000000000 + i * 1000 };
	struct interval *v = interval_new(&end, 1000000000);
	struct interval_table *table = interval_make_table(v, &kind_disk, 1, v->ns);
	double wave = 1 + 0.25 * (i % 4);

	table->rows[0].object = object_ref(t->disk);
	table->rows[0].cells[DISK_READS] = round(2800 * wave);
	table->rows[0].cells[DISK_WRITES] = round(1200 * wave);
	table = interval_make_table(v, &kind_worker, WORKERS, v->ns);
	for (int w = 0; w < WORKERS; w++)
		put_load(&table->rows[w], t->workers[w], 1, wave);
	table = interval_make_table(v, &kind_load, 1, v->ns);
	put_load(&table->rows[0], t->test, WORKERS, wave);
	table->rows[0].cells[WORKER_ERRORS] = t->errors;
	return v;
}

static void
make_objects(struct canned_test *t)
{
	t->disk = object_new(&kind_disk, 0, "sdg", "sdg");
	t->test = object_new(&kind_load, 0, "oltp-4k", "oltp-4k");
	for (int i = 0; i < WORKERS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "oltp-4k #%d", i + 1);
		t->workers[i] = object_new(&kind_worker, 0, name, name);
		t->workers[i]->parent = t->workers[i]->counts_in = t->test->uid;
	}
}

static void
make_status(struct canned_test *t)
{
	struct test_status *s = &t->status;

	s->state = RUN_MEASURE;
	snprintf(s->workload, sizeof(s->workload), "oltp-4k");
	snprintf(s->title, sizeof(s->title), "OLTP 4K");
	snprintf(s->target.path, sizeof(s->target.path), "/mnt/new/stortop-1a2b3c4d.test");
	s->target.kind = TARGET_FILE;
	snprintf(s->target.device, sizeof(s->target.device), "sdg");
	snprintf(s->target.fs, sizeof(s->target.fs), "xfs");
	s->target.size_bytes = UINT64_C(64) << 30;
	s->engine = "uring";
	s->quick = true;
	s->done_ns = UINT64_C(12000000000);
	s->all_ns = UINT64_C(30000000000);
	s->step = s->steps = 1;
	s->test_uid = t->test->uid;
	s->device_uid = t->disk->uid;
	s->why = "";
}

static void
make_result(struct canned_test *t)
{
	struct result *r = canned_result();

	r->quick = true;
	r->n_series = 15;
	r->series = xcalloc(r->n_series, sizeof(*r->series));
	for (size_t i = 0; i < r->n_series; i++) {
		double wave = 1 + 0.25 * (double)(i % 4);

		r->series[i] = (struct result_point) { .at_s = 2 * (double)(i + 1), .seconds = 2, .read_iops = 10400 * wave,
			.write_iops = 4600 * wave, .read_mib_s = 40.6 * wave, .write_mib_s = 18 * wave, .mean_ms = 0.8 / wave,
			.p99_ms = 5 };
	}
	result_check(r);
	t->result = r;
}

/* A curve in place of the one result. */
static void
make_steps(struct canned_test *t)
{
	for (unsigned i = 0; i < STEPS; i++) {
		struct result *r = canned_step(1U << i, 1000 * (i + 1), 1000);

		r->n_series = 2;
		r->series = xcalloc(r->n_series, sizeof(*r->series));
		for (int k = 0; k < 2; k++)
			r->series[k] = (struct result_point) { .at_s = 5 * (k + 1), .seconds = 5, .read_iops = 1000 * (i + 1),
				.read_mib_s = 4 * (i + 1), .mean_ms = 1, .p99_ms = NAN };
		snprintf(r->state, sizeof(r->state), "done");
		t->results[t->n_results++] = r;
	}
	t->status.steps = t->status.step = STEPS;
	snprintf(t->status.title, sizeof(t->status.title), "IOPS against latency");
}

void
canned_test_end(struct canned_test *t, struct screen *s)
{
	if (t->n_results == 0) {
		t->results[t->n_results++] = t->result;
		t->result = NULL;
	}
	t->status.state = t->errors > 0 ? RUN_FAILED : RUN_DONE;
	t->status.result = t->results[t->n_results - 1];
	t->status.run_id = 7;
	test_page_status(s, &t->status, false, NULL, (const struct result *const *)t->results, t->n_results);
}

static void
fail(struct canned_test *t)
{
	t->status.sum = t->last;
	t->status.why = "oltp-4k #1: read of 4096 bytes at 678158336: Input/output error";
	snprintf(t->result->why, sizeof(t->result->why), "%s", t->status.why);
	snprintf(t->result->state, sizeof(t->result->state), "failed");
	t->result->rows[0].errors = t->result->total.errors = 3;
	result_check(t->result);
	t->result->steady = STEADY_NO;
}

struct canned_test *
canned_test_new(struct screen *s, struct history *history, enum canned_state state)
{
	struct canned_test *t = xcalloc(1, sizeof(*t));

	make_objects(t);
	make_status(t);
	make_result(t);
	t->errors = state == CANNED_FAILING || state == CANNED_FAILED ? 3 : 0;
	for (int i = 0; i < TICKS; i++) {
		interval_unref(t->last);
		t->last = tick(t, i);
		history_feed(history, t->last);
	}
	t->status.last = t->last;
	if (state == CANNED_FAILING || state == CANNED_FAILED)
		fail(t);
	test_page_status(s, &t->status, true, t->result, NULL, 0);
	screen_feed(s, t->last);
	if (state == CANNED_STEPS)
		make_steps(t);
	if (state >= CANNED_ENDED)
		canned_test_end(t, s);
	return t;
}

void
canned_test_free(struct canned_test *t)
{
	if (t == NULL)
		return;
	interval_unref(t->last);
	object_unref(t->disk);
	object_unref(t->test);
	for (int i = 0; i < WORKERS; i++)
		object_unref(t->workers[i]);
	result_free(t->result);
	for (size_t i = 0; i < t->n_results; i++)
		result_free(t->results[i]);
	free(t);
}

void
canned_test_places(struct screen *s)
{
	struct test_page *p = &s->test;

	p->survey.n = 2;
	p->survey.places[0] = (struct test_place) { "/mnt/new", "last test: oltp-4k" };
	p->survey.places[1] = (struct test_place) { "/srv", "120 GiB free  xfs on /dev/sdb1" };
	p->facts_state = FACTS_KNOWN;
	p->facts = (struct target_facts) { .kind = TARGET_DEVICE, .path = "/dev/sdg", .device = "sdg", .model = "LIO disk1",
		.serial = "6001405abcd", .size_bytes = UINT64_C(10) << 30, .holds = "ext4 \"data\"" };
}

void
canned_test_earlier(struct screen *s)
{
	struct test_earlier *e = &s->test.earlier;

	e->n = 3;
	e->lines[0] = (struct run_line) { .id = 3, .target = "/mnt/flash", .iops = 41894, .mib_s = 163.64, .mean_ms = 0.38, .p99_ms = 0.9,
		.warnings = 1U << WARN_QUICK };
	e->lines[1] = (struct run_line) { .id = 7, .target = "/mnt/new", .iops = 20947, .mib_s = 81.82, .mean_ms = 0.784, .p99_ms = 1.25 };
	e->lines[2] = (struct run_line) { .id = 5, .target = "/dev/mapper/a-name-that-is-long", .iops = 10473.5, .mib_s = 40.91,
		.mean_ms = 1.6, .p99_ms = 4, .warnings = 1U << WARN_NOT_STEADY | 1U << WARN_QUICK };
}
