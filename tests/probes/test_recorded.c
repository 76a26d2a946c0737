/* The block probe on systems recorded by others (sysstat, PCP, util-linux), if they are at hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/probes/machine.h"
#include "tests/probes/recorded.h"

/* A machine in the unpacked archive, or the test is skipped. */
static struct machine *
unpack(struct tree *t, const char *archive, const char *below)
{
	if (!recorded_unpack(archive, t->root))
		skip();
	strncat(t->root, below, sizeof(t->root) - strlen(t->root) - 1);
	return machine_new(t);
}

/* Back to the root that is removed afterwards. */
static void
done(struct machine *m)
{
	struct tree *t = m->tree;

	machine_free(m);
	t->root[strlen("/tmp/stortop-tree-XXXXXX")] = '\0';
}

static size_t
count(const struct machine *m, const struct kind *kind)
{
	return snapshot_find(m->last, kind)->n;
}

static const char *
adapter_of(const struct machine *m, const char *disk)
{
	const struct object *o = machine_object(m, &kind_disk, disk);
	const struct snapshot_table *adapters = snapshot_find(m->last, &kind_adapter);

	assert_non_null(o);
	for (size_t i = 0; i < adapters->n; i++)
		if (adapters->objects[i]->uid == o->counts_in)
			return adapters->objects[i]->name;
	return "-";
}

static enum object_role
role_of(const struct machine *m, const char *disk)
{
	const struct object *o = machine_object(m, &kind_disk, disk);

	assert_non_null(o);
	return o->role;
}

static void
scsi_map(void **state)
{
	struct machine *m = unpack(*state, "sysroot/pcp-scsi-map-root-001.tgz", "");
	const char *const paths[] = { "sdb", "sdc", "sdd", "sde" };

	machine_tick(m);
	assert_int_equal(count(m, &kind_disk), 13);
	assert_int_equal(count(m, &kind_partition), 2);
	assert_string_equal(adapter_of(m, "nvme0n1"), "nvme0");
	assert_string_equal(adapter_of(m, "sda"), "host0");
	assert_string_equal(machine_label(m, &kind_adapter, "host0", LABEL_DRIVER), "usb-storage");
	assert_string_equal(machine_label(m, &kind_adapter, "host0", LABEL_TRANSPORT), "usb");
	/* no slaves in this tree: the paths are known by their WWN */
	assert_int_equal(role_of(m, "dm-3"), ROLE_HEAD);
	assert_string_equal(machine_label(m, &kind_disk, "dm-3", LABEL_PATHS), "4/4");
	for (int i = 0; i < 4; i++)
		assert_int_equal(role_of(m, paths[i]), ROLE_PATH);
	assert_string_equal(machine_label(m, &kind_disk, "dm-1", LABEL_MAPPER), "shack-root");
	assert_int_equal(role_of(m, "dm-1"), ROLE_LAYER);
	assert_false(machine_object(m, &kind_disk, "zram0")->hidden);
	assert_true(machine_object(m, &kind_disk, "zram1")->hidden);
	done(m);
}

static void
lvm_on_loop_devices(void **state)
{
	struct machine *m = unpack(*state, "sysroot/utillinux-simple-lvm.tar.xz", "/simple-lvm");

	machine_tick(m);
	assert_int_equal(count(m, &kind_disk), 8);
	assert_int_equal(count(m, &kind_partition), 10);
	assert_int_equal(role_of(m, "dm-0"), ROLE_LAYER);
	assert_string_equal(machine_label(m, &kind_disk, "dm-0", LABEL_SLAVES), "loop0 loop1 loop2 loop3");
	assert_string_equal(machine_label(m, &kind_disk, "loop0", LABEL_CLASS), "memory");
	assert_string_equal(machine_label(m, &kind_disk, "sda", LABEL_CLASS), "flash");
	assert_string_equal(machine_label(m, &kind_disk, "sdb", LABEL_CLASS), "rotational");
	assert_string_equal(machine_label(m, &kind_partition, "nvme0n1p3", LABEL_MOUNT), "/home/test");
	assert_string_equal(machine_label(m, &kind_disk, "sda", LABEL_MOUNT), "/ /boot /boot/efi");
	/* no diskstats: from the stat files */
	assert_int_equal(machine_cells(m, &kind_disk, "sdb")[DISK_READS], 254);
	done(m);
}

static void
a_hundred_lines_of_multipath(void **state)
{
	struct machine *m = unpack(*state, "sysroot/pcp-bigsys-root-hpbl920gen8.tgz", "");
	size_t hidden = 0;

	machine_tick(m);
	assert_int_equal(count(m, &kind_disk), 107);
	for (size_t i = 0; i < 107; i++)
		hidden += snapshot_find(m->last, &kind_disk)->objects[i]->hidden;
	assert_int_equal(hidden, 16 + 8);	/* ram, loop */
	assert_string_equal(adapter_of(m, "sdbr"), "scsi");
	assert_int_equal(role_of(m, "dm-12"), ROLE_LAYER);
	done(m);
}

static void
cciss(void **state)
{
	struct machine *m = unpack(*state, "sysroot/pcp-blkdev-root-003.tgz", "");

	machine_tick(m);
	assert_string_equal(adapter_of(m, "cciss/c0d3"), "cciss0");
	assert_string_equal(adapter_of(m, "cciss/c1d0"), "cciss1");
	assert_int_equal(machine_object(m, &kind_partition, "cciss/c0d3p3")->parent,
	    machine_object(m, &kind_disk, "cciss/c0d3")->uid);
	done(m);
}

static void
arrays_with_names(void **state)
{
	struct machine *m = unpack(*state, "sysroot/pcp-blkdev-root-004.tgz", "");

	machine_tick(m);
	assert_string_equal(machine_label(m, &kind_disk, "md1", LABEL_MAPPER), "home");
	assert_string_equal(machine_label(m, &kind_disk, "md0", LABEL_MAPPER), "-");
	done(m);
}

/* Five moments of one machine, with disks that come, go and return, and counters that go back. */
static void
sysstat_in_sequence(void **state)
{
	struct machine *m = unpack(*state, "sysroot/sysstat-roots-1-5.tar.xz", "/root1");
	char *digit = m->tree->root + strlen(m->tree->root) - 1;
	struct interval *v;

	machine_tick(m);
	assert_string_equal(adapter_of(m, "sdq"), "scsi");
	*digit = '2';
	v = machine_interval(m);
	/* sdq: 49601 - 49401 reads, 363610 - 362610 discarded sectors; dm-2 has gone */
	assert_true(interval_named(v, &kind_disk, "sdq")->cells[DISK_READS] == 200);
	assert_true(interval_named(v, &kind_disk, "sdq")->cells[DISK_DISCARD_SECTORS] == 1000);
	assert_null(machine_object(m, &kind_disk, "dm-2"));
	interval_unref(v);
	*digit = '3';
	v = machine_interval(m);
	/* sdb was taken out and put back: 51 reads, then 21 */
	assert_null(interval_named(v, &kind_disk, "sdb"));
	/* 49701 - 49601 of sda, 50601 - 49601 of sdq, 16639 - 16489 of sdr, 555 - 486 of sds */
	assert_true(interval_named(v, &kind_total, "total")->cells[DISK_READS] == 100 + 1000 + 150 + 69);
	interval_unref(v);
	*digit = '4';
	v = machine_interval(m);
	assert_null(interval_named(v, &kind_disk, "sda"));
	assert_null(interval_named(v, &kind_disk, "sdf"));
	assert_null(machine_object(m, &kind_disk, "sdb"));
	/* 16699 - 16639 of sdr; sds went back too */
	assert_true(interval_named(v, &kind_total, "total")->cells[DISK_READS] == 60);
	interval_unref(v);
	*digit = '5';
	v = machine_interval(m);
	assert_true(interval_named(v, &kind_disk, "sdg")->cells[DISK_READS] == 20);
	assert_null(interval_named(v, &kind_disk, "sdq"));
	interval_unref(v);
	done(m);
}

#define TREE_TEST(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(scsi_map),
		TREE_TEST(lvm_on_loop_devices),
		TREE_TEST(a_hundred_lines_of_multipath),
		TREE_TEST(cciss),
		TREE_TEST(arrays_with_names),
		TREE_TEST(sysstat_in_sequence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
