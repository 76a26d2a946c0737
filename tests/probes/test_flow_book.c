/*
 * What flows become in the model, worked out by hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/column.h"
#include "core/interval.h"
#include "core/kinds/kinds.h"
#include "probes/flow_book.h"
#include "tests/nan_fails.h"
#include "tests/probes/drive.h"

#define MS UINT64_C(1000000)
#define WRITE_10 0x2a

static double
figure(const struct interval *v, const struct kind *kind, const char *key)
{
	const struct interval_table *t = interval_table(v, kind);

	assert_non_null(t);
	assert_int_equal(t->n, 1);
	return column_figure(&t->rows[0], key);
}

static struct snapshot *
snapshot_of(struct flow_book *book, const struct wire_flow *flow, uint64_t seconds, uint64_t missed)
{
	struct snapshot *s = snapshot_new(&(struct stamp){ .mono_ns = seconds * 1000 * MS });
	struct flow_tables tables = flow_tables_of(s);

	flow_book_put(book, flow, flow != NULL, missed, &tables);
	return s;
}

/* Of four writes three waited for the target, and the data of two was seen: a row of operations, and of the flow. */
static void
test_whose_time_a_write_was(void **state)
{
	struct wire_op op = { .op = WRITE_10, .calls = 4, .replies = 4, .bytes = 4 * 8192,
		.r2t_count = 3, .r2t_sum_ns = 12 * MS, .data_count = 2, .data_sum_ns = 10 * MS };
	struct wire_flow flow = { .uid = 1, .protocol = WIRE_ISCSI, .name = "iqn.2026-01.lab:t1", .initiator = "", .ops = &op, .n_ops = 1 };
	struct wire_flow none = flow;
	struct flow_book book = { .interface = "lo" };
	struct snapshot *before, *after;
	struct interval *v;

	(void)state;
	none.n_ops = 0;
	before = snapshot_of(&book, &none, 1, 0);
	after = snapshot_of(&book, &flow, 3, 0);
	v = interval_diff(before, after);
	interval_rollup(v);
	assert_float_equal(figure(v, &kind_iscsi_flow_op, "r2t"), 4, 1e-9);
	assert_float_equal(figure(v, &kind_iscsi_flow_op, "data"), 5, 1e-9);
	assert_float_equal(figure(v, &kind_iscsi_flow, "r2t"), 4, 1e-9);
	assert_float_equal(figure(v, &kind_iscsi_flow, "data"), 5, 1e-9);
	assert_float_equal(figure(v, &kind_iscsi_flow, "writes_s"), 2, 1e-9);
	interval_unref(v);
	snapshot_free(before);
	snapshot_free(after);
	flow_book_clear(&book);
}

/* What was missed before a flow was there is not its own; what was missed since marks it in that interval alone. */
static void
test_incomplete(void **state)
{
	static const struct {
		uint64_t missed;
		bool incomplete;
	} ticks[] = { { 7, false }, { 7, false }, { 9, true }, { 9, false } };
	struct wire_op op[2] = { { .op = 6, .calls = 1, .replies = 1 }, { .op = 7, .calls = 1, .replies = 1 } };
	struct wire_flow flow = { .uid = 1, .protocol = WIRE_NFS3, .name = "", .initiator = "", .ops = op, .n_ops = 2 };
	struct flow_book book = { .interface = "lo" };
	struct snapshot *before = snapshot_of(&book, NULL, 1, 5);

	(void)state;
	for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
		struct snapshot *after = snapshot_of(&book, &flow, 3 + 2 * i, ticks[i].missed);
		struct interval *v = interval_diff(before, after);
		double mark;

		interval_rollup(v);
		mark = figure(v, &kind_nfs_flow, "incomplete");
		assert_true(ticks[i].incomplete ? mark == 1 : isnan(mark));
		interval_unref(v);
		snapshot_free(before);
		before = after;
	}
	snapshot_free(before);
	flow_book_clear(&book);
}

/* Of what is encrypted it is not known how much was moved, and of compounds not whether they read or write: that is not 0. */
static void
test_encrypted(void **state)
{
	struct wire_op op[2] = { { .op = 6, .replies = 4, .sealed = true }, { .op = 7, .replies = 2, .bytes = 1 << 20 } };
	struct wire_op op4[2] = { { .op = 1, .replies = 4 }, { .op = 2, .replies = 4, .sealed = true } };
	struct wire_flow v3 = { .uid = 1, .protocol = WIRE_NFS3, .name = "", .initiator = "", .ops = op, .n_ops = 2 };
	struct wire_flow v4 = { .uid = 2, .protocol = WIRE_NFS4, .name = "", .initiator = "", .ops = op4, .n_ops = 2 };
	const struct wire_flow *flows[] = { &v3, &v4 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct flow_book book = { .interface = "lo" };
		struct snapshot *before = snapshot_of(&book, NULL, 1, 0), *after = snapshot_of(&book, flows[i], 3, 0);
		struct interval *v = interval_diff(before, after);

		interval_rollup(v);
		assert_float_equal(figure(v, &kind_nfs_flow, "cmds_s"), i == 0 ? 3 : 2, 1e-9);
		assert_true(isnan(figure(v, &kind_nfs_flow, "mbread_s")));
		assert_true(isnan(figure(v, &kind_nfs_flow, "reads_s")) == (i == 1));
		assert_true(isnan(figure(v, &kind_nfs_flow, "writes_s")) == (i == 1));
		assert_true(isnan(figure(v, &kind_nfs_flow, "mbwrtn_s")) == (i == 1));
		interval_unref(v);
		snapshot_free(before);
		snapshot_free(after);
		flow_book_clear(&book);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whose_time_a_write_was),
		cmocka_unit_test(test_incomplete),
		cmocka_unit_test(test_encrypted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
