/* total: all block I/O of the machine, each stack and each multipath device counted once. */
#include "core/kinds/io.h"

static const struct metric metrics[DISK_METRICS] = { IO_METRICS };

static const struct column columns[] = {
	{ "actv", "ACTV", "commands", 5, 0, 62, 0, 0,
	    { .scale = 1, .plus = M(DISK_IN_FLIGHT), .per = PER_ONE },
	    "Commands in flight at the end of the interval." },
	IO_RATE_COLUMNS,
	IO_SIZE_COLUMNS,
	IO_LATENCY_COLUMNS,
	IO_OTHER_COLUMNS,
};

static const struct rollup_term rollup[] = {
	{ "disk", ROLLUP_IN_TOTAL },
	{ NULL, ROLLUP_IN_TOTAL },
};

const struct kind kind_total = {
	.key = "total",
	.title = "Total",
	.one = "total",
	.what = "all block I/O of the machine, each stack and multipath device counted once",
	.metrics = metrics,
	.n_metrics = DISK_METRICS,
	.columns = columns,
	.n_columns = sizeof(columns) / sizeof(columns[0]),
	.rollup = rollup,
};
