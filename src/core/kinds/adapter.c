/*
 * adapter: the sum of the devices that count in it, and of its port's link errors. Never measured as such.
 */
#include "core/kinds/io.h"

static const struct metric metrics[ADAPTER_METRICS] = {
	IO_METRICS,
	[ADAPTER_LINK_FAILURES] = { .key = "link_failures", .unit = "events", .nature = METRIC_COUNTER, .help = "of its port" },
	[ADAPTER_LOSS_OF_SYNC] = { .key = "loss_of_sync", .unit = "events", .nature = METRIC_COUNTER, .help = "of its port" },
	[ADAPTER_LOSS_OF_SIGNAL] = { .key = "loss_of_signal", .unit = "events", .nature = METRIC_COUNTER, .help = "of its port" },
	[ADAPTER_INVALID_TX_WORDS] = { .key = "invalid_tx_words", .unit = "words", .nature = METRIC_COUNTER, .help = "of its port" },
	[ADAPTER_INVALID_CRC] = { .key = "invalid_crc", .unit = "frames", .nature = METRIC_COUNTER, .help = "of its port" },
	[ADAPTER_ERROR_FRAMES] = { .key = "error_frames", .unit = "frames", .nature = METRIC_COUNTER, .help = "of its port" },
	[ADAPTER_DUMPED_FRAMES] = { .key = "dumped_frames", .unit = "frames", .nature = METRIC_COUNTER, .help = "of its port" },
};

#define LINK_ERRORS (M(ADAPTER_LINK_FAILURES) | M(ADAPTER_LOSS_OF_SYNC) | M(ADAPTER_LOSS_OF_SIGNAL) | \
	M(ADAPTER_INVALID_TX_WORDS) | M(ADAPTER_INVALID_CRC) | M(ADAPTER_ERROR_FRAMES) | M(ADAPTER_DUMPED_FRAMES))

static const struct column columns[] = {
	{ "ports", "PORTS", "online/all", 5, 0, 50, COLUMN_NO_EXPORT, 0,
	    { .per = VALUE_LABEL_TEXT, .label = LABEL_PORTS },
	    "Ports online of all, for FC hosts and NVMe over fabrics controllers." },
	{ "actv", "ACTV", "commands", 5, 0, 62, 0, 0,
	    { .scale = 1, .plus = M(DISK_IN_FLIGHT), .per = PER_ONE },
	    "Commands in flight on its devices at the end of the interval." },
	{ "aqlen", "AQLEN", "commands", 6, 0, 45, 0, 0,
	    { .scale = 1, .per = VALUE_LABEL_NUMBER, .label = LABEL_QUEUE_DEPTH },
	    "Commands the adapter takes at once (SCSI can_queue). Other adapters do not say." },
	IO_RATE_COLUMNS,
	IO_SPLIT_COLUMNS,
	IO_LATENCY_COLUMNS,
	{ "err_s", "ERR/s", "commands per second", 5, 2, 30, COLUMN_EXTRA | COLUMN_WARN_ABOVE_0, 0,
	    { .scale = 1, .plus = M(DISK_ERRORS), .per = PER_SECOND },
	    "Commands per second on its devices that ended with an error (SCSI only)." },
	{ "link_s", "LINKERR/s", "events per second", 9, 2, 25, COLUMN_EXTRA | COLUMN_WARN_ABOVE_0, 0,
	    { .scale = 1, .plus = LINK_ERRORS, .optional = LINK_ERRORS, .per = PER_SECOND },
	    "Errors of the FC link per second: failures, lost synchronisation or signal, bad words, CRC errors, error and dumped "
	    "frames. Read every 5 s." },
	IO_SIZE_COLUMNS,
	IO_OTHER_COLUMNS,
};

static const struct pdh_counter counters[] = { PDH_SCSI };
static const struct pdh_counter depth[] = { { "Adapter Q Depth", "aqlen", 0, true, true } };

static const struct pdh_object pdh[] = {
	{ .name = "Physical Disk", .counters = depth, .n_counters = 1, .order = 30 },
	{ .name = "Physical Disk Adapter", .counters = counters,
	    .n_counters = sizeof(counters) / sizeof(counters[0]), .order = 40 },
};

static const struct rollup_term rollup[] = {
	{ .from = "disk", .by = ROLLUP_COUNTS_IN },
	{ .from = "port", .by = ROLLUP_COUNTS_IN },
	{ .from = NULL, .by = ROLLUP_COUNTS_IN },
};

const struct kind kind_adapter = {
	.key = "adapter",
	.title = "Adapters",
	.one = "adapter",
	.what = "SCSI hosts, NVMe controllers, virtio, USB, MMC, device-mapper, md, loop: the sum of their devices",
	.metrics = metrics,
	.n_metrics = ADAPTER_METRICS,
	.columns = columns,
	.n_columns = sizeof(columns) / sizeof(columns[0]),
	.pdh = pdh,
	.n_pdh = sizeof(pdh) / sizeof(pdh[0]),
	.rollup = rollup,
	.in_flight = M(DISK_IN_FLIGHT),
	.completed = IO_DONE,
};
