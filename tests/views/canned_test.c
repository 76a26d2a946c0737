#include "canned_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/kinds/kinds.h"
#include "core/xalloc.h"

#define TICKS 30
#define WORKERS 2

struct canned_test {
	struct test_status status;
	struct object *test, *workers[WORKERS], *disk;
	struct interval *last;
	struct result *result;
	const struct result *results[1];
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
	struct result *r = result_new();

	snprintf(r->workload, sizeof(r->workload), "oltp-4k");
	snprintf(r->engine, sizeof(r->engine), "uring");
	snprintf(r->state, sizeof(r->state), "done");
	snprintf(r->target.name, sizeof(r->target.name), "%s", t->status.target.path);
	snprintf(r->target.kind, sizeof(r->target.kind), "file");
	r->runtime_s = 30;
	r->total = (struct result_row) { .name = "total", .seconds = 30, .reads = 84000, .writes = 36000,
		.read_bytes = 84000 * 4096, .write_bytes = 36000 * 4096, .in_flight = 3 };
	r->n_rows = 1;
	r->rows = xcalloc(1, sizeof(*r->rows));
	r->rows[0] = r->total;
	snprintf(r->rows[0].name, sizeof(r->rows[0].name), "oltp-4k");
	r->quick = true;
	r->warnings = UINT32_C(1) << WARN_QUICK;
	t->result = r;
	t->results[0] = r;
	t->status.state = RUN_DONE;
	t->status.result = r;
	t->status.run_id = 7;
}

struct canned_test *
canned_test_new(struct screen *s, struct history *history, bool ended)
{
	struct canned_test *t = xcalloc(1, sizeof(*t));

	make_objects(t);
	make_status(t);
	for (int i = 0; i < TICKS; i++) {
		interval_unref(t->last);
		t->last = tick(t, i);
		history_feed(history, t->last);
	}
	t->status.last = t->last;
	test_page_status(s, &t->status, true, NULL, 0);
	screen_feed(s, t->last);
	if (ended) {
		make_result(t);
		test_page_status(s, &t->status, false, t->results, 1);
	}
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
