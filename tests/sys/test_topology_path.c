#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sys/topology.h"

static const struct {
	const char *link;
	enum topology_bus bus;
	const char *disk, *below, *adapter, *address, *pci, *transport;
	const char *adapter_dir, *device_dir;
} shapes[] = {
	{ "../devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda", BUS_SCSI, "sda", "",
	    "host0", "0:0:0:0", "0000:00:1f.2", "ata", "devices/pci0000:00/0000:00:1f.2/ata1/host0",
	    "devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0" },
	/* a partition, as /sys/class/block links to it */
	{ "../../devices/pci0000:00/0000:00:1f.2/ata2/host1/target1:0:0/1:0:0:0/block/sdb/sdb12", BUS_SCSI, "sdb",
	    "sdb12", "host1", "1:0:0:0", "0000:00:1f.2", "ata", "devices/pci0000:00/0000:00:1f.2/ata2/host1",
	    "devices/pci0000:00/0000:00:1f.2/ata2/host1/target1:0:0/1:0:0:0" },
	/* USB: the PCI function is the controller's */
	{ "../devices/pci0000:00/0000:00:14.0/usb2/2-3/2-3:1.0/host6/target6:0:0/6:0:0:1/block/sdq", BUS_SCSI, "sdq",
	    "", "host6", "6:0:0:1", "0000:00:14.0", "usb",
	    "devices/pci0000:00/0000:00:14.0/usb2/2-3/2-3:1.0/host6",
	    "devices/pci0000:00/0000:00:14.0/usb2/2-3/2-3:1.0/host6/target6:0:0/6:0:0:1" },
	/* SAS behind an expander, LUN with a 64-bit number */
	{ "../devices/pci0000:80/0000:80:02.0/0000:81:00.0/host2/port-2:0/expander-2:0/port-2:0:4/end_device-2:0:4/"
	  "target2:0:4/2:0:4:18446744073709551614/block/sdaa", BUS_SCSI, "sdaa", "", "host2",
	    "2:0:4:18446744073709551614", "0000:81:00.0", "sas", "devices/pci0000:80/0000:80:02.0/0000:81:00.0/host2",
	    "devices/pci0000:80/0000:80:02.0/0000:81:00.0/host2/port-2:0/expander-2:0/port-2:0:4/end_device-2:0:4/"
	    "target2:0:4/2:0:4:18446744073709551614" },
	/* FC, and FC through an NPIV port: the nearest host */
	{ "../devices/pci0000:00/0000:00:02.0/host3/rport-3:0-1/target3:0:1/3:0:1:7/block/sdl", BUS_SCSI, "sdl", "",
	    "host3", "3:0:1:7", "0000:00:02.0", "fc", "devices/pci0000:00/0000:00:02.0/host3",
	    "devices/pci0000:00/0000:00:02.0/host3/rport-3:0-1/target3:0:1/3:0:1:7" },
	{ "../devices/pci0000:00/0000:00:02.0/host3/vport-3:0-0/host9/rport-9:0-2/target9:0:0/9:0:0:0/block/sdz",
	    BUS_SCSI, "sdz", "", "host9", "9:0:0:0", "0000:00:02.0", "fc",
	    "devices/pci0000:00/0000:00:02.0/host3/vport-3:0-0/host9",
	    "devices/pci0000:00/0000:00:02.0/host3/vport-3:0-0/host9/rport-9:0-2/target9:0:0/9:0:0:0" },
	/* iSCSI: no hardware above */
	{ "../devices/platform/host7/session12/target7:0:0/7:0:0:3/block/sdf", BUS_SCSI, "sdf", "", "host7", "7:0:0:3",
	    "", "iscsi", "devices/platform/host7", "devices/platform/host7/session12/target7:0:0/7:0:0:3" },
	{ "../devices/pseudo_0/adapter1/host8/target8:0:0/8:0:0:1/block/sdc", BUS_SCSI, "sdc", "", "host8", "8:0:0:1",
	    "", NULL, "devices/pseudo_0/adapter1/host8", "devices/pseudo_0/adapter1/host8/target8:0:0/8:0:0:1" },
	{ "../devices/pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme0/nvme0n1", BUS_NVME, "nvme0n1", "", "nvme0", "",
	    "0000:01:00.0", NULL, "devices/pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme0",
	    "devices/pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme0" },
	{ "../devices/pci0000:00/0000:00:01.0/10000:e1:00.0/nvme/nvme4/nvme4n1/nvme4n1p3", BUS_NVME, "nvme4n1",
	    "nvme4n1p3", "nvme4", "", "10000:e1:00.0", NULL,
	    "devices/pci0000:00/0000:00:01.0/10000:e1:00.0/nvme/nvme4",
	    "devices/pci0000:00/0000:00:01.0/10000:e1:00.0/nvme/nvme4" },
	/* NVMe multipath: the head, a PCI path, a fabrics path */
	{ "../devices/virtual/nvme-subsystem/nvme-subsys2/nvme2n1", BUS_NVME_HEAD, "nvme2n1", "", "nvme-subsys2", "", "",
	    NULL, "devices/virtual/nvme-subsystem/nvme-subsys2", "devices/virtual/nvme-subsystem/nvme-subsys2" },
	{ "../devices/pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme3/nvme2c3n1", BUS_NVME, "nvme2c3n1", "", "nvme3", "",
	    "0000:01:00.0", NULL, "devices/pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme3",
	    "devices/pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme3" },
	{ "../devices/virtual/nvme-fabrics/ctl/nvme5/nvme2c5n1", BUS_NVME, "nvme2c5n1", "", "nvme5", "", "", NULL,
	    "devices/virtual/nvme-fabrics/ctl/nvme5", "devices/virtual/nvme-fabrics/ctl/nvme5" },
	{ "../devices/pci0000:00/0000:00:02.0/virtio1/block/vda", BUS_VIRTIO, "vda", "", "virtio1", "", "0000:00:02.0",
	    "virtio", "devices/pci0000:00/0000:00:02.0/virtio1", "devices/pci0000:00/0000:00:02.0/virtio1" },
	/* virtio-scsi is a SCSI host */
	{ "../devices/pci0000:00/0000:00:05.0/virtio2/host4/target4:0:0/4:0:0:0/block/sdd", BUS_SCSI, "sdd", "", "host4",
	    "4:0:0:0", "0000:00:05.0", "virtio", "devices/pci0000:00/0000:00:05.0/virtio2/host4",
	    "devices/pci0000:00/0000:00:05.0/virtio2/host4/target4:0:0/4:0:0:0" },
	{ "../devices/platform/soc/3f300000.mmc/mmc_host/mmc0/mmc0:aaaa/block/mmcblk0/mmcblk0p2", BUS_MMC, "mmcblk0",
	    "mmcblk0p2", "mmc0", "", "", NULL, "devices/platform/soc/3f300000.mmc/mmc_host/mmc0",
	    "devices/platform/soc/3f300000.mmc/mmc_host/mmc0/mmc0:aaaa" },
	{ "../devices/pci0000:00/0000:00:03.0/0000:06:00.0/cciss0/c0d1/block/cciss!c0d1/cciss!c0d1p1", BUS_OTHER,
	    "cciss/c0d1", "cciss/c0d1p1", "cciss0", "", "0000:06:00.0", NULL,
	    "devices/pci0000:00/0000:00:03.0/0000:06:00.0/cciss0",
	    "devices/pci0000:00/0000:00:03.0/0000:06:00.0/cciss0/c0d1" },
	{ "../devices/LNXSYSTM:00/LNXSYBUS:00/PNP0A03:00/device:07/VMBUS:01/f8b3781a-1e82-4818-a1c3-63d806ec15bb/host1/"
	  "target1:0:0/1:0:0:0/block/sdb", BUS_SCSI, "sdb", "", "host1", "1:0:0:0", "", "vmbus",
	    "devices/LNXSYSTM:00/LNXSYBUS:00/PNP0A03:00/device:07/VMBUS:01/f8b3781a-1e82-4818-a1c3-63d806ec15bb/host1",
	    "devices/LNXSYSTM:00/LNXSYBUS:00/PNP0A03:00/device:07/VMBUS:01/f8b3781a-1e82-4818-a1c3-63d806ec15bb/host1/"
	    "target1:0:0/1:0:0:0" },
	{ "../devices/vbd-51712/block/xvda", BUS_OTHER, "xvda", "", "", "", "", "xen", "", "devices/vbd-51712" },
	{ "../devices/virtual/block/dm-11", BUS_VIRTUAL, "dm-11", "", "", "", "", NULL, "", "devices/virtual" },
	{ "/sys/devices/virtual/block/md127/md127p1", BUS_VIRTUAL, "md127", "md127p1", "", "", "", NULL, "",
	    "devices/virtual" },
};

static void
every_shape(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct topology_path path;

		if (!topology_parse_path(shapes[i].link, &path))
			fail_msg("refused: %s", shapes[i].link);
		assert_int_equal(path.bus, shapes[i].bus);
		assert_string_equal(path.disk, shapes[i].disk);
		assert_string_equal(path.below, shapes[i].below);
		assert_string_equal(path.adapter, shapes[i].adapter);
		assert_string_equal(path.address, shapes[i].address);
		assert_string_equal(path.pci, shapes[i].pci);
		if (shapes[i].transport == NULL)
			assert_null(path.transport);
		else
			assert_string_equal(path.transport, shapes[i].transport);
		assert_int_equal(path.adapter_len, strlen(shapes[i].adapter_dir));
		assert_memory_equal(path.devices, shapes[i].adapter_dir, path.adapter_len);
		assert_int_equal(path.device_len, strlen(shapes[i].device_dir));
		assert_memory_equal(path.devices, shapes[i].device_dir, path.device_len);
	}
}

static void
the_session_is_named(void **state)
{
	struct topology_path path;

	(void)state;
	assert_true(topology_parse_path("../devices/platform/host7/session12/target7:0:0/7:0:0:3/block/sdf", &path));
	assert_string_equal(path.session, "session12");
}

static void
not_block_devices(void **state)
{
	static const char *const cases[] = {
		"",
		"../devices",
		"mydevices/virtual/block/loop0",
		"../devices/virtual/block/",
		"../devices/virtual/net/lo",
		"../devices/virtual/block/loop0/loop0p1/holders",
		"../devices/virtual/block/a23456789012345678901234567890123456789012345678",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct topology_path path;

		if (topology_parse_path(cases[i], &path))
			fail_msg("taken: %s", cases[i]);
	}
}

static void
adapters_by_name_alone(void **state)
{
	static const struct {
		const char *name, *adapter;
	} cases[] = {
		{ "sda", "scsi" }, { "sdaa", "scsi" }, { "sr0", "scsi" }, { "nvme0n1", "nvme0" },
		{ "nvme12n3", "nvme12" }, { "nvme2c5n1", "nvme5" }, { "vda", "virtio" }, { "xvdq", "xen" },
		{ "dm-0", "device-mapper" }, { "md127", "md" }, { "md_home", "md" }, { "loop7", "loop" },
		{ "zram0", "zram" }, { "ram15", "ram" }, { "nbd3", "nbd" }, { "cciss/c0d0", "cciss0" },
		{ "cciss/c12d3", "cciss12" }, { "ida/c1d0", "ida1" }, { "mmcblk0", "mmc0" },
		{ "mmcblk1boot0", "mmc1" }, { "dasda", "dasd" }, { "zd16", "zfs" }, { "hda", "ide" },
		/* unknown ones: the name without its number */
		{ "mtdblock4", "mtdblock" }, { "mdadm", "mdadm" }, { "ublkb0", "ublkb" }, { "odd-3", "odd" },
		{ "0", "0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char adapter[TOPOLOGY_NAME_MAX];

		topology_adapter_of(cases[i].name, adapter);
		assert_string_equal(adapter, cases[i].adapter);
	}
}

static void
partitions_by_name(void **state)
{
	static const struct {
		const char *name, *disk;
		unsigned number;
	} cases[] = {
		{ "sda1", "sda", 1 }, { "sdaa12", "sdaa", 12 }, { "nvme0n1p2", "nvme0n1", 2 },
		{ "cciss/c0d0p3", "cciss/c0d0", 3 }, { "mmcblk0p1", "mmcblk0", 1 }, { "md127p1", "md127", 1 },
		{ "loop0p5", "loop0", 5 },
		/* built alike, but there is no such disk */
		{ "nvme0n1", "nvme0n", 1 }, { "md127", "md", 127 }, { "loop1", "loop", 1 },
		/* none at all */
		{ "sda", NULL, 0 }, { "dm-0", NULL, 0 }, { "12", NULL, 0 }, { "mmcblk0boot0", NULL, 0 },
		{ "sda01234567", NULL, 0 }, { "", NULL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char disk[TOPOLOGY_NAME_MAX];
		unsigned number = 0;

		assert_int_equal(topology_whole_of(cases[i].name, disk, &number), cases[i].disk != NULL);
		if (cases[i].disk == NULL)
			continue;
		assert_string_equal(disk, cases[i].disk);
		assert_int_equal(number, cases[i].number);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape),
		cmocka_unit_test(the_session_is_named),
		cmocka_unit_test(not_block_devices),
		cmocka_unit_test(adapters_by_name_alone),
		cmocka_unit_test(partitions_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
