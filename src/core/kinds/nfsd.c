/*
 * nfsd: this host as an NFS server, all clients together (/proc/net/rpc/nfsd, fs/nfsd/stats.c); nfsd_client: an NFSv4 client it
 * knows. The kernel counts no latencies there, and nothing by client: those are seen on the wire alone.
 */
#include "core/kinds/kinds.h"

#define COUNTER(key_, unit_, help_) { .key = key_, .unit = unit_, .nature = METRIC_COUNTER, .help = help_ }

static const struct metric metrics[NFSD_METRICS] = {
	[NFSD_CALLS] = COUNTER("calls", "calls", "RPC calls received; an NFSv4 compound is one"),
	[NFSD_BAD_CALLS] = COUNTER("bad_calls", "calls", "refused: malformed, or not authorised"),
	[NFSD_READS] = COUNTER("reads", "operations", "READ, of all versions"),
	[NFSD_WRITES] = COUNTER("writes", "operations", "WRITE, of all versions"),
	[NFSD_COMMITS] = COUNTER("commits", "operations", "COMMIT, of versions 3 and 4"),
	[NFSD_READ_BYTES] = COUNTER("read_bytes", "bytes", "of files, sent to clients"),
	[NFSD_WRITE_BYTES] = COUNTER("write_bytes", "bytes", "of files, received from clients"),
	[NFSD_THREADS] = { .key = "threads", .unit = "threads", .nature = METRIC_GAUGE, .help = "of the server" },
	[NFSD_CLIENTS] = { .key = "clients", .unit = "clients", .nature = METRIC_GAUGE, .help = "of version 4, known to the server" },
};

#define RATE(key, title, unit, width, decimals, prio, flags, letter, factor, metric, help) \
	{ key, title, unit, width, decimals, prio, flags, letter, { .scale = factor, .plus = M(metric), .per = PER_SECOND }, help }

static const struct column columns[] = {
	RATE("cmds_s", "CALLS/s", "calls per second", 8, 0, 100, COLUMN_IOPS, 0, 1, NFSD_CALLS,
	    "RPC calls received per second; an NFSv4 compound is one call, whatever is in it."),
	RATE("reads_s", "READS/s", "reads per second", 8, 0, 90, COLUMN_READ, 'r', 1, NFSD_READS, "READ operations per second."),
	RATE("writes_s", "WRITES/s", "writes per second", 8, 0, 90, COLUMN_WRITE, 'w', 1, NFSD_WRITES, "WRITE operations per second."),
	RATE("mbread_s", "MBREAD/s", "2^20 bytes per second", 8, 2, 80, COLUMN_READ | COLUMN_MBYTES, 'R', 1.0 / (1 << 20),
	    NFSD_READ_BYTES, "Megabytes (2^20 bytes) of files sent to clients per second."),
	RATE("mbwrtn_s", "MBWRTN/s", "2^20 bytes per second", 8, 2, 80, COLUMN_WRITE | COLUMN_MBYTES, 'T', 1.0 / (1 << 20),
	    NFSD_WRITE_BYTES, "Megabytes (2^20 bytes) of files received from clients per second."),
	RATE("commits_s", "COMMITS/s", "commits per second", 9, 0, 40, 0, 0, 1, NFSD_COMMITS, "COMMIT operations per second."),
	RATE("badcalls_s", "BADCALL/s", "calls per second", 9, 2, 30, COLUMN_WARN_ABOVE_0, 0, 1, NFSD_BAD_CALLS,
	    "Calls refused per second: malformed, or not authorised."),
	{ "threads", "THREADS", "threads", 7, 0, 30, 0, 0, { .scale = 1, .plus = M(NFSD_THREADS), .per = PER_ONE },
	    "Threads of the server." },
	{ "clients", "CLIENTS", "clients", 7, 0, 30, 0, 0, { .scale = 1, .plus = M(NFSD_CLIENTS), .per = PER_ONE },
	    "NFSv4 clients that the server knows; those of versions 2 and 3 are not known to it. Told to root, since kernel 5.3." },
};

const struct kind kind_nfsd = {
	.key = "nfsd",
	.title = "NFS server",
	.one = "NFS server",
	.what = "this host as an NFS server, all clients together; the kernel counts no latencies there",
	.metrics = metrics,
	.n_metrics = NFSD_METRICS,
	.columns = columns,
	.n_columns = sizeof(columns) / sizeof(columns[0]),
};

static const struct metric client_metrics[NFSD_CLIENT_METRICS] = {
	[NFSD_CLIENT_RENEWED_S] = { .key = "renewed_s", .unit = "seconds", .nature = METRIC_GAUGE,
	    .help = "since the client was heard of, read every 5 s" },
};

static const struct column client_columns[] = {
	{ "renewed_s", "RENEWED", "seconds", 7, 0, 50, 0, 0, { .scale = 1, .plus = M(NFSD_CLIENT_RENEWED_S), .per = PER_ONE },
	    "Seconds since the client renewed its lease." },
};

const struct kind kind_nfsd_client = {
	.key = "nfsd_client",
	.title = "NFSv4 clients",
	.one = "NFSv4 client",
	.what = "NFSv4 clients of this host's NFS server, by address; the kernel counts no I/O by client",
	.metrics = client_metrics,
	.n_metrics = NFSD_CLIENT_METRICS,
	.columns = client_columns,
	.n_columns = sizeof(client_columns) / sizeof(client_columns[0]),
	.detail = true,
};
