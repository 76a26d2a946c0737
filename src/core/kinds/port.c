/*
 * port: an adapter's port to the fabric. Counters of /sys/class/fc_host/hostN/statistics
 * (drivers/scsi/scsi_transport_fc.c), hexadecimal; all ones stand for "not counted".
 */
#include "core/kinds/kinds.h"

static const struct metric metrics[PORT_METRICS] = {
	[PORT_LINK_FAILURES] = { .key = "link_failures", .unit = "events", .nature = METRIC_COUNTER, .help = "link failures" },
	[PORT_LOSS_OF_SYNC] = { .key = "loss_of_sync", .unit = "events", .nature = METRIC_COUNTER,
	    .help = "losses of synchronisation" },
	[PORT_LOSS_OF_SIGNAL] = { .key = "loss_of_signal", .unit = "events", .nature = METRIC_COUNTER,
	    .help = "losses of signal" },
	[PORT_INVALID_TX_WORDS] = { .key = "invalid_tx_words", .unit = "words", .nature = METRIC_COUNTER,
	    .help = "invalid transmission words" },
	[PORT_INVALID_CRC] = { .key = "invalid_crc", .unit = "frames", .nature = METRIC_COUNTER,
	    .help = "frames with a bad checksum" },
	[PORT_ERROR_FRAMES] = { .key = "error_frames", .unit = "frames", .nature = METRIC_COUNTER, .help = "error frames" },
	[PORT_DUMPED_FRAMES] = { .key = "dumped_frames", .unit = "frames", .nature = METRIC_COUNTER, .help = "dumped frames" },
};

#define RATE(key, title, metric, help) \
	{ key, title, "events per second", 8, 2, 50, COLUMN_WARN_ABOVE_0, 0, \
	    { .scale = 1, .plus = M(metric), .per = PER_SECOND }, help }

static const struct column columns[] = {
	RATE("link_failures_s", "LINKFL/s", PORT_LINK_FAILURES, "Link failures per second."),
	RATE("loss_of_sync_s", "NOSYNC/s", PORT_LOSS_OF_SYNC, "Losses of synchronisation per second."),
	RATE("loss_of_signal_s", "NOSIGN/s", PORT_LOSS_OF_SIGNAL, "Losses of signal per second."),
	RATE("invalid_tx_words_s", "BADWRD/s", PORT_INVALID_TX_WORDS, "Invalid transmission words per second."),
	RATE("invalid_crc_s", "BADCRC/s", PORT_INVALID_CRC, "Frames with a bad checksum per second."),
	RATE("error_frames_s", "ERRFRM/s", PORT_ERROR_FRAMES, "Error frames per second."),
	RATE("dumped_frames_s", "DUMPED/s", PORT_DUMPED_FRAMES, "Dumped frames per second."),
};

const struct kind kind_port = {
	.key = "port",
	.title = "Ports",
	.one = "port",
	.what = "FC ports: link state and errors",
	.metrics = metrics,
	.n_metrics = PORT_METRICS,
	.columns = columns,
	.n_columns = sizeof(columns) / sizeof(columns[0]),
};
