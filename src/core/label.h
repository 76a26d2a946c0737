/*
 * Labels: what is known of an object that does not change by itself (names, size, depth, speed).
 * The table in label.c gives each its key, as in tidy, JSON and the store.
 */
#ifndef CORE_LABEL_H
#define CORE_LABEL_H

#include <stdbool.h>
#include <stddef.h>

enum label_id {
	LABEL_NONE,
	LABEL_ROLE,		/* path, head, layer (absent: an ordinary device); text of enum object_role */
	LABEL_CLASS,		/* rotational, san, flash, virtual, memory: chooses the thresholds */
	LABEL_VENDOR,
	LABEL_MODEL,
	LABEL_SERIAL,
	LABEL_WWN,		/* "naa.6000...", "eui.00...", "uuid...": as the kernel says it */
	LABEL_MAPPER,		/* device-mapper name, md name */
	LABEL_MOUNT,		/* mount points, also those of layers above, separated by spaces */
	LABEL_DRIVER,		/* "megaraid_sas", "nvme", "virtio_blk", "device-mapper" */
	LABEL_TRANSPORT,	/* "fc", "iscsi", "sas", "ata", "usb", "pcie", "tcp", "rdma" ... */
	LABEL_ADDRESS,		/* SCSI H:C:T:L, NVMe traddr, PCI function */
	LABEL_STATE,		/* path: active, failed ...; port: Online; device: running, offline */
	LABEL_SPEED,		/* text "16 Gbit"; number: bits per second */
	LABEL_PATHS,		/* text "3/4" usable of all; number: usable */
	LABEL_PORTS,		/* adapters: text "3/4" */
	LABEL_QUEUE_DEPTH,	/* number */
	LABEL_SIZE_BYTES,	/* number */
	LABEL_ROTATIONAL,	/* 0 or 1 */
	LABEL_MAJMIN,		/* "8:16" */
	LABEL_PARTNO,		/* number */
	LABEL_SLAVES,		/* kernel names below, separated by spaces */
	LABEL_LEVEL,		/* md: "raid1"; dm: "linear", "multipath", "crypt" */
	LABEL_BACKING,		/* loop: backing file */
	LABEL_PORT_NAME,	/* FC WWPN */
	LABEL_DUPLEX,
	LABEL_EXPORT,		/* NFS: "server:/export" */
	LABEL_VERSION,		/* NFS: "3", "4.1" */
	LABEL_NCONNECT,		/* NFS: text "x4", number: connections */
	LABEL_HOST,		/* iSCSI session: its SCSI host, "host6" */
	LABEL_SESSION,		/* disk: the iSCSI session it is reached by, "session1" */
	LABEL_TARGET,		/* iSCSI: the target's name */
	LABEL_PORTAL,		/* iSCSI: "10.9.0.1:3260" */
	LABEL_INITIATOR,	/* iSCSI: the initiator's name */
	LABEL_DIGESTS,		/* iSCSI: "none", "header", "data", "header data" */
	LABEL_CLIENT,		/* of a flow: its address */
	LABEL_SERVER,		/* of a flow: its address, and the port where it is another than usual */
	LABEL_LUN,		/* number */
	LABEL_INTERFACE,	/* that a flow is seen on */
	LABEL_NOTE,		/* "not responding", "stats off": shown beside the name */
	LABEL_COUNT
};

struct label_info {
	const char *key;	/* "queue_depth" */
	const char *title;	/* "queue depth" */
	bool number;		/* the store and JSON keep it as a number */
	const char *help;
};

extern const struct label_info label_table[LABEL_COUNT];

/* LABEL_NONE where there is none of that key. */
enum label_id label_find(const char *key);

#endif
