/*
 * total: all I/O of the machine: block devices, each stack and each multipath device counted once, and NFS mounts, whose
 * COMMITs are among the flushes.
 */
#include "core/kinds/io.h"

enum { TOTAL_OTHER_OPS = DISK_METRICS, TOTAL_METRICS };

static const struct metric metrics[TOTAL_METRICS] = {
	IO_METRICS,
	[TOTAL_OTHER_OPS] = { .key = "other_ops", .unit = "operations", .nature = METRIC_COUNTER,
	    .help = "NFS operations but READ, WRITE and COMMIT" },
};

static const struct column columns[] = {
	{ "actv", "ACTV", "commands", 5, 0, 62, 0, 0,
	    { .scale = 1, .plus = M(DISK_IN_FLIGHT), .per = PER_ONE },
	    "Commands in flight at the end of the interval." },
	{ "cmds_s", "CMDS/s", "commands per second", 8, 0, 100, COLUMN_IOPS, 0,
	    { .scale = 1, .plus = IO_DONE | M(TOTAL_OTHER_OPS), .optional = IO_NEWER | M(TOTAL_OTHER_OPS), .per = PER_SECOND },
	    "Commands of the devices and operations of the NFS mounts completed per second: the sum of the rows." },
	IO_READ_WRITE_COLUMNS,
	IO_SIZE_COLUMNS,
	IO_LATENCY_COLUMNS,
	IO_OTHER_COLUMNS,
};

static const struct rollup_term rollup[] = {
	{ .from = "disk", .by = ROLLUP_IN_TOTAL },
	{ .from = "nfs_op", .by = ROLLUP_IN_TOTAL },
	{ .from = "nfs_conn", .by = ROLLUP_IN_TOTAL },
	{ .from = NULL, .by = ROLLUP_IN_TOTAL },
};

const struct kind kind_total = {
	.key = "total",
	.title = "Total",
	.one = "total",
	.what = "all I/O of the machine: each stack and multipath device counted once, and the NFS mounts",
	.metrics = metrics,
	.n_metrics = TOTAL_METRICS,
	.columns = columns,
	.n_columns = sizeof(columns) / sizeof(columns[0]),
	.rollup = rollup,
};
