/*
 * Results as text: the table at several widths, JSON and back.
 */
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "canned_result.h"
#include "core/xalloc.h"
#include "out/result_out.h"
#include "tests/nan_fails.h"

struct text {
	FILE *file;
	char *text;
	size_t len;
};

static void
text_open(struct text *t)
{
	t->file = open_memstream(&t->text, &t->len);
	assert_non_null(t->file);
}

static void
add_line(void *arg, const char *line)
{
	fprintf(arg, "%s\n", line);
}

static char *
parts_of(const struct result *r, unsigned parts, int width, bool utf8)
{
	struct text t;

	text_open(&t);
	result_lines(r, parts, width, utf8, add_line, t.file);
	fclose(t.file);
	return t.text;
}

static char *
lines_of(const struct result *r, int width, bool utf8)
{
	return parts_of(r, RESULT_ALL, width, utf8);
}

static char *
printed(void (*print)(FILE *, const struct result *const *, size_t), struct result *const *r, size_t n)
{
	struct text t;

	text_open(&t);
	print(t.file, (const struct result *const *)r, n);
	fclose(t.file);
	return t.text;
}

static void
has(const char *text, const char *part)
{
	if (strstr(text, part) == NULL)
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void
has_not(const char *text, const char *part)
{
	if (strstr(text, part) != NULL)
		fail_msg("'%s' is in:\n%s", part, text);
}

/* Characters of the longest line. */
static int
width_of(const char *text)
{
	int widest = 0, n = 0;

	for (; *text != '\0'; text++) {
		if (*text == '\n')
			n = 0;
		else if (((unsigned char)*text & 0xc0) != 0x80 && ++n > widest)
			widest = n;
	}
	return widest;
}

static void
test_table_of_80(void **state)
{
	struct result *r = canned_result();
	char *text = lines_of(r, 80, true);

	(void)state;
	has(text, "\nWORKER          IOPS     READ    WRITE    MiB/s    MEAN     P99     MAX   ERR\n"
	    "oltp-4k #1     10473     7331     3142    40.91   0.784   1.253  12.500     0\n"
	    "oltp-4k #2     10474     7332     3142    40.91   0.784   1.253  12.500     0\n"
	    "total          20947    14663     6284    81.82   0.784   1.253  12.500     0\n");
	has(text, "\nreads            439887   0.540   0.502   0.502   0.502   5.000   5.000\n"
	    "writes           188523   1.351   1.253   1.253   1.253  12.500  12.500\n");
	has(text, "\napplication   20947 IOPS   0.784 ms   in flight 16.4 = IOPS \u00d7 latency\n"
	    "              steady: yes   uring, depth 16.4 of 32\n");
	has(text, "\ndevice sdg    20951 IOPS   81.84 MiB/s   GAVG 0.71 ms   cache: none seen\n");
	has(text, "11.2 \u00b5s per I/O");
	has_not(text, "!");
	free(text);
	result_free(r);
}

/* What the test screen draws while it runs and below its charts: no empty lines, and nothing twice. */
static void
test_parts(void **state)
{
	struct result *r = canned_result();
	char *text = parts_of(r, RESULT_HONESTY, 80, true), *all;
	struct text t;

	(void)state;
	assert_memory_equal(text, "application   20947", 19);
	has(text, "\ndevice sdg");
	has_not(text, "\n\n");
	has_not(text, "WORKER");
	free(text);
	text = parts_of(r, RESULT_ROWS, 80, true);
	has(text, "\ntotal          20947");
	has_not(text, "\nreads");
	has_not(text, "application");
	has_not(text, " on /mnt");
	free(text);
	/* one alone is printed as it is */
	text_open(&t);
	result_set_lines((const struct result *const[]) { r }, 1, 80, true, add_line, t.file);
	fclose(t.file);
	all = lines_of(r, 80, true);
	assert_string_equal(t.text, all);
	free(all);
	free(t.text);
	result_free(r);
}

static void
test_table_fits(void **state)
{
	struct result *r = canned_result();
	char *text;

	(void)state;
	r->quick = r->unwritten = true;
	result_check(r);
	for (int width = 34; width < 200; width++) {
		text = lines_of(r, width, width % 2);
		if (width_of(text) > width)
			fail_msg("wider than %d:\n%s", width, text);
		has(text, "UNWRITTEN");
		has(text, "quick");
		free(text);
	}
	/* Without a limit nothing is left out: reads and writes apart. */
	text = lines_of(r, 0, false);
	has(text, "total          20947    14663     6284    81.82    57.28    24.55"
	    "   0.540   0.502   0.502   0.502   5.000   5.000   1.351   1.253   1.253   1.253  12.500  12.500     0\n");
	has(text, "IOPS x latency");
	has(text, "\n! UNWRITTEN  blocks were read that were never written: many devices answer without looking\n");
	free(text);
	result_free(r);
}

/* A terminal is not told to do something by the name of a file. */
static void
test_foreign_names(void **state)
{
	struct result *r = canned_result();
	char *text;

	(void)state;
	snprintf(r->target.name, sizeof(r->target.name), "/mnt/\x1b[2J\xff\u00e9\xc2\x9b");
	text = lines_of(r, 80, true);
	has(text, "oltp-4k on /mnt/?[2J?\u00e9?   sdg");
	free(text);
	text = lines_of(r, 80, false);
	has(text, "oltp-4k on /mnt/?[2J???   sdg");
	free(text);
	result_free(r);
}

static void
test_repeats(void **state)
{
	struct result *r[3] = { canned_step(4, 900, 1000), canned_step(4, 1000, 1000), canned_step(4, 1100, 1000) };
	char *text = printed(result_print_table, r, 3);

	(void)state;
	/* sd 100 of a mean of 1000 */
	has(text, "\nmean          1000 ");
	has(text, "\nsd             100 ");
	has(text, "\nCV %          10.0 ");
	has(text, "! UNLIKE RUNS  IOPS differ from run to run by 10.0 %");
	has_not(text, "knee");
	free(text);
	text = printed(result_print_json, r, 3);
	has(text, "\"summary\":{\"iops\":{\"mean\":1000,\"sd\":100,\"cv\":0.1,\"min\":900,\"max\":1100}");
	has(text, "\"latency_us\":{\"mean\":1000,\"sd\":0,\"cv\":0,\"min\":1000,\"max\":1000}");
	free(text);
	for (int i = 0; i < 3; i++)
		result_free(r[i]);
}

/* Rounds: what the last five come to. 105 less 95 of a mean of 100; the line through them falls by 0.5 a round. */
static void
test_rounds(void **state)
{
	static const uint64_t iops[6] = { 500, 1000, 1050, 950, 1000, 1000 };
	struct result *r[6];
	char *text;

	(void)state;
	for (int i = 0; i < 6; i++)
		r[i] = canned_step(4, iops[i], 1000);
	text = printed(result_print_table, r, 6);
	has(text, "\nsteady  the last five: 1000 IOPS, over a range of 10.0 % of that (20 allowed), drifting by 2.0 % (10 allowed)\n");
	free(text);
	text = printed(result_print_json, r, 6);
	has(text, "\"steady\":true}");
	free(text);
	text = printed(result_print_table, r, 5);
	has(text, "\n! NOT STEADY  the last five: 900 IOPS");
	free(text);
	text = printed(result_print_table, r, 4);
	has_not(text, "the last five");
	free(text);
	for (int i = 0; i < 6; i++)
		result_free(r[i]);
}

/* The kernel joins neighbours: fewer I/Os on the device, the same bytes. */
static void
test_merged(void **state)
{
	struct result *r = canned_result();
	char *text;

	(void)state;
	r->device.read_iops = 14663 / 4.0;
	r->device.write_iops = 6284 / 4.0;
	text = lines_of(r, 200, true);
	has(text, "device sdg    5237 IOPS");
	has(text, "merged 4.0 to 1\n");
	free(text);
	r->device.read_iops = 14663;
	r->device.write_iops = 6284;
	text = lines_of(r, 200, true);
	has_not(text, "merged");
	free(text);
	result_free(r);
}

/* A run without workers has nothing to say of an application. */
static void
test_listen(void **state)
{
	struct result *r = canned_listen();
	char *text = lines_of(r, 200, true);

	(void)state;
	has(text, "listen on sdg");
	has(text, "\n\ndevice sdg    30 IOPS   1.50 MiB/s   GAVG 0.40 ms\n");
	has_not(text, "total");
	has_not(text, "application");
	has_not(text, "working set");
	has_not(text, "cache");
	free(text);
	result_free(r);
}

static void
test_curve(void **state)
{
	struct result *r[3] = { canned_step(1, 1000, 900), canned_step(2, 1900, 1000), canned_step(4, 2000, 1900) };
	char *text = printed(result_print_table, r, 3);

	(void)state;
	has(text, "knee  depth 2: 1900 IOPS at 1.000 ms");
	has_not(text, "\nmean ");
	has(text, "at p99 <= 1 ms: 1900 IOPS (depth 2)\nat p99 <= 2 ms: 2000 IOPS (depth 4)\n");
	free(text);
	text = printed(result_print_json, r, 3);
	has_not(text, "nan");
	has(text, "\"curve\":{\"knee_depth\":2,\"within\":[{\"p99_ms\":1,\"iops\":1900,\"depth\":2}");
	free(text);
	/* Neither a curve nor repeats. */
	r[2]->depth = 1;
	text = printed(result_print_table, r, 3);
	has(text, "\nSTEP       DEPTH ");
	has_not(text, "\nmean ");
	has_not(text, "knee");
	free(text);
	text = printed(result_print_json, r, 3);
	has(text, "{\"runs\":[");
	has_not(text, "\"summary\"");
	free(text);
	for (int i = 0; i < 3; i++)
		result_free(r[i]);
}

static void
test_compare(void **state)
{
	struct result *r[2] = { canned_step(4, 1000, 1000), canned_step(4, 2500, 400) };
	char *text;

	(void)state;
	snprintf(r[0]->label, sizeof(r[0]->label), "old");
	snprintf(r[1]->label, sizeof(r[1]->label), "new");
	r[1]->cpu.us_per_io = 9.5;
	r[1]->warnings = UINT32_C(1) << WARN_CACHE_SIZED;
	text = printed(result_compare_table, r, 2);
	has(text, "\nnew              2500    2.50     2500        0     9.77    0.400    0.40   0.400   0.400   0.400       9.5\n");
	has(text, "! new: CACHE-SIZED");
	free(text);
	text = printed(result_compare_json, r, 2);
	has(text, "\"iops_ratio\":2.5,\"mean_latency_ratio\":0.4");
	free(text);
	result_free(r[0]);
	result_free(r[1]);
}

/* 1000 I/Os a second for 10 s; the server took 0.4 s of CPU for them, which is 40 us each. */
static void
test_compare_ways(void **state)
{
	struct result *r[3] = { canned_step(4, 4000, 1000), canned_step(4, 1000, 400), canned_step(4, 1000, 400) };
	char *text;

	(void)state;
	snprintf(r[0]->label, sizeof(r[0]->label), "native");
	snprintf(r[0]->device.name, sizeof(r[0]->device.name), "sdb");
	r[0]->device.read_iops = 1000;
	r[0]->device.write_iops = 0;
	snprintf(r[1]->label, sizeof(r[1]->label), "lun");
	snprintf(r[1]->engine, sizeof(r[1]->engine), "iscsi");
	snprintf(r[1]->server.names, sizeof(r[1]->server.names), "tgtd");
	snprintf(r[1]->device.name, sizeof(r[1]->device.name), "sdb");
	r[1]->device.read_iops = 4;
	r[1]->device.write_iops = 0;
	r[1]->server.cpu_s = 0.4;
	r[1]->cpu.host_us_per_io = 71.5;
	snprintf(r[2]->label, sizeof(r[2]->label), "far");
	snprintf(r[2]->engine, sizeof(r[2]->engine), "nfs");
	text = printed(result_compare_table, r, 3);
	has(text, "curve, uring, iscsi, nfs   ratios");
	has(text, " CPU us/IO  SERVER    HOST\n");
	has(text, "         -    40.0    71.5\n");
	has(text, "4000 IOPS; sdb below did 1000, several in one\n");
	has(text, "1000 IOPS; sdb below did none: served from a cache   tgtd took 0.40 s of CPU\n");
	has(text, "1000 IOPS; which disk is below is not known\n");
	has(text, "! the clients of nfs and iscsi are libraries");
	free(text);
	text = printed(result_compare_json, r, 3);
	has(text, "\"host_us_per_io\":71.5,\"server\":\"tgtd\",\"server_us_per_io\":40,\"device\":\"sdb\",\"device_iops\":4");
	has(text, "\"note\":\"the clients");
	free(text);
	for (int i = 0; i < 3; i++)
		result_free(r[i]);
}

/* Or absent on both sides. */
static void
same_figure(double a, double b)
{
	assert_int_equal(isnan(a), isnan(b));
	if (!isnan(a))
		assert_float_equal(a, b, 1e-6);
}

static void
same_row(const struct result_row *a, const struct result_row *b)
{
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->reads, b->reads);
	assert_int_equal(a->writes, b->writes);
	assert_int_equal(a->read_bytes / 4096, (b->read_bytes + 2048) / 4096);
	assert_int_equal(a->write_bytes / 4096, (b->write_bytes + 2048) / 4096);
	same_figure(a->in_flight, b->in_flight);
	assert_int_equal(a->read->count, b->read->count);
	assert_int_equal(a->read->max_ns, b->read->max_ns);
	for (double q = 0.1; q < 1; q += 0.1)
		same_figure(result_quantile_ms(a, RESULT_BOTH, q), result_quantile_ms(b, RESULT_BOTH, q));
	same_figure(result_mean_ms(a, RESULT_WRITE), result_mean_ms(b, RESULT_WRITE));
}

static void
test_json_and_back(void **state)
{
	struct result *r = canned_result(), **got;
	char *text, *again, why[200] = "";

	(void)state;
	r->quick = true;
	r->rows[1].response = hist_copy(r->rows[1].read);
	r->rows[1].sync = hist_copy(r->rows[1].write);
	r->rows[0].late = 77;
	snprintf(r->server.names, sizeof(r->server.names), "nfsd");
	r->server.cpu_s = 1.5;
	r->cpu.host_us_per_io = 88.25;
	result_check(r);
	text = printed(result_print_json, &r, 1);
	assert_int_equal(result_parse_json(text, strlen(text), &got, why, sizeof(why)), 1);
	same_row(&r->total, &got[0]->total);
	same_row(&r->rows[0], &got[0]->rows[0]);
	same_row(&r->rows[1], &got[0]->rows[1]);
	assert_string_equal(got[0]->job_text, r->job_text);
	assert_int_equal(got[0]->warnings, r->warnings);
	assert_int_equal(got[0]->started_ms, 1700000000123);
	assert_int_equal(got[0]->rows[0].late, 77);
	assert_string_equal(got[0]->server.names, "nfsd");
	assert_float_equal(got[0]->server.cpu_s, 1.5, 1e-9);
	assert_float_equal(got[0]->cpu.host_us_per_io, 88.25, 1e-9);
	assert_null(got[0]->rows[0].response);
	assert_int_equal(got[0]->rows[1].response->count, r->rows[1].read->count);
	assert_null(got[0]->rows[0].sync);
	assert_int_equal(got[0]->rows[1].sync->count, r->rows[1].write->count);
	/* What was read says the same to people. */
	again = lines_of(got[0], 0, false);
	free(text);
	text = lines_of(r, 0, false);
	assert_string_equal(text, again);
	result_free(got[0]);
	free(got);
	free(text);
	free(again);
	result_free(r);
}

static void
test_json_of_several(void **state)
{
	struct result *r[2] = { canned_step(1, 1000, 900), canned_step(2, 1900, 1000) }, **got;
	char *text = printed(result_print_json, r, 2), why[200] = "";

	(void)state;
	assert_int_equal(result_parse_json(text, strlen(text), &got, why, sizeof(why)), 2);
	assert_int_equal(got[1]->depth, 2);
	assert_int_equal(got[1]->total.reads, 19000);
	for (int i = 0; i < 2; i++) {
		result_free(got[i]);
		result_free(r[i]);
	}
	free(got);
	free(text);
}

#define HEAD "{\"workload\":\"w\",\"runtime_s\":1,\"engine\":\"uring\","
#define TOTAL(latency) HEAD "\"total\":{\"read_iops\":1,\"read_latency_us\":" latency "}}"

static void
test_json_refused(void **state)
{
	static const char *const texts[] = {
		"", "{", "[]", "3", "{}", "{\"runs\":[]}", "{\"runs\":[{}]}", "{\"runs\":3}",
		HEAD "\"total\":3}", "{\"runtime_s\":1,\"total\":{}}", "{\"workload\":\"w\",\"runtime_s\":0,\"total\":{}}",
		HEAD "\"total\":{},\"workers\":[3]}",
		TOTAL("{\"count\":1}"), TOTAL("{\"count\":1,\"hist\":[[1,1]]}"),
		TOTAL("{\"count\":2,\"mean\":1,\"max\":1,\"hist\":[[1,1]]}"),	/* one is missing */
		TOTAL("{\"count\":1,\"mean\":1,\"max\":9,\"hist\":[[1,1]]}"),	/* not in the last bucket */
		TOTAL("{\"count\":1,\"mean\":1,\"max\":0.5,\"hist\":[[1,1]]}"),
		TOTAL("{\"count\":1,\"mean\":1,\"max\":1,\"hist\":[[-1,1]]}"),
		TOTAL("{\"count\":1,\"mean\":1,\"max\":1e30,\"hist\":[[1e30,1]]}"),
		TOTAL("{\"count\":1e30,\"mean\":1,\"max\":1,\"hist\":[[1,1e30]]}"),
		TOTAL("{\"count\":1,\"mean\":1e30,\"max\":1,\"hist\":[[1,1]]}"),
		TOTAL("{\"count\":1,\"mean\":1,\"max\":1,\"hist\":[1,1]}"),
	};
	struct result **got;
	char why[200];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		why[0] = '\0';
		if (result_parse_json(texts[i], strlen(texts[i]), &got, why, sizeof(why)) != 0)
			fail_msg("taken: %s", texts[i]);
		assert_true(why[0] != '\0');
		assert_null(got);
	}
	assert_int_equal(result_parse_json(TOTAL("{\"count\":1,\"mean\":1,\"max\":1,\"hist\":[[1,1]]}"),
	    strlen(TOTAL("{\"count\":1,\"mean\":1,\"max\":1,\"hist\":[[1,1]]}")), &got, why, sizeof(why)), 1);
	result_free(got[0]);
	free(got);
}

static void
test_exec(void **state)
{
	struct exec_device device = { "sda", 10, 20, 1.5, 2.5, NAN };
	struct exec_nic nic = { "eth0", 100.5, 200.25 };
	struct exec_run runs[2] = {
		{ 0, 1.5, 0.25, 0.5, 12, 1, 1, &device, &nic }, { 3, 2.5, NAN, NAN, NAN, 0, 0, NULL, NULL },
	};
	struct text t;
	json_t *root;

	(void)state;
	text_open(&t);
	exec_print_table(t.file, "scp \"big\" host:", "old link", runs, 2);
	fclose(t.file);
	has(t.text, "scp \"big\" host:   \"old link\"\n");
	has(t.text, "\nrun 1         1.500 s   exit status 0   CPU 0.25 s user, 0.50 s system   12.0 % of this host\n");
	has(t.text, "\nrun 2         2.500 s   exit status 3\n");
	has(t.text, "mean 2.000 s   sd 0.707 s   CV 35.4 % !   min 1.500 s   max 2.500 s");
	free(t.text);
	text_open(&t);
	exec_print_json(t.file, "scp \"big\" host:", NULL, runs, 1);
	fclose(t.file);
	root = json_loads(t.text, 0, NULL);
	assert_non_null(root);
	assert_string_equal(json_string_value(json_object_get(root, "command")), "scp \"big\" host:");
	assert_null(json_object_get(root, "name"));
	assert_int_equal(json_integer_value(json_object_get(root, "exit_status")), 0);
	assert_string_equal(json_string_value(json_object_get(json_object_get(root, "device"), "name")), "sda");
	json_decref(root);
	free(t.text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_of_80),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_table_fits),
		cmocka_unit_test(test_foreign_names),
		cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_rounds),
		cmocka_unit_test(test_merged),
		cmocka_unit_test(test_listen),
		cmocka_unit_test(test_curve),
		cmocka_unit_test(test_compare), cmocka_unit_test(test_compare_ways),
		cmocka_unit_test(test_json_and_back),
		cmocka_unit_test(test_json_of_several),
		cmocka_unit_test(test_json_refused),
		cmocka_unit_test(test_exec),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
