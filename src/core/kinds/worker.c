/*
 * worker: a load worker; test: the run, the sum of its workers. Counters of src/load/counters.h, from zero: the first
 * interval is known. The load is drawn, never added to what the devices did.
 */
#include "core/kinds/kinds.h"

#define HIST_BITS 6

static const struct metric metrics[WORKER_METRICS] = {
	[WORKER_READS] = { .key = "reads", .unit = "I/Os", .nature = METRIC_COUNTER, .help = "reads completed" },
	[WORKER_READ_BYTES] = { .key = "read_bytes", .unit = "bytes", .nature = METRIC_COUNTER, .help = "bytes read" },
	[WORKER_READ_NS] = { .key = "read_ns", .unit = "ns", .nature = METRIC_COUNTER, .help = "time of all reads" },
	[WORKER_WRITES] = { .key = "writes", .unit = "I/Os", .nature = METRIC_COUNTER, .help = "writes completed" },
	[WORKER_WRITE_BYTES] = { .key = "write_bytes", .unit = "bytes", .nature = METRIC_COUNTER, .help = "bytes written" },
	[WORKER_WRITE_NS] = { .key = "write_ns", .unit = "ns", .nature = METRIC_COUNTER, .help = "time of all writes" },
	[WORKER_SYNCS] = { .key = "syncs", .unit = "calls", .nature = METRIC_COUNTER, .help = "fsync and fdatasync completed" },
	[WORKER_SYNC_NS] = { .key = "sync_ns", .unit = "ns", .nature = METRIC_COUNTER, .help = "time of all syncs" },
	[WORKER_ERRORS] = { .key = "errors", .unit = "I/Os", .nature = METRIC_COUNTER, .help = "I/Os that failed" },
	[WORKER_LATE] = { .key = "late", .unit = "I/Os", .nature = METRIC_COUNTER,
	    .help = "paced I/Os submitted after their intended start" },
	[WORKER_WEIGHTED_NS] = { .key = "weighted_ns", .unit = "ns", .nature = METRIC_COUNTER,
	    .help = "time integral of the I/Os in flight" },
	[WORKER_IN_FLIGHT] = { .key = "in_flight", .unit = "I/Os", .nature = METRIC_GAUGE, .help = "submitted and not completed" },
	[WORKER_READ_HIST] = { .key = "read", .unit = "ns", .nature = METRIC_HIST, .hist_bits = HIST_BITS,
	    .help = "read latency, ready to complete" },
	[WORKER_WRITE_HIST] = { .key = "write", .unit = "ns", .nature = METRIC_HIST, .hist_bits = HIST_BITS,
	    .help = "write latency, ready to complete" },
	[WORKER_RESPONSE_HIST] = { .key = "response", .unit = "ns", .nature = METRIC_HIST, .hist_bits = HIST_BITS,
	    .help = "of paced jobs: intended start to complete, reads and writes" },
	[WORKER_SYNC_HIST] = { .key = "sync", .unit = "ns", .nature = METRIC_HIST, .hist_bits = HIST_BITS,
	    .help = "fsync and fdatasync latency, ready to complete" },
};

#define RW (M(WORKER_READS) | M(WORKER_WRITES))
#define RW_NS (M(WORKER_READ_NS) | M(WORKER_WRITE_NS))
#define RW_HIST (M(WORKER_READ_HIST) | M(WORKER_WRITE_HIST))
#define BYTES_TO_MB (1.0 / (1 << 20))
#define NS_TO_MS 1e-6
#define PERCENTILE(key, title, prio, quantile, help) \
	{ key, title, "ms", 7, 2, prio, COLUMN_LATENCY, 0, \
	    { .scale = NS_TO_MS, .plus = RW_HIST, .per = VALUE_PERCENTILE, .q = quantile }, help }

#define COLUMNS \
	{ "cmds_s", "IOPS", "I/Os per second", 8, 0, 100, COLUMN_IOPS, 0, \
	    { .scale = 1, .plus = RW, .per = PER_SECOND }, "Reads and writes completed per second." }, \
	{ "reads_s", "READS/s", "reads per second", 8, 0, 90, COLUMN_READ, 'r', \
	    { .scale = 1, .plus = M(WORKER_READS), .per = PER_SECOND }, "Reads completed per second." }, \
	{ "writes_s", "WRITES/s", "writes per second", 8, 0, 90, COLUMN_WRITE, 'w', \
	    { .scale = 1, .plus = M(WORKER_WRITES), .per = PER_SECOND }, "Writes completed per second." }, \
	{ "mbread_s", "MBREAD/s", "2^20 bytes per second", 8, 2, 80, COLUMN_READ | COLUMN_MBYTES, 'R', \
	    { .scale = BYTES_TO_MB, .plus = M(WORKER_READ_BYTES), .per = PER_SECOND }, "Megabytes (2^20 bytes) read per second." }, \
	{ "mbwrtn_s", "MBWRTN/s", "2^20 bytes per second", 8, 2, 80, COLUMN_WRITE | COLUMN_MBYTES, 'T', \
	    { .scale = BYTES_TO_MB, .plus = M(WORKER_WRITE_BYTES), .per = PER_SECOND }, "Megabytes (2^20 bytes) written per second." }, \
	{ "gavg", "MEAN", "ms", 7, 2, 95, COLUMN_LATENCY | COLUMN_GAVG, 0, \
	    { .scale = NS_TO_MS, .plus = RW_NS, .per = PER_SUM, .by = RW }, \
	    "Mean latency as the application feels it: from the moment an I/O is ready to be submitted to its completion." }, \
	{ "gavg_rd", "MEAN/rd", "ms", 7, 2, 50, COLUMN_LATENCY | COLUMN_READ, 0, \
	    { .scale = NS_TO_MS, .plus = M(WORKER_READ_NS), .per = PER_SUM, .by = M(WORKER_READS) }, "Mean latency of reads." }, \
	{ "gavg_wr", "MEAN/wr", "ms", 7, 2, 50, COLUMN_LATENCY | COLUMN_WRITE, 0, \
	    { .scale = NS_TO_MS, .plus = M(WORKER_WRITE_NS), .per = PER_SUM, .by = M(WORKER_WRITES) }, "Mean latency of writes." }, \
	PERCENTILE("p50", "p50", 75, 0.5, "Half of the I/Os took no longer, within 1 %."), \
	PERCENTILE("p95", "p95", 60, 0.95, "95 % of the I/Os took no longer, within 1 %."), \
	PERCENTILE("p99", "p99", 85, 0.99, "99 % of the I/Os took no longer, within 1 %."), \
	PERCENTILE("p99_9", "p99.9", 55, 0.999, "99.9 % of the I/Os took no longer, within 1 %."), \
	PERCENTILE("max", "max", 65, 1, "The longest I/O."), \
	{ "inflight", "INFL", "I/Os", 6, 1, 40, 0, 0, \
	    { .scale = 1e-9, .plus = M(WORKER_WEIGHTED_NS), .per = PER_SECOND }, \
	    "Mean number of I/Os in flight over the interval, measured: what Little's law is held against." }, \
	{ "late_s", "LATE/s", "I/Os per second", 6, 0, 20, COLUMN_EXTRA | COLUMN_WARN_ABOVE_0, 0, \
	    { .scale = 1, .plus = M(WORKER_LATE), .per = PER_SECOND }, \
	    "Paced I/Os per second that started after their time: the pace asked for cannot be kept." }, \
	{ "sync_s", "SYNC/s", "calls per second", 6, 0, 15, COLUMN_EXTRA, 0, \
	    { .scale = 1, .plus = M(WORKER_SYNCS), .per = PER_SECOND }, "fsync and fdatasync calls completed per second." }, \
	{ "gavg_sync", "MEAN/sy", "ms", 7, 2, 14, COLUMN_EXTRA | COLUMN_LATENCY, 0, \
	    { .scale = NS_TO_MS, .plus = M(WORKER_SYNC_NS), .per = PER_SUM, .by = M(WORKER_SYNCS) }, \
	    "Mean latency of fsync and fdatasync calls, which are in no other latency." }, \
	{ "err_s", "ERR/s", "I/Os per second", 5, 2, 70, COLUMN_WARN_ABOVE_0, 0, \
	    { .scale = 1, .plus = M(WORKER_ERRORS), .per = PER_SECOND }, "I/Os per second that failed." }

static const struct column columns[] = { COLUMNS };

const struct kind kind_worker = {
	.key = "worker",
	.title = "Workers",
	.one = "worker",
	.what = "workers of the load generator",
	.metrics = metrics,
	.n_metrics = WORKER_METRICS,
	.columns = columns,
	.n_columns = sizeof(columns) / sizeof(columns[0]),
	.from_zero = true,
	.detail = true,
	.in_flight = M(WORKER_IN_FLIGHT),
	.completed = RW | M(WORKER_SYNCS) | M(WORKER_ERRORS),
};

static const struct rollup_term rollup[] = {
	{ .from = "worker", .by = ROLLUP_COUNTS_IN },
	{ .from = NULL, .by = ROLLUP_COUNTS_IN },
};

const struct kind kind_load = {
	.key = "test",
	.title = "Test",
	.one = "test",
	.what = "a run of the load generator: the sum of its workers",
	.metrics = metrics,
	.n_metrics = WORKER_METRICS,
	.columns = columns,
	.n_columns = sizeof(columns) / sizeof(columns[0]),
	.rollup = rollup,
};
