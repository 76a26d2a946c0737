#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/column.h"
#include "core/kinds/kinds.h"
#include "fixture.h"
#include "tests/nan_fails.h"

/* One disk row of 2 s with distinct numbers, and the figures worked out from them. */
static void
test_figures_of_a_disk(void **state)
{
	static const struct { const char *key; double value; } wanted[] = {
		{ "cmds_s", (30 + 10 + 4 + 6) / 2.0 },
		{ "reads_s", 15 },
		{ "writes_s", 5 },
		{ "mbread_s", 0.5 },		/* 2048 sectors are 1 MB, in 2 s */
		{ "mbwrtn_s", 2 },
		{ "kb_rd", 1024 / 30.0 },
		{ "kb_wr", 4096 / 10.0 },
		{ "gavg", (90 + 70 + 8 + 32) / 50.0 },
		{ "gavg_rd", 3 },
		{ "gavg_wr", 7 },
		{ "gavg_disc", 2 },
		{ "gavg_fl", 32 / 6.0 },
		{ "aqu", 200 / 2000.0 },
		{ "util_pct", 35 },
		{ "actv", 9 },
		{ "dqlen", 32 },
		{ "used_pct", 900 / 32.0 },
		{ "load", 9 / 32.0 },
	};
	double cells[DISK_METRICS];
	struct object *o = object_new(&kind_disk, 0, "sda", "");
	struct row row = { .object = o, .ns = 2 * SECOND, .cells = cells };

	(void)state;
	for (size_t m = 0; m < DISK_METRICS; m++)
		cells[m] = NAN;
	cells[DISK_READS] = 30;
	cells[DISK_READ_SECTORS] = 2048;
	cells[DISK_READ_MS] = 90;
	cells[DISK_WRITES] = 10;
	cells[DISK_WRITE_SECTORS] = 8192;
	cells[DISK_WRITE_MS] = 70;
	cells[DISK_IN_FLIGHT] = 9;
	cells[DISK_BUSY_MS] = 700;
	cells[DISK_DISCARDS] = 4;
	cells[DISK_DISCARD_MS] = 8;
	cells[DISK_FLUSHES] = 6;
	cells[DISK_FLUSH_MS] = 32;
	object_label(o, LABEL_QUEUE_DEPTH, "32");
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		int c = kind_column(&kind_disk, wanted[i].key);

		assert_true(c >= 0);
		assert_float_equal(column_at(&kind_disk, c, &row), wanted[i].value, 1e-9);
	}
	/* A kernel before 4.18: no discards, no flushes; the sums are of what there is. */
	cells[DISK_DISCARDS] = cells[DISK_DISCARD_MS] = cells[DISK_FLUSHES] = cells[DISK_FLUSH_MS] = NAN;
	assert_float_equal(column_at(&kind_disk, kind_column(&kind_disk, "cmds_s"), &row), 20, 1e-9);
	assert_float_equal(column_at(&kind_disk, kind_column(&kind_disk, "gavg"), &row), 4, 1e-9);
	assert_true(isnan(column_at(&kind_disk, kind_column(&kind_disk, "disc_s"), &row)));
	/* Absent is not zero: without a count of reads there is no sum. */
	cells[DISK_READS] = NAN;
	assert_true(isnan(column_at(&kind_disk, kind_column(&kind_disk, "cmds_s"), &row)));
	/* No command, no latency. */
	cells[DISK_WRITES] = 0;
	assert_true(isnan(column_at(&kind_disk, kind_column(&kind_disk, "gavg_wr"), &row)));
	object_unref(o);
}

static void
test_percentile_of_merged_histograms(void **state)
{
	static const struct column p50 = { .key = "p50",
		.value = { .scale = 1e-6, .plus = M(TK_HIST), .per = VALUE_PERCENTILE, .q = 1 } };
	struct hist *hists[TK_METRICS] = { 0 };
	double cells[TK_METRICS] = { 0 };
	struct row row = { .ns = SECOND, .cells = cells, .hists = hists };

	(void)state;
	assert_true(isnan(column_value(&p50, &row)));
	hists[TK_HIST] = hist_new(3);
	hist_add_value(hists[TK_HIST], 4000000, 1);
	assert_float_equal(column_value(&p50, &row), 4, 1e-9);
	hist_free(hists[TK_HIST]);
}

/* What every sink counts on. */
static void
test_the_catalogue_is_sound(void **state)
{
	(void)state;
	for (size_t i = 0; kind_table[i] != NULL; i++) {
		const struct kind *kind = kind_table[i];

		assert_ptr_equal(kind_find(kind->key), kind);
		assert_true(kind->n_metrics <= KIND_MAX_METRICS);
		for (size_t m = 0; m < kind->n_metrics; m++)
			assert_int_equal(kind_metric(kind, kind->metrics[m].key), m);
		for (size_t c = 0; c < kind->n_columns; c++) {
			const struct column *column = &kind->columns[c];
			size_t help = strlen(column->help);

			assert_int_equal(kind_column(kind, column->key), c);
			assert_true((int)strlen(column->title) <= column->width);
			assert_true(help > 5 && column->help[help - 1] == '.');
			assert_int_equal(column->value.plus >> kind->n_metrics, 0);
		}
		for (size_t p = 0; p < kind->n_pdh; p++)
			for (size_t c = 0; c < kind->pdh[p].n_counters; c++) {
				const char *key = kind->pdh[p].counters[c].column;

				/* Ours, none on Linux (""), or a true zero (NULL). */
				assert_true(key == NULL || key[0] == '\0' || kind_column(kind, key) >= 0);
			}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures_of_a_disk),
		cmocka_unit_test(test_percentile_of_merged_histograms),
		cmocka_unit_test(test_the_catalogue_is_sound),
	};

	return cmocka_run_group_tests_name("core/column", tests, NULL, NULL);
}
