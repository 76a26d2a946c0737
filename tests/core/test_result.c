#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/kinds/kinds.h"
#include "core/result.h"
#include "tests/nan_fails.h"

#define SECOND UINT64_C(1000000000)
#define MS UINT64_C(1000000)
#define W(warning) (UINT32_C(1) << (warning))

/* Values in the first 128 ns have a bucket each; so have multiples of 2^n with 7 bits: 1 MiB ns is exact. */
static struct hist *
values(uint64_t ns, uint64_t times)
{
	struct hist *h = hist_new(6);

	hist_add_value(h, ns, times);
	return h;
}

static struct object *
worker(const char *name, uint64_t test)
{
	struct object *o = object_new(&kind_worker, 0, name, name);

	o->counts_in = test;
	return o;
}

static void
set_row(struct row *row, struct object *o, const double cells[static WORKER_IN_FLIGHT])
{
	row->object = o;
	for (int i = 0; i < WORKER_IN_FLIGHT; i++)
		row->cells[i] = cells[i];
}

static void
add_disk(struct interval *v, struct object *disk)
{
	struct row *row = &interval_make_table(v, &kind_disk, 1, v->ns)->rows[0];

	row->object = disk;
	for (int i = 0; i < DISK_DEV_IOS; i++)
		row->cells[i] = 0;
	row->cells[DISK_READS] = 3000;
	row->cells[DISK_READ_MS] = 6000;
	row->cells[DISK_READ_SECTORS] = 4 * 2048 * 10.0;
	row->cells[DISK_WRITES] = 1000;
	row->cells[DISK_WRITE_MS] = 4000;
	row->cells[DISK_WRITE_SECTORS] = 4 * 2048 * 5.0;
}

/* Two cores in 4 s: 400 ticks each, of which 100 and 60 are work. */
static void
add_cpu(struct interval *v)
{
	struct interval_table *t = interval_make_table(v, &kind_cpu, 2, v->ns);

	for (size_t i = 0; i < 2; i++) {
		t->rows[i].object = object_new(&kind_cpu, 0, i ? "cpu1" : "cpu0", i ? "cpu1" : "cpu0");
		for (int m = 0; m < CPU_METRICS; m++)
			t->rows[i].cells[m] = 0;
	}
	t->rows[0].cells[CPU_USER] = 70;
	t->rows[0].cells[CPU_SYSTEM] = 30;
	t->rows[0].cells[CPU_IDLE] = 300;
	t->rows[1].cells[CPU_SOFTIRQ] = 60;
	t->rows[1].cells[CPU_IOWAIT] = 340;
}

/*
 * 4 s: worker one reads 2000 of 8 KiB in 1 ms each and writes 1000 of 4 KiB in 2 ms each; worker two, which ran 2 s of them, reads
 * 1000 of 4 KiB in 4 ms. A third belongs to another test. Two stands first, as one that still ran when one had ended does.
 */
static struct interval *
measured(struct object *test, struct object *disk)
{
	static const double one[] = { 2000, 2000 * 8192.0, 2000e6, 1000, 1000 * 4096.0, 2000e6, 7, 7e6, 3, 5, 4000e6 };
	static const double two[] = { 1000, 1000 * 4096.0, 4000e6, 0, 0, 0, 0, 0, 1, 0, 4000e6 };
	struct stamp end = { .wall_ms = 1000 };
	struct interval *v = interval_new(&end, 4 * SECOND);
	struct object *first = worker("one", test->uid);
	struct interval_table *t;

	interval_make_table(v, &kind_load, 1, 4 * SECOND)->rows[0].object = test;
	t = interval_make_table(v, &kind_worker, 3, 4 * SECOND);
	set_row(&t->rows[0], worker("two", test->uid), two);
	set_row(&t->rows[1], worker("other", test->uid + 1000000), one);
	set_row(&t->rows[2], first, one);
	t->rows[0].ns = 2 * SECOND;
	t->rows[2].hists[WORKER_READ_HIST] = values(1 * MS, 2000);
	t->rows[2].hists[WORKER_WRITE_HIST] = values(2 * MS, 1000);
	t->rows[2].hists[WORKER_RESPONSE_HIST] = values(5 * MS, 3000);
	t->rows[0].hists[WORKER_READ_HIST] = values(4 * MS, 1000);
	t->rows[0].hists[WORKER_WRITE_HIST] = hist_new(6);
	add_disk(v, disk);
	add_cpu(v);
	interval_rollup(v);
	return v;
}

static struct result *
measured_result(void)
{
	struct object *test = object_new(&kind_load, 0, "oltp", "oltp"), *disk = object_new(&kind_disk, 0, "sdg", "sdg");
	uint64_t test_uid = test->uid, disk_uid = disk->uid;
	struct interval *v = measured(test, disk);
	struct result *r = result_new();

	result_measure(r, v, test_uid, disk_uid);
	interval_unref(v);
	return r;
}

static void
test_workers(void **state)
{
	struct result *r = measured_result();

	(void)state;
	assert_int_equal(r->n_rows, 2);
	assert_string_equal(r->rows[0].name, "one");
	assert_string_equal(r->rows[1].name, "two");
	assert_float_equal(result_iops(&r->rows[0], RESULT_READ), 500, 1e-9);
	assert_float_equal(result_iops(&r->rows[0], RESULT_WRITE), 250, 1e-9);
	assert_float_equal(result_iops(&r->rows[0], RESULT_BOTH), 750, 1e-9);
	assert_float_equal(result_mib_s(&r->rows[0], RESULT_READ), 500.0 / 128, 1e-9);
	assert_float_equal(result_mib_s(&r->rows[0], RESULT_WRITE), 250.0 / 256, 1e-9);
	assert_float_equal(result_mean_ms(&r->rows[0], RESULT_WRITE), 2, 1e-9);
	assert_float_equal(r->rows[0].in_flight, 1, 1e-9);
	assert_int_equal(r->rows[0].errors, 3);
	assert_int_equal(r->rows[0].late, 5);
	assert_int_equal(r->rows[0].response->count, 3000);
	/* Its own two seconds. */
	assert_float_equal(result_iops(&r->rows[1], RESULT_BOTH), 500, 1e-9);
	assert_float_equal(r->rows[1].in_flight, 2, 1e-9);
	assert_null(r->rows[1].write);
	assert_null(r->rows[1].response);
	assert_true(isnan(result_mean_ms(&r->rows[1], RESULT_WRITE)));
	result_free(r);
}

static void
test_total_device_cpu(void **state)
{
	struct result *r = measured_result();

	(void)state;
	assert_float_equal(r->runtime_s, 4, 1e-9);
	assert_float_equal(result_iops(&r->total, RESULT_BOTH), 1000, 1e-9);
	/* (2000 x 1 + 1000 x 2 + 1000 x 4) / 4000 */
	assert_float_equal(result_mean_ms(&r->total, RESULT_BOTH), 2, 1e-9);
	assert_float_equal(r->total.in_flight, 2, 1e-9);
	assert_true(result_littles_law(r));
	assert_int_equal(r->total.errors, 4);
	assert_string_equal(r->device.name, "sdg");
	assert_float_equal(r->device.read_iops, 750, 1e-9);
	assert_float_equal(r->device.write_iops, 250, 1e-9);
	assert_float_equal(r->device.read_mib_s, 10, 1e-9);
	assert_float_equal(r->device.write_mib_s, 5, 1e-9);
	assert_float_equal(r->device.gavg_ms, 2.5, 1e-9);
	assert_true(isnan(r->device.davg_ms));
	/* 160 of 800 ticks; 0.2 x 2 cores x 4 s over 4000 I/Os */
	assert_float_equal(r->cpu.host_pct, 20, 1e-9);
	assert_float_equal(r->cpu.us_per_io, 400, 1e-6);
	result_free(r);
}

/* 990 of 1000 at or below: ten lie above p99, and none is left for p99.9. */
static void
test_quantiles_need_ten_above(void **state)
{
	struct result_row row = { .seconds = 1 };

	(void)state;
	assert_true(isnan(result_quantile_ms(&row, RESULT_BOTH, 0.5)));
	assert_true(isnan(result_quantile_ms(&row, RESULT_BOTH, 1)));
	row.read = values(1 << 20, 990);
	hist_add_value(row.read, 1 << 22, 10);
	assert_float_equal(result_quantile_ms(&row, RESULT_READ, 0.99), 1.0568, 0.0001);	/* middle of [2^20, 2^20 + 2^14) */
	assert_true(isnan(result_quantile_ms(&row, RESULT_READ, 0.999)));
	assert_float_equal(result_quantile_ms(&row, RESULT_READ, 1), 4.194304, 1e-9);
	assert_true(isnan(result_quantile_ms(&row, RESULT_WRITE, 1)));
	row.write = values(1 << 23, 1);
	assert_float_equal(result_quantile_ms(&row, RESULT_BOTH, 1), 8.388608, 1e-9);
	hist_free(row.read);
	hist_free(row.write);
}

static void
set_series(struct result *r, const double *iops, size_t n, double seconds)
{
	static struct result_point points[64];

	for (size_t i = 0; i < n; i++)
		points[i] = (struct result_point){ .at_s = (double)(i + 1) * seconds, .seconds = seconds,
			.read_iops = iops[i] * 0.75, .write_iops = iops[i] * 0.25 };
	r->series = points;
	r->n_series = n;
}

static void
test_steady(void **state)
{
	static const struct { double iops[6]; size_t n; double seconds; enum steady steady; } cases[] = {
		{ { 100, 100, 100, 100, 100 }, 5, 1, STEADY_YES },
		{ { 100, 100, 100, 100, 100 }, 5, 0.9, STEADY_UNKNOWN },	/* windows too short */
		{ { 100, 100, 100, 100 }, 4, 60, STEADY_UNKNOWN },
		{ { 0, 0, 0, 0, 0 }, 5, 1, STEADY_UNKNOWN },
		/* range 20 of a mean of 100, no slope */
		{ { 90, 110, 100, 110, 90 }, 5, 2, STEADY_YES },
		{ { 89, 110, 101, 110, 90 }, 5, 2, STEADY_NO },
		/* slope 2.5 a window: 10 over the four between first and last */
		{ { 95, 97.5, 100, 102.5, 105 }, 5, 2, STEADY_YES },
		{ { 94, 97, 100, 103, 106 }, 5, 2, STEADY_NO },
		/* Six ticks of 5 s are windows of 6 s: 6 at 100; 4 + 2 at 100 and 160; 3 + 3 ... */
		{ { 100, 100, 100, 100, 100, 160 }, 6, 5, STEADY_NO },	/* the last: 5 s at 160, 1 at 100 = 150 */
		{ { 100, 100, 100, 100, 100, 105 }, 6, 5, STEADY_YES },
	};
	struct result *r = result_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_series(r, cases[i].iops, cases[i].n, cases[i].seconds);
		assert_int_equal(result_steady(r), cases[i].steady);
	}
	r->series = NULL;
	r->n_series = 0;
	result_free(r);
}

/* A result nothing is wrong with: 1000 reads of 4 KiB a second for 10 s, 1 ms each, one in flight. */
static struct result *
honest(void)
{
	struct result *r = result_new();

	snprintf(r->state, sizeof(r->state), "done");
	snprintf(r->workload, sizeof(r->workload), "w");
	snprintf(r->engine, sizeof(r->engine), "uring");
	snprintf(r->target.kind, sizeof(r->target.kind), "device");
	r->total.seconds = 10;
	r->total.reads = 10000;
	r->total.read_bytes = 10000 * UINT64_C(4096);
	r->total.in_flight = 1;
	r->total.read = values(1 * MS, 10000);
	snprintf(r->device.name, sizeof(r->device.name), "sda");
	r->device.read_iops = 1000;
	r->device.read_mib_s = 1000.0 / 256;
	r->device.write_iops = r->device.write_mib_s = 0;
	r->working_set_bytes = 1 << 20;
	r->host_memory_bytes = 1 << 30;
	r->block_bytes = 4096;
	r->sector_bytes = 512;
	return r;
}

static void
expect(struct result *r, uint32_t warnings)
{
	result_check(r);
	assert_int_equal(r->warnings, warnings);
}

/* An honest one has no warning; each lie has its own and no other. */
static void
test_warnings(void **state)
{
	struct result *r = honest();
	uint64_t reads;
	char text[200];

	(void)state;
	expect(r, 0);
	r->buffered = true;
	expect(r, W(WARN_CACHE_SIZED));
	r->working_set_bytes = 2e9;
	expect(r, 0);
	r->array_cache_bytes = 3e9;
	expect(r, W(WARN_CACHE_SIZED));
	snprintf(r->target.kind, sizeof(r->target.kind), "null");
	expect(r, 0);
	r->unwritten = true;
	expect(r, W(WARN_UNWRITTEN));
	/* Nobody is misled who reads nothing. */
	reads = r->total.reads;
	r->total.reads = 0;
	result_check(r);
	assert_int_equal(r->warnings & W(WARN_UNWRITTEN), 0);
	r->total.reads = reads;
	r->unwritten = false;
	r->quick = true;
	expect(r, 0);	/* of what was never measured there is nothing to say */
	r->runtime_s = 30;
	expect(r, W(WARN_QUICK));
	r->quick = false;
	r->total.in_flight = 1.08;	/* 5 % of it and 0.02: 0.074 */
	expect(r, W(WARN_LITTLE));
	r->total.in_flight = 1.07;
	expect(r, 0);
	r->total.late = 100;
	expect(r, 0);
	r->total.late = 101;
	expect(r, W(WARN_RATE_NOT_KEPT));
	r->total.late = 0;
	r->device.read_mib_s = 0.5;
	expect(r, W(WARN_CACHE_SEEN));
	result_warning_text(r, WARN_CACHE_SEEN, text, sizeof(text));
	assert_string_equal(text, "sda read 0.13 of the bytes the application read: served by a cache");
	r->device.read_mib_s = 4.8;
	expect(r, W(WARN_AMPLIFIED));
	r->device.name[0] = '\0';
	expect(r, 0);
	r->sector_bytes = 8192;
	expect(r, W(WARN_BELOW_SECTOR));
	r->sector_bytes = 4096;
	snprintf(r->engine_why, sizeof(r->engine_why), "io_uring is forbidden");
	expect(r, W(WARN_ENGINE));
	r->engine_why[0] = '\0';
	r->total.errors = 1;
	expect(r, W(WARN_ERRORS));
	r->total.errors = 0;
	snprintf(r->state, sizeof(r->state), "stopped");
	expect(r, W(WARN_PARTIAL));
	snprintf(r->state, sizeof(r->state), "done");
	r->warnings = W(WARN_STORE_ON_TARGET) | W(WARN_ERRORS);
	expect(r, W(WARN_STORE_ON_TARGET));
	r->warnings = 0;
	r->steady = STEADY_NO;
	expect(r, W(WARN_NOT_STEADY));
	for (enum result_warning w = 0; w < WARN_COUNT; w++) {
		assert_true(result_warning_word[w][0] != '\0');
		assert_true(result_warning_text(r, w, text, sizeof(text)) > 5);
	}
	result_free(r);
}

static void
test_warning_words(void **state)
{
	char out[40];

	(void)state;
	result_warning_words(0, out, sizeof(out));
	assert_string_equal(out, "");
	result_warning_words(W(WARN_PARTIAL) | W(WARN_CACHE_SIZED) | W(WARN_QUICK), out, sizeof(out));
	assert_string_equal(out, "CACHE-SIZED, quick, PARTIAL");
	/* as much as there is room for */
	result_warning_words(W(WARN_CACHE_SIZED) | W(WARN_QUICK) | W(WARN_PARTIAL), out, 16);
	assert_string_equal(out, "CACHE-SIZED, qu");
}

/* Writes that the device did more of, while reads are as they should be. */
static void
test_journal(void **state)
{
	struct result *r = honest();
	char text[200];

	(void)state;
	r->total.writes = 10000;
	r->total.write_bytes = 10 << 20;
	r->total.write = values(1 * MS, 10000);
	r->total.in_flight = 2;
	r->device.write_mib_s = 2.5;
	expect(r, W(WARN_AMPLIFIED));
	result_warning_text(r, WARN_AMPLIFIED, text, sizeof(text));
	assert_string_equal(text, "sda wrote 2.50 times the bytes the application wrote: journal, metadata or RAID, or other load");
	result_free(r);
}

static void
test_unlike(void **state)
{
	struct result *a = honest(), *b = honest();
	char why[200];

	(void)state;
	assert_int_equal(result_unlike(a, b, why, sizeof(why)), 0);
	snprintf(b->target.name, sizeof(b->target.name), "/elsewhere");
	assert_int_equal(result_unlike(a, b, why, sizeof(why)), 0);
	snprintf(b->engine, sizeof(b->engine), "aio");
	assert_int_equal(result_unlike(a, b, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "unlike engines: uring and aio");
	assert_int_equal(result_sum(a, b, why, sizeof(why)), -EINVAL);
	/* Another way to the disk is compared; what it did is nothing to add up. */
	snprintf(b->engine, sizeof(b->engine), "iscsi");
	assert_true(result_is_remote(b) && !result_is_remote(a));
	assert_int_equal(result_unlike(a, b, why, sizeof(why)), 0);
	assert_int_equal(result_unlike(b, a, why, sizeof(why)), 0);
	assert_int_equal(result_sum(a, b, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "unlike engines: uring and iscsi");
	snprintf(b->workload, sizeof(b->workload), "v");
	assert_int_equal(result_unlike(a, b, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "unlike tests: w and v");
	result_free(a);
	result_free(b);
}

/* 1000 and 3000 a second for 10 and 20 s are 4000 together; histograms add count by count. */
static void
test_sum(void **state)
{
	struct result *a = honest(), *b = honest(), *sum;
	char why[200];

	(void)state;
	snprintf(a->host, sizeof(a->host), "east");
	snprintf(b->host, sizeof(b->host), "west");
	a->rows = NULL;
	b->total.seconds = 20;
	b->total.reads = 60000;
	hist_free(b->total.read);
	b->total.read = values(2 * MS, 60000);
	b->total.in_flight = 6;
	b->cpu.us_per_io = 8;
	a->cpu.us_per_io = 15;
	b->steady = STEADY_YES;
	sum = result_copy(a);
	assert_int_equal(result_sum(sum, b, why, sizeof(why)), 0);
	assert_float_equal(result_iops(&sum->total, RESULT_BOTH), 4000, 1e-6);
	assert_int_equal(sum->total.read->count, 70000);
	assert_float_equal(result_mean_ms(&sum->total, RESULT_BOTH), 13.0 / 7, 1e-9);
	assert_float_equal(sum->total.in_flight, 7, 1e-9);
	assert_float_equal(sum->cpu.us_per_io, 9, 1e-9);	/* (15 + 8 x 6) / 7 */
	assert_float_equal(sum->device.read_iops, 2000, 1e-9);
	assert_float_equal((float)sum->working_set_bytes, 2097152, 1e-9);
	assert_string_equal(sum->host, "east + west");
	assert_int_equal(sum->steady, STEADY_UNKNOWN);
	/* What was added is as it was. */
	assert_int_equal(a->total.read->count, 10000);
	assert_int_equal(b->total.read->count, 60000);
	result_free(sum);
	result_free(a);
	result_free(b);
}

/* Of three hosts each is a third of the machines. */
static void
test_sum_of_three(void **state)
{
	static const double host_pct[] = { 10, 20, 90 };
	struct result *sum = NULL;
	char why[200];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct result *r = honest();

		r->cpu.host_pct = host_pct[i];
		if (sum == NULL) {
			sum = r;
			continue;
		}
		assert_int_equal(result_sum(sum, r, why, sizeof(why)), 0);
		result_free(r);
	}
	assert_float_equal(sum->cpu.host_pct, 40, 1e-9);
	result_free(sum);
}

/* Two runs of one host share its memory, whatever was added before. */
static void
test_sum_of_one_host_twice(void **state)
{
	static const char *const hosts[] = { "db1", "db", "db1" };
	struct result *sum = NULL;
	char why[200];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct result *r = honest();

		snprintf(r->host, sizeof(r->host), "%s", hosts[i]);
		r->host_memory_bytes = 1 << 30;
		if (sum == NULL) {
			sum = r;
			continue;
		}
		assert_int_equal(result_sum(sum, r, why, sizeof(why)), 0);
		result_free(r);
	}
	assert_string_equal(sum->host, "db1 + db");
	assert_float_equal(sum->host_memory_bytes, 2.0 * (1 << 30), 0);
	result_free(sum);
}

static void
test_sum_names_the_hosts(void **state)
{
	struct result *a = measured_result(), *b = measured_result();
	char why[200];

	(void)state;
	snprintf(a->host, sizeof(a->host), "east");
	snprintf(b->host, sizeof(b->host), "west");
	a->host_memory_bytes = b->host_memory_bytes = 1 << 30;
	assert_int_equal(result_sum(a, b, why, sizeof(why)), 0);
	assert_float_equal(a->host_memory_bytes, 2.0 * (1 << 30), 0);
	assert_int_equal(a->n_rows, 4);
	assert_string_equal(a->rows[0].name, "east: one");
	assert_string_equal(a->rows[3].name, "west: two");
	assert_int_equal(a->rows[3].read->count, 1000);
	result_free(b);
	assert_int_equal(a->rows[2].write->count, 1000);
	result_free(a);
}

/* The target is on one of two hosts, whichever comes first. */
static void
test_sum_of_servers(void **state)
{
	char why[200];

	(void)state;
	for (int first = 0; first < 2; first++) {
		struct result *r[] = { measured_result(), measured_result(), measured_result() };

		snprintf(r[first]->server.names, sizeof(r[first]->server.names), "tgtd");
		snprintf(r[2]->server.names, sizeof(r[2]->server.names), "tgtd");
		r[first]->server.cpu_s = 0.5;
		r[2]->server.cpu_s = 0.25;
		assert_int_equal(result_sum(r[0], r[1], why, sizeof(why)), 0);
		assert_string_equal(r[0]->server.names, "tgtd");
		assert_true(fabs(r[0]->server.cpu_s - 0.5) < 1e-9);
		assert_int_equal(result_sum(r[0], r[2], why, sizeof(why)), 0);
		assert_true(fabs(r[0]->server.cpu_s - 0.75) < 1e-9);
		for (int i = 0; i < 3; i++)
			result_free(r[i]);
	}
}

static void
test_ticks(void **state)
{
	struct object *test = object_new(&kind_load, 0, "oltp", "oltp"), *disk = object_new(&kind_disk, 0, "sdg", "sdg");
	uint64_t uid = test->uid, disk_uid = disk->uid;
	struct interval *v = measured(test, disk);
	struct result *r = result_new();

	(void)state;
	result_tick(r, v, uid, 0, 0);
	result_tick(r, v, uid, disk_uid, 1);
	result_tick(r, v, uid + 1, 0, 1);
	assert_int_equal(r->n_series, 2);
	assert_float_equal(r->series[1].at_s, 8, 1e-9);
	assert_float_equal(r->series[1].seconds, 4, 1e-9);
	assert_float_equal(r->series[1].read_iops, 750, 1e-9);
	assert_float_equal(r->series[1].write_iops, 250, 1e-9);
	assert_float_equal(r->series[1].mean_ms, 2, 1e-9);
	assert_float_equal(r->series[1].device_read_mib_s, 10, 1e-9);
	assert_float_equal(r->series[1].device_write_iops, 250, 1e-9);
	assert_float_equal(r->series[1].device_gavg_ms, 2.5, 1e-9);
	assert_true(isnan(r->series[0].device_read_iops));
	assert_int_equal(r->series[0].section, 0);
	assert_int_equal(r->series[1].section, 1);
	interval_unref(v);
	result_free(r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_workers),
		cmocka_unit_test(test_total_device_cpu),
		cmocka_unit_test(test_quantiles_need_ten_above),
		cmocka_unit_test(test_steady),
		cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_warning_words),
		cmocka_unit_test(test_journal),
		cmocka_unit_test(test_unlike),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_sum_of_three),
		cmocka_unit_test(test_sum_of_one_host_twice),
		cmocka_unit_test(test_sum_names_the_hosts), cmocka_unit_test(test_sum_of_servers),
		cmocka_unit_test(test_ticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
