/*
 * disk: whole block devices, multipath and NVMe heads, paths and layers.
 * Sources: /proc/diskstats (Documentation/admin-guide/iostats.rst); SCSI error counters of
 * /sys/block/X/device (drivers/scsi/scsi_sysfs.c).
 */
#include "core/kinds/io.h"

static const struct metric metrics[DISK_METRICS] = { IO_METRICS };

#define TEXT(key, title, width, label_id, help) \
	{ key, title, "", width, 0, 5, COLUMN_EXTRA | COLUMN_LEFT | COLUMN_NO_EXPORT, 0, \
	    { .per = VALUE_LABEL_TEXT, .label = label_id }, help }

static const struct column columns[] = {
	{ "paths", "PATHS", "usable/all", 5, 0, 50, COLUMN_NO_EXPORT, 0,
	    { .per = VALUE_LABEL_TEXT, .label = LABEL_PATHS },
	    "Usable paths of all paths of a multipath device or NVMe head. Marked where a path has failed." },
	{ "actv", "ACTV", "commands", 5, 0, 65, 0, 0,
	    { .scale = 1, .plus = M(DISK_IN_FLIGHT), .per = PER_ONE },
	    "Commands in flight at the end of the interval, those waiting in the I/O scheduler too." },
	{ "dqlen", "DQLEN", "commands", 5, 0, 45, 0, 0,
	    { .scale = 1, .per = VALUE_LABEL_NUMBER, .label = LABEL_QUEUE_DEPTH },
	    "Commands the device takes at once (SCSI queue_depth). Other devices do not say." },
	{ "used_pct", "%USD", "per cent", 5, 0, 20, COLUMN_EXTRA, 0,
	    { .scale = 100, .plus = M(DISK_IN_FLIGHT), .per = PER_LABEL, .label = LABEL_QUEUE_DEPTH },
	    "ACTV in per cent of DQLEN. Above 100: commands wait in the host." },
	{ "load", "LOAD", "ratio", 5, 2, 20, COLUMN_EXTRA, 0,
	    { .scale = 1, .plus = M(DISK_IN_FLIGHT), .per = PER_LABEL, .label = LABEL_QUEUE_DEPTH },
	    "ACTV divided by DQLEN." },
	{ "util_pct", "%UTIL", "per cent", 5, 0, 35, 0, 0,
	    { .scale = 0.1, .plus = M(DISK_BUSY_MS), .per = PER_SECOND },
	    "Share of the time with at least one command in flight. Not saturation: SSDs, arrays and anything that works in "
	    "parallel can take more at 100. Kernels 5.0 to 6.9 sample it at clock ticks and can show far too much; the number "
	    "is not capped." },
	IO_RATE_COLUMNS,
	IO_SIZE_COLUMNS,
	IO_SPLIT_COLUMNS,
	IO_LATENCY_COLUMNS,
	{ "err_s", "ERR/s", "commands per second", 5, 2, 30, COLUMN_WARN_ABOVE_0, 0,
	    { .scale = 1, .plus = M(DISK_ERRORS), .per = PER_SECOND },
	    "Commands per second that ended with an error (SCSI only). Removable and offline devices can show a steady few." },
	{ "tmo_s", "TMO/s", "commands per second", 5, 2, 12, COLUMN_EXTRA | COLUMN_WARN_ABOVE_0, 0,
	    { .scale = 1, .plus = M(DISK_TIMEOUTS), .per = PER_SECOND },
	    "Commands per second that timed out (SCSI, newer kernels)." },
	IO_OTHER_COLUMNS,
	TEXT("model", "MODEL", 16, LABEL_MODEL, "Model, as the device says it."),
	TEXT("serial", "SERIAL", 16, LABEL_SERIAL, "Serial number."),
	TEXT("wwn", "WWN", 24, LABEL_WWN, "World wide name."),
	TEXT("mapper", "MAPPER", 16, LABEL_MAPPER, "Name under device-mapper or md."),
	TEXT("mount", "MOUNT", 16, LABEL_MOUNT, "Where it, or a layer above it, is mounted."),
	TEXT("transport", "TRANSP", 7, LABEL_TRANSPORT, "How the device is reached: fc, iscsi, sas, ata, usb, pcie ..."),
	TEXT("address", "ADDRESS", 12, LABEL_ADDRESS, "SCSI host:channel:target:LUN, NVMe transport address."),
	TEXT("state", "STATE", 8, LABEL_STATE, "State of the device or path, as the kernel says it."),
	{ "size_gb", "SIZE/GB", "2^30 bytes", 8, 1, 8, COLUMN_EXTRA | COLUMN_NO_EXPORT, 0,
	    { .scale = 1.0 / (1 << 30), .per = VALUE_LABEL_NUMBER, .label = LABEL_SIZE_BYTES },
	    "Size in GiB." },
};

static const struct pdh_counter device_counters[] = {
	{ "Device Q Depth", "dqlen", 0, true, false },
	{ "World Q Depth", "", 0, true, false },
	{ "Active Commands", "actv", 0, true, false },
	{ "Queued Commands", "", 0, true, false },
	{ "% Used", "used_pct", 0, false, false },
	{ "Load", "load", 0, false, false },
	PDH_IO5,
	PDH_RESERVES,
	PDH_LATENCY,
	PDH_ERRORS,
	{ "CReads", NULL, 0, true, true },
	{ "CWrites", NULL, 0, true, true },
	{ "CFailed", NULL, 0, true, true },
	{ "MBytes CReads/sec", NULL, 0, false, true },
	{ "MBytes CWrites/sec", NULL, 0, false, true },
	{ "ATS", NULL, 0, true, true },
	{ "ATS Failed", NULL, 0, true, true },
	{ "Zeros", "", 0, true, true },
	{ "Zeros Failed", "", 0, true, true },
	{ "MBytes Zeroed/sec", "", 0, false, true },
	/* esxtop's Delete is a total since boot, of which an interval knows nothing. */
	{ "Delete", "", 0, true, true },
	{ "Deletes Failed", "", 0, true, true },
	{ "MBytes Deletes/sec", "mbdisc_s", 0, false, true },
	{ "Average Success Latency ms/Clone", NULL, 0, false, true },
	{ "Average Failure Latency ms/Clone", NULL, 0, false, true },
	{ "Average Success Latency ms/ATS", NULL, 0, false, true },
	{ "Average Failure Latency ms/ATS", NULL, 0, false, true },
	{ "Average Success Latency ms/Zero", "", 0, false, true },
	{ "Average Failure Latency ms/Zero", "", 0, false, true },
};

static const struct pdh_counter path_counters[] = { PDH_SCSI };

static const struct pdh_object pdh[] = {
	{ .name = "Physical Disk SCSI Device",
	    .roles = M(ROLE_BASE) | M(ROLE_HEAD) | M(ROLE_LAYER) | M(ROLE_UNCOUNTED),
	    .counters = device_counters, .n_counters = sizeof(device_counters) / sizeof(device_counters[0]), .order = 50 },
	{ .name = "Physical Disk Path", .roles = M(ROLE_PATH),
	    .counters = path_counters, .n_counters = sizeof(path_counters) / sizeof(path_counters[0]), .order = 60 },
};

const struct kind kind_disk = {
	.key = "disk",
	.title = "Devices",
	.one = "device",
	.what = "whole block devices, multipath heads and their paths, layers (device-mapper, md, loop)",
	.metrics = metrics,
	.n_metrics = DISK_METRICS,
	.columns = columns,
	.n_columns = sizeof(columns) / sizeof(columns[0]),
	.pdh = pdh,
	.n_pdh = sizeof(pdh) / sizeof(pdh[0]),
	.in_flight = M(DISK_IN_FLIGHT),
	.completed = IO_DONE,
};
