/*
 * NFS and iSCSI on the wire (probes/wire): nfs_flow_op and iscsi_flow_op, an operation of a flow; nfs_flow and iscsi_flow, the
 * flow, the sum of its operations; capture, the interface they were seen on. A flow's commands are its RPC calls or SCSI commands:
 * of NFSv4 the compounds, whose operations are counted beside ("inner") and are in READS/s and WRITES/s.
 */
#include "core/kinds/kinds.h"

#define HIST_BITS 3

#define COUNTER(key_, unit_, help_) { .key = key_, .unit = unit_, .nature = METRIC_COUNTER, .help = help_ }
#define RARE(key_, unit_, help_) { .key = key_, .unit = unit_, .nature = METRIC_COUNTER, .rare = true, .help = help_ }
#define HISTOGRAM(key_, help_) { .key = key_, .unit = "ns", .nature = METRIC_HIST, .hist_bits = HIST_BITS, .help = help_ }

#define FLOW_METRICS_ \
	[FLOW_COMMANDS] = COUNTER("commands", "commands", "answered"), \
	[FLOW_TIMED] = COUNTER("timed", "commands", "of them, whose time is known"), \
	[FLOW_NS] = COUNTER("time_ns", "ns", "time of commands: last byte of the request to first byte of the reply"), \
	[FLOW_LAST_NS] = COUNTER("last_ns", "ns", "the same to the last byte of the reply"), \
	[FLOW_ERRORS] = RARE("errors", "commands", "answered with an error"), \
	[FLOW_RETRANSMITTED] = RARE("retransmitted", "commands", "sent again by the client (RPC)"), \
	[FLOW_UNANSWERED] = RARE("unanswered", "commands", "given up: no reply was seen"), \
	[FLOW_IN_FLIGHT] = { .key = "in_flight", .unit = "commands", .nature = METRIC_GAUGE, .help = "without a reply yet" }, \
	[FLOW_MISSED] = RARE("missed", "packets", "dropped, missing, cut or damaged in its capture meanwhile, whatever flow they were of"), \
	[FLOW_READS] = COUNTER("reads", "operations", "reads answered"), \
	[FLOW_READS_TIMED] = COUNTER("reads_timed", "operations", "of them, whose time is known"), \
	[FLOW_READ_NS] = COUNTER("read_ns", "ns", "time of reads"), \
	[FLOW_READ_BYTES] = COUNTER("read_bytes", "bytes", "read"), \
	[FLOW_WRITES] = COUNTER("writes", "operations", "writes answered"), \
	[FLOW_WRITES_TIMED] = COUNTER("writes_timed", "operations", "of them, whose time is known"), \
	[FLOW_WRITE_NS] = COUNTER("write_ns", "ns", "time of writes"), \
	[FLOW_WRITE_BYTES] = COUNTER("write_bytes", "bytes", "written"), \
	[FLOW_READ_HIST] = HISTOGRAM("read", "request to reply, of reads that are commands"), \
	[FLOW_WRITE_HIST] = HISTOGRAM("write", "request to reply, of writes that are commands"), \
	[FLOW_OTHER_HIST] = HISTOGRAM("other", "request to reply, of all other commands")

#define INNER_METRICS_ \
	[FLOW_INNER] = COUNTER("inner", "operations", "in compounds answered"), \
	[FLOW_INNER_TIMED] = COUNTER("inner_timed", "operations", "of them, whose time is known"), \
	[FLOW_INNER_NS] = COUNTER("inner_ns", "ns", "their time, which is that of their compounds"), \
	[FLOW_INNER_ERRORS] = RARE("inner_errors", "operations", "answered with an error"), \
	[FLOW_INNER_READ_HIST] = HISTOGRAM("inner_read", "request to reply, of compounds with a read, by read"), \
	[FLOW_INNER_WRITE_HIST] = HISTOGRAM("inner_write", "request to reply, of compounds with a write, by write"), \
	[FLOW_INNER_OTHER_HIST] = HISTOGRAM("inner_other", "request to reply, of compounds, by other operation")

#define R2T_METRICS_ \
	[FLOW_R2T] = COUNTER("r2t", "commands", "writes that waited for the target to ask for their data"), \
	[FLOW_R2T_NS] = COUNTER("r2t_ns", "ns", "their time until it asked"), \
	[FLOW_DATA] = COUNTER("data", "commands", "of them, whose data was seen"), \
	[FLOW_DATA_NS] = COUNTER("data_ns", "ns", "their time from there to the last byte of data")

#define COMMAND_HISTS (M(FLOW_READ_HIST) | M(FLOW_WRITE_HIST) | M(FLOW_OTHER_HIST))
#define INNER_HISTS (M(FLOW_INNER_READ_HIST) | M(FLOW_INNER_WRITE_HIST) | M(FLOW_INNER_OTHER_HIST))
#define BYTES_TO_MB (1.0 / (1 << 20))
#define BYTES_TO_KB (1.0 / (1 << 10))
#define NS_TO_MS 1e-6

#define RATE(key, title, unit, width, decimals, prio, flags, letter, factor, mask, help) \
	{ key, title, unit, width, decimals, prio, flags, letter, { .scale = factor, .plus = mask, .per = PER_SECOND }, help }
#define MEAN(key, title, width, prio, flags, sum, count, help) \
	{ key, title, "ms", width, 2, prio, COLUMN_LATENCY | (flags), 0, \
	    { .scale = NS_TO_MS, .plus = sum, .per = PER_SUM, .by = count }, help }
#define PERCENTILE(key, title, prio, flags, quantile, hists, help) \
	{ key, title, "ms", 6, 2, prio, COLUMN_LATENCY | (flags), 0, \
	    { .scale = NS_TO_MS, .plus = hists, .per = VALUE_PERCENTILE, .q = quantile }, help }

/* What the kinds differ in: which counters are its own commands, and how their number is called. */
#define FLOW_COLUMNS(title, what, counts, timed, ns, errors, hists) \
	RATE("cmds_s", title, "per second", 8, 0, 100, COLUMN_IOPS, 0, 1, counts, what), \
	RATE("reads_s", "READS/s", "reads per second", 8, 0, 90, COLUMN_READ, 'r', 1, M(FLOW_READS), \
	    "Reads answered per second, as seen on the wire."), \
	RATE("writes_s", "WRITES/s", "writes per second", 8, 0, 90, COLUMN_WRITE, 'w', 1, M(FLOW_WRITES), \
	    "Writes answered per second, as seen on the wire."), \
	RATE("mbread_s", "MBREAD/s", "2^20 bytes per second", 8, 2, 80, COLUMN_READ | COLUMN_MBYTES, 'R', BYTES_TO_MB, \
	    M(FLOW_READ_BYTES), "Megabytes (2^20 bytes) of data read per second, without headers."), \
	RATE("mbwrtn_s", "MBWRTN/s", "2^20 bytes per second", 8, 2, 80, COLUMN_WRITE | COLUMN_MBYTES, 'T', BYTES_TO_MB, \
	    M(FLOW_WRITE_BYTES), "Megabytes (2^20 bytes) of data written per second, without headers."), \
	MEAN("davg", "DAVG", 6, 95, COLUMN_GAVG, ns, timed, \
	    "Mean time from the last byte of a request to the first byte of its reply, where the capture runs: server, and the network " \
	    "between here and there. A stalled one shows a lower bound, >41 s."), \
	PERCENTILE("p50", "p50", 74, 0, 0.5, hists, "Half of them took no longer, within 6 %."), \
	PERCENTILE("p95", "p95", 60, COLUMN_EXTRA, 0.95, hists, "95 % of them took no longer, within 6 %."), \
	PERCENTILE("p99", "p99", 85, 0, 0.99, hists, "99 % of them took no longer, within 6 %."), \
	PERCENTILE("p99_9", "p99.9", 55, COLUMN_EXTRA, 0.999, hists, "99.9 % of them took no longer, within 6 %."), \
	PERCENTILE("max", "max", 72, 0, 1, hists, "The longest, within 6 %."), \
	{ "actv", "INFL", "commands", 5, 0, 76, 0, 0, { .scale = 1, .plus = M(FLOW_IN_FLIGHT), .per = PER_ONE }, \
	    "In flight at the end of the interval: requests seen, whose replies were not." }, \
	MEAN("davg_rd", "DAVG/rd", 7, 50, COLUMN_READ | COLUMN_EXTRA, M(FLOW_READ_NS), M(FLOW_READS_TIMED), "DAVG of reads alone."), \
	MEAN("davg_wr", "DAVG/wr", 7, 50, COLUMN_WRITE | COLUMN_EXTRA, M(FLOW_WRITE_NS), M(FLOW_WRITES_TIMED), \
	    "DAVG of writes alone."), \
	{ "kb_rd", "KB/rd", "2^10 bytes", 6, 1, 40, COLUMN_READ | COLUMN_EXTRA, 0, \
	    { .scale = BYTES_TO_KB, .plus = M(FLOW_READ_BYTES), .per = PER_SUM, .by = M(FLOW_READS) }, \
	    "Mean size of a read, in KiB." }, \
	{ "kb_wr", "KB/wr", "2^10 bytes", 6, 1, 40, COLUMN_WRITE | COLUMN_EXTRA, 0, \
	    { .scale = BYTES_TO_KB, .plus = M(FLOW_WRITE_BYTES), .per = PER_SUM, .by = M(FLOW_WRITES) }, \
	    "Mean size of a write, in KiB." }, \
	RATE("retr_s", "RETR/s", "per second", 6, 2, 58, COLUMN_WARN_ABOVE_0, 0, 1, M(FLOW_RETRANSMITTED), \
	    "Requests per second that the client sent again (RPC); segments of TCP are in the capture's own figures."), \
	RATE("unansw_s", "UNANSW/s", "per second", 8, 2, 30, COLUMN_EXTRA | COLUMN_WARN_ABOVE_0, 0, 1, M(FLOW_UNANSWERED), \
	    "Requests per second given up because no reply was seen: for 300 s, before the connection went, or because the capture " \
	    "misses packets."), \
	RATE("err_s", "ERR/s", "per second", 6, 2, 56, COLUMN_EXTRA, 0, 1, errors, \
	    "Answered with an error, per second. To NFS a file that is not there is one."), \
	{ "incomplete", "INCOMPL", "1 or absent", 7, 0, 35, COLUMN_EXTRA | COLUMN_WARN_ABOVE_0, 0, \
	    { .scale = 1, .plus = M(FLOW_MISSED), .per = PER_SUM, .by = M(FLOW_MISSED) }, \
	    "1 where the capture missed packets in this interval (dropped, gaps, cut, damaged): the row's figures are what was seen, which is too " \
	    "little. They are never scaled." }

/* The mean to the last byte is told of whole commands only. */
#define LAST_COLUMN \
	MEAN("davg_last", "DAVG/lst", 8, 45, COLUMN_EXTRA, M(FLOW_LAST_NS), M(FLOW_TIMED), \
	    "Mean time from the last byte of a request to the last byte of its reply, as Wireshark counts: the transfer of the data is in it.")

static const struct metric nfs_metrics[FLOW_METRICS] = { FLOW_METRICS_, INNER_METRICS_ };
static const struct metric iscsi_metrics[FLOW_ISCSI_METRICS] = { FLOW_METRICS_, R2T_METRICS_ };

static const struct column nfs_op_columns[] = {
	FLOW_COLUMNS("OPS/s", "Operations answered per second; those in a compound (NFSv4) each for itself, with the compound's time.",
	    M(FLOW_COMMANDS) | M(FLOW_INNER), M(FLOW_TIMED) | M(FLOW_INNER_TIMED), M(FLOW_NS) | M(FLOW_INNER_NS),
	    M(FLOW_ERRORS) | M(FLOW_INNER_ERRORS), COMMAND_HISTS | INNER_HISTS),
};

static const struct column nfs_columns[] = {
	FLOW_COLUMNS("OPS/s", "RPC calls answered per second; a compound (NFSv4) is one, whatever is in it.",
	    M(FLOW_COMMANDS), M(FLOW_TIMED), M(FLOW_NS), M(FLOW_ERRORS), COMMAND_HISTS),
	LAST_COLUMN,
};

static const struct column iscsi_columns[] = {
	FLOW_COLUMNS("CMDS/s", "SCSI commands answered per second.",
	    M(FLOW_COMMANDS), M(FLOW_TIMED), M(FLOW_NS), M(FLOW_ERRORS), COMMAND_HISTS),
	LAST_COLUMN,
	MEAN("r2t", "R2T", 6, 44, COLUMN_WRITE | COLUMN_EXTRA, M(FLOW_R2T_NS), M(FLOW_R2T),
	    "Mean time of a write that carries not all of its data until the target asks for it (R2T): the target's, and once through the network."),
	MEAN("data", "DATA", 6, 43, COLUMN_WRITE | COLUMN_EXTRA, M(FLOW_DATA_NS), M(FLOW_DATA),
	    "Mean time from there until all data has been sent: that of initiator and network."),
};

static const struct rollup_term nfs_rollup[] = {
	{ .from = "nfs_flow_op", .by = ROLLUP_COUNTS_IN },
	{ .from = NULL, .by = ROLLUP_COUNTS_IN },
};

static const struct rollup_term iscsi_rollup[] = {
	{ .from = "iscsi_flow_op", .by = ROLLUP_COUNTS_IN },
	{ .from = NULL, .by = ROLLUP_COUNTS_IN },
};

const struct kind kind_nfs_flow_op = {
	.key = "nfs_flow_op",
	.title = "NFS operations on the wire",
	.one = "NFS operation on the wire",
	.what = "operations of the NFS flows seen by --capture",
	.metrics = nfs_metrics,
	.n_metrics = FLOW_METRICS,
	.columns = nfs_op_columns,
	.n_columns = sizeof(nfs_op_columns) / sizeof(nfs_op_columns[0]),
	.from_zero = true,
	.detail = true,
	.completed = M(FLOW_COMMANDS) | M(FLOW_INNER),
	.voice = VOICE_NONE,
};

const struct kind kind_nfs_flow = {
	.key = "nfs_flow",
	.title = "NFS on the wire",
	.one = "NFS flow",
	.what = "NFS seen by --capture, by client, server, export and version: the sum of its operations",
	.metrics = nfs_metrics,
	.n_metrics = FLOW_METRICS,
	.columns = nfs_columns,
	.n_columns = sizeof(nfs_columns) / sizeof(nfs_columns[0]),
	.rollup = nfs_rollup,
	.from_zero = true,
	.in_flight = M(FLOW_IN_FLIGHT),
	.completed = M(FLOW_COMMANDS),
	.voice = VOICE_TROUBLE,
	.beyond = "network or server",
};

const struct kind kind_iscsi_flow_op = {
	.key = "iscsi_flow_op",
	.title = "iSCSI commands on the wire",
	.one = "iSCSI command on the wire",
	.what = "commands of the iSCSI flows seen by --capture",
	.metrics = iscsi_metrics,
	.n_metrics = FLOW_ISCSI_METRICS,
	.columns = iscsi_columns,
	.n_columns = sizeof(iscsi_columns) / sizeof(iscsi_columns[0]),
	.from_zero = true,
	.detail = true,
	.completed = M(FLOW_COMMANDS),
	.voice = VOICE_NONE,
};

const struct kind kind_iscsi_flow = {
	.key = "iscsi_flow",
	.title = "iSCSI on the wire",
	.one = "iSCSI flow",
	.what = "iSCSI seen by --capture, by initiator, portal, target and LUN: the sum of its commands",
	.metrics = iscsi_metrics,
	.n_metrics = FLOW_ISCSI_METRICS,
	.columns = iscsi_columns,
	.n_columns = sizeof(iscsi_columns) / sizeof(iscsi_columns[0]),
	.rollup = iscsi_rollup,
	.from_zero = true,
	.in_flight = M(FLOW_IN_FLIGHT),
	.completed = M(FLOW_COMMANDS),
	.voice = VOICE_TROUBLE,
	.beyond = "network or target",
};

static const struct metric capture_metrics[CAPTURE_METRICS] = {
	[CAPTURE_PACKETS] = COUNTER("packets", "packets", "captured"),
	[CAPTURE_BYTES] = COUNTER("bytes", "bytes", "of them, as they were on the wire"),
	[CAPTURE_DROPPED] = RARE("dropped", "packets", "that the kernel dropped because the ring was full"),
	[CAPTURE_GAPS] = RARE("gaps", "segments", "missing: holes in TCP streams, datagrams with missing fragments"),
	[CAPTURE_RESYNCS] = RARE("resyncs", "times", "that the next message was found again after a gap"),
	[CAPTURE_ORPHANS] = RARE("orphans", "replies", "to requests that were not seen"),
	[CAPTURE_UNANSWERED] = RARE("unanswered", "requests", "without a reply"),
	[CAPTURE_TRUNCATED] = RARE("truncated", "messages", "or packets captured too short to be read whole"),
	[CAPTURE_MALFORMED] = RARE("malformed", "messages", "or packets that cannot be read as what they should be"),
	[CAPTURE_RETRANSMITTED] = RARE("retransmitted", "segments", "of TCP and RPC requests sent again"),
	[CAPTURE_PRIVATE] = RARE("private_calls", "calls", "encrypted by Kerberos (krb5p): counted, not read"),
	[CAPTURE_TLS] = RARE("tls_connections", "connections", "encrypted by TLS: nothing in them can be read"),
	[CAPTURE_RDMA] = RARE("rdma_packets", "packets", "of RDMA: nothing in them can be read"),
	[CAPTURE_EVICTED] = RARE("dropped_connections", "connections", "given up for want of room"),
	[CAPTURE_CROWDED] = RARE("crowded", "calls", "counted under \"all others\", or without their time, for want of room"),
};

#define TROUBLES (M(CAPTURE_GAPS) | M(CAPTURE_ORPHANS) | M(CAPTURE_TRUNCATED) | M(CAPTURE_MALFORMED))
#define WARNING(key, title, width, prio, flags, metric, help) \
	RATE(key, title, "per second", width, 2, prio, COLUMN_WARN_ABOVE_0 | (flags), 0, 1, M(metric), help)

static const struct column capture_columns[] = {
	RATE("packets_s", "PACKETS/s", "packets per second", 9, 0, 100, COLUMN_IOPS, 0, 1, M(CAPTURE_PACKETS), "Packets captured per second."),
	RATE("mb_s", "MB/s", "2^20 bytes per second", 7, 2, 80, COLUMN_MBYTES, 0, BYTES_TO_MB, M(CAPTURE_BYTES),
	    "Megabytes (2^20 bytes) per second, as they were on the wire."),
	{ "dropped_pct", "%DROP", "per cent", 6, 2, 95, COLUMN_WARN_ABOVE_0, 0,
	    { .scale = 100, .plus = M(CAPTURE_DROPPED), .per = PER_SUM, .by = M(CAPTURE_PACKETS) | M(CAPTURE_DROPPED) },
	    "Share of the packets that the kernel dropped because the capture did not keep up: above 0 the figures of flows are incomplete." },
	{ "health_pct", "%HEALTH", "per cent", 7, 1, 90, 0, 0,
	    { .scale = 100, .plus = M(CAPTURE_PACKETS), .minus = TROUBLES, .per = PER_SUM, .by = M(CAPTURE_PACKETS) | M(CAPTURE_DROPPED) },
	    "Packets less what was dropped, missing, orphaned, cut too short or damaged, as a share of all packets: 100 where all is seen." },
	WARNING("gaps_s", "GAPS/s", 7, 60, 0, CAPTURE_GAPS, "Segments per second that the capture misses."),
	WARNING("orphans_s", "ORPHAN/s", 8, 60, 0, CAPTURE_ORPHANS, "Replies per second to requests that were not seen."),
	WARNING("unansw_s", "UNANSW/s", 8, 60, 0, CAPTURE_UNANSWERED, "Requests per second given up because no reply was seen."),
	WARNING("retr_s", "RETR/s", 7, 60, 0, CAPTURE_RETRANSMITTED, "TCP segments and RPC requests per second that were sent again."),
	WARNING("trunc_s", "TRUNC/s", 7, 40, COLUMN_EXTRA, CAPTURE_TRUNCATED, "Messages per second that were captured too short to be read whole."),
	WARNING("malf_s", "MALF/s", 7, 40, COLUMN_EXTRA, CAPTURE_MALFORMED, "Messages or packets per second that are damaged."),
};

const struct kind kind_capture = {
	.key = "capture",
	.title = "Captures",
	.one = "capture on",
	.what = "the interfaces of --capture: packets, what the kernel dropped, how well the decoder could read them",
	.metrics = capture_metrics,
	.n_metrics = CAPTURE_METRICS,
	.columns = capture_columns,
	.n_columns = sizeof(capture_columns) / sizeof(capture_columns[0]),
	.from_zero = true,
};
