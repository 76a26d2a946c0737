/*
 * The block topology of a machine: what a device is called, what it hangs on and what it stands on, as
 * sysfs tells. Pure where the header says so; the rest reads cached attributes below the root, which
 * never ask a device. Any thread.
 */
#ifndef SYS_TOPOLOGY_H
#define SYS_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOPOLOGY_NAME_MAX 48	/* of a device or adapter, NUL included */

enum topology_bus {
	BUS_OTHER,
	BUS_SCSI,	/* anything with a SCSI host: SAS, ATA, USB, FC, iSCSI ... */
	BUS_NVME,	/* a namespace of one controller, or a path below a head */
	BUS_NVME_HEAD,	/* a namespace of an NVMe subsystem: stands for its paths */
	BUS_VIRTIO,
	BUS_MMC,
	BUS_VIRTUAL,	/* /sys/devices/virtual: loop, zram, device-mapper ... */
};

/* What the target of /sys/block/X or /sys/class/block/X says. Offsets count from the 'd' of "devices/". */
struct topology_path {
	enum topology_bus bus;
	char disk[TOPOLOGY_NAME_MAX];		/* kernel name, '!' turned into '/' */
	char below[TOPOLOGY_NAME_MAX];		/* what follows the disk: a partition, or "" */
	char adapter[TOPOLOGY_NAME_MAX];	/* "host3", "nvme0", "nvme-subsys0", "virtio1"; "": none named */
	char address[TOPOLOGY_NAME_MAX];	/* SCSI H:C:T:L, or "" */
	char pci[TOPOLOGY_NAME_MAX];		/* nearest PCI function above the adapter, or "" */
	char session[TOPOLOGY_NAME_MAX];	/* iSCSI "session1", or "" */
	const char *transport;			/* "fc", "iscsi", "sas", "ata", "usb", "virtio" ...; NULL: not named */
	size_t adapter_len;			/* where the adapter's directory ends; 0: none */
	size_t device_len;			/* where the directory of the device behind the disk ends */
	const char *devices;			/* the "devices/..." in the path that was parsed */
};

/* Pure. false where this is no path of a block device. */
bool topology_parse_path(const char *devpath, struct topology_path *out);

/* What a kernel name alone tells. */
enum family_flags {
	FAMILY_STACK = 1 << 0,		/* lies on other block devices: see slaves/ */
	FAMILY_LAYER = 1 << 1,		/* is a layer even where what lies below is not told */
	FAMILY_MEMORY = 1 << 2,
	FAMILY_NETWORK = 1 << 3,
	FAMILY_VIRTUAL = 1 << 4,	/* the disk of a virtual machine: rotational lies */
	FAMILY_HIDE_EMPTY = 1 << 5,	/* nothing while its size is 0 */
	FAMILY_HIDE_UNUSED = 1 << 6,	/* nothing until it had I/O */
	FAMILY_NUMBERED = 1 << 7,	/* the adapter carries the number that follows the prefix */
	FAMILY_LETTERED = 1 << 8,	/* "sda", "sdaa", not "sd0" */
};

struct topology_family {
	const char *prefix;	/* "nvme" */
	const char *adapter;	/* where the path names none */
	const char *driver;	/* of that adapter, or NULL */
	unsigned flags;
};

/* Pure. The family of a kernel name; one without a prefix where none fits. */
const struct topology_family *topology_family(const char *name);
/* Pure. The adapter by name alone: "scsi", "nvme0", "cciss0", "device-mapper"; never "". */
void topology_adapter_of(const char *name, char out[static TOPOLOGY_NAME_MAX]);
/*
 * Pure. If the name is built like a partition's (sda1, nvme0n1p2, cciss/c0d0p1), the name of the disk
 * it would be on and the partition's number. It is one if that disk exists and sysfs says nothing else.
 */
bool topology_whole_of(const char *name, char disk[static TOPOLOGY_NAME_MAX], unsigned *number);

#endif
