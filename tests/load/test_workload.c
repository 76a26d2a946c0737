/*
 * The built-in workloads: each is a job that says what its row in the table says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "load/job.h"
#include "load/workload.h"

static struct job_file *
parse(const struct workload *w)
{
	char why[300] = "";
	struct job_file *file = job_parse(w->name, w->text, strlen(w->text), why, sizeof(why));

	if (file == NULL)
		fail_msg("%s: %s", w->name, why);
	return file;
}

static void
each_is_a_job_without_notes(void **state)
{
	(void)state;
	for (size_t i = 0; workload_table[i] != NULL; i++) {
		const struct workload *w = workload_table[i];
		struct job_file *file = parse(w);

		assert_int_equal(file->n_notes, 0);
		assert_ptr_equal(workload_find(w->name), w);
		assert_true(strlen(w->name) <= 20 && strlen(w->pattern) <= 44 && w->title[0] != '\0' && w->source[0] != '\0');
		for (size_t k = 0; k < file->n_jobs; k++) {
			assert_int_equal(file->jobs[k].runtime_ns, w->full_s * 1000000000);
			assert_int_equal(file->jobs[k].ramp_ns, w->full_ramp_s * 1000000000);
			assert_int_equal(file->jobs[k].time_based, w->full_s > 0);
		}
		job_free(file);
	}
}

/* "8 KiB, 55 % read, 80 % random, depth 16", of those that are of one section, is what the job says. */
static void
patterns_are_true(void **state)
{
	size_t checked = 0;

	(void)state;
	for (size_t i = 0; workload_table[i] != NULL; i++) {
		const struct workload *w = workload_table[i];
		struct job_file *file = parse(w);
		const struct job *job = &file->jobs[0];
		const struct job_pattern *p = &job->pattern;
		char text[128], where[32] = "sequential", size[16];
		unsigned kib = p->bs[IO_READ] / 1024;

		if (p->random && p->random_pct[IO_READ] < 100)
			snprintf(where, sizeof(where), "%u %% random", p->random_pct[IO_READ]);
		else if (p->random)
			snprintf(where, sizeof(where), "random");
		if (kib == 0)
			snprintf(size, sizeof(size), "%u B", p->bs[IO_READ]);
		else
			snprintf(size, sizeof(size), "%u %s", kib >= 1024 ? kib / 1024 : kib, kib >= 1024 ? "MiB" : "KiB");
		snprintf(text, sizeof(text), "%s, %u %% %s, %s, depth %u", size, p->read_pct > 0 ? p->read_pct : 100,
		    p->read_pct > 0 ? "read" : "write", where, job->iodepth);
		if (file->n_jobs == 1 && p->n_split[IO_READ] == 0 && strstr(w->pattern, ", depth ") != NULL && job->numjobs == 1) {
			assert_string_equal(w->pattern, text);
			checked++;
		}
		job_free(file);
	}
	assert_int_equal(checked, 17);
}

static void
scenarios(void **state)
{
	struct job_file *file = parse(workload_find("mix5"));

	(void)state;
	assert_int_equal(file->n_jobs, 5);
	for (size_t i = 0; i < file->n_jobs; i++) {
		struct job_file *alone = parse(workload_find(file->jobs[i].name));
		const struct job_pattern *a = &file->jobs[i].pattern, *b = &alone->jobs[0].pattern;

		assert_int_equal(a->random, b->random);
		assert_int_equal(a->read_pct, b->read_pct);
		assert_int_equal(a->random_pct[IO_READ], b->random_pct[IO_READ]);
		assert_int_equal(a->random_pct[IO_WRITE], b->random_pct[IO_WRITE]);
		assert_int_equal(a->bs[IO_READ], b->bs[IO_READ]);
		assert_int_equal(a->bs[IO_WRITE], b->bs[IO_WRITE]);
		assert_int_equal(a->random_map, b->random_map);
		assert_int_equal(file->jobs[i].iodepth, alone->jobs[0].iodepth);
		assert_int_equal(file->jobs[i].direct, alone->jobs[0].direct);
		job_free(alone);
	}
	job_free(file);
}

/* The writer is constant while the reader is bursty. */
static void
bursty_oltp(void **state)
{
	struct job_file *file = parse(workload_find("bursty-oltp"));
	const struct job *w = &file->jobs[0], *r = &file->jobs[1];

	(void)state;
	assert_int_equal(file->n_jobs, 2);
	assert_int_equal(w->n_phases, 2);
	assert_int_equal(r->n_phases, 2);
	assert_string_equal(w->phases[0].name, "constant-write");
	assert_true(w->phases[0].pattern.random && !w->phases[1].pattern.random);
	assert_int_equal(w->phases[0].pattern.delay_ns, 1000000);
	assert_int_equal(w->phases[0].pattern.burst, 4);
	assert_int_equal(w->phases[1].pattern.delay_ns, 0);
	assert_int_equal(w->phases[0].pattern.read_pct + w->phases[1].pattern.read_pct, 0);
	assert_string_equal(r->phases[1].name, "constant-read");
	assert_true(!r->phases[0].pattern.random && r->phases[1].pattern.random);
	assert_int_equal(r->phases[1].pattern.burst, 32);
	assert_int_equal(r->phases[0].pattern.read_pct + r->phases[1].pattern.read_pct, 200);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(w->phases[i].ns, r->phases[i].ns);
		assert_int_equal(w->phases[i].pattern.bs[IO_WRITE], 8192);
		assert_int_equal(r->phases[i].pattern.bs[IO_READ], 8192);
	}
	job_free(file);
}

static void
special_ones(void **state)
{
	struct job_file *file = parse(workload_find("latency-qd1"));
	unsigned reads = 0;

	(void)state;
	assert_ptr_equal(workload_find("latency-qd1"), workload_table[0]);
	assert_ptr_equal(workload_find("curve"), workload_table[1]);
	assert_ptr_equal(workload_find("oltp-4k"), workload_table[2]);
	assert_int_equal(file->n_jobs, 9);
	for (size_t i = 0; i < 9; i++) {
		assert_true(file->jobs[i].stonewall);
		assert_int_equal(file->jobs[i].iodepth, 1);
		reads += file->jobs[i].pattern.read_pct;
	}
	assert_int_equal(reads, 3 * (100 + 65 + 0));
	job_free(file);

	assert_int_equal(workload_find("curve")->depths[5], 32);
	assert_int_equal(workload_find("curve")->depths[6], 0);
	assert_int_equal(workload_find("wsat")->steady_rounds, 25);
	file = parse(workload_find("listen"));
	assert_int_equal(file->jobs[0].numjobs, 0);
	assert_false(job_writes(file));
	job_free(file);
	file = parse(workload_find("precondition"));
	assert_int_equal(file->jobs[0].loops, 2);
	assert_true(job_writes(file));
	job_free(file);
	file = parse(workload_find("tingle-iops"));
	assert_int_equal(file->jobs[0].numjobs, 20);
	assert_int_equal(file->jobs[1].numjobs, 1);
	job_free(file);
}

static void
shares_of_the_file_server(void **state)
{
	static const struct job_split wanted[] = {
		{ 512, 10 }, { 1024, 5 }, { 2048, 5 }, { 4096, 60 }, { 8192, 2 }, { 16384, 4 }, { 32768, 4 }, { 65536, 10 },
	};
	struct job_file *file = parse(workload_find("iometer-fileserver"));
	const struct job_pattern *p = &file->jobs[0].pattern;

	(void)state;
	assert_int_equal(p->n_split[IO_READ], 8);
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(p->split[IO_READ][i].bytes, wanted[i].bytes);
		assert_int_equal(p->split[IO_READ][i].pct, wanted[i].pct);
	}
	job_free(file);
}

static void
how_long(void **state)
{
	uint64_t runtime, ramp;

	(void)state;
	assert_true(workload_times(workload_find("oltp-4k"), false, &runtime, &ramp));
	assert_int_equal(runtime, UINT64_C(30000000000));
	assert_int_equal(ramp, UINT64_C(5000000000));
	assert_true(workload_times(workload_find("latency-qd1"), false, &runtime, &ramp));
	assert_int_equal(runtime, UINT64_C(5000000000));
	assert_int_equal(ramp, 1000000000);
	assert_false(workload_times(workload_find("oltp-4k"), true, &runtime, &ramp));
	assert_true(runtime == UINT64_MAX && ramp == UINT64_MAX);
	assert_false(workload_times(workload_find("precondition"), false, &runtime, &ramp));
	assert_true(runtime == UINT64_MAX && ramp == UINT64_MAX);
}

static void
nearest(void **state)
{
	(void)state;
	assert_string_equal(workload_nearest("oltp-4")->name, "oltp-4k");
	assert_string_equal(workload_nearest("oltp8k")->name, "oltp-8k");
	assert_string_equal(workload_nearest("excahnge2007")->name, "exchange2007");
	assert_string_equal(workload_nearest("exchange")->name, "exchange2007");
	assert_string_equal(workload_nearest("precon")->name, "precondition");
	assert_null(workload_nearest("zzzzzz"));
	assert_null(workload_nearest(""));
	assert_null(workload_find("oltp-4"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_a_job_without_notes),
		cmocka_unit_test(patterns_are_true),
		cmocka_unit_test(scenarios),
		cmocka_unit_test(bursty_oltp),
		cmocka_unit_test(special_ones),
		cmocka_unit_test(shares_of_the_file_server),
		cmocka_unit_test(how_long),
		cmocka_unit_test(nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
