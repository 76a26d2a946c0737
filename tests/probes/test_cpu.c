#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/interval.h"
#include "core/kinds/kinds.h"
#include "tests/probes/drive.h"
#include "tests/probes/recorded.h"
#include "tests/probes/tree.h"

static struct snapshot *
sample(struct probe *probe, struct tree *tree, const char *stat)
{
	tree_put(tree, "proc/stat", "%s", stat);
	return drive_sample(probe, 1);
}

static uint64_t
cell(const struct snapshot *snapshot, const char *name, int metric)
{
	return drive_cells(snapshot, &kind_cpu, name)[metric];
}

static void
cores(void **state)
{
	struct tree *tree = *state;
	struct probe *probe = drive_open(&probe_cpu, &tree->env);
	struct snapshot *s = sample(probe, tree,
	    "cpu  9 9 9 9 9 9 9 9 9 9\n"
	    "cpu0 1 2 3 4 5 6 7 8 0 0\n"
	    "cpu3 21 22 23 24 25 26 27 28 1 2\n"
	    "intr 5\n");

	assert_int_equal(drive_rows(s, &kind_cpu), 2);
	assert_int_equal(cell(s, "cpu0", CPU_IOWAIT), 5);
	assert_int_equal(cell(s, "cpu3", CPU_USER), 20);
	assert_int_equal(cell(s, "cpu3", CPU_NICE), 20);
	assert_int_equal(cell(s, "cpu3", CPU_STEAL), 28);
	assert_string_equal(drive_object(s, &kind_cpu, "cpu3")->identity, "cpu3");
	assert_string_equal(probe->why, "");
	snapshot_free(s);
	drive_close(probe);
}

/* Counters that step back a little are held, so that the core is not taken for reset; a real reset shows. */
static void
small_steps_back_are_held(void **state)
{
	struct tree *tree = *state;
	struct probe *probe = drive_open(&probe_cpu, &tree->env);
	struct snapshot *s;

	snapshot_free(sample(probe, tree, "cpu0 700 20 30 50000 600 6 7 8 300 0\n"));
	/* user 700 - 300 = 400, then 700 - 301 = 399 */
	s = sample(probe, tree, "cpu0 700 20 31 49999 598 6 7 8 301 0\n");
	assert_int_equal(cell(s, "cpu0", CPU_USER), 400);
	assert_int_equal(cell(s, "cpu0", CPU_GUEST), 301);
	assert_int_equal(cell(s, "cpu0", CPU_SYSTEM), 31);
	assert_int_equal(cell(s, "cpu0", CPU_IDLE), 50000);
	assert_int_equal(cell(s, "cpu0", CPU_IOWAIT), 600);
	snapshot_free(s);
	s = sample(probe, tree, "cpu0 702 20 31 50002 599 6 7 8 301 0\n");
	assert_int_equal(cell(s, "cpu0", CPU_USER), 401);
	assert_int_equal(cell(s, "cpu0", CPU_IDLE), 50002);
	assert_int_equal(cell(s, "cpu0", CPU_IOWAIT), 600);
	snapshot_free(s);
	s = sample(probe, tree, "cpu0 702 20 31 100 599 6 7 8 301 0\n");
	assert_int_equal(cell(s, "cpu0", CPU_IDLE), 100);
	snapshot_free(s);
	drive_close(probe);
}

static void
absent_columns_stay_absent(void **state)
{
	struct tree *tree = *state;
	struct probe *probe = drive_open(&probe_cpu, &tree->env);
	struct snapshot *s;

	snapshot_free(sample(probe, tree, "cpu0 7 2 3 4 5 6 7\n"));
	s = sample(probe, tree, "cpu0 7 2 3 4 5 6 7\n");
	assert_int_equal(cell(s, "cpu0", CPU_SOFTIRQ), 7);
	assert_int_equal(cell(s, "cpu0", CPU_STEAL), ABSENT);
	assert_int_equal(cell(s, "cpu0", CPU_GUEST_NICE), ABSENT);
	snapshot_free(s);
	drive_close(probe);
}

static void
unplugged_core_returns_as_a_new_one(void **state)
{
	struct tree *tree = *state;
	struct probe *probe = drive_open(&probe_cpu, &tree->env);
	struct snapshot *both = sample(probe, tree, "cpu0 1 2 3 4\ncpu1 5 6 7 8\n");
	struct snapshot *one = sample(probe, tree, "cpu0 1 2 3 5\n");
	struct snapshot *again = sample(probe, tree, "cpu0 1 2 3 6\ncpu1 5 6 7 8\n");

	assert_int_equal(drive_rows(one, &kind_cpu), 1);
	assert_int_equal(drive_rows(again, &kind_cpu), 2);
	assert_int_equal(drive_object(again, &kind_cpu, "cpu0")->uid, drive_object(both, &kind_cpu, "cpu0")->uid);
	assert_true(drive_object(again, &kind_cpu, "cpu1")->uid != drive_object(both, &kind_cpu, "cpu1")->uid);
	snapshot_free(both);
	snapshot_free(one);
	snapshot_free(again);
	drive_close(probe);
}

static void
says_what_it_cannot_read(void **state)
{
	struct tree *tree = *state;
	struct probe *probe = drive_open(&probe_cpu, &tree->env);
	struct snapshot *s = snapshot_new(&(struct stamp){ 0 });
	char expected[160];

	assert_int_equal(probe_cpu.sample(probe, s), -ENOENT);
	snprintf(expected, sizeof(expected), "cannot read %s/proc/stat: No such file or directory", tree->root);
	assert_string_equal(probe->why, expected);
	assert_null(snapshot_find(s, &kind_cpu));
	snapshot_free(s);
	snapshot_free(sample(probe, tree, "cpu0 1 2 3 4\ncpu1 1 2\n"));
	assert_string_equal(probe->why, "/proc/stat: 1 lines not understood");
	snapshot_free(sample(probe, tree, "cpu0 1 2 3 4\n"));
	assert_string_equal(probe->why, "");
	drive_close(probe);
}

static struct snapshot *
recorded(struct probe *probe, struct tree *tree, int i)
{
	static char root[128];

	snprintf(root, sizeof(root), "%s/root%d", tree->root, i);
	tree->env.root = root;
	return drive_sample(probe, 10 * i);
}

/* Five moments of a machine whose cores come and go; figures read off the files by hand. */
static void
recorded_sequence(void **state)
{
	struct tree *tree = *state;
	struct probe *probe;
	struct snapshot *s[6] = { NULL };
	struct interval *diff;
	const struct row *row;

	if (!recorded_unpack("sysroot/sysstat-roots-1-5.tar.xz", tree->root))
		skip();
	probe = drive_open(&probe_cpu, &tree->env);
	for (int i = 1; i <= 5; i++) {
		static const size_t n[] = { 0, 9, 8, 7, 8, 9 };

		s[i] = recorded(probe, tree, i);
		assert_int_equal(drive_rows(s[i], &kind_cpu), n[i]);
	}
	diff = interval_diff(s[2], s[3]);
	row = interval_row(diff, &kind_cpu, drive_object(s[3], &kind_cpu, "cpu7")->uid);
	assert_non_null(row);
	assert_true(row->cells[CPU_USER] == 16395 - 16369);
	assert_true(row->cells[CPU_IDLE] == 586713 - 583650);
	assert_true(row->cells[CPU_IOWAIT] == 0);	/* 7294, then 7293 */
	interval_unref(diff);

	diff = interval_diff(s[4], s[5]);
	assert_null(interval_row(diff, &kind_cpu, drive_object(s[5], &kind_cpu, "cpu3")->uid));
	assert_null(interval_row(diff, &kind_cpu, drive_object(s[5], &kind_cpu, "cpu6")->uid));
	row = interval_row(diff, &kind_cpu, drive_object(s[5], &kind_cpu, "cpu8")->uid);
	assert_non_null(row);
	/* user 1635 with 150 of guests was 1422; nice 33 with 25 of guests was 28: held */
	assert_true(row->cells[CPU_USER] == 1635 - 150 - 1422);
	assert_true(row->cells[CPU_NICE] == 0);
	assert_true(row->cells[CPU_STEAL] == 100);
	assert_true(row->cells[CPU_GUEST] == 150);
	assert_true(row->cells[CPU_GUEST_NICE] == 25);
	interval_unref(diff);
	for (int i = 1; i <= 5; i++)
		snapshot_free(s[i]);
	drive_close(probe);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(cores),
		CASE(small_steps_back_are_held),
		CASE(absent_columns_stay_absent),
		CASE(unplugged_core_returns_as_a_new_one),
		CASE(says_what_it_cannot_read),
		CASE(recorded_sequence),
	};

	return cmocka_run_group_tests_name("probes/cpu", tests, NULL, NULL);
}
