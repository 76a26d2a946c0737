#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/kinds/kinds.h"
#include "session/verdict.h"

#define SECOND UINT64_C(1000000000)

/* A machine of a few devices; each test says what they did. */
enum { FLASH, LUN, ADAPTER, PARTITION, LAYER, OBJECTS };

struct scene {
	struct verdicts *verdicts;
	struct object *objects[OBJECTS];
	struct interval *last;
};

static const struct kind *const kinds[] = { &kind_adapter, &kind_disk, &kind_partition };

static int
scene_make(void **state)
{
	static struct scene s;

	s = (struct scene) { .verdicts = verdicts_new(NULL) };
	s.objects[ADAPTER] = object_new(&kind_adapter, 0, "host6", "host6");
	s.objects[FLASH] = object_new(&kind_disk, 0, "nvme0n1", "a");
	s.objects[LUN] = object_new(&kind_disk, 0, "sdf", "b");
	s.objects[PARTITION] = object_new(&kind_partition, 0, "nvme0n1p1", "c");
	s.objects[LAYER] = object_new(&kind_disk, 0, "dm-1", "d");
	object_label(s.objects[FLASH], LABEL_CLASS, "flash");
	object_label(s.objects[LUN], LABEL_CLASS, "san");
	object_label(s.objects[LUN], LABEL_TRANSPORT, "iscsi");
	object_label(s.objects[LAYER], LABEL_CLASS, "flash");
	s.objects[LUN]->counts_in = s.objects[ADAPTER]->uid;
	s.objects[PARTITION]->parent = s.objects[FLASH]->uid;
	s.objects[LAYER]->parent = s.objects[FLASH]->uid;
	s.objects[LAYER]->role = ROLE_LAYER;
	*state = &s;
	return 0;
}

static int
scene_remove(void **state)
{
	struct scene *s = *state;

	verdicts_free(s->verdicts);
	for (int i = 0; i < OBJECTS; i++)
		object_unref(s->objects[i]);
	interval_unref(s->last);
	return 0;
}

/* What an object did in an interval of two seconds. */
struct did {
	int object;
	double reads, ms;	/* ms: of one read */
	double in_flight;
	uint64_t stalled_s;
	double below_ms;	/* of one read of the device below; 0: not known */
};

static void
fill(struct row *row, struct object *o, const struct did *d)
{
	row->object = object_ref(o);
	row->ns = 2 * SECOND;
	row->stalled_ns = d->stalled_s * SECOND;
	for (int i = 0; i < DISK_DIRECT; i++)
		row->cells[i] = 0;
	row->cells[DISK_READS] = d->reads;
	row->cells[DISK_READ_MS] = d->reads * d->ms;
	row->cells[DISK_IN_FLIGHT] = d->in_flight;
	if (d->below_ms > 0) {
		row->cells[DISK_DEV_IOS] = d->reads;
		row->cells[DISK_DEV_MS] = d->reads * d->below_ms;
	}
}

static void
feed(struct scene *s, const struct did *list, size_t n)
{
	struct stamp end = { .mono_ns = 1 };

	interval_unref(s->last);
	s->last = interval_new(&end, 2 * SECOND);
	for (size_t k = 0; k < 3; k++) {
		size_t rows = 0, at = 0;
		struct interval_table *t;

		for (size_t i = 0; i < n; i++)
			rows += s->objects[list[i].object]->kind == kinds[k];
		t = interval_make_table(s->last, kinds[k], rows, 2 * SECOND);
		for (size_t i = 0; i < n; i++)
			if (s->objects[list[i].object]->kind == kinds[k])
				fill(&t->rows[at++], s->objects[list[i].object], &list[i]);
	}
	verdicts_feed(s->verdicts, s->last);
}

static void
feed_one(struct scene *s, struct did d)
{
	feed(s, &d, 1);
}

static enum severity
cell(struct scene *s, int object, double ms)
{
	const struct object *o = s->objects[object];

	return verdicts_cell(s->verdicts, interval_row(s->last, o->kind, o->uid), ms);
}

/* Flash: 2 and 10 ms; judged after three intervals of at least ten I/Os. */
static void
test_three_intervals_over_the_threshold(void **state)
{
	struct scene *s = *state;
	const struct verdict *v;

	feed_one(s, (struct did) { .object = FLASH, .reads = 10, .ms = 3.5 });
	feed_one(s, (struct did) { .object = FLASH, .reads = 10, .ms = 3.5 });
	assert_int_equal(verdicts_count(s->verdicts), 0);
	assert_int_equal(cell(s, FLASH, 3.5), SEVERITY_NONE);
	feed_one(s, (struct did) { .object = FLASH, .reads = 10, .ms = 3.5 });
	assert_int_equal(verdicts_count(s->verdicts), 1);
	v = verdicts_get(s->verdicts, 0);
	assert_int_equal(v->severity, SEVERITY_WARN);
	assert_ptr_equal(v->object, s->objects[FLASH]);
	assert_int_equal(v->since_ns, 6 * SECOND);
	assert_string_equal(v->text, "GAVG 3.5 ms, over 2: host or device: not known");
	assert_int_equal(cell(s, FLASH, 2), SEVERITY_NONE);
	assert_int_equal(cell(s, FLASH, 2.1), SEVERITY_WARN);
	assert_int_equal(cell(s, FLASH, 10.1), SEVERITY_CRIT);
	assert_null(verdicts_get(s->verdicts, 1));
}

static void
test_few_ios_are_not_judged(void **state)
{
	struct scene *s = *state;

	for (int i = 0; i < 5; i++)
		feed_one(s, (struct did) { .object = FLASH, .reads = 9, .ms = 300 });
	assert_int_equal(verdicts_count(s->verdicts), 0);
	assert_int_equal(cell(s, FLASH, 300), SEVERITY_NONE);
}

static void
test_one_good_interval_ends_it(void **state)
{
	struct scene *s = *state;

	for (int i = 0; i < 4; i++)
		feed_one(s, (struct did) { .object = FLASH, .reads = 50, .ms = 12 });
	assert_int_equal(verdicts_get(s->verdicts, 0)->severity, SEVERITY_CRIT);
	assert_int_equal(verdicts_get(s->verdicts, 0)->since_ns, 8 * SECOND);
	feed_one(s, (struct did) { .object = FLASH, .reads = 50, .ms = 1 });
	assert_int_equal(verdicts_count(s->verdicts), 0);
	feed_one(s, (struct did) { .object = FLASH, .reads = 50, .ms = 12 });
	assert_int_equal(verdicts_count(s->verdicts), 0);
	/* a cell is marked at once: the row has been judged all along */
	assert_int_equal(cell(s, FLASH, 12), SEVERITY_CRIT);
}

static void
test_classes_differ(void **state)
{
	struct scene *s = *state;

	for (int i = 0; i < 3; i++)
		feed_one(s, (struct did) { .object = LUN, .reads = 50, .ms = 9.9 });
	assert_int_equal(verdicts_count(s->verdicts), 0);
	for (int i = 0; i < 3; i++)
		feed_one(s, (struct did) { .object = LUN, .reads = 50, .ms = 48.24 });
	assert_string_equal(verdicts_get(s->verdicts, 0)->text,
	    "GAVG 48.2 ms, over 25: host, network or target: not known");
}

static void
test_says_which_side_where_it_is_known(void **state)
{
	struct scene *s = *state;

	for (int i = 0; i < 3; i++)
		feed_one(s, (struct did) { .object = LUN, .reads = 50, .ms = 30, .below_ms = 29 });
	assert_string_equal(verdicts_get(s->verdicts, 0)->text,
	    "GAVG 30.0 ms, over 25: below the initiator, network or target");
	feed_one(s, (struct did) { .object = LUN, .reads = 50, .ms = 30, .below_ms = 3 });
	assert_string_equal(verdicts_get(s->verdicts, 0)->text, "GAVG 30.0 ms, over 25: this host, above the driver");
	for (int i = 0; i < 3; i++)
		feed_one(s, (struct did) { .object = FLASH, .reads = 50, .ms = 4, .below_ms = 4 });
	assert_string_equal(verdicts_get(s->verdicts, 0)->text, "GAVG 4.0 ms, over 2: the device");
}

/* A layer is named only when the time goes in the layer. */
static void
test_layers(void **state)
{
	struct scene *s = *state;
	const struct did device_is_slow[] = {
		{ .object = FLASH, .reads = 50, .ms = 6 }, { .object = LAYER, .reads = 50, .ms = 6.1, .below_ms = 6 },
	};
	const struct did layer_is_slow[] = {
		{ .object = FLASH, .reads = 50, .ms = 0.1 }, { .object = LAYER, .reads = 50, .ms = 6, .below_ms = 0.1 },
	};

	for (int i = 0; i < 3; i++)
		feed(s, device_is_slow, 2);
	assert_int_equal(verdicts_count(s->verdicts), 1);
	assert_ptr_equal(verdicts_get(s->verdicts, 0)->object, s->objects[FLASH]);
	for (int i = 0; i < 3; i++)
		feed(s, layer_is_slow, 2);
	assert_int_equal(verdicts_count(s->verdicts), 1);
	assert_ptr_equal(verdicts_get(s->verdicts, 0)->object, s->objects[LAYER]);
}

/* Partitions are judged by their disk, adapters by the most patient of their devices. */
static void
test_rows_without_a_class_inherit(void **state)
{
	struct scene *s = *state;
	const struct did list[] = {
		{ .object = ADAPTER, .reads = 50, .ms = 30 }, { .object = FLASH, .reads = 50, .ms = 5 }, { .object = LUN, .reads = 50, .ms = 30 }, { .object = PARTITION, .reads = 50, .ms = 5 },
	};

	for (int i = 0; i < 3; i++)
		feed(s, list, 4);
	assert_int_equal(cell(s, PARTITION, 5), SEVERITY_WARN);
	assert_int_equal(cell(s, PARTITION, 1.9), SEVERITY_NONE);
	assert_int_equal(cell(s, ADAPTER, 9), SEVERITY_NONE);
	assert_int_equal(cell(s, ADAPTER, 30), SEVERITY_CRIT);
	/* but only devices have a verdict of their own */
	assert_int_equal(verdicts_count(s->verdicts), 2);
}

static void
test_stalls_come_first(void **state)
{
	struct scene *s = *state;
	const struct did list[] = {
		{ .object = FLASH, .reads = 50, .ms = 20 }, { .object = LUN, .reads = 0, .ms = 0, .in_flight = 32, .stalled_s = 41 },
	};

	for (int i = 0; i < 3; i++)
		feed(s, list, 2);
	assert_int_equal(verdicts_count(s->verdicts), 2);
	assert_int_equal(verdicts_stalled(s->verdicts), 1);
	assert_ptr_equal(verdicts_get(s->verdicts, 0)->object, s->objects[LUN]);
	assert_int_equal(verdicts_get(s->verdicts, 0)->stalled_ns, 41 * SECOND);
	assert_string_equal(verdicts_get(s->verdicts, 0)->text, "32 in flight, nothing completed for 41 s");
	assert_int_equal(cell(s, LUN, 0), SEVERITY_CRIT);
	assert_ptr_equal(verdicts_get(s->verdicts, 1)->object, s->objects[FLASH]);
}

/* One stall, told once: not again for the partition and the layer on the same disk. */
static void
test_stall_is_told_once(void **state)
{
	struct scene *s = *state;
	const struct did list[] = {
		{ .object = FLASH, .reads = 0, .ms = 0, .in_flight = 4, .stalled_s = 4 }, { .object = PARTITION, .reads = 0, .ms = 0, .in_flight = 4, .stalled_s = 4 },
		{ .object = LAYER, .reads = 0, .ms = 0, .in_flight = 4, .stalled_s = 4 },
	};
	const struct did layer_alone[] = {
		{ .object = FLASH, .reads = 50, .ms = 0.1 }, { .object = LAYER, .reads = 0, .ms = 0, .in_flight = 4, .stalled_s = 4 },
	};

	feed(s, list, 3);
	assert_int_equal(verdicts_stalled(s->verdicts), 1);
	assert_ptr_equal(verdicts_get(s->verdicts, 0)->object, s->objects[FLASH]);
	feed(s, layer_alone, 2);
	assert_int_equal(verdicts_stalled(s->verdicts), 1);
	assert_ptr_equal(verdicts_get(s->verdicts, 0)->object, s->objects[LAYER]);
}

static void
test_lost_paths(void **state)
{
	struct scene *s = *state;

	object_label(s->objects[LUN], LABEL_PATHS, "3/4");
	feed_one(s, (struct did) { .object = LUN, .reads = 0, .ms = 0 });
	feed_one(s, (struct did) { .object = LUN, .reads = 0, .ms = 0 });
	assert_int_equal(verdicts_count(s->verdicts), 1);
	assert_int_equal(verdicts_get(s->verdicts, 0)->severity, SEVERITY_WARN);
	assert_string_equal(verdicts_get(s->verdicts, 0)->text, "1 of 4 paths lost");
	assert_int_equal(verdicts_get(s->verdicts, 0)->since_ns, 4 * SECOND);
	object_label(s->objects[LUN], LABEL_PATHS, "0/4");
	feed_one(s, (struct did) { .object = LUN, .reads = 0, .ms = 0 });
	assert_int_equal(verdicts_get(s->verdicts, 0)->severity, SEVERITY_CRIT);
	assert_string_equal(verdicts_get(s->verdicts, 0)->text, "none of 4 paths is usable");
	object_label(s->objects[LUN], LABEL_PATHS, "4/4");
	feed_one(s, (struct did) { .object = LUN, .reads = 0, .ms = 0 });
	assert_int_equal(verdicts_count(s->verdicts), 0);
}

/* A flow is measured between request and reply: what is between is all that is known, and the column has its own name. */
static void
test_flows(void **state)
{
	static const struct { const struct kind *kind; const char *class_key; uint64_t stalled_s; const char *text; } cases[] = {
		{ &kind_nfs_flow, "nfs", 0, "DAVG 30.0 ms, over 25: network or server" },
		{ &kind_nfs_flow, "nfs", 6, "5 in flight, nothing completed for 6 s: network or server" },
		{ &kind_iscsi_flow, "san", 0, "DAVG 30.0 ms, over 25: network or target" },
		{ &kind_iscsi_flow, "san", 6, "5 in flight, nothing completed for 6 s: network or target" },
	};
	struct stamp end = { .wall_ms = 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct verdicts *v = verdicts_new(NULL);
		struct interval *interval = interval_new(&end, 2 * SECOND);
		struct row *row = interval_make_table(interval, cases[i].kind, 1, 2 * SECOND)->rows;

		row->object = object_new(cases[i].kind, 0, "a > b", "");
		object_label(row->object, LABEL_CLASS, cases[i].class_key);
		row->ns = 2 * SECOND;
		row->stalled_ns = cases[i].stalled_s * SECOND;
		for (size_t m = 0; m < cases[i].kind->n_metrics; m++)
			row->cells[m] = 0;
		row->cells[FLOW_COMMANDS] = row->cells[FLOW_TIMED] = 100;
		row->cells[FLOW_NS] = 100 * 30e6;
		row->cells[FLOW_IN_FLIGHT] = 5;
		for (int k = 0; k < 3; k++)
			verdicts_feed(v, interval);
		assert_int_equal(verdicts_count(v), 1);
		assert_string_equal(verdicts_get(v, 0)->text, cases[i].text);
		interval_unref(interval);
		verdicts_free(v);
	}
}

/* Network or server? What TCP tells of the mount's connection decides, where it tells. */
static void
test_nfs_and_tcp(void **state)
{
	static const struct {
		uint64_t stalled_s;
		double rtt_us, again, queue;	/* of 1000 segments; negative: not known */
		const char *text;
	} cases[] = {
		{ 0, -1, -1, -1, "GAVG 20.0 ms, over 10: network or server" },
		{ 0, 300, 0, 0, "GAVG 20.0 ms, over 10: server, the network's round trip is 0.30 ms" },
		{ 0, 12000, 0, 0, "GAVG 20.0 ms, over 10: network, round trip 12.0 ms" },
		{ 0, 300, 15, 0, "GAVG 20.0 ms, over 10: network, 1.5 % of the segments sent again" },
		{ 6, -1, -1, -1, "5 in flight, nothing completed for 6 s: network or server" },
		{ 6, 300, 0, 2048, "5 in flight, nothing completed for 6 s: network or the server's host, 2.0 KB not acknowledged" },
		{ 6, 300, 0, 0, "5 in flight, nothing completed for 6 s: server, its host has acknowledged all that was sent" },
	};
	struct stamp end = { .wall_ms = 0 };
	struct object *o = object_new(&kind_nfs_mount, 0, "/mnt/vol1", "");

	(void)state;
	object_label(o, LABEL_CLASS, "nfs");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct verdicts *v = verdicts_new(NULL);
		struct interval *interval = interval_new(&end, 2 * SECOND);
		struct row *row = interval_make_table(interval, &kind_nfs_mount, 1, 2 * SECOND)->rows;

		row->object = object_ref(o);
		row->ns = 2 * SECOND;
		row->stalled_ns = cases[i].stalled_s * SECOND;
		row->cells[NFS_READS] = 100;
		row->cells[NFS_READ_MS] = 2000;
		row->cells[NFS_WRITES] = row->cells[NFS_WRITE_MS] = row->cells[NFS_COMMITS] = row->cells[NFS_COMMIT_MS] = 0;
		row->cells[NFS_IO_RTT_MS] = 1990;
		row->cells[NFS_IN_FLIGHT] = 5;
		if (cases[i].rtt_us >= 0) {
			row->cells[NFS_TCP + TCP_SEEN] = 1;
			row->cells[NFS_TCP + TCP_RTT_US] = cases[i].rtt_us;
			row->cells[NFS_TCP + TCP_SEGMENTS] = 1000;
			row->cells[NFS_TCP + TCP_RETRANSMITTED] = cases[i].again;
			row->cells[NFS_TCP + TCP_SEND_QUEUE] = cases[i].queue;
		}
		for (int k = 0; k < 3; k++)
			verdicts_feed(v, interval);
		assert_int_equal(verdicts_count(v), 1);
		assert_string_equal(verdicts_get(v, 0)->text, cases[i].text);
		interval_unref(interval);
		verdicts_free(v);
	}
	object_unref(o);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scene_make, scene_remove)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_three_intervals_over_the_threshold),
		TEST(test_few_ios_are_not_judged),
		TEST(test_one_good_interval_ends_it),
		TEST(test_classes_differ),
		TEST(test_says_which_side_where_it_is_known),
		TEST(test_layers),
		TEST(test_rows_without_a_class_inherit),
		TEST(test_stalls_come_first),
		TEST(test_stall_is_told_once),
		cmocka_unit_test(test_nfs_and_tcp),
		cmocka_unit_test(test_flows),
		TEST(test_lost_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
