#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sys/topology.h"
#include "tests/probes/tree.h"

#define FC "sys/devices/pci0000:00/0000:00:02.0/host3/rport-3:0-1/target3:0:1/3:0:1:7"

static void
make_fc_disk(struct tree *t)
{
	tree_disk(t, "pci0000:00/0000:00:02.0/host3/rport-3:0-1/target3:0:1/3:0:1:7/block/sdl", 2097152);
	tree_put(t, FC "/wwid", "naa.600a098038303053453f463045727a76\n");
	tree_put(t, FC "/vendor", "NETAPP  \n");
	tree_put(t, FC "/model", "LUN C-Mode      \n");
	tree_put(t, FC "/queue_depth", "32\n");
	tree_put(t, FC "/state", "running\n");
	tree_put_bytes(t, FC "/vpd_pg80", "\0\x80\0\x0c" "800SE?F0Erzv", 16);
	tree_put(t, FC "/block/sdl/queue/rotational", "0\n");
	tree_put(t, FC "/block/sdl/queue/iostats", "1\n");
	tree_put(t, FC "/block/sdl/diskseq", "41\n");
}

static void
a_disk_on_fc(void **state)
{
	struct tree *t = *state;
	struct topology_facts f;
	struct topology_detail d;
	char st[TOPOLOGY_NAME_MAX];

	make_fc_disk(t);
	topology_read(&t->env, "sdl", 8, 176, &f);
	assert_int_equal(f.bus, BUS_SCSI);
	assert_string_equal(f.adapter, "host3");
	assert_string_equal(f.address, "3:0:1:7");
	assert_string_equal(f.transport, "fc");
	assert_int_equal(f.size_bytes, 1073741824);
	assert_int_equal(f.diskseq, 41);
	assert_string_equal(f.wwn, "naa.600a098038303053453f463045727a76");
	assert_null(f.slaves);
	topology_detail(&t->env, "sdl", 8, 176, &f, &d);
	assert_string_equal(d.vendor, "NETAPP");
	assert_string_equal(d.model, "LUN C-Mode");
	assert_string_equal(d.serial, "800SE?F0Erzv");
	assert_int_equal(d.queue_depth, 32);
	assert_int_equal(d.rotational, 0);
	assert_int_equal(d.iostats, 1);
	topology_state(&t->env, &f, st);
	assert_string_equal(st, "running");
	topology_facts_clear(&f);
}

static void
an_fc_host(void **state)
{
	struct tree *t = *state;
	struct topology_adapter a;
	struct topology_facts f;

	make_fc_disk(t);
	tree_put(t, "sys/class/scsi_host/host3/proc_name", "lpfc\n");
	tree_put(t, "sys/class/scsi_host/host3/can_queue", "4032\n");
	tree_put(t, "sys/class/scsi_host/host3/state", "running\n");
	tree_put(t, "sys/class/fc_host/host3/port_name", "0x10000090fa8b5c2e\n");
	tree_put(t, "sys/class/fc_host/host3/port_state", "Online\n");
	tree_put(t, "sys/class/fc_host/host3/speed", "16 Gbit\n");
	for (int i = 0; i < 3; i++) {
		char path[80];

		snprintf(path, sizeof(path), "sys/class/fc_remote_ports/rport-3:0-%d/roles", i);
		tree_put(t, path, i == 0 ? "Fabric Controller\n" : "FCP Target\n");
		snprintf(path, sizeof(path), "sys/class/fc_remote_ports/rport-3:0-%d/port_state", i);
		tree_put(t, path, i == 2 ? "Blocked\n" : "Online\n");
	}
	/* another host's port */
	tree_put(t, "sys/class/fc_remote_ports/rport-33:0-1/roles", "FCP Target\n");
	topology_read(&t->env, "sdl", 8, 176, &f);
	topology_adapter(&t->env, &f, &a);
	assert_string_equal(a.driver, "lpfc");
	assert_string_equal(a.transport, "fc");
	assert_string_equal(a.address, "0000:00:02.0");
	assert_string_equal(a.state, "Online");
	assert_string_equal(a.speed, "16 Gbit");
	assert_true(a.speed_bits == 16e9);
	assert_string_equal(a.port_name, "0x10000090fa8b5c2e");
	assert_int_equal(a.ports, 2);
	assert_int_equal(a.ports_online, 1);
	assert_int_equal(a.queue_depth, 4032);
	topology_facts_clear(&f);
	topology_fc_host(&t->env, "host3", &a);
	assert_string_equal(a.driver, "lpfc");
	assert_int_equal(a.ports, 2);
}

static void
drivers_without_a_proc_name(void **state)
{
	struct tree *t = *state;
	struct topology_adapter a;
	struct topology_facts f;

	tree_disk(t, "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda", 100);
	tree_put(t, "sys/class/scsi_host/host0/proc_name", "(null)\n");
	tree_link(t, "sys/devices/pci0000:00/0000:00:1f.2/driver", "../../../bus/pci/drivers/ahci");
	topology_read(&t->env, "sda", 8, 0, &f);
	topology_adapter(&t->env, &f, &a);
	assert_string_equal(a.driver, "ahci");
	assert_string_equal(a.transport, "ata");
	assert_int_equal(a.queue_depth, -1);
	assert_int_equal(a.ports, 0);
	topology_facts_clear(&f);
}

static void
udev_knows_more_of_an_ata_disk(void **state)
{
	struct tree *t = *state;
	struct topology_detail d;
	struct topology_facts f;

	tree_disk(t, "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda", 100);
	tree_put(t, "sys/devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/vendor", "ATA     \n");
	tree_put(t, "sys/devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/model", "SAMSUNG MZ7LH960\n");
	tree_put(t, "run/udev/data/b8:0", "E:ID_MODEL=SAMSUNG_MZ7LH960HAJR-00005\nE:ID_WWN=0x5002538e00000001\n"
					"E:ID_SERIAL_SHORT=S45NNA0M100001\n");
	topology_read(&t->env, "sda", 8, 0, &f);
	assert_string_equal(f.wwn, "naa.5002538e00000001");
	topology_detail(&t->env, "sda", 8, 0, &f, &d);
	assert_string_equal(d.vendor, "");
	assert_string_equal(d.model, "SAMSUNG_MZ7LH960HAJR-00005");
	assert_string_equal(d.serial, "S45NNA0M100001");
	assert_int_equal(d.queue_depth, -1);
	assert_int_equal(d.rotational, -1);
	topology_facts_clear(&f);
}

static void
an_nvme_head_and_its_paths(void **state)
{
	struct tree *t = *state;
	struct topology_facts head, path;
	struct topology_adapter a;
	char st[TOPOLOGY_NAME_MAX];

	tree_disk(t, "virtual/nvme-subsystem/nvme-subsys0/nvme0n1", 4096);
	tree_put(t, "sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1/wwid", "eui.0025388b710c2d5e\n");
	tree_disk(t, "virtual/nvme-fabrics/ctl/nvme1/nvme0c1n1", 4096);
	tree_put(t, "sys/devices/virtual/nvme-fabrics/ctl/nvme1/state", "live\n");
	tree_put(t, "sys/devices/virtual/nvme-fabrics/ctl/nvme1/transport", "tcp\n");
	tree_put(t, "sys/devices/virtual/nvme-fabrics/ctl/nvme1/address", "traddr=10.0.0.1,trsvcid=4420\n");
	tree_put(t, "sys/devices/virtual/nvme-fabrics/ctl/nvme1/nvme0c1n1/ana_state", "non-optimized\n");
	tree_put(t, "sys/class/nvme-subsystem/nvme-subsys0/nvme1/state", "live\n");
	tree_put(t, "sys/class/nvme-subsystem/nvme-subsys0/nvme1/transport", "tcp\n");
	tree_put(t, "sys/class/nvme-subsystem/nvme-subsys0/nvme2/state", "connecting\n");
	tree_put(t, "sys/class/nvme-subsystem/nvme-subsys0/nvme2/transport", "tcp\n");
	tree_dir(t, "sys/class/nvme-subsystem/nvme-subsys0/nvme0n1");
	topology_read(&t->env, "nvme0n1", 259, 0, &head);
	assert_int_equal(head.bus, BUS_NVME_HEAD);
	assert_string_equal(head.adapter, "nvme-subsys0");
	assert_string_equal(head.wwn, "eui.0025388b710c2d5e");
	topology_adapter(&t->env, &head, &a);
	assert_string_equal(a.driver, "nvme");
	assert_string_equal(a.transport, "tcp");
	assert_int_equal(a.ports, 2);
	assert_int_equal(a.ports_online, 1);
	topology_read(&t->env, "nvme0c1n1", 0, 0, &path);
	assert_int_equal(path.bus, BUS_NVME);
	assert_string_equal(path.adapter, "nvme1");
	topology_state(&t->env, &path, st);
	assert_string_equal(st, "non-optimized");
	topology_adapter(&t->env, &path, &a);
	assert_string_equal(a.address, "traddr=10.0.0.1,trsvcid=4420");
	assert_string_equal(a.state, "live");
	topology_facts_clear(&head);
	topology_facts_clear(&path);
}

static void
layers(void **state)
{
	struct tree *t = *state;
	struct topology_detail d;
	struct topology_facts f;

	tree_disk(t, "virtual/block/dm-3", 100);
	tree_put(t, "sys/devices/virtual/block/dm-3/dm/name", "mpatha\n");
	tree_put(t, "sys/devices/virtual/block/dm-3/dm/uuid", "mpath-3600a098038303053453f463045727a76\n");
	tree_link(t, "sys/devices/virtual/block/dm-3/slaves/sdl", "../../x");
	tree_link(t, "sys/devices/virtual/block/dm-3/slaves/cciss!c0d1p10", "../../x");
	tree_link(t, "sys/devices/virtual/block/dm-3/slaves/cciss!c0d1p2", "../../x");
	topology_read(&t->env, "dm-3", 253, 3, &f);
	assert_int_equal(f.bus, BUS_VIRTUAL);
	assert_string_equal(f.adapter, "device-mapper");
	assert_string_equal(f.mapper, "mpatha");
	assert_string_equal(f.slaves, "cciss/c0d1p2 cciss/c0d1p10 sdl");
	assert_string_equal(f.wwn, "naa.600a098038303053453f463045727a76");
	topology_detail(&t->env, "dm-3", 253, 3, &f, &d);
	assert_string_equal(d.level, "multipath");
	topology_facts_clear(&f);

	tree_disk(t, "virtual/block/md127", 100);
	tree_dir(t, "sys/devices/virtual/block/md127/slaves");
	tree_put(t, "sys/devices/virtual/block/md127/md/level", "raid1\n");
	tree_link(t, "dev/md/home", "../md127");
	tree_link(t, "dev/md/0", "../md127");
	tree_link(t, "dev/md/other", "../md12");
	topology_read(&t->env, "md127", 9, 127, &f);
	assert_string_equal(f.slaves, "");
	topology_detail(&t->env, "md127", 9, 127, &f, &d);
	assert_string_equal(d.level, "raid1");
	assert_string_equal(d.name, "home");
	topology_facts_clear(&f);

	tree_disk(t, "virtual/block/loop0", 0);
	topology_read(&t->env, "loop0", 7, 0, &f);
	assert_null(f.backing);
	assert_int_equal(f.size_bytes, 0);
	topology_facts_clear(&f);
	tree_put(t, "sys/devices/virtual/block/loop0/loop/backing_file", "/srv/my disk.img\n");
	topology_read(&t->env, "loop0", 7, 0, &f);
	assert_string_equal(f.backing, "/srv/my disk.img");
	topology_facts_clear(&f);
}

static void
trees_without_links(void **state)
{
	struct tree *t = *state;
	struct topology_facts f;
	struct topology_adapter a;

	tree_put(t, "sys/block/sda/size", "2048\n");
	tree_put(t, "sys/block/sda/device/wwid", "naa.5001\n");
	topology_read(&t->env, "sda", 8, 0, &f);
	assert_string_equal(f.adapter, "scsi");
	assert_string_equal(f.dir, "/sys/block/sda");
	assert_string_equal(f.wwn, "naa.5001");
	assert_int_equal(f.size_bytes, 1048576);
	topology_adapter(&t->env, &f, &a);
	assert_string_equal(a.driver, "");
	topology_facts_clear(&f);
	/* a directory with the link inside, and an attribute only beside it */
	tree_link(t, "sys/block/nvme0n1/nvme0n1", "../devices/pci0000:00/0000:04:00.0/nvme/nvme0/nvme0n1");
	tree_put(t, "sys/block/nvme0n1/wwid", "eui.01\n");
	topology_read(&t->env, "nvme0n1", 259, 0, &f);
	assert_string_equal(f.adapter, "nvme0");
	assert_string_equal(f.pci, "0000:04:00.0");
	assert_string_equal(f.wwn, "eui.01");
	topology_facts_clear(&f);
	/* nothing at all */
	topology_read(&t->env, "cciss/c0d0", 104, 0, &f);
	assert_string_equal(f.adapter, "cciss0");
	assert_null(f.dir);
	assert_int_equal(f.size_bytes, UINT64_MAX);
	topology_facts_clear(&f);
	assert_true(topology_is_disk(&t->env, "sda"));
	assert_false(topology_is_disk(&t->env, "sda1"));
}

static void
slashes_are_exclamation_marks_in_sysfs(void **state)
{
	struct tree *t = *state;
	struct topology_facts disk, part;

	tree_disk(t, "pci0000:00/0000:06:00.0/cciss0/c0d1/block/cciss!c0d1", 1000);
	tree_put(t, "sys/devices/pci0000:00/0000:06:00.0/cciss0/c0d1/block/cciss!c0d1/cciss!c0d1p2/size", "10\n");
	topology_read(&t->env, "cciss/c0d1", 104, 16, &disk);
	assert_string_equal(disk.adapter, "cciss0");
	assert_int_equal(disk.size_bytes, 512000);
	topology_read_partition(&t->env, "cciss/c0d1p2", &disk, &part);
	assert_int_equal(part.size_bytes, 5120);
	topology_facts_clear(&disk);
	topology_facts_clear(&part);
}

static void
what_makes_another_thing(void **state)
{
	struct tree *t = *state;
	struct topology_facts before, after;

	tree_disk(t, "virtual/block/loop0", 100);
	tree_put(t, "sys/devices/virtual/block/loop0/diskseq", "7\n");
	topology_read(&t->env, "loop0", 7, 0, &before);
	tree_put(t, "sys/devices/virtual/block/loop0/size", "200\n");
	topology_read(&t->env, "loop0", 7, 0, &after);
	assert_true(topology_same_thing(&before, &after));
	topology_facts_clear(&after);
	tree_put(t, "sys/devices/virtual/block/loop0/diskseq", "8\n");
	topology_read(&t->env, "loop0", 7, 0, &after);
	assert_false(topology_same_thing(&before, &after));
	topology_facts_clear(&after);
	topology_facts_clear(&before);
}

static void
speeds(void **state)
{
	(void)state;
	assert_true(topology_speed_bits("16 Gbit") == 16e9);
	assert_true(topology_speed_bits("32 Gbit/s") == 32e9);
	assert_true(topology_speed_bits("100 Mbit") == 100e6);
	assert_true(topology_speed_bits("unknown") == 0);
	assert_true(topology_speed_bits("Not Negotiated") == 0);
	assert_true(topology_speed_bits("16") == 0);
	assert_true(topology_speed_bits("-1 Gbit") == 0);
	assert_true(topology_speed_bits("nan Gbit") == 0);
}

static void
states(void **state)
{
	(void)state;
	assert_true(topology_state_usable("running"));
	assert_true(topology_state_usable("live"));
	assert_true(topology_state_usable("non-optimized"));
	assert_true(topology_state_usable(""));
	assert_false(topology_state_usable("offline"));
	assert_false(topology_state_usable("transport-offline"));
	assert_false(topology_state_usable("blocked"));
	assert_false(topology_state_usable("connecting"));
	assert_false(topology_state_usable("inaccessible"));
}

#define TREE_TEST(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(a_disk_on_fc),
		TREE_TEST(an_fc_host),
		TREE_TEST(drivers_without_a_proc_name),
		TREE_TEST(udev_knows_more_of_an_ata_disk),
		TREE_TEST(an_nvme_head_and_its_paths),
		TREE_TEST(layers),
		TREE_TEST(trees_without_links),
		TREE_TEST(slashes_are_exclamation_marks_in_sysfs),
		TREE_TEST(what_makes_another_thing),
		cmocka_unit_test(speeds),
		cmocka_unit_test(states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
