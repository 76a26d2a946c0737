/* nic: network interfaces. Source: /proc/net/dev (net/core/net-procfs.c), labels from /sys/class/net. */
#include "core/kinds/kinds.h"

static const struct metric metrics[NIC_METRICS] = {
	[NIC_RX_BYTES] = { .key = "rx_bytes", .unit = "bytes", .nature = METRIC_COUNTER, .help = "received" },
	[NIC_RX_PACKETS] = { .key = "rx_packets", .unit = "packets", .nature = METRIC_COUNTER, .help = "received" },
	[NIC_RX_ERRORS] = { .key = "rx_errors", .unit = "packets", .nature = METRIC_COUNTER, .help = "received with an error" },
	[NIC_RX_DROPPED] = { .key = "rx_dropped", .unit = "packets", .nature = METRIC_COUNTER,
	    .help = "received and dropped by the host" },
	[NIC_RX_MULTICAST] = { .key = "rx_multicast", .unit = "packets", .nature = METRIC_COUNTER, .help = "multicast received" },
	[NIC_TX_BYTES] = { .key = "tx_bytes", .unit = "bytes", .nature = METRIC_COUNTER, .help = "transmitted" },
	[NIC_TX_PACKETS] = { .key = "tx_packets", .unit = "packets", .nature = METRIC_COUNTER, .help = "transmitted" },
	[NIC_TX_ERRORS] = { .key = "tx_errors", .unit = "packets", .nature = METRIC_COUNTER, .help = "not transmitted, error" },
	[NIC_TX_DROPPED] = { .key = "tx_dropped", .unit = "packets", .nature = METRIC_COUNTER, .help = "not transmitted, dropped" },
};

#define PER_S(key, title, unit, width, prec, prio, flags, sort, factor, metric, help) \
	{ key, title, unit, width, prec, prio, flags, sort, { .scale = factor, .plus = M(metric), .per = PER_SECOND }, help }

static const struct column columns[] = {
	{ "up", "UP", "1 or 0", 3, 0, 65, 0, 0,
	    { .scale = 1, .per = VALUE_LABEL_NUMBER, .label = LABEL_STATE }, "1 where the interface has a link." },
	{ "speed_mb", "SPEED", "10^6 bits per second", 6, 0, 60, 0, 0,
	    { .scale = 1e-6, .per = VALUE_LABEL_NUMBER, .label = LABEL_SPEED },
	    "Speed of the link in Mbit/s. Virtual interfaces do not say." },
	{ "duplex_full", "FDUPLX", "1 or 0", 6, 0, 10, COLUMN_EXTRA, 0,
	    { .scale = 1, .per = VALUE_LABEL_NUMBER, .label = LABEL_DUPLEX }, "1 where the link is full duplex." },
	PER_S("pkttx_s", "PKTTX/s", "packets per second", 8, 0, 90, COLUMN_IOPS, 'p', 1, NIC_TX_PACKETS,
	    "Packets transmitted per second, as the interface counts them: with segmentation offload a packet can be 64 KB."),
	PER_S("mbtx_s", "MbTX/s", "10^6 bits per second", 8, 2, 100, COLUMN_MBYTES, 'T', 8e-6, NIC_TX_BYTES,
	    "Megabits (10^6) transmitted per second."),
	{ "psztx", "PSZTX", "bytes", 6, 0, 50, 0, 0,
	    { .scale = 1, .plus = M(NIC_TX_BYTES), .per = PER_SUM, .by = M(NIC_TX_PACKETS) }, "Mean size of a packet transmitted." },
	PER_S("pktrx_s", "PKTRX/s", "packets per second", 8, 0, 90, 0, 'r', 1, NIC_RX_PACKETS, "Packets received per second."),
	PER_S("mbrx_s", "MbRX/s", "10^6 bits per second", 8, 2, 100, COLUMN_MBYTES, 'R', 8e-6, NIC_RX_BYTES,
	    "Megabits (10^6) received per second."),
	{ "pszrx", "PSZRX", "bytes", 6, 0, 50, 0, 0,
	    { .scale = 1, .plus = M(NIC_RX_BYTES), .per = PER_SUM, .by = M(NIC_RX_PACKETS) }, "Mean size of a packet received." },
	{ "drptx_pct", "%DRPTX", "per cent", 6, 2, 70, COLUMN_WARN_ABOVE_0, 0,
	    { .scale = 100, .plus = M(NIC_TX_DROPPED), .per = PER_SUM, .by = M(NIC_TX_PACKETS) | M(NIC_TX_DROPPED) },
	    "Share of the packets to be transmitted that were dropped." },
	{ "drprx_pct", "%DRPRX", "per cent", 6, 2, 70, COLUMN_WARN_ABOVE_0, 0,
	    { .scale = 100, .plus = M(NIC_RX_DROPPED), .per = PER_SUM, .by = M(NIC_RX_PACKETS) | M(NIC_RX_DROPPED) },
	    "Share of the packets received that the host dropped. Also counts protocols nobody listens to." },
	PER_S("errtx_s", "ERRTX/s", "packets per second", 7, 2, 40, COLUMN_WARN_ABOVE_0, 0, 1, NIC_TX_ERRORS,
	    "Packets per second not transmitted because of an error."),
	PER_S("errrx_s", "ERRRX/s", "packets per second", 7, 2, 40, COLUMN_WARN_ABOVE_0, 0, 1, NIC_RX_ERRORS,
	    "Packets per second received with an error."),
	PER_S("mulrx_s", "MULRX/s", "packets per second", 7, 0, 10, COLUMN_EXTRA, 0, 1, NIC_RX_MULTICAST,
	    "Multicast packets received per second."),
};

static const struct pdh_counter counters[] = {
	{ "Link Up?", "up", 0, true, true },
	{ "Link Speed (Mb/s)", "speed_mb", 0, true, true },
	{ "Full Duplex?", "duplex_full", 0, true, true },
	{ "Packets Transmitted/sec", "pkttx_s", 0, false, false },
	{ "MBits Transmitted/sec", "mbtx_s", 0, false, false },
	{ "Average Packet Size  Transmitted (Bytes)", "psztx", 0, false, false },
	{ "Packets Received/sec", "pktrx_s", 0, false, false },
	{ "MBits Received/sec", "mbrx_s", 0, false, false },
	{ "Average Packet Size  Received (Bytes)", "pszrx", 0, false, false },
	{ "% Outbound Packets Dropped", "drptx_pct", 0, false, false },
	{ "% Received Packets Dropped", "drprx_pct", 0, false, false },
	{ "Actions Posted/sec", "", 0, false, true },
	{ "Multicast Packets Transmitted/sec", "", 0, false, true },
	{ "Multicast Packets Received/sec", "mulrx_s", 0, false, true },
	{ "Broadcast Packets Transmitted/sec", "", 0, false, true },
	{ "Broadcast Packets Received/sec", "", 0, false, true },
};

static const struct pdh_object pdh[] = {
	{ .name = "Network Port", .counters = counters, .n_counters = sizeof(counters) / sizeof(counters[0]), .order = 90 },
};

const struct kind kind_nic = {
	.key = "nic",
	.title = "Network",
	.one = "interface",
	.what = "network interfaces",
	.metrics = metrics,
	.n_metrics = NIC_METRICS,
	.columns = columns,
	.n_columns = sizeof(columns) / sizeof(columns[0]),
	.pdh = pdh,
	.n_pdh = 1,
};
