/* What comes, goes and returns: no number may survive from the thing before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/probes/machine.h"

static unsigned
events(const struct interval *v, enum event_type type, const char *name)
{
	unsigned n = 0;

	for (size_t i = 0; i < v->n_events; i++)
		n += v->events[i].type == type && strcmp(v->events[i].object->name, name) == 0;
	return n;
}

static void
unplugged_and_replugged_with_lower_counters(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	struct interval *v;
	uint64_t uid;

	tree_put(t, "proc/diskstats", "8 0 sda 100 0 0 0 0 0 0 0 0 0 0\n8 16 sdb 500 0 0 0 0 0 0 0 0 0 0\n");
	machine_tick(m);
	uid = machine_object(m, &kind_disk, "sdb")->uid;
	tree_put(t, "proc/diskstats", "8 0 sda 110 0 0 0 0 0 0 0 0 0 0\n");
	v = machine_interval(m);
	assert_int_equal(events(v, EVENT_DEATH, "sdb"), 1);
	assert_true(interval_named(v, &kind_disk, "sda")->cells[DISK_READS] == 10);
	assert_null(machine_object(m, &kind_disk, "sdb"));
	interval_unref(v);
	tree_put(t, "proc/diskstats", "8 0 sda 115 0 0 0 0 0 0 0 0 0 0\n8 16 sdb 600 0 0 0 0 0 0 0 0 0 0\n");
	v = machine_interval(m);
	assert_int_equal(events(v, EVENT_BIRTH, "sdb"), 1);
	assert_null(interval_named(v, &kind_disk, "sdb"));
	assert_true(interval_named(v, &kind_total, "total")->cells[DISK_READS] == 5);
	assert_int_not_equal(machine_object(m, &kind_disk, "sdb")->uid, uid);
	/* nothing tells the two apart but that one went in between */
	assert_string_equal(machine_object(m, &kind_disk, "sdb")->identity, "sdb generation 1");
	interval_unref(v);
	tree_put(t, "proc/diskstats", "8 0 sda 115 0 0 0 0 0 0 0 0 0 0\n8 16 sdb 607 0 0 0 0 0 0 0 0 0 0\n");
	v = machine_interval(m);
	assert_true(interval_named(v, &kind_disk, "sdb")->cells[DISK_READS] == 7);
	interval_unref(v);
	machine_free(m);
}

static void
the_same_disk_in_another_slot_keeps_its_identity(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	uint64_t uid;

	tree_put(t, "sys/block/sdb/device/wwid", "naa.5000\n");
	tree_put(t, "proc/diskstats", "8 16 sdb 500 0 0 0 0 0 0 0 0 0 0\n");
	machine_tick(m);
	uid = machine_object(m, &kind_disk, "sdb")->uid;
	tree_put(t, "proc/diskstats", "8 0 sda 1 0 0 0 0 0 0 0 0 0 0\n");
	machine_tick(m);
	tree_put(t, "proc/diskstats", "8 16 sdb 3 0 0 0 0 0 0 0 0 0 0\n");
	machine_tick(m);
	assert_string_equal(machine_object(m, &kind_disk, "sdb")->identity, "sdb naa.5000");
	assert_int_not_equal(machine_object(m, &kind_disk, "sdb")->uid, uid);
	machine_free(m);
}

static void
a_counter_that_goes_back(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	struct interval *v;

	tree_put(t, "proc/diskstats", "8 0 sda 100 0 800 0 50 0 0 0 0 0 0\n");
	machine_tick(m);
	tree_put(t, "proc/diskstats", "8 0 sda 105 0 840 0 49 0 0 0 0 0 0\n");
	v = machine_interval(m);
	assert_null(interval_named(v, &kind_disk, "sda"));
	assert_int_equal(events(v, EVENT_RESET, "sda"), 1);
	assert_int_equal(events(v, EVENT_BIRTH, "sda"), 0);
	interval_unref(v);
	machine_free(m);
}

/* Another disk of the same name, seen only by its WWN: its counters may even be higher. */
static void
replaced_between_two_reads(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	struct interval *v;

	tree_put(t, "sys/block/sda/device/wwid", "naa.01\n");
	tree_put(t, "proc/diskstats", "8 0 sda 100 0 0 0 0 0 0 0 0 0 0\n8 1 sda1 90 0 0 0 0 0 0 0 0 0 0\n");
	machine_tick(m);
	tree_put(t, "sys/block/sda/device/wwid", "naa.02\n");
	tree_put(t, "proc/diskstats", "8 0 sda 900 0 0 0 0 0 0 0 0 0 0\n8 1 sda1 890 0 0 0 0 0 0 0 0 0 0\n");
	machine_changed(m, "block", "sda");
	v = machine_interval(m);
	assert_null(interval_named(v, &kind_disk, "sda"));
	assert_int_equal(events(v, EVENT_DEATH, "sda"), 1);
	assert_int_equal(events(v, EVENT_BIRTH, "sda"), 1);
	assert_string_equal(machine_object(m, &kind_disk, "sda")->identity, "sda naa.02");
	assert_null(interval_named(v, &kind_partition, "sda1"));
	assert_string_equal(machine_object(m, &kind_partition, "sda1")->identity, "sda1 of sda naa.02");
	interval_unref(v);
	machine_free(m);
}

/* Nobody told us, but its counters went back, so we look: another disk. */
static void
replaced_without_a_word(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	struct interval *v;

	tree_put(t, "sys/block/sda/device/wwid", "naa.01\n");
	tree_put(t, "proc/diskstats", "8 0 sda 100 0 0 0 0 0 0 0 0 0 0\n");
	machine_tick(m);
	tree_put(t, "sys/block/sda/device/wwid", "naa.02\n");
	tree_put(t, "proc/diskstats", "8 0 sda 99 0 0 0 0 0 0 0 0 0 0\n");
	v = machine_interval(m);
	assert_int_equal(events(v, EVENT_RESET, "sda"), 0);
	assert_int_equal(events(v, EVENT_BIRTH, "sda"), 1);
	interval_unref(v);
	machine_free(m);
}

/* Kernels before 5.15 have no diskseq: another file is another thing nevertheless. */
static void
another_file_without_diskseq(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	const struct object *o;
	char before[100];

	tree_put(t, "sys/block/loop0/loop/backing_file", "/a\n");
	tree_put(t, "proc/diskstats", "7 0 loop0 5 0 0 0 0 0 0 0 0 0 0\n");
	machine_tick(m);
	snprintf(before, sizeof(before), "%s", machine_object(m, &kind_disk, "loop0")->identity);
	tree_put(t, "sys/block/loop0/loop/backing_file", "/b\n");
	machine_changed(m, "block", "loop0");
	machine_tick(m);
	o = machine_object(m, &kind_disk, "loop0");
	assert_string_equal(object_text(o, LABEL_BACKING), "/b");
	assert_string_not_equal(o->identity, before);
	machine_free(m);
}

static void
mounted_later(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	uint64_t uid;

	tree_put(t, "proc/diskstats", "8 0 sda 5 0 0 0 0 0 0 0 0 0 0\n");
	tree_put(t, "proc/1/mountinfo", "1 0 0:4 / /proc rw - proc proc rw\n");
	machine_tick(m);
	uid = machine_object(m, &kind_disk, "sda")->uid;
	assert_string_equal(machine_label(m, &kind_disk, "sda", LABEL_MOUNT), "-");
	tree_put(t, "proc/1/mountinfo", "1 0 8:0 / /mnt rw - ext4 /dev/sda rw\n");
	machine_wait(m, UINT64_C(5000000000));
	machine_tick(m);
	assert_string_equal(machine_label(m, &kind_disk, "sda", LABEL_MOUNT), "/mnt");
	assert_int_equal(machine_object(m, &kind_disk, "sda")->uid, uid);
	machine_free(m);
}

/* A loop device that gets another file is another thing; the kernel says so with a new diskseq. */
static void
a_loop_device_is_filled_again(void **state)
{
	struct tree *t = *state;
	struct interval *v;
	struct machine *m;
	uint64_t uid;

	tree_put(t, "proc/sys/kernel/random/boot_id", "b0b0\n");
	m = machine_new(t);
	tree_put(t, "sys/block/loop0/size", "0\n");
	tree_put(t, "sys/block/loop0/diskseq", "5\n");
	tree_put(t, "proc/diskstats", "7 0 loop0 0 0 0 0 0 0 0 0 0 0 0\n");
	machine_tick(m);
	uid = machine_object(m, &kind_disk, "loop0")->uid;
	assert_true(machine_object(m, &kind_disk, "loop0")->hidden);
	assert_true(machine_object(m, &kind_adapter, "loop")->hidden);
	assert_string_equal(machine_object(m, &kind_disk, "loop0")->identity, "loop0 boot b0b0 disk 5");
	tree_put(t, "sys/block/loop0/size", "64\n");
	tree_put(t, "sys/block/loop0/diskseq", "9\n");
	machine_tick(m);
	assert_int_equal(machine_object(m, &kind_disk, "loop0")->uid, uid);
	machine_changed(m, "block", "loop0");
	v = machine_interval(m);
	assert_int_not_equal(machine_object(m, &kind_disk, "loop0")->uid, uid);
	assert_false(machine_object(m, &kind_disk, "loop0")->hidden);
	assert_false(machine_object(m, &kind_adapter, "loop")->hidden);
	assert_string_equal(machine_object(m, &kind_disk, "loop0")->identity, "loop0 boot b0b0 disk 9");
	assert_string_equal(machine_label(m, &kind_disk, "loop0", LABEL_SIZE_BYTES), "32768");
	interval_unref(v);
	machine_free(m);
}

/* Without uevents a hidden device shows itself by its first I/O. */
static void
hidden_until_it_does_io(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);

	tree_put(t, "sys/block/loop0/size", "0\n");
	tree_put(t, "proc/diskstats", "7 0 loop0 0 0 0 0 0 0 0 0 0 0 0\n1 0 ram0 0 0 0 0 0 0 0 0 0 0 0\n");
	machine_tick(m);
	tree_put(t, "sys/block/loop0/size", "64\n");
	tree_put(t, "proc/diskstats", "7 0 loop0 2 0 16 0 0 0 0 0 0 0 0\n1 0 ram0 0 0 0 0 3 0 8 0 0 0 0\n");
	machine_tick(m);
	assert_false(machine_object(m, &kind_disk, "loop0")->hidden);
	assert_false(machine_object(m, &kind_disk, "ram0")->hidden);
	machine_free(m);
}

/* 32-bit milliseconds: 4294967290 + 26 = 4294967316 = 2^32 + 20. */
static void
a_tick_column_wraps(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	struct interval *v;

	tree_put(t, "proc/diskstats", "8 0 sda 10 0 80 4294967290 0 0 0 0 0 100 4294967290\n");
	machine_tick(m);
	tree_put(t, "proc/diskstats", "8 0 sda 12 0 96 20 0 0 0 0 0 126 20\n");
	v = machine_interval(m);
	assert_true(interval_named(v, &kind_disk, "sda")->cells[DISK_READ_MS] == 26);
	assert_true(interval_named(v, &kind_disk, "sda")->cells[DISK_READS] == 2);
	assert_int_equal(v->n_events, 0);
	interval_unref(v);
	machine_free(m);
}

/* When devices come and go between two parts of the read, lines can be there twice; the first counts. */
static void
lines_that_are_there_twice(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);

	tree_put(t, "proc/diskstats", "8 0 sda 10 0 0 0 0 0 0 0 0 0 0\n8 16 sdb 20 0 0 0 0 0 0 0 0 0 0\n"
				      "8 0 sda 11 0 0 0 0 0 0 0 0 0 0\n");
	machine_tick(m);
	assert_int_equal(snapshot_find(m->last, &kind_disk)->n, 2);
	assert_int_equal(machine_cells(m, &kind_disk, "sda")[DISK_READS], 10);
	machine_free(m);
}

static void
lines_that_move(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	struct interval *v;

	tree_put(t, "proc/diskstats", "8 0 sda 10 0 0 0 0 0 0 0 0 0 0\n8 16 sdb 20 0 0 0 0 0 0 0 0 0 0\n"
				      "8 32 sdc 30 0 0 0 0 0 0 0 0 0 0\n");
	machine_tick(m);
	tree_put(t, "proc/diskstats", "8 32 sdc 33 0 0 0 0 0 0 0 0 0 0\n8 0 sda 11 0 0 0 0 0 0 0 0 0 0\n"
				      "8 16 sdb 22 0 0 0 0 0 0 0 0 0 0\n");
	v = machine_interval(m);
	assert_int_equal(v->n_events, 0);
	assert_true(interval_named(v, &kind_disk, "sda")->cells[DISK_READS] == 1);
	assert_true(interval_named(v, &kind_disk, "sdb")->cells[DISK_READS] == 2);
	assert_true(interval_named(v, &kind_disk, "sdc")->cells[DISK_READS] == 3);
	interval_unref(v);
	machine_free(m);
}

/* A disk that goes takes its partitions along, and the map above it stays whole. */
static void
a_path_that_goes(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);

	tree_put(t, "sys/block/dm-0/dm/uuid", "mpath-3600a\n");
	tree_link(t, "sys/block/dm-0/slaves/sda", "x");
	tree_link(t, "sys/block/dm-0/slaves/sdb", "x");
	tree_put(t, "proc/diskstats", "8 0 sda 1 0 0 0 0 0 0 0 0 0 0\n8 1 sda1 1 0 0 0 0 0 0 0 0 0 0\n"
				      "8 16 sdb 1 0 0 0 0 0 0 0 0 0 0\n253 0 dm-0 1 0 0 0 0 0 0 0 0 0 0\n");
	machine_tick(m);
	tree_remove(t, "sys/block/dm-0/slaves/sda");
	tree_put(t, "proc/diskstats", "8 16 sdb 1 0 0 0 0 0 0 0 0 0 0\n253 0 dm-0 1 0 0 0 0 0 0 0 0 0 0\n");
	machine_changed(m, "block", "dm-0");
	machine_tick(m);
	assert_null(machine_object(m, &kind_partition, "sda1"));
	assert_int_equal(machine_object(m, &kind_disk, "dm-0")->role, ROLE_HEAD);
	assert_int_equal(machine_object(m, &kind_disk, "sdb")->role, ROLE_PATH);
	assert_string_equal(machine_label(m, &kind_disk, "dm-0", LABEL_SLAVES), "sdb");
	/* the last one too: the map waits for them, it is no other thing */
	tree_remove(t, "sys/block/dm-0/slaves/sdb");
	tree_put(t, "proc/diskstats", "253 0 dm-0 1 0 0 0 0 0 0 0 0 0 0\n");
	machine_changed(m, NULL, NULL);
	machine_tick(m);
	assert_int_equal(machine_object(m, &kind_disk, "dm-0")->role, ROLE_HEAD);
	assert_null(machine_object(m, &kind_adapter, "scsi"));
	machine_free(m);
}

static void
many_come_and_go(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);

	for (unsigned round = 0; round < 20; round++) {
		char stats[20000] = "";
		size_t len = 0;

		for (unsigned i = 0; i < 200; i++)
			if ((i + round) % 3 != 0)
				len += (size_t)sprintf(stats + len, "7 %u loop%u %u 0 0 0 0 0 0 0 0 0 0\n", i, i, round + i);
		tree_put(t, "proc/diskstats", "%s", stats);
		if (round == 0) {
			machine_tick(m);
			continue;
		}
		struct interval *v = machine_interval(m);
		const struct interval_table *disks = interval_table(v, &kind_disk);

		/* Those here in both rounds: one read each. 200 = 66 + 67 + 67 by remainders. */
		assert_in_range(disks->n, 66, 67);
		for (size_t i = 0; i < disks->n; i++)
			assert_true(disks->rows[i].cells[DISK_READS] == 1);
		interval_unref(v);
	}
	machine_free(m);
}

static void
a_probe_without_anything_says_so(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	struct stamp stamp = { .mono_ns = 1 };
	struct snapshot *s = snapshot_new(&stamp);

	assert_true(probe_block.sample(m->probes[0], s) < 0);
	assert_non_null(strstr(m->probes[0]->why, "/proc/diskstats"));
	snapshot_free(s);
	tree_put(t, "proc/diskstats", "8 0 sda 1 0 0 0 0 0 0 0 0 0 0\n8 16 sdb what\n");
	machine_tick(m);
	assert_string_equal(m->probes[0]->why, "/proc/diskstats: 1 lines not understood");
	machine_free(m);
}

/* Bit by bit, at least one device a tick, and in the end all is there. */
static void
details_within_a_budget(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	unsigned known = 0;

	t->env.detail_budget_ns = 0;
	for (int i = 0; i < 5; i++) {
		char path[60];

		snprintf(path, sizeof(path), "sys/block/sd%c/queue/rotational", 'a' + i);
		tree_put(t, path, "%d\n", i % 2);
	}
	tree_put(t, "proc/diskstats", "8 0 sda 1 0 0 0 0 0 0 0 0 0 0\n8 16 sdb 1 0 0 0 0 0 0 0 0 0 0\n"
				      "8 32 sdc 1 0 0 0 0 0 0 0 0 0 0\n8 48 sdd 1 0 0 0 0 0 0 0 0 0 0\n"
				      "8 64 sde 1 0 0 0 0 0 0 0 0 0 0\n");
	machine_tick(m);
	for (int i = 0; i < 5; i++) {
		char name[4] = { 's', 'd', (char)('a' + i), '\0' };

		known += strcmp(machine_label(m, &kind_disk, name, LABEL_ROTATIONAL), "-") != 0;
	}
	assert_in_range(known, 0, 1);
	for (int tick = 0; tick < 6; tick++)
		machine_tick(m);
	assert_string_equal(machine_label(m, &kind_disk, "sda", LABEL_CLASS), "flash");
	assert_string_equal(machine_label(m, &kind_disk, "sdd", LABEL_CLASS), "rotational");
	assert_string_equal(machine_label(m, &kind_disk, "sde", LABEL_CLASS), "flash");
	machine_free(m);
}

#define TREE_TEST(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(unplugged_and_replugged_with_lower_counters),
		TREE_TEST(the_same_disk_in_another_slot_keeps_its_identity),
		TREE_TEST(a_counter_that_goes_back),
		TREE_TEST(replaced_between_two_reads),
		TREE_TEST(replaced_without_a_word),
		TREE_TEST(another_file_without_diskseq),
		TREE_TEST(mounted_later),
		TREE_TEST(a_loop_device_is_filled_again),
		TREE_TEST(hidden_until_it_does_io),
		TREE_TEST(a_tick_column_wraps),
		TREE_TEST(lines_that_are_there_twice),
		TREE_TEST(lines_that_move),
		TREE_TEST(a_path_that_goes),
		TREE_TEST(many_come_and_go),
		TREE_TEST(a_probe_without_anything_says_so),
		TREE_TEST(details_within_a_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
