#include "core/label.h"

#include <string.h>

const struct label_info label_table[LABEL_COUNT] = {
	[LABEL_NONE] = { "", "", false, "" },
	[LABEL_ROLE] = { "role", "role", false,
	    "path or head of a multipath device, or layer above another device; absent for an ordinary one" },
	[LABEL_CLASS] = { "class", "class", false,
	    "rotational, flash, san, virtual or memory: chooses the latency thresholds" },
	[LABEL_VENDOR] = { "vendor", "vendor", false, "as the device says it" },
	[LABEL_MODEL] = { "model", "model", false, "as the device says it" },
	[LABEL_SERIAL] = { "serial", "serial number", false, "as the device or udev says it" },
	[LABEL_WWN] = { "wwn", "WWN", false, "world wide name: naa, eui, uuid or t10" },
	[LABEL_MAPPER] = { "mapper", "mapper name", false, "name under device-mapper or md" },
	[LABEL_MOUNT] = { "mount", "mounted on", false,
	    "mount points, also those of the layers above the device" },
	[LABEL_DRIVER] = { "driver", "driver", false, "kernel driver of the adapter" },
	[LABEL_TRANSPORT] = { "transport", "transport", false, "fc, iscsi, sas, ata, usb, pcie, tcp, rdma ..." },
	[LABEL_ADDRESS] = { "address", "address", false,
	    "host:channel:target:LUN, NVMe transport address, or PCI function" },
	[LABEL_STATE] = { "state", "state", false, "of a path, a port, a link or a device" },
	[LABEL_SPEED] = { "speed", "speed", true, "of the link, bits per second" },
	[LABEL_PATHS] = { "paths", "paths", false, "usable of all" },
	[LABEL_PORTS] = { "ports", "ports", false, "online of all" },
	[LABEL_QUEUE_DEPTH] = { "queue_depth", "queue depth", true,
	    "commands the device (an adapter: the host) takes at once" },
	[LABEL_SIZE_BYTES] = { "size_bytes", "size", true, "bytes" },
	[LABEL_ROTATIONAL] = { "rotational", "rotational", true, "1 for spinning disks, as the kernel says it" },
	[LABEL_MAJMIN] = { "majmin", "device number", false, "major:minor" },
	[LABEL_PARTNO] = { "partno", "partition number", true, "of its disk" },
	[LABEL_SLAVES] = { "slaves", "built on", false, "kernel names of the devices below" },
	[LABEL_LEVEL] = { "level", "level", false, "md level or device-mapper target" },
	[LABEL_BACKING] = { "backing", "backing file", false, "of a loop device" },
	[LABEL_PORT_NAME] = { "port_name", "port name", false, "FC world wide port name" },
	[LABEL_DUPLEX] = { "duplex", "duplex", false, "full or half" },
	[LABEL_EXPORT] = { "export", "export", false, "server and path that an NFS mount is of; of a flow on the wire the path" },
	[LABEL_VERSION] = { "version", "version", false, "of the NFS protocol" },
	[LABEL_NCONNECT] = { "nconnect", "connections", true, "of an NFS mount, where there are several" },
	[LABEL_HOST] = { "host", "host", false, "SCSI host of an iSCSI session" },
	[LABEL_SESSION] = { "session", "session", false, "iSCSI session that a disk is reached by" },
	[LABEL_TARGET] = { "target", "target", false, "name of the iSCSI target" },
	[LABEL_PORTAL] = { "portal", "portal", false, "address and port of the iSCSI target" },
	[LABEL_INITIATOR] = { "initiator", "initiator", false, "name of the iSCSI initiator" },
	[LABEL_DIGESTS] = { "digests", "digests", false, "of the iSCSI connection: none, header, data or both" },
	[LABEL_CLIENT] = { "client", "client", false, "address, of a flow on the wire" },
	[LABEL_SERVER] = { "server", "server", false, "address, of a flow on the wire" },
	[LABEL_LUN] = { "lun", "LUN", true, "of an iSCSI flow on the wire" },
	[LABEL_INTERFACE] = { "interface", "interface", false, "that a flow on the wire is seen on" },
	[LABEL_NOTE] = { "note", "note", false, "what keeps a figure from being known" },
};

enum label_id
label_find(const char *key)
{
	for (int id = LABEL_NONE + 1; id < LABEL_COUNT; id++)
		if (strcmp(label_table[id].key, key) == 0)
			return (enum label_id)id;
	return LABEL_NONE;
}
