/*
 * NFS as this host's kernel sees it: nfs_op, an operation of a mount; nfs_conn, a connection of a mount; nfs_mount, the sum of
 * both. Source: /proc/self/mountstats (fs/nfs/super.c, nfs_show_stats; net/sunrpc/stats.c, rpc_clnt_show_stats). Mounts that
 * share a superblock share their counters and are one.
 */
#include "core/kinds/io.h"
#include "core/kinds/tcp.h"

#define COUNTER(key_, unit_, help_) { .key = key_, .unit = unit_, .nature = METRIC_COUNTER, .help = help_ }
#define RARE(key_, unit_, help_) { .key = key_, .unit = unit_, .nature = METRIC_COUNTER, .rare = true, .help = help_ }
#define DERIVED(key_, unit_, help_) { .key = key_, .unit = unit_, .nature = METRIC_COUNTER, .derived = true, .help = help_ }

#define OP_METRICS_ \
	[NFS_OPS] = COUNTER("ops", "operations", "completed, those that failed too"), \
	[NFS_TRANSMISSIONS] = COUNTER("transmissions", "requests", "of the operations completed: more than those where some were sent again"), \
	[NFS_TIMEOUTS] = RARE("major_timeouts", "operations", "without an answer until the major time-out"), \
	[NFS_SENT_BYTES] = COUNTER("sent_bytes", "bytes", "of requests, headers and data"), \
	[NFS_RECEIVED_BYTES] = COUNTER("received_bytes", "bytes", "of replies, headers and data"), \
	[NFS_QUEUE_MS] = COUNTER("queue_ms", "ms", "time before the request was sent"), \
	[NFS_RTT_MS] = COUNTER("rtt_ms", "ms", "time from the request sent to its reply"), \
	[NFS_EXECUTE_MS] = COUNTER("execute_ms", "ms", "time from the start of the operation to its end"), \
	[NFS_ERRORS] = COUNTER("op_errors", "operations", "that ended with an error; a file that is not there is one (since 5.3)"), \
	[NFS_DATA_BYTES] = COUNTER("data_bytes", "bytes", "of files, read or written by this operation"), \
	[NFS_READS] = DERIVED("reads", "operations", "READ"), \
	[NFS_READ_SECTORS] = DERIVED("read_sectors", "512 B", "data read, in parts of sectors too"), \
	[NFS_READ_MS] = DERIVED("read_ms", "ms", "time of all READs"), \
	[NFS_WRITES] = DERIVED("writes", "operations", "WRITE"), \
	[NFS_WRITE_SECTORS] = DERIVED("write_sectors", "512 B", "data written, in parts of sectors too"), \
	[NFS_WRITE_MS] = DERIVED("write_ms", "ms", "time of all WRITEs"), \
	[NFS_COMMITS] = DERIVED("flushes", "operations", "COMMIT"), \
	[NFS_COMMIT_MS] = DERIVED("flush_ms", "ms", "time of all COMMITs"), \
	[NFS_OTHER_OPS] = DERIVED("other_ops", "operations", "all but READ, WRITE and COMMIT"), \
	[NFS_IO_QUEUE_MS] = DERIVED("io_queue_ms", "ms", "time before READ, WRITE and COMMIT were sent"), \
	[NFS_IO_RTT_MS] = DERIVED("io_rtt_ms", "ms", "time from READ, WRITE and COMMIT sent to their replies"), \
	[NFS_IO_ERRORS] = DERIVED("io_errors", "operations", "READ, WRITE and COMMIT that ended with an error")

#define IO_OPS (M(NFS_READS) | M(NFS_WRITES) | M(NFS_COMMITS))
#define IO_EXECUTE_MS (M(NFS_READ_MS) | M(NFS_WRITE_MS) | M(NFS_COMMIT_MS))

#define MEAN_OF(key, title, width, prio, flags, plus_, minus_, by_, help) \
	{ key, title, "ms per operation", width, 2, prio, COLUMN_LATENCY | (flags), 0, \
	    { .scale = 1, .plus = plus_, .minus = minus_, .per = PER_SUM, .by = by_ }, help }
#define MEAN(key, title, prio, flags, plus_, minus_, by_, help) \
	MEAN_OF(key, title, 6, prio, flags, plus_, minus_, by_, help)
#define MEAN_WIDE(key, title, prio, flags, plus_, minus_, by_, help) \
	MEAN_OF(key, title, 7, prio, flags, plus_, minus_, by_, help)
#define RATE(key, title, width, decimals, prio, flags, plus_, minus_, help) \
	{ key, title, "per second", width, decimals, prio, flags, 0, \
	    { .scale = 1, .plus = plus_, .minus = minus_, .per = PER_SECOND }, help }

#define OPS_COLUMN(help) \
	{ "cmds_s", "OPS/s", "operations per second", 7, 0, 100, COLUMN_IOPS, 0, \
	    { .scale = 1, .plus = M(NFS_OPS), .per = PER_SECOND }, help }

#define DATA_COLUMNS \
	{ "reads_s", "READS/s", "reads per second", 8, 0, 90, COLUMN_READ, 'r', \
	    { .scale = 1, .plus = M(NFS_READS), .per = PER_SECOND }, \
	    "READ operations per second. Reads served from the page cache are not here, nor is what pNFS reads from data servers." }, \
	{ "writes_s", "WRITES/s", "writes per second", 8, 0, 90, COLUMN_WRITE, 'w', \
	    { .scale = 1, .plus = M(NFS_WRITES), .per = PER_SECOND }, \
	    "WRITE operations per second. Writes still in the page cache are not here yet." }, \
	{ "mbread_s", "MBREAD/s", "2^20 bytes per second", 8, 2, 80, COLUMN_READ | COLUMN_MBYTES, 'R', \
	    { .scale = SECTORS_TO_MB, .plus = M(NFS_READ_SECTORS), .per = PER_SECOND }, \
	    "Megabytes (2^20 bytes) of files read from the server per second, without headers." }, \
	{ "mbwrtn_s", "MBWRTN/s", "2^20 bytes per second", 8, 2, 80, COLUMN_WRITE | COLUMN_MBYTES, 'T', \
	    { .scale = SECTORS_TO_MB, .plus = M(NFS_WRITE_SECTORS), .per = PER_SECOND }, \
	    "Megabytes (2^20 bytes) of files written to the server per second, without headers." }

#define WIRE_COLUMNS \
	RATE("timeo_s", "TIMEO/s", 7, 2, 20, COLUMN_EXTRA | COLUMN_WARN_ABOVE_0, M(NFS_TIMEOUTS), 0, \
	    "Operations per second that had no answer until the major time-out (option timeo)."), \
	{ "kb_op", "KB/op", "2^10 bytes", 7, 1, 30, COLUMN_EXTRA, 0, \
	    { .scale = 1.0 / 1024, .plus = M(NFS_SENT_BYTES) | M(NFS_RECEIVED_BYTES), .per = PER_SUM, .by = M(NFS_OPS) }, \
	    "Mean size of an operation in KiB, request and reply with their headers, as nfsiostat's kB/op." }

static const struct metric op_metrics[NFS_OP_METRICS] = { OP_METRICS_ };

static const struct column op_columns[] = {
	OPS_COLUMN("Operations completed per second."),
	DATA_COLUMNS,
	MEAN("qavg", "QAVG", 62, COLUMN_OR_GAVG, M(NFS_QUEUE_MS), 0, M(NFS_OPS),
	    "Mean time an operation waited in this host before it was sent."),
	MEAN("davg", "DAVG", 70, COLUMN_OR_GAVG, M(NFS_RTT_MS), 0, M(NFS_OPS),
	    "Mean time from a request sent to its reply, as nfsiostat's RTT: network and server."),
	MEAN("kavg", "KAVG", 58, COLUMN_OR_GAVG | COLUMN_EXTRA, M(NFS_EXECUTE_MS), M(NFS_RTT_MS), M(NFS_OPS),
	    "Mean time in this host: GAVG less DAVG."),
	MEAN("gavg", "GAVG", 95, COLUMN_GAVG, M(NFS_EXECUTE_MS), 0, M(NFS_OPS),
	    "Mean time of an operation, as nfsiostat's exe: queue, network, server, waking up."),
	RATE("retr_s", "RETR/s", 6, 2, 60, COLUMN_WARN_ABOVE_0, M(NFS_TRANSMISSIONS), M(NFS_OPS),
	    "Requests per second that were sent again."),
	RATE("err_s", "ERR/s", 6, 2, 25, COLUMN_EXTRA, M(NFS_ERRORS), 0,
	    "Operations per second that ended with an error, of which a file that is not there is one. Counted since kernel 5.3."),
	WIRE_COLUMNS,
};

const struct kind kind_nfs_op = {
	.key = "nfs_op",
	.title = "NFS operations",
	.one = "NFS operation",
	.what = "operations of the NFS mounts of this host, those that were ever used",
	.metrics = op_metrics,
	.n_metrics = NFS_OP_METRICS,
	.columns = op_columns,
	.n_columns = sizeof(op_columns) / sizeof(op_columns[0]),
	.from_zero = true,
	.detail = true,
	.completed = M(NFS_OPS),
	.voice = VOICE_NONE,
};

static const struct metric conn_metrics[NFS_CONN_METRICS] = {
	[NFS_CONN_IN_FLIGHT] = { .key = "in_flight", .unit = "requests", .nature = METRIC_GAUGE,
	    .help = "sent and not answered, and those that wait for a slot" },
	[NFS_CONN_SENDS] = COUNTER("sends", "requests", "sent, again or for the first time"),
	[NFS_CONN_REPLIES] = COUNTER("replies", "replies", "received to a request that waited"),
	[NFS_CONN_BAD_XIDS] = RARE("bad_xids", "replies", "received to no request that waited"),
	[NFS_CONN_CONNECTS] = RARE("connects", "connections", "made"),
	[NFS_CONN_BACKLOG_SUM] = COUNTER("backlog_sum", "requests", "waiting for a slot, summed at each send"),
	TCP_METRICS(NFS_CONN_TCP),
};

#define BACKLOG_COLUMN(sum, sends) \
	{ "bklog", "BKLOG", "requests", 6, 1, 20, COLUMN_EXTRA, 0, \
	    { .scale = 1, .plus = M(sum), .per = PER_SUM, .by = M(sends) }, \
	    "Requests waiting for a free slot of the connection, mean over the requests sent." }

static const struct column conn_columns[] = {
	{ "actv", "INFL", "requests", 5, 0, 65, 0, 0,
	    { .scale = 1, .plus = M(NFS_CONN_IN_FLIGHT), .per = PER_ONE },
	    "Requests in flight at the end of the interval: sends less replies, without those known to be lost, plus the backlog."},
	{ "sends_s", "SENDS/s", "requests per second", 8, 0, 80, 0, 0,
	    { .scale = 1, .plus = M(NFS_CONN_SENDS), .per = PER_SECOND }, "Requests sent per second." },
	{ "cmds_s", "REPLIES/s", "replies per second", 9, 0, 100, COLUMN_IOPS, 0,
	    { .scale = 1, .plus = M(NFS_CONN_REPLIES), .per = PER_SECOND },
	    "Replies received per second. Mounts of one server share its connections, so they have the same here." },
	RATE("badxid_s", "BADXID/s", 8, 2, 30, COLUMN_EXTRA, M(NFS_CONN_BAD_XIDS), 0,
	    "Replies per second that nobody waited for: to requests that were given up or sent again."),
	RATE("conn_s", "CONN/s", 6, 2, 30, COLUMN_EXTRA | COLUMN_WARN_ABOVE_0, M(NFS_CONN_CONNECTS), 0,
	    "Connections made per second: above 0 when the server or a firewall had closed one."),
	BACKLOG_COLUMN(NFS_CONN_BACKLOG_SUM, NFS_CONN_SENDS),
	TCP_COLUMNS(NFS_CONN_TCP),
};

const struct kind kind_nfs_conn = {
	.key = "nfs_conn",
	.title = "NFS connections",
	.one = "NFS connection",
	.what = "connections of the NFS mounts to their servers",
	.metrics = conn_metrics,
	.n_metrics = NFS_CONN_METRICS,
	.columns = conn_columns,
	.n_columns = sizeof(conn_columns) / sizeof(conn_columns[0]),
	.detail = true,
	.in_flight = M(NFS_CONN_IN_FLIGHT),
	.completed = M(NFS_CONN_REPLIES),
	.voice = VOICE_NONE,
};

static const struct metric mount_metrics[NFS_MOUNT_METRICS] = {
	OP_METRICS_,
	[NFS_IN_FLIGHT] = { .key = "in_flight", .unit = "requests", .nature = METRIC_GAUGE, .help = "on its connections" },
	[NFS_SENDS] = COUNTER("sends", "requests", "sent on its connections"),
	[NFS_REPLIES] = COUNTER("replies", "replies", "received on its connections"),
	[NFS_BACKLOG_SUM] = COUNTER("backlog_sum", "requests", "waiting for a slot, summed at each send"),
	TCP_METRICS(NFS_TCP),
};

static const struct column mount_columns[] = {
	{ "vers", "VERS", "", 4, 0, 66, COLUMN_NO_EXPORT, 0, { .per = VALUE_LABEL_TEXT, .label = LABEL_VERSION },
	    "Version of the NFS protocol." },
	OPS_COLUMN("Operations of any kind completed per second: READ, WRITE, GETATTR and all others."),
	DATA_COLUMNS,
	MEAN("qavg", "QAVG", 62, COLUMN_OR_GAVG, M(NFS_IO_QUEUE_MS), 0, IO_OPS,
	    "Mean time that READ, WRITE and COMMIT waited in this host before they were sent."),
	MEAN("davg", "DAVG", 70, COLUMN_OR_GAVG, M(NFS_IO_RTT_MS), 0, IO_OPS,
	    "Mean time of READ, WRITE and COMMIT from the request sent to its reply: network and server."),
	MEAN("kavg", "KAVG", 58, COLUMN_OR_GAVG | COLUMN_EXTRA, IO_EXECUTE_MS, M(NFS_IO_RTT_MS), IO_OPS,
	    "Mean time of READ, WRITE and COMMIT in this host: GAVG less DAVG."),
	MEAN("gavg", "GAVG", 95, COLUMN_GAVG, IO_EXECUTE_MS, 0, IO_OPS,
	    "Mean time of READ, WRITE and COMMIT from the start of the operation to its end. Excludes the page cache. A mount whose "
	    "server is silent shows a lower bound, >41 s."),
	MEAN_WIDE("gavg_rd", "GAVG/rd", 50, COLUMN_READ | COLUMN_EXTRA, M(NFS_READ_MS), 0, M(NFS_READS), "GAVG of READs alone."),
	MEAN_WIDE("gavg_wr", "GAVG/wr", 50, COLUMN_WRITE | COLUMN_EXTRA, M(NFS_WRITE_MS), 0, M(NFS_WRITES), "GAVG of WRITEs alone."),
	{ "actv", "INFL", "requests", 5, 0, 65, 0, 0,
	    { .scale = 1, .plus = M(NFS_IN_FLIGHT), .per = PER_ONE },
	    "Requests in flight on its connections at the end of the interval, those of other mounts of the same server too where "
	    "they share them: sends less replies, without those known to be lost, plus the backlog." },
	RATE("retr_s", "RETR/s", 6, 2, 60, COLUMN_WARN_ABOVE_0, M(NFS_TRANSMISSIONS), M(NFS_OPS),
	    "Requests per second that were sent again."),
	RATE("err_s", "ERR/s", 6, 2, 28, COLUMN_EXTRA | COLUMN_WARN_ABOVE_0, M(NFS_IO_ERRORS), 0,
	    "READ, WRITE and COMMIT operations per second that ended with an error. Counted since kernel 5.3."),
	WIRE_COLUMNS,
	{ "kb_rd", "KB/rd", "2^10 bytes", 6, 1, 40, COLUMN_READ | COLUMN_EXTRA, 0,
	    { .scale = SECTORS_TO_KB, .plus = M(NFS_READ_SECTORS), .per = PER_SUM, .by = M(NFS_READS) },
	    "Mean data of a READ, in KiB." },
	{ "kb_wr", "KB/wr", "2^10 bytes", 6, 1, 40, COLUMN_WRITE | COLUMN_EXTRA, 0,
	    { .scale = SECTORS_TO_KB, .plus = M(NFS_WRITE_SECTORS), .per = PER_SUM, .by = M(NFS_WRITES) },
	    "Mean data of a WRITE, in KiB." },
	BACKLOG_COLUMN(NFS_BACKLOG_SUM, NFS_SENDS),
	TCP_COLUMNS(NFS_TCP),
};

static const struct pdh_counter counters[] = {
	{ "Active Commands", "actv", 0, true, false },
	PDH_IO5,
	{ "Average Guest MilliSec/Command", "gavg", 0, false, false },
	{ "Average Guest MilliSec/Read", "gavg_rd", 0, false, false },
	{ "Average Guest MilliSec/Write", "gavg_wr", 0, false, false },
	{ "Failed Commands/sec", "err_s", 0, false, true },
	{ "Failed Reads/sec", "", 0, false, true },
	{ "Failed Writes/sec", "", 0, false, true },
	{ "Failed MBytes Read/sec", "", 0, false, true },
	{ "Failed MBytes Written/sec", "", 0, false, true },
	{ "Failed Reserves/sec", NULL, 0, false, true },
	{ "Aborts/sec", "", 0, false, true },
	{ "Resets/sec", "", 0, false, true },
};

static const struct pdh_object pdh[] = {
	{ .name = "Physical Disk NFS Volume", .counters = counters, .n_counters = sizeof(counters) / sizeof(counters[0]),
	    .order = 75 },
};

static const struct rollup_term rollup[] = {
	{ .from = "nfs_op", .by = ROLLUP_COUNTS_IN },
	{ .from = "nfs_conn", .by = ROLLUP_COUNTS_IN },
	{ .from = NULL, .by = ROLLUP_COUNTS_IN },
};

const struct kind kind_nfs_mount = {
	.key = "nfs_mount",
	.title = "NFS mounts",
	.one = "NFS mount",
	.what = "NFS mounts of this host: the sum of their operations, and their connections",
	.metrics = mount_metrics,
	.n_metrics = NFS_MOUNT_METRICS,
	.columns = mount_columns,
	.n_columns = sizeof(mount_columns) / sizeof(mount_columns[0]),
	.pdh = pdh,
	.n_pdh = 1,
	.rollup = rollup,
	.from_zero = true,
	.in_flight = M(NFS_IN_FLIGHT),
	.completed = IO_OPS,
	.alive = M(NFS_OPS) | M(NFS_REPLIES),
	.voice = VOICE_ROLLUP,
	.beyond = "network or server",
};
