/*
 * iSCSI: iscsi_session, a session of this host to a target, the sum of its disks (/sys/class/iscsi_session,
 * drivers/scsi/scsi_transport_iscsi.c), or, where this host is a target (LIO), a target or an initiator it knows, the sum of the
 * LUNs it has there; iscsi_lun, such a LUN (configfs, drivers/target/target_core_stat.c).
 */
#include "core/kinds/io.h"
#include "core/kinds/tcp.h"

static const struct metric session_metrics[ISCSI_SESSION_METRICS] = {
	IO_METRICS,
	[ISCSI_COMMANDS] = { .key = "commands", .unit = "commands", .nature = METRIC_COUNTER, .help = "of the LUNs" },
	TCP_METRICS(ISCSI_TCP),
};

#define ANY_COMMANDS (IO_DONE | M(ISCSI_COMMANDS))

static const struct column session_columns[] = {
	{ "paths", "PATHS", "usable/all", 5, 0, 66, COLUMN_NO_EXPORT, 0,
	    { .per = VALUE_LABEL_TEXT, .label = LABEL_PATHS },
	    "Sessions to this target that are logged in, of all sessions to it. Marked where one is not." },
	{ "state", "STATE", "", 9, 0, 64, COLUMN_LEFT | COLUMN_NO_EXPORT, 0, { .per = VALUE_LABEL_TEXT, .label = LABEL_STATE },
	    "State of the session, as the kernel says it." },
	{ "actv", "ACTV", "commands", 5, 0, 62, 0, 0,
	    { .scale = 1, .plus = M(DISK_IN_FLIGHT), .per = PER_ONE },
	    "Commands in flight on its disks at the end of the interval." },
	{ "cmds_s", "CMDS/s", "commands per second", 8, 0, 100, COLUMN_IOPS, 0,
	    { .scale = 1, .plus = ANY_COMMANDS, .optional = ANY_COMMANDS, .per = PER_SECOND },
	    "Commands of its disks completed per second; of a target's own LUNs commands received, of whatever kind." },
	IO_READ_WRITE_COLUMNS,
	IO_SIZE_COLUMNS,
	IO_LATENCY_COLUMNS,
	{ "err_s", "ERR/s", "commands per second", 5, 2, 30, COLUMN_EXTRA | COLUMN_WARN_ABOVE_0, 0,
	    { .scale = 1, .plus = M(DISK_ERRORS), .per = PER_SECOND },
	    "Commands per second on its disks that ended with an error." },
	TCP_COLUMNS(ISCSI_TCP),
	{ "digests", "DIGESTS", "", 11, 0, 10, COLUMN_EXTRA | COLUMN_LEFT | COLUMN_NO_EXPORT, 0,
	    { .per = VALUE_LABEL_TEXT, .label = LABEL_DIGESTS }, "Digests of the connection: none, header, data or both." },
	{ "driver", "DRIVER", "", 9, 0, 5, COLUMN_EXTRA | COLUMN_LEFT | COLUMN_NO_EXPORT, 0,
	    { .per = VALUE_LABEL_TEXT, .label = LABEL_DRIVER }, "Driver of the session's host; LIO: this host is the target." },
};

static const struct rollup_term session_rollup[] = {
	{ .from = "disk", .by = ROLLUP_BY_LABEL, .label = LABEL_SESSION },
	{ .from = "iscsi_conn", .by = ROLLUP_COUNTS_IN },
	{ .from = "iscsi_lun", .by = ROLLUP_COUNTS_IN },
	{ .from = NULL, .by = ROLLUP_COUNTS_IN },
};

const struct kind kind_iscsi_session = {
	.key = "iscsi_session",
	.title = "iSCSI sessions",
	.one = "iSCSI session",
	.what = "iSCSI sessions of this host: the sum of their disks; and what initiators do with the LUNs of its own targets",
	.metrics = session_metrics,
	.n_metrics = ISCSI_SESSION_METRICS,
	.columns = session_columns,
	.n_columns = sizeof(session_columns) / sizeof(session_columns[0]),
	.rollup = session_rollup,
	.in_flight = M(DISK_IN_FLIGHT),
	.completed = ANY_COMMANDS,
};

static const struct metric lun_metrics[ISCSI_LUN_METRICS] = {
	[ISCSI_LUN_COMMANDS] = { .key = "commands", .unit = "commands", .nature = METRIC_COUNTER, .help = "received, of whatever kind" },
	[ISCSI_LUN_READ_SECTORS] = { .key = "read_sectors", .unit = "512 B", .nature = METRIC_COUNTER,
	    .help = "read by initiators, in whole megabytes" },
	[ISCSI_LUN_WRITE_SECTORS] = { .key = "write_sectors", .unit = "512 B", .nature = METRIC_COUNTER,
	    .help = "written by initiators, in whole megabytes" },
};

static const struct column lun_columns[] = {
	{ "cmds_s", "CMDS/s", "commands per second", 8, 0, 100, COLUMN_IOPS, 0,
	    { .scale = 1, .plus = M(ISCSI_LUN_COMMANDS), .per = PER_SECOND },
	    "Commands received per second, of whatever kind: the target does not count reads and writes apart, nor their time." },
	{ "mbread_s", "MBREAD/s", "2^20 bytes per second", 8, 2, 80, COLUMN_READ | COLUMN_MBYTES, 'R',
	    { .scale = SECTORS_TO_MB, .plus = M(ISCSI_LUN_READ_SECTORS), .per = PER_SECOND },
	    "Megabytes (2^20 bytes) read by initiators per second; counted in whole megabytes." },
	{ "mbwrtn_s", "MBWRTN/s", "2^20 bytes per second", 8, 2, 80, COLUMN_WRITE | COLUMN_MBYTES, 'T',
	    { .scale = SECTORS_TO_MB, .plus = M(ISCSI_LUN_WRITE_SECTORS), .per = PER_SECOND },
	    "Megabytes (2^20 bytes) written by initiators per second; counted in whole megabytes." },
};

const struct kind kind_iscsi_lun = {
	.key = "iscsi_lun",
	.title = "iSCSI LUNs",
	.one = "iSCSI LUN",
	.what = "LUNs of this host's own iSCSI targets (LIO): of a target, and of each initiator it knows",
	.metrics = lun_metrics,
	.n_metrics = ISCSI_LUN_METRICS,
	.columns = lun_columns,
	.n_columns = sizeof(lun_columns) / sizeof(lun_columns[0]),
	.completed = M(ISCSI_LUN_COMMANDS),
};

static const struct metric conn_metrics[ISCSI_CONN_METRICS] = { TCP_METRICS(ISCSI_CONN_TCP) };

static const struct column conn_columns[] = { TCP_COLUMNS(ISCSI_CONN_TCP) };

const struct kind kind_iscsi_conn = {
	.key = "iscsi_conn",
	.title = "iSCSI connections",
	.one = "iSCSI connection",
	.what = "connections of the iSCSI sessions of this host, as TCP sees them",
	.metrics = conn_metrics,
	.n_metrics = ISCSI_CONN_METRICS,
	.columns = conn_columns,
	.n_columns = sizeof(conn_columns) / sizeof(conn_columns[0]),
	.detail = true,
	.voice = VOICE_NONE,
};
