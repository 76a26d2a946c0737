/* The block probe on small machines: who stands on whom, and what counts where. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sys/helper.h"
#include "tests/probes/machine.h"

#define DEV "sys/devices/"
#define VIRT "sys/devices/virtual/block/"

/* Eleven counters that begin with n: reads n, read sectors n + 2, writes n + 4 ... */
static void
line(char *text, const char *number, const char *name, unsigned n)
{
	sprintf(text + strlen(text), "%s %s", number, name);
	for (unsigned i = 0; i < 11; i++)
		sprintf(text + strlen(text), " %u", i == DISK_IN_FLIGHT ? 0 : n + i);
	strcat(text, "\n");
}

static const struct object *
disk(const struct machine *m, const char *name)
{
	const struct object *o = machine_object(m, &kind_disk, name);

	if (o == NULL)
		fail_msg("no disk %s", name);
	return o;
}

static uint64_t
adapter_uid(const struct machine *m, const char *name)
{
	const struct object *o = machine_object(m, &kind_adapter, name);

	if (o == NULL)
		fail_msg("no adapter %s", name);
	return o->uid;
}

static const char *
label(const struct machine *m, const char *name, enum label_id id)
{
	return machine_label(m, &kind_disk, name, id);
}

static void
a_disk_and_its_partitions(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	char stats[1000] = "";
	const struct object *part;

	tree_disk(t, "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda", 1000);
	tree_put(t, DEV "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda/sda2/size", "800\n");
	tree_put(t, DEV "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda/queue/rotational", "1\n");
	tree_put(t, DEV "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/wwid", "naa.50014ee2\n");
	tree_put(t, "proc/1/mountinfo", "22 1 8:2 / /srv/my\\040data rw - ext4 /dev/sda2 rw\n"
					"23 1 8:2 /sub /bind rw - ext4 /dev/sda2 rw\n"
					"24 1 8:1 /boot /mnt/boot rw - ext4 /dev/sda1 rw\n"
					"25 1 8:1 /x /mnt/x rw - ext4 /dev/sda1 rw\n");
	line(stats, "8 0", "sda", 100);
	line(stats, "8 1", "sda1", 10);
	line(stats, "8 2", "sda2", 40);
	tree_put(t, "proc/diskstats", "%s", stats);
	machine_tick(m);
	assert_int_equal(disk(m, "sda")->role, ROLE_BASE);
	assert_int_equal(disk(m, "sda")->counts_in, adapter_uid(m, "host0"));
	assert_int_equal(disk(m, "sda")->parent, 0);
	assert_string_equal(disk(m, "sda")->identity, "sda naa.50014ee2");
	assert_string_equal(label(m, "sda", LABEL_CLASS), "rotational");
	assert_string_equal(label(m, "sda", LABEL_MAJMIN), "8:0");
	assert_string_equal(label(m, "sda", LABEL_SIZE_BYTES), "512000");
	assert_string_equal(label(m, "sda", LABEL_MOUNT), "/srv/my data /mnt/boot");
	assert_string_equal(label(m, "sda", LABEL_TRANSPORT), "ata");
	assert_string_equal(label(m, "sda", LABEL_ADDRESS), "0:0:0:0");
	assert_string_equal(label(m, "sda", LABEL_ROLE), "-");
	assert_int_equal(machine_cells(m, &kind_disk, "sda")[DISK_WRITE_MS], 107);
	assert_int_equal(machine_cells(m, &kind_disk, "sda")[DISK_FLUSHES], ABSENT);
	part = machine_object(m, &kind_partition, "sda2");
	assert_non_null(part);
	assert_int_equal(part->parent, disk(m, "sda")->uid);
	assert_int_equal(part->counts_in, 0);
	assert_string_equal(part->identity, "sda2 of sda naa.50014ee2");
	assert_string_equal(machine_label(m, &kind_partition, "sda2", LABEL_MOUNT), "/srv/my data");
	assert_string_equal(machine_label(m, &kind_partition, "sda2", LABEL_PARTNO), "2");
	assert_string_equal(machine_label(m, &kind_partition, "sda2", LABEL_SIZE_BYTES), "409600");
	assert_string_equal(machine_label(m, &kind_partition, "sda2", LABEL_CLASS), "rotational");
	/* bind mounts of what is mounted nowhere whole: the first */
	assert_string_equal(machine_label(m, &kind_partition, "sda1", LABEL_MOUNT), "/mnt/boot");
	assert_int_equal(machine_cells(m, &kind_partition, "sda2")[DISK_READS], 40);
	assert_null(machine_object(m, &kind_disk, "sda1"));
	machine_free(m);
}

/* Two hosts, two paths each behind one map; one port of the array is gone. */
static void
make_multipath(struct tree *t)
{
	static const struct {
		const char *name, *number, *dir, *state;
	} paths[] = {
		{ "sdk", "8 160", "pci0000:00/0000:00:02.0/host3/rport-3:0-0/target3:0:0/3:0:0:1", "running" },
		{ "sdl", "8 176", "pci0000:00/0000:00:02.0/host3/rport-3:0-1/target3:0:1/3:0:1:1", "running" },
		{ "sdm", "8 192", "pci0000:00/0000:00:03.0/host4/rport-4:0-0/target4:0:0/4:0:0:1", "running" },
		{ "sdn", "8 208", "pci0000:00/0000:00:03.0/host4/rport-4:0-1/target4:0:1/4:0:1:1", "transport-offline" },
	};
	char stats[4000] = "", path[300];

	for (unsigned i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/block/%s", paths[i].dir, paths[i].name);
		tree_disk(t, path, 4000);
		snprintf(path, sizeof(path), DEV "%s/state", paths[i].dir);
		tree_put(t, path, "%s\n", paths[i].state);
		snprintf(path, sizeof(path), DEV "%s/wwid", paths[i].dir);
		tree_put(t, path, "naa.600a0980\n");
		snprintf(path, sizeof(path), DEV "%s/vendor", paths[i].dir);
		tree_put(t, path, "NETAPP  \n");
		snprintf(path, sizeof(path), VIRT "dm-0/slaves/%s", paths[i].name);
		tree_link(t, path, "x");
		line(stats, paths[i].number, paths[i].name, 1000 * (i + 1));
	}
	tree_disk(t, "virtual/block/dm-0", 4000);
	tree_put(t, VIRT "dm-0/dm/name", "mpatha\n");
	tree_put(t, VIRT "dm-0/dm/uuid", "mpath-3600a0980\n");
	tree_disk(t, "virtual/block/dm-1", 2000);
	tree_put(t, VIRT "dm-1/dm/name", "vg-oracle\n");
	tree_put(t, VIRT "dm-1/dm/uuid", "LVM-abc\n");
	tree_link(t, VIRT "dm-1/slaves/dm-0", "x");
	tree_put(t, "proc/1/mountinfo", "22 1 253:1 / /oracle rw - xfs /dev/mapper/vg-oracle rw\n");
	line(stats, "253 0", "dm-0", 5000);
	line(stats, "253 1", "dm-1", 6000);
	tree_put(t, "proc/diskstats", "%s", stats);
}

static void
multipath_with_a_failed_path(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);

	make_multipath(t);
	machine_tick(m);
	assert_int_equal(disk(m, "dm-0")->role, ROLE_HEAD);
	assert_string_equal(label(m, "dm-0", LABEL_ROLE), "head");
	assert_string_equal(label(m, "dm-0", LABEL_PATHS), "3/4");
	assert_true(object_number(disk(m, "dm-0"), LABEL_PATHS) == 3);
	assert_string_equal(label(m, "dm-0", LABEL_MAPPER), "mpatha");
	assert_string_equal(label(m, "dm-0", LABEL_WWN), "naa.600a0980");
	assert_string_equal(label(m, "dm-0", LABEL_SLAVES), "sdk sdl sdm sdn");
	assert_string_equal(label(m, "dm-0", LABEL_CLASS), "san");
	assert_string_equal(label(m, "dm-0", LABEL_TRANSPORT), "fc");
	assert_string_equal(label(m, "dm-0", LABEL_VENDOR), "NETAPP");
	assert_string_equal(label(m, "dm-0", LABEL_MOUNT), "/oracle");
	assert_string_equal(label(m, "dm-0", LABEL_LEVEL), "multipath");
	assert_int_equal(disk(m, "dm-0")->counts_in, adapter_uid(m, "device-mapper"));
	assert_int_equal(disk(m, "sdl")->role, ROLE_PATH);
	assert_string_equal(label(m, "sdl", LABEL_ROLE), "path");
	assert_int_equal(disk(m, "sdl")->parent, disk(m, "dm-0")->uid);
	assert_int_equal(disk(m, "sdl")->counts_in, adapter_uid(m, "host3"));
	assert_int_equal(disk(m, "sdm")->counts_in, adapter_uid(m, "host4"));
	assert_string_equal(label(m, "sdl", LABEL_STATE), "active");
	assert_string_equal(label(m, "sdn", LABEL_STATE), "failed");
	assert_string_equal(label(m, "sdl", LABEL_MOUNT), "-");
	/* a volume on the map is a second layer of the same adapter: not counted again */
	assert_int_equal(disk(m, "dm-1")->role, ROLE_LAYER);
	assert_int_equal(disk(m, "dm-1")->parent, disk(m, "dm-0")->uid);
	assert_int_equal(disk(m, "dm-1")->counts_in, 0);
	assert_string_equal(label(m, "dm-1", LABEL_CLASS), "san");
	assert_string_equal(label(m, "dm-1", LABEL_LEVEL), "lvm");
	machine_free(m);
}

/* Sums of the interval: the map counts once, its paths in their hosts. */
static void
multipath_counts_once(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	char stats[4000] = "";
	struct interval *v;

	make_multipath(t);
	machine_tick(m);
	line(stats, "8 160", "sdk", 1001);
	line(stats, "8 176", "sdl", 2002);
	line(stats, "8 192", "sdm", 3004);
	line(stats, "8 208", "sdn", 4000);
	line(stats, "253 0", "dm-0", 5007);
	line(stats, "253 1", "dm-1", 6007);
	tree_put(t, "proc/diskstats", "%s", stats);
	v = machine_interval(m);
	assert_true(interval_named(v, &kind_total, "total")->cells[DISK_READS] == 7);
	assert_true(interval_named(v, &kind_adapter, "host3")->cells[DISK_READS] == 3);
	assert_true(interval_named(v, &kind_adapter, "host4")->cells[DISK_READS] == 4);
	assert_true(interval_named(v, &kind_adapter, "device-mapper")->cells[DISK_READS] == 7);
	assert_true(interval_named(v, &kind_disk, "dm-0")->cells[DISK_DEV_IOS] == 14);
	interval_unref(v);
	machine_free(m);
}

/* The state of a path changes without a word from the kernel. */
static void
a_path_that_comes_back(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	uint64_t uid;

	make_multipath(t);
	machine_tick(m);
	uid = disk(m, "dm-0")->uid;
	tree_put(t, DEV "pci0000:00/0000:00:03.0/host4/rport-4:0-1/target4:0:1/4:0:1:1/state", "running\n");
	machine_wait(m, UINT64_C(6000000000));
	machine_tick(m);
	assert_string_equal(label(m, "sdn", LABEL_STATE), "active");
	assert_string_equal(label(m, "dm-0", LABEL_PATHS), "4/4");
	assert_int_equal(disk(m, "dm-0")->uid, uid);
	machine_free(m);
}

/* Disks become paths when multipathd makes a map of them: other things, so that no sum mixes the two. */
static void
disks_that_become_paths(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	char stats[1000] = "";
	uint64_t uid;

	tree_disk(t, "pci0000:00/0000:00:02.0/host3/rport-3:0-0/target3:0:0/3:0:0:1/block/sdk", 4000);
	line(stats, "8 160", "sdk", 1000);
	tree_put(t, "proc/diskstats", "%s", stats);
	machine_tick(m);
	uid = disk(m, "sdk")->uid;
	assert_int_equal(disk(m, "sdk")->role, ROLE_BASE);
	tree_disk(t, "virtual/block/dm-0", 4000);
	tree_put(t, VIRT "dm-0/dm/uuid", "mpath-1x\n");
	tree_link(t, VIRT "dm-0/slaves/sdk", "x");
	line(stats, "253 0", "dm-0", 0);
	tree_put(t, "proc/diskstats", "%s", stats);
	machine_tick(m);
	assert_int_equal(disk(m, "sdk")->role, ROLE_PATH);
	assert_int_not_equal(disk(m, "sdk")->uid, uid);
	machine_free(m);
}

/* Two maps on one path (one being set up anew): it belongs to the first, and counts in one. */
static void
a_path_of_two_maps(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	char stats[2000] = "";

	for (int i = 0; i < 2; i++) {
		char path[60];

		snprintf(path, sizeof(path), "sys/block/dm-%d/dm/uuid", i);
		tree_put(t, path, "mpath-1x\n");
		snprintf(path, sizeof(path), "sys/block/dm-%d/slaves/sda", i);
		tree_link(t, path, "x");
	}
	tree_put(t, "sys/block/sda/device/state", "running\n");
	line(stats, "8 0", "sda", 1);
	line(stats, "253 0", "dm-0", 3);
	line(stats, "253 1", "dm-1", 4);
	tree_put(t, "proc/diskstats", "%s", stats);
	machine_tick(m);
	assert_int_equal(disk(m, "sda")->parent, disk(m, "dm-0")->uid);
	assert_string_equal(label(m, "dm-0", LABEL_PATHS), "1/1");
	assert_string_equal(label(m, "dm-1", LABEL_PATHS), "-");
	machine_free(m);
}

/* Without slaves the paths are known by their WWN; without either the map is a layer. */
static void
multipath_without_slaves(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	char stats[2000] = "";

	tree_put(t, "sys/block/sda/device/wwid", "naa.600a0980\n");
	tree_put(t, "sys/block/sdb/device/wwid", "naa.600a0981\n");
	tree_put(t, "sys/block/dm-0/dm/uuid", "mpath-3600a0980\n");
	tree_put(t, "sys/block/dm-1/dm/uuid", "mpath-3600a0999\n");
	line(stats, "8 0", "sda", 1);
	line(stats, "8 16", "sdb", 2);
	line(stats, "253 0", "dm-0", 3);
	line(stats, "253 1", "dm-1", 4);
	tree_put(t, "proc/diskstats", "%s", stats);
	machine_tick(m);
	assert_int_equal(disk(m, "dm-0")->role, ROLE_HEAD);
	assert_int_equal(disk(m, "sda")->role, ROLE_PATH);
	assert_int_equal(disk(m, "sdb")->role, ROLE_BASE);
	assert_int_equal(disk(m, "dm-1")->role, ROLE_LAYER);
	/* states are not told, so neither is how many paths are usable */
	assert_string_equal(label(m, "dm-0", LABEL_PATHS), "-");
	machine_free(m);
}

/* 0:0 in diskstats, no device node: the paths of an NVMe head. */
static void
make_nvme(struct tree *t)
{
	tree_disk(t, "virtual/nvme-subsystem/nvme-subsys0/nvme0n1", 8000);
	tree_put(t, DEV "virtual/nvme-subsystem/nvme-subsys0/nvme0n1/nvme0n1p1/size", "100\n");
	tree_put(t, DEV "virtual/nvme-subsystem/nvme-subsys0/nvme0n1/wwid", "eui.01\n");
	tree_disk(t, "virtual/nvme-fabrics/ctl/nvme0/nvme0c0n1", 8000);
	tree_put(t, DEV "virtual/nvme-fabrics/ctl/nvme0/state", "live\n");
	tree_put(t, DEV "virtual/nvme-fabrics/ctl/nvme0/transport", "tcp\n");
	tree_put(t, DEV "virtual/nvme-fabrics/ctl/nvme0/nvme0c0n1/ana_state", "optimized\n");
	tree_disk(t, "virtual/nvme-fabrics/ctl/nvme1/nvme0c1n1", 8000);
	tree_put(t, DEV "virtual/nvme-fabrics/ctl/nvme1/state", "live\n");
	tree_put(t, DEV "virtual/nvme-fabrics/ctl/nvme1/transport", "tcp\n");
	tree_put(t, DEV "virtual/nvme-fabrics/ctl/nvme1/nvme0c1n1/ana_state", "inaccessible\n");
}

static void
nvme_head_and_hidden_paths(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	char stats[2000] = "";
	const uint64_t *cells;

	make_nvme(t);
	line(stats, "259 1", "nvme0n1", 700);
	line(stats, "259 2", "nvme0n1p1", 600);
	line(stats, "0 0", "nvme0c0n1", 500);
	line(stats, "0 0", "nvme0c1n1", 200);
	tree_put(t, "proc/diskstats", "%s", stats);
	machine_tick(m);
	assert_int_equal(disk(m, "nvme0n1")->role, ROLE_HEAD);
	assert_int_equal(disk(m, "nvme0n1")->counts_in, adapter_uid(m, "nvme-subsys0"));
	assert_string_equal(label(m, "nvme0n1", LABEL_PATHS), "1/2");
	assert_string_equal(label(m, "nvme0n1", LABEL_CLASS), "san");
	assert_string_equal(label(m, "nvme0n1", LABEL_TRANSPORT), "tcp");
	assert_int_equal(disk(m, "nvme0c0n1")->role, ROLE_PATH);
	assert_int_equal(disk(m, "nvme0c0n1")->parent, disk(m, "nvme0n1")->uid);
	assert_int_equal(disk(m, "nvme0c1n1")->counts_in, adapter_uid(m, "nvme1"));
	assert_string_equal(label(m, "nvme0c0n1", LABEL_STATE), "active");
	assert_string_equal(label(m, "nvme0c1n1", LABEL_STATE), "inaccessible");
	assert_string_equal(label(m, "nvme0c1n1", LABEL_MAJMIN), "-");
	assert_int_equal(machine_object(m, &kind_partition, "nvme0n1p1")->parent, disk(m, "nvme0n1")->uid);
	/* a head that counts is taken at its word */
	cells = machine_cells(m, &kind_disk, "nvme0n1");
	assert_int_equal(cells[DISK_READS], 700);
	assert_int_equal(cells[DISK_BUSY_MS], 709);
	machine_free(m);
}

/* Before 6.2 the head stayed at 0; reads are n, read milliseconds n + 3, writes n + 4. */
static void
nvme_head_that_does_not_count(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	char stats[2000] = "259 1 nvme0n1 0 0 0 0 0 0 0 0 0 0 0\n";
	const uint64_t *cells;

	make_nvme(t);
	line(stats, "0 0", "nvme0c0n1", 500);
	line(stats, "0 0", "nvme0c1n1", 200);
	tree_put(t, "proc/diskstats", "%s", stats);
	machine_tick(m);
	cells = machine_cells(m, &kind_disk, "nvme0n1");
	assert_int_equal(cells[DISK_READS], 700);
	assert_int_equal(cells[DISK_READ_MS], 706);
	assert_int_equal(cells[DISK_WRITES], 708);
	assert_int_equal(cells[DISK_BUSY_MS], ABSENT);
	assert_int_equal(cells[DISK_FLUSHES], ABSENT);
	machine_free(m);
}

static void
volumes_and_arrays(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	char stats[3000] = "";

	tree_disk(t, "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda", 1000);
	tree_put(t, DEV "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda/queue/rotational", "0\n");
	tree_disk(t, "pci0000:00/0000:00:1f.2/ata2/host1/target1:0:0/1:0:0:0/block/sdb", 1000);
	tree_put(t, DEV "pci0000:00/0000:00:1f.2/ata2/host1/target1:0:0/1:0:0:0/block/sdb/queue/rotational", "1\n");
	tree_disk(t, "virtual/block/md0", 900);
	tree_link(t, VIRT "md0/slaves/sda1", "x");
	tree_link(t, VIRT "md0/slaves/sdb", "x");
	tree_put(t, VIRT "md0/md/level", "raid1\n");
	tree_disk(t, "virtual/block/dm-0", 900);
	tree_link(t, VIRT "dm-0/slaves/md0", "x");
	tree_put(t, VIRT "dm-0/dm/uuid", "CRYPT-LUKS2-1\n");
	tree_disk(t, "virtual/block/dm-1", 900);
	tree_link(t, VIRT "dm-1/slaves/dm-0", "x");
	tree_put(t, VIRT "dm-1/dm/uuid", "LVM-1\n");
	tree_put(t, VIRT "dm-1/dm/name", "vg-home\n");
	/* dm-zero stands on nothing */
	tree_disk(t, "virtual/block/dm-2", 900);
	tree_dir(t, VIRT "dm-2/slaves");
	tree_put(t, "proc/1/mountinfo", "30 1 0:40 /@ /home rw - btrfs /dev/mapper/vg-home rw\n");
	line(stats, "8 0", "sda", 1);
	line(stats, "8 1", "sda1", 1);
	line(stats, "8 16", "sdb", 1);
	line(stats, "9 0", "md0", 1);
	line(stats, "253 0", "dm-0", 1);
	line(stats, "253 1", "dm-1", 1);
	line(stats, "253 2", "dm-2", 1);
	tree_put(t, "proc/diskstats", "%s", stats);
	machine_tick(m);
	assert_int_equal(disk(m, "md0")->role, ROLE_LAYER);
	assert_int_equal(disk(m, "md0")->parent, machine_object(m, &kind_partition, "sda1")->uid);
	assert_int_equal(disk(m, "md0")->counts_in, adapter_uid(m, "md"));
	assert_string_equal(label(m, "md0", LABEL_LEVEL), "raid1");
	/* a flash and a spinning half: judged as the slower */
	assert_string_equal(label(m, "md0", LABEL_CLASS), "rotational");
	assert_string_equal(label(m, "sda", LABEL_CLASS), "flash");
	assert_int_equal(disk(m, "dm-0")->counts_in, adapter_uid(m, "device-mapper"));
	assert_int_equal(disk(m, "dm-1")->counts_in, 0);
	assert_int_equal(disk(m, "dm-2")->role, ROLE_BASE);
	assert_int_equal(disk(m, "sda")->role, ROLE_BASE);
	/* the mount point is carried down to all that is below */
	assert_string_equal(label(m, "dm-1", LABEL_MOUNT), "/home");
	assert_string_equal(label(m, "md0", LABEL_MOUNT), "/home");
	assert_string_equal(label(m, "sda", LABEL_MOUNT), "/home");
	assert_string_equal(label(m, "sdb", LABEL_MOUNT), "/home");
	assert_string_equal(machine_label(m, &kind_partition, "sda1", LABEL_MOUNT), "/home");
	machine_free(m);
}

/* No kernel says so, but a tree may. Who follows parents must come to an end. */
static void
rings_are_broken(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	const struct snapshot_table *disks;
	char stats[2000] = "";

	tree_link(t, "sys/block/dm-0/slaves/dm-1", "x");
	tree_link(t, "sys/block/dm-1/slaves/dm-2", "x");
	tree_link(t, "sys/block/dm-2/slaves/dm-0", "x");
	tree_link(t, "sys/block/dm-3/slaves/dm-3", "x");
	tree_link(t, "sys/block/dm-4/slaves/dm-0", "x");
	for (int i = 0; i < 5; i++) {
		char name[20], number[20];

		snprintf(name, sizeof(name), "dm-%d", i);
		snprintf(number, sizeof(number), "253 %d", i);
		line(stats, number, name, 1);
	}
	tree_put(t, "proc/diskstats", "%s", stats);
	tree_put(t, "proc/1/mountinfo", "1 0 253:4 / / rw - ext4 /dev/dm-4 rw\n");
	disks = snapshot_find(machine_tick(m), &kind_disk);
	for (size_t i = 0; i < 5; i++) {
		const struct object *o = disks->objects[i];
		int steps = 0;

		while (o->parent != 0 && steps++ < 6)
			for (size_t k = 0; k < 5; k++)
				if (disks->objects[k]->uid == o->parent) {
					o = disks->objects[k];
					break;
				}
		assert_in_range(steps, 0, 4);
	}
	machine_free(m);
}

/* Somebody stops the counting of a disk that has no state to look at. */
static void
statistics_turned_off_later(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	char stats[300] = "";

	tree_disk(t, "pci0000:00/0000:00:04.0/virtio1/block/vda", 1000);
	tree_put(t, DEV "pci0000:00/0000:00:04.0/virtio1/block/vda/queue/iostats", "1\n");
	line(stats, "254 0", "vda", 1);
	tree_put(t, "proc/diskstats", "%s", stats);
	machine_tick(m);
	tree_put(t, DEV "pci0000:00/0000:00:04.0/virtio1/block/vda/queue/iostats", "0\n");
	for (int i = 0; i < 4; i++)
		machine_tick(m);
	assert_string_equal(label(m, "vda", LABEL_NOTE), "stats off");
	machine_free(m);
}

static void
loop_devices(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	char stats[3000] = "";
	static const char *const files[] = { "/srv/a.img", "/dev/shm/b.img", "/mnt/nfs/c.img", "/pool/d.img", NULL, "/srv/e.img" };

	tree_disk(t, "pci0000:00/0000:00:04.0/virtio1/block/vda", 1000);
	tree_put(t, DEV "pci0000:00/0000:00:04.0/virtio1/block/vda/queue/rotational", "1\n");
	tree_put(t, DEV "pci0000:00/0000:00:04.0/virtio1/block/vda/serial", "vol-17");
	line(stats, "254 0", "vda", 1);
	for (int i = 0; i < 6; i++) {
		char path[100], number[20];

		snprintf(path, sizeof(path), "virtual/block/loop%d", i);
		tree_disk(t, path, files[i] != NULL ? 100 : 0);
		snprintf(path, sizeof(path), VIRT "loop%d/loop/backing_file", i);
		if (files[i] != NULL)
			tree_put(t, path, "%s\n", files[i]);
		snprintf(number, sizeof(number), "7 %d", i);
		snprintf(path, sizeof(path), "loop%d", i);
		line(stats, number, path, files[i] != NULL ? 1 : 0);
	}
	tree_put(t, "proc/diskstats", "%s", stats);
	tree_put(t, "proc/1/mountinfo", "1 0 254:0 / / rw - ext4 /dev/vda rw\n"
					"2 1 0:21 / /dev/shm rw - tmpfs tmpfs rw\n"
					"3 1 0:50 / /mnt/nfs rw - nfs4 nas:/vol rw\n"
					"4 1 0:51 / /pool rw - zfs pool rw\n");
	machine_tick(m);
	assert_int_equal(disk(m, "loop0")->role, ROLE_LAYER);
	assert_int_equal(disk(m, "loop0")->parent, disk(m, "vda")->uid);
	assert_int_equal(disk(m, "loop0")->counts_in, adapter_uid(m, "loop"));
	assert_string_equal(label(m, "loop0", LABEL_BACKING), "/srv/a.img");
	assert_string_equal(label(m, "loop0", LABEL_CLASS), "virtual");
	assert_int_equal(disk(m, "loop1")->role, ROLE_BASE);
	assert_string_equal(label(m, "loop1", LABEL_CLASS), "memory");
	/* NFS is not a disk of this machine, a zfs pool is made of some */
	assert_int_equal(disk(m, "loop2")->role, ROLE_BASE);
	assert_int_equal(disk(m, "loop3")->role, ROLE_LAYER);
	assert_int_equal(disk(m, "loop3")->parent, 0);
	assert_true(disk(m, "loop4")->hidden);
	assert_false(disk(m, "loop0")->hidden);
	/* rotational lies on virtio */
	assert_string_equal(label(m, "vda", LABEL_CLASS), "virtual");
	assert_string_equal(label(m, "vda", LABEL_SERIAL), "vol-17");
	assert_string_equal(label(m, "vda", LABEL_MOUNT), "/");
	machine_free(m);
}

/* Reading virtio's serial number sends the device a command: on the machine itself only the helper may. */
static void
serial_of_virtio_through_the_helper(void **state)
{
	struct tree *t = *state;
	struct pollfd fd = { .events = POLLIN };
	struct machine *m;
	char stats[200] = "";

	tree_disk(t, "pci0000:00/0000:00:04.0/virtio1/block/vda", 1000);
	tree_put(t, DEV "pci0000:00/0000:00:04.0/virtio1/block/vda/serial", "vol-18");
	line(stats, "254 0", "vda", 1);
	tree_put(t, "proc/diskstats", "%s", stats);
	t->env.foreign = false;
	m = machine_new(t);
	machine_tick(m);
	assert_string_equal(label(m, "vda", LABEL_SERIAL), "-");
	machine_free(m);
	t->env.helper = helper_start();
	m = machine_new(t);
	machine_tick(m);
	fd.fd = helper_fd(t->env.helper);
	while (helper_poll(t->env.helper) >= 0)
		poll(&fd, 1, 100);
	machine_tick(m);
	assert_string_equal(label(m, "vda", LABEL_SERIAL), "vol-18");
	assert_string_equal(label(m, "vda", LABEL_NOTE), "-");
	machine_free(m);
	helper_stop(t->env.helper);
}

static void
trees_with_diskstats_alone(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	char stats[3000] = "";

	line(stats, "104 0", "cciss/c0d0", 1);
	line(stats, "104 1", "cciss/c0d0p1", 1);
	line(stats, "8 0", "sda", 1);
	line(stats, "8 1", "sda1", 1);
	line(stats, "8 16", "sdaa", 1);
	line(stats, "202 1", "xvda1", 1);
	line(stats, "9 0", "md0", 1);
	line(stats, "252 0", "zram0", 1);
	line(stats, "1 0", "ram0", 1);
	strcat(stats, "1 1 ram1 0 0 0 0 0 0 0 0 0 0 0\n7 0 loop0 0 0 0 0 0 0 0 0 0 0 0\n");
	tree_put(t, "proc/diskstats", "%s", stats);
	machine_tick(m);
	assert_int_equal(disk(m, "cciss/c0d0")->counts_in, adapter_uid(m, "cciss0"));
	assert_non_null(machine_object(m, &kind_partition, "cciss/c0d0p1"));
	assert_int_equal(disk(m, "sdaa")->counts_in, adapter_uid(m, "scsi"));
	assert_int_equal(machine_object(m, &kind_partition, "sda1")->parent, disk(m, "sda")->uid);
	/* a "partition" without a disk is a disk */
	assert_int_equal(disk(m, "xvda1")->counts_in, adapter_uid(m, "xen"));
	/* an array stands on disks, even if nobody says on which */
	assert_int_equal(disk(m, "md0")->role, ROLE_LAYER);
	assert_int_equal(disk(m, "zram0")->role, ROLE_BASE);
	assert_string_equal(label(m, "zram0", LABEL_CLASS), "memory");
	assert_string_equal(label(m, "sda", LABEL_CLASS), "-");
	assert_false(disk(m, "ram0")->hidden);
	assert_true(disk(m, "ram1")->hidden);
	assert_true(disk(m, "loop0")->hidden);
	/* an adapter with all its devices */
	assert_true(machine_object(m, &kind_adapter, "loop")->hidden);
	assert_false(machine_object(m, &kind_adapter, "ram")->hidden);
	machine_free(m);
}

/* Everything from /sys/block where diskstats is not there, or is empty. */
static void
trees_without_diskstats(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);

	tree_put(t, "sys/block/sda/stat", " 1 2 3 4 5 6 7 8 0 10 11\n");
	tree_put(t, "sys/block/sda/dev", "8:0\n");
	tree_put(t, "sys/block/sda/sda1/stat", "21 22 23 24 25 26 27 28 0 30 31\n");
	tree_put(t, "sys/block/sda/sda1/dev", "8:1\n");
	tree_put(t, "sys/block/sda/queue/stat", "not a partition\n");
	tree_put(t, "sys/block/cciss!c0d0/stat", "41 42 43 44 45 46 47 48 0 50 51 52 53 54 55 56 57\n");
	machine_tick(m);
	assert_int_equal(machine_cells(m, &kind_disk, "sda")[DISK_WRITES], 5);
	assert_string_equal(label(m, "sda", LABEL_MAJMIN), "8:0");
	assert_int_equal(machine_cells(m, &kind_partition, "sda1")[DISK_WRITES], 25);
	assert_int_equal(machine_cells(m, &kind_disk, "cciss/c0d0")[DISK_FLUSHES], 56);
	assert_int_equal(snapshot_find(m->last, &kind_disk)->n, 2);
	assert_int_equal(snapshot_find(m->last, &kind_partition)->n, 1);
	tree_put(t, "proc/diskstats", "%s", "");
	machine_tick(m);
	assert_int_equal(snapshot_find(m->last, &kind_disk)->n, 2);
	machine_free(m);
}

static void
statistics_turned_off(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	char stats[1000] = "";

	tree_disk(t, "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda", 1000);
	tree_put(t, DEV "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda/queue/iostats", "0\n");
	/* device-mapper says 0 and counts all the same */
	tree_disk(t, "virtual/block/dm-0", 100);
	tree_put(t, VIRT "dm-0/queue/iostats", "0\n");
	line(stats, "8 0", "sda", 100);
	line(stats, "8 1", "sda1", 100);
	line(stats, "253 0", "dm-0", 100);
	tree_put(t, "proc/diskstats", "%s", stats);
	machine_tick(m);
	assert_int_equal(disk(m, "sda")->role, ROLE_UNCOUNTED);
	assert_int_equal(disk(m, "sda")->counts_in, 0);
	assert_string_equal(label(m, "sda", LABEL_NOTE), "stats off");
	assert_int_equal(machine_cells(m, &kind_disk, "sda")[DISK_READS], ABSENT);
	assert_int_equal(machine_cells(m, &kind_partition, "sda1")[DISK_READS], ABSENT);
	assert_string_equal(label(m, "dm-0", LABEL_NOTE), "-");
	assert_int_equal(machine_cells(m, &kind_disk, "dm-0")[DISK_READS], 100);
	machine_free(m);
}

static void
scsi_error_counters(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	char stats[1000] = "";
	struct interval *v;

	tree_disk(t, "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda", 1000);
	tree_put(t, DEV "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/ioerr_cnt", "0x1f\n");
	tree_disk(t, "virtual/block/loop0", 1000);
	line(stats, "8 0", "sda", 100);
	line(stats, "7 0", "loop0", 100);
	tree_put(t, "proc/diskstats", "%s", stats);
	machine_tick(m);
	assert_int_equal(machine_cells(m, &kind_disk, "sda")[DISK_ERRORS], 31);
	assert_int_equal(machine_cells(m, &kind_disk, "sda")[DISK_TIMEOUTS], ABSENT);
	assert_int_equal(machine_cells(m, &kind_disk, "loop0")[DISK_ERRORS], ABSENT);
	tree_put(t, DEV "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/ioerr_cnt", "0x22\n");
	v = machine_interval(m);
	assert_true(interval_named(v, &kind_disk, "sda")->cells[DISK_ERRORS] == 3);
	interval_unref(v);
	machine_free(m);
}

#define TREE_TEST(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(a_disk_and_its_partitions),
		TREE_TEST(multipath_with_a_failed_path),
		TREE_TEST(multipath_counts_once),
		TREE_TEST(a_path_that_comes_back),
		TREE_TEST(disks_that_become_paths),
		TREE_TEST(a_path_of_two_maps),
		TREE_TEST(multipath_without_slaves),
		TREE_TEST(nvme_head_and_hidden_paths),
		TREE_TEST(nvme_head_that_does_not_count),
		TREE_TEST(volumes_and_arrays),
		TREE_TEST(rings_are_broken),
		TREE_TEST(loop_devices),
		TREE_TEST(serial_of_virtio_through_the_helper),
		TREE_TEST(trees_with_diskstats_alone),
		TREE_TEST(trees_without_diskstats),
		TREE_TEST(statistics_turned_off),
		TREE_TEST(statistics_turned_off_later),
		TREE_TEST(scsi_error_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
