/* partition: the same counters as its disk, of a part of it. Sources as disk.c. */
#include "core/kinds/io.h"

static const struct metric metrics[DISK_METRICS] = { IO_METRICS };

static const struct column columns[] = {
	{ "actv", "ACTV", "commands", 5, 0, 65, 0, 0,
	    { .scale = 1, .plus = M(DISK_IN_FLIGHT), .per = PER_ONE },
	    "Commands in flight at the end of the interval." },
	{ "util_pct", "%UTIL", "per cent", 5, 0, 35, 0, 0,
	    { .scale = 0.1, .plus = M(DISK_BUSY_MS), .per = PER_SECOND },
	    "Share of the time with at least one command in flight; see the device's." },
	IO_RATE_COLUMNS,
	IO_SIZE_COLUMNS,
	IO_LATENCY_COLUMNS,
	IO_OTHER_COLUMNS,
	{ "mount", "MOUNT", "", 16, 0, 5, COLUMN_EXTRA | COLUMN_LEFT | COLUMN_NO_EXPORT, 0,
	    { .per = VALUE_LABEL_TEXT, .label = LABEL_MOUNT }, "Where it, or a layer above it, is mounted." },
	{ "size_gb", "SIZE/GB", "2^30 bytes", 8, 1, 8, COLUMN_EXTRA | COLUMN_NO_EXPORT, 0,
	    { .scale = 1.0 / (1 << 30), .per = VALUE_LABEL_NUMBER, .label = LABEL_SIZE_BYTES },
	    "Size in GiB." },
};

static const struct pdh_counter counters[] = {
	PDH_IO5,
	{ "Average Driver MilliSec/Command", "", 0, false, false },
	{ "Average Kernel MilliSec/Command", "", 0, false, false },
	{ "Average Guest MilliSec/Command", "gavg", 0, false, false },
	{ "Average Queue MilliSec/Command", "", 0, false, false },
	{ "Average Driver MilliSec/Read", "", 0, false, true },
	{ "Average Kernel MilliSec/Read", "", 0, false, true },
	{ "Average Guest MilliSec/Read", "gavg_rd", 0, false, true },
	{ "Average Queue MilliSec/Read", "", 0, false, true },
	{ "Average Driver MilliSec/Write", "", 0, false, true },
	{ "Average Kernel MilliSec/Write", "", 0, false, true },
	{ "Average Guest MilliSec/Write", "gavg_wr", 0, false, true },
	{ "Average Queue MilliSec/Write", "", 0, false, true },
};

static const struct pdh_object pdh[] = {
	{ .name = "Physical Disk Partition", .counters = counters,
	    .n_counters = sizeof(counters) / sizeof(counters[0]), .order = 70 },
};

const struct kind kind_partition = {
	.key = "partition",
	.title = "Partitions",
	.one = "partition",
	.what = "partitions of block devices",
	.metrics = metrics,
	.n_metrics = DISK_METRICS,
	.columns = columns,
	.n_columns = sizeof(columns) / sizeof(columns[0]),
	.pdh = pdh,
	.n_pdh = sizeof(pdh) / sizeof(pdh[0]),
	.in_flight = M(DISK_IN_FLIGHT),
	.completed = IO_DONE,
};
