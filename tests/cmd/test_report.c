/*
 * report, compare, list runs and export --run, as a user calls them, on a file that holds two tests.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "../db/tape.h"
#include "../out/canned_result.h"
#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "db/runs.h"
#include "db/store.h"

struct place {
	char *dir, *db;
};

struct said {
	int status;
	char *text;	/* both streams */
};

/* A tick of 1 s: the worker reads 100 x i, the disk below 90 x i, another disk 7. */
static struct interval *
tick(int i, struct object *test, struct object *worker, struct object *const disks[static 2])
{
	struct interval *v = tape_interval(i, 1);
	struct interval_table *t;

	t = tape_table(v, &kind_disk, 2, disks);
	t->rows[0].cells[DISK_READS] = 90 * i;
	t->rows[1].cells[DISK_READS] = 7;
	interval_make_table(v, &kind_load, 1, v->ns)->rows[0].object = object_ref(test);
	t = tape_table(v, &kind_worker, 1, &worker);
	t->rows[0].cells[WORKER_READS] = 100 * i;
	t->rows[0].hists[WORKER_READ_HIST] = hist_new(6);
	hist_add_value(t->rows[0].hists[WORKER_READ_HIST], 1000000, (uint64_t)(100 * i));
	interval_rollup(v);
	return v;
}

static void
put_ticks(struct sink *sink)
{
	struct object *test = object_new(&kind_load, 0, "oltp-4k", "oltp-4k"), *worker;
	struct object *disks[2] = { tape_disk("sdg"), tape_disk("sda") };

	worker = object_new(&kind_worker, 0, "oltp-4k #1", "oltp-4k #1");
	worker->counts_in = worker->parent = test->uid;
	for (int i = 1; i <= 6; i++) {
		struct interval *v = tick(i, test, worker, disks);

		sink_put(sink, v);
		interval_unref(v);
	}
	object_unref(test);
	object_unref(worker);
	object_unref(disks[0]);
	object_unref(disks[1]);
}

/* Two ticks: 100 reads and 50 writes in the first second, 300 reads in the next two; the device read half of the reads. */
static void
put_series(struct result *r)
{
	r->n_series = 2;
	r->series = xcalloc(2, sizeof(*r->series));
	r->series[0] = (struct result_point){ .at_s = 1, .seconds = 1, .read_iops = 100, .write_iops = 50, .read_mib_s = 4,
		.gavg_rd_ms = 1, .gavg_wr_ms = 4, .device_read_iops = 50, .device_read_mib_s = 2, .device_gavg_rd_ms = 3 };
	r->series[1] = (struct result_point){ .at_s = 3, .seconds = 2, .read_iops = 150, .read_mib_s = 7, .gavg_rd_ms = 2,
		.gavg_wr_ms = NAN, .device_read_iops = 75, .device_read_mib_s = 3.5, .device_gavg_rd_ms = 5 };
}

/* Run 1 was measured from 2 s to 5 s; run 2 is the same test on another target, run 3 another test. */
static void
put_runs(const char *path)
{
	const struct store_options options = {
		.path = path, .source = "live", .host = "box", .boot_id = "b", STORE_RETENTION_DEFAULTS,
	};
	struct sink *sink = store_sink(&options);
	struct result *r = canned_result();

	put_ticks(sink);
	runs_put(sink, r, TAPE_START + 2000, TAPE_START + 5000, NULL, NULL);
	snprintf(r->target.name, sizeof(r->target.name), "/mnt/old");
	snprintf(r->host, sizeof(r->host), "db8");
	r->started_ms += 600000;
	put_series(r);
	runs_put(sink, r, 0, 0, NULL, NULL);
	free(r->series);
	r->series = NULL;
	r->n_series = 0;
	snprintf(r->workload, sizeof(r->workload), "curve");
	runs_put(sink, r, 0, 0, NULL, NULL);
	result_free(r);
	sink_close(sink);
}

static int
set_up(void **state)
{
	struct place *p = xcalloc(1, sizeof(*p));

	p->dir = tape_dir();
	p->db = xasprintf("%s/r.db", p->dir);
	put_runs(p->db);
	*state = p;
	return 0;
}

static int
tear_down(void **state)
{
	struct place *p = *state;

	free(p->db);
	tape_remove_dir(p->dir);
	free(p);
	return 0;
}

/* Runs the program in the directory of the test. */
static struct said
stortop(const struct place *p, const char *words)
{
	const char *program = getenv("STORTOP");
	char *path, *command;
	struct said said = { .text = NULL };
	size_t cap = 0;
	FILE *pipe;

	if (program == NULL) {
		print_message("STORTOP does not name the program\n");
		skip();
	}
	path = realpath(program, NULL);
	command = xasprintf("cd %s && LC_ALL=C %s --db %s %s 2>&1", p->dir, path, p->db, words);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	if (getdelim(&said.text, &cap, '\0', pipe) < 0 && said.text != NULL)
		said.text[0] = '\0';
	said.status = WEXITSTATUS(pclose(pipe));
	free(path);
	free(command);
	return said;
}

static void
expect(const struct place *p, const char *words, int status, const char *part)
{
	struct said said = stortop(p, words);

	if (said.status != status || strstr(said.text, part) == NULL)
		fail_msg("%s: status %d, without '%s':\n%s", words, said.status, part, said.text);
	free(said.text);
}

static void
test_report(void **state)
{
	const struct place *p = *state;

	expect(p, "report 1", 0, "oltp-4k on /mnt/new");
	expect(p, "report 1", 0, "run 1\n");
	expect(p, "report", 0, "curve on /mnt/old");
	expect(p, "report 2 --json", 0, "{\"stortop\":\"0.1\",\"run\":2,");
	expect(p, "report 1 3", 0, "curve on /mnt/old");
	expect(p, "report 9", 1, "there is no run 9");
	expect(p, "report nowhere.json", 1, "stortop: nowhere.json: No such file or directory\n");
	expect(p, "report 1 --elapsed", 2, "--elapsed: does not go with report");
}

/* A file in JSON is as good as a number, and hosts add up. */
static void
test_sum(void **state)
{
	const struct place *p = *state;

	expect(p, "report 1 --json >one.json; true", 0, "");
	expect(p, "report one.json 2 --sum", 0, "total               41894");
	expect(p, "report one.json 2 --sum", 0, "db7: oltp-4k #1");
	expect(p, "report one.json 2 --sum", 0, "started 600 s apart");
	expect(p, "report one.json 3 --sum", 1, "unlike tests: oltp-4k and curve");
	expect(p, "report 1 2 --sum --json", 0, "\"total\":{\"name\":\"total\",\"seconds\":30,\"iops\":41894,");
}

static void
test_compare(void **state)
{
	const struct place *p = *state;

	expect(p, "compare 1 2", 0, "/mnt/old        20947    1.00");
	expect(p, "compare 1 2 --json", 0, "\"iops_ratio\":1");
	expect(p, "compare 1 3", 1, "run 1 and run 3 cannot be compared: unlike tests: oltp-4k and curve");
	expect(p, "compare 1", 2, "needs two runs or more");
}

/* On terminals columns that have no room go, and those that stay keep apart. */
static void
test_list_on_a_terminal(void **state)
{
	static const struct {
		int columns;
		const char *first;
	} cases[] = {
		{ 60, "   RUN WORKLOAD  TARGET         IOPS  MEAN ms   P99 ms\n" },
		{ 79, "   RUN WORKLOAD  TARGET         IOPS    MiB/s  MEAN ms   P99 ms NOTES\n" },
		{ 120, "   RUN STARTED           WORKLOAD  TARGET     SECONDS     IOPS    MiB/s  MEAN ms   P99 ms STATE    NOTES\n" },
	};
	const struct place *p = *state;
	const char *program = getenv("STORTOP");

	if (program == NULL || system("command -v script >/dev/null") != 0) {
		print_message("needs STORTOP, and script(1) for a terminal\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *command = xasprintf("script -qec 'stty cols %d; LC_ALL=C %s --db %s list runs' /dev/null </dev/null | tr -d '\\r'",
		    cases[i].columns, program, p->db);
		FILE *pipe = popen(command, "r");
		char line[200] = "";

		assert_non_null(pipe);
		assert_non_null(fgets(line, sizeof(line), pipe));
		assert_string_equal(line, cases[i].first);
		while (fgets(line, sizeof(line), pipe) != NULL)
			assert_true((int)strlen(line) <= cases[i].columns + 1);
		pclose(pipe);
		free(command);
	}
}

static void
test_list(void **state)
{
	const struct place *p = *state;

	expect(p, "list runs", 0, "   RUN STARTED");
	expect(p, "list runs", 0, "oltp-4k   /mnt/new      30.0    20947    81.82    0.784    1.253 done");
	expect(p, "list runs --db none.db", 1, "none.db");
}

/* Three ticks from second 0, of the worker, the test and the device below; not of other disks. */
static void
test_export(void **state)
{
	const struct place *p = *state;
	struct said said = stortop(p, "export --run 1 --elapsed --format tidy | cut -d, -f1-4,8-9");

	assert_string_equal(said.text,
	    "elapsed_s,seconds,kind,object,cmds_s,reads_s\n"
	    "1,1,disk,sdg,270,270\n1,1,test,oltp-4k,300,300\n1,1,worker,oltp-4k #1,300,300\n"
	    "2,1,disk,sdg,360,360\n2,1,test,oltp-4k,400,400\n2,1,worker,oltp-4k #1,400,400\n"
	    "3,1,disk,sdg,450,450\n3,1,test,oltp-4k,500,500\n3,1,worker,oltp-4k #1,500,500\n");
	free(said.text);
	expect(p, "export --run 1 --elapsed --format json", 0, "{\"elapsed_s\":3,\"seconds\":1,\"rows\":[{\"kind\":\"disk\",\"object\":\"sdg\"");
	expect(p, "export --run 1 --elapsed", 0, "\"01/01/1970 00:00:03\",");
	expect(p, "export --run 1 --format tidy", 0, "2023-11-14T22:13:23.000Z,1,disk,sda,");
	expect(p, "export --run 3", 1, "nothing was recorded while run 3");
	expect(p, "export --run one", 2, "--run one: not a number of stortop list runs");
	expect(p, "export --elapsed", 2, "--elapsed goes with --run only");
}

/* The ticks are gone, and the series is left: exact in counts and means, without percentiles. */
static void
test_export_series(void **state)
{
	const struct place *p = *state;
	const char *cut = "| grep -v ^stortop | cut -d, -f1-4,8-10";
	char *words = xasprintf("export --run 2 --elapsed --format tidy 2>&1 %s", cut);
	struct said said = stortop(p, words);

	assert_string_equal(said.text,
	    "elapsed_s,seconds,kind,object,cmds_s,reads_s,writes_s\n"
	    "1,1,disk,sdg,50,50,0\n1,1,test,oltp-4k,150,100,50\n"
	    "3,2,disk,sdg,75,75,0\n3,2,test,oltp-4k,150,150,0\n");
	free(said.text);
	free(words);
	expect(p, "export --run 2 --format tidy", 0, "what is left is the series of the test and its device");
	/* 400 reads in 3 s, 100 of 1 ms and 300 of 2 ms; 50 writes of 4 ms */
	expect(p, "export --run 2 --elapsed --every 3 --kind test --format json", 0,
	    "{\"elapsed_s\":3,\"seconds\":3,\"rows\":[{\"kind\":\"test\",\"object\":\"oltp-4k\"");
	expect(p, "export --run 2 --elapsed --every 3 --kind test --format json", 0, "\"gavg_rd\":1.75,\"gavg_wr\":4");
	expect(p, "export --run 2 --elapsed --every 3 --kind test --format json", 0, "\"reads_s\":133.33");
	/* Of the device: 50 of 3 ms and 150 of 5 ms. */
	expect(p, "export --run 2 --elapsed --every 3 --kind disk --format json", 0, "\"gavg\":4.5,");
	expect(p, "export --run 2 --format tidy", 0, "2023-11-14T22:23:21.123Z,1,disk,sdg,");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_report, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_sum, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_compare, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_list, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_list_on_a_terminal, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_export, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_export_series, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
