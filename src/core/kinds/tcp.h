/*
 * What connections, and the mounts and sessions they belong to, share: TCP's own view of them (sys/sockdiag.h). The metrics stand
 * one behind the other, from `base` on. Included by the files of those kinds only.
 */
#ifndef CORE_KINDS_TCP_H
#define CORE_KINDS_TCP_H

#include "core/kind.h"
#include "core/kinds/kinds.h"

#define TCP_METRICS(base) \
	[(base) + TCP_SEEN] = { .key = "tcp_seen", .unit = "connections", .nature = METRIC_GAUGE, \
	    .help = "of which TCP has told at the end of the interval" }, \
	[(base) + TCP_RTT_US] = { .key = "tcp_rtt_us", .unit = "us", .nature = METRIC_GAUGE, \
	    .help = "round trip that TCP measured, summed over the connections" }, \
	[(base) + TCP_SEND_QUEUE] = { .key = "send_queue", .unit = "bytes", .nature = METRIC_GAUGE, \
	    .help = "handed to TCP and not acknowledged by the other side" }, \
	[(base) + TCP_SEGMENTS] = { .key = "tcp_segments", .unit = "segments", .nature = METRIC_COUNTER, .help = "sent" }, \
	[(base) + TCP_RETRANSMITTED] = { .key = "tcp_retransmitted", .unit = "segments", .nature = METRIC_COUNTER, \
	    .help = "sent again" }

#define TCP_COLUMNS(base) \
	{ "tcp_rtt", "TCPRTT", "ms", 6, 2, 24, COLUMN_OR_GAVG, 0, \
	    { .scale = 1e-3, .plus = M((base) + TCP_RTT_US), .per = PER_SUM, .by = M((base) + TCP_SEEN) }, \
	    "Round trip of the network as TCP measures it at the end of the interval, mean over the connections: what of DAVG is not " \
	    "the server's. Not under a foreign root." }, \
	{ "tcp_retr_pct", "%TCPRETR", "per cent", 8, 2, 23, COLUMN_OR_GAVG | COLUMN_WARN_ABOVE_0, 0, \
	    { .scale = 100, .plus = M((base) + TCP_RETRANSMITTED), .per = PER_SUM, .by = M((base) + TCP_SEGMENTS) }, \
	    "Share of the TCP segments sent that were sent again: above 0 the network loses packets." }, \
	{ "sendq_kb", "SENDQ", "2^10 bytes", 6, 0, 22, COLUMN_OR_GAVG, 0, \
	    { .scale = 1.0 / 1024, .plus = M((base) + TCP_SEND_QUEUE), .per = PER_ONE }, \
	    "KiB handed to TCP that the other side has not acknowledged. If it does not shrink, the network or the other host is " \
	    "gone; if it is 0 and nothing is answered, the other host has it all and its server is silent." }

#endif
