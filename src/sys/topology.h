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

#include "sys/env.h"

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

#define TOPOLOGY_TEXT_MAX 128
#define TOPOLOGY_ADDRESS_MAX 320	/* an iSCSI name has up to 223 characters, and its portal follows */

/*
 * What stands at a device's place in the tree: read at first sight, and again when the kernel says it
 * changed. Strings are owned; free with topology_facts_clear().
 */
struct topology_facts {
	const struct topology_family *family;
	enum topology_bus bus;
	char *dir;		/* of its attributes: "/sys/devices/.../sda", "/sys/block/sda"; NULL: not in sysfs */
	char *device_dir;	/* of what is behind it: SCSI device, NVMe controller; NULL: not told */
	char *adapter_dir;	/* NULL: not told */
	char adapter[TOPOLOGY_NAME_MAX];	/* never "" but for a partition */
	char address[TOPOLOGY_NAME_MAX];	/* "" where not told; so are the next two */
	char pci[TOPOLOGY_NAME_MAX];
	char session[TOPOLOGY_NAME_MAX];
	const char *transport;	/* static; NULL: not told */
	uint64_t size_bytes;	/* UINT64_MAX: not told */
	uint64_t diskseq;	/* another one for each thing of this name since boot; 0: not told */
	char *wwn;		/* as the kernel says it: "naa.", "eui.", "t10.", "uuid." ...; NULL */
	char *serial;		/* where udev knows it and there is no WWN; NULL */
	char *slaves;		/* kernel names below, separated by spaces; "": none; NULL: not told */
	char *mapper;		/* device-mapper name; NULL */
	char *uuid;		/* device-mapper "LVM-...", "mpath-...", "CRYPT-..."; NULL */
	char *backing;		/* file of a loop device; NULL: none */
};

/* A whole device; devices that sysfs does not know have what their name tells. */
void topology_read(const struct env *, const char *name, unsigned major, unsigned minor, struct topology_facts *out);
/* Does sysfs know a whole device of this name? */
bool topology_is_disk(const struct env *, const char *name);
/* A partition of the disk with these facts. */
void topology_read_partition(const struct env *, const char *name, const struct topology_facts *disk,
    struct topology_facts *out);
void topology_facts_clear(struct topology_facts *);
/* Is it the same thing as before, as far as these facts tell (WWN, device-mapper uuid, place, diskseq)? */
bool topology_same_thing(const struct topology_facts *, const struct topology_facts *);

/* What people want to know besides; dearer to read. "", -1 or UINT64_MAX where not told. */
struct topology_detail {
	char vendor[TOPOLOGY_TEXT_MAX], model[TOPOLOGY_TEXT_MAX], serial[TOPOLOGY_TEXT_MAX];
	char level[TOPOLOGY_NAME_MAX];		/* md "raid1"; dm "linear", "crypt", "multipath" */
	char name[TOPOLOGY_NAME_MAX];		/* of an md array, below /dev/md */
	long queue_depth;
	int rotational;
	int iostats;				/* 0: the kernel was told not to count this device's I/O */
};
void topology_detail(const struct env *, const char *name, unsigned major, unsigned minor,
    const struct topology_facts *, struct topology_detail *out);

/*
 * State of a SCSI device ("running", "offline", "transport-offline" ...) or of an NVMe path ("live",
 * "connecting", or, of a live controller, the ANA state where that is not "optimized"). "" where not told.
 */
void topology_state(const struct env *, const struct topology_facts *, char out[static TOPOLOGY_NAME_MAX]);
/* Pure. Does I/O go through a path in this state? */
bool topology_state_usable(const char *state);

/* An adapter; "", -1 or 0 where not told. */
struct topology_adapter {
	char driver[TOPOLOGY_NAME_MAX];
	char transport[TOPOLOGY_NAME_MAX];
	char address[TOPOLOGY_ADDRESS_MAX];	/* PCI function, NVMe over fabrics "traddr=...", iSCSI "iqn... @ portal" */
	char state[TOPOLOGY_NAME_MAX];
	char speed[TOPOLOGY_NAME_MAX];		/* "16 Gbit" */
	double speed_bits;			/* per second */
	char port_name[TOPOLOGY_NAME_MAX];	/* FC WWPN */
	int ports, ports_online;		/* FC: remote ports; NVMe subsystem: its controllers */
	long queue_depth;			/* SCSI can_queue */
};
/* `facts` of a disk on it. */
void topology_adapter(const struct env *, const struct topology_facts *, struct topology_adapter *out);
/* FC hosts need no disk to be worth showing: the same for a host by name. */
void topology_fc_host(const struct env *, const char *host, struct topology_adapter *out);
/* Pure. "16 Gbit" and "16 Gbit/s", "Unknown": bits per second, 0 where it is no speed. */
double topology_speed_bits(const char *text);

#endif
