/*
 * The packet decoder: NFS and iSCSI out of captured frames. It is fed packets, whatever their source (a file, a ring), keeps
 * bounded tables of connections, unanswered requests and flows, and shows the flows with counters that only grow.
 *
 * One thread feeds, ticks and visits; a decoder shares nothing with another. Memory: about 2 MiB at rest, at most about 64 MiB,
 * whatever is sent. Nothing is allocated per packet, except to keep segments that
 * came too early.
 *
 * A live source:  d = wire_decoder_new();  for each packet of a block: wire_decoder_feed();  at each tick:
 * wire_decoder_tick(d, now), then wire_decoder_visit() copies what it publishes.  At the end: wire_decoder_free().
 * A file:  wire_file_decode() (file.h), which feeds all and calls wire_decoder_finish().
 */
#ifndef WIRE_WIRE_H
#define WIRE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/hist.h"
#include "probes/wire/frame.h"

enum wire_protocol {
	WIRE_NFS2, WIRE_NFS3,
	WIRE_NFS4,	/* the minor version was not seen: NULL calls, encrypted compounds */
	WIRE_NFS40, WIRE_NFS41, WIRE_NFS42, WIRE_ISCSI, WIRE_PROTOCOLS
};

/* "nfs3", "nfs4.1", "iscsi" */
const char *wire_protocol_name(enum wire_protocol);
/* "READ", "READ_10", "0xc1" for a command without a name; in out where it must be made. */
#define WIRE_OP_TEXT 16
const char *wire_op_name(enum wire_protocol, uint8_t op, char out[static WIRE_OP_TEXT]);
/* 'r' it reads data, 'w' it writes data, ' ' neither. */
char wire_op_direction(enum wire_protocol, uint8_t op);

struct wire_packet {
	uint64_t ns;		/* when, since 1970 */
	uint32_t caplen, len;	/* bytes captured; bytes there were */
	const uint8_t *bytes;
};

/* One operation of a flow. Counters only grow; in_flight is a gauge. */
struct wire_op {
	uint8_t op;		/* procedure, NFSv4 operation, or SCSI operation code */
	bool sealed;		/* encrypted by Kerberos, all or some: how much was read or written is not known */
	uint64_t calls;		/* requests; one sent again counts once */
	uint64_t replies;	/* requests whose reply was seen; the histogram has as many, unless no time was known */
	uint64_t bytes;		/* of successful operations: NFS count, iSCSI expected length less the residual */
	uint64_t errors;	/* replies that say so */
	uint64_t retransmitted;	/* requests sent again by the client (RPC); not segments of TCP */
	uint64_t unanswered;	/* given up: no reply for WIRE_EXPIRE_NS, connection gone, or reply lost in a gap */
	uint64_t in_flight;
	uint64_t last_sum_ns;	/* last byte of the request to last byte of the reply, summed over the replies in hist */
	/* iSCSI writes: command to first R2T (the target's), R2T to the end of the data (initiator and network) */
	uint64_t r2t_count, r2t_sum_ns, data_count, data_sum_ns;
	struct hist *hist;	/* last byte of the request to first byte of the reply; NULL: no reply yet */
};

/* What went wrong how often: an NFS status, or an iSCSI status with its sense key. */
#define WIRE_ERRORS 8
struct wire_error {
	uint32_t code;	/* NFS status; SCSI status << 8 | sense key, 0xff: none */
	uint64_t count;
};
/* "CHECK_CONDITION/NOT_READY", "NFS3ERR_STALE" as far as it is known, otherwise the number. */
#define WIRE_ERROR_TEXT 48
void wire_error_text(enum wire_protocol, uint32_t code, char out[static WIRE_ERROR_TEXT]);

struct wire_flow {
	uint64_t uid;		/* never used again by this decoder; 0 is none */
	enum wire_protocol protocol;
	bool others;		/* all that found no place in the table; no client, server or name */
	struct wire_addr client, server;
	uint16_t server_port;
	uint16_t lun;		/* iSCSI */
	/*
	 * NFS: the export's path, "" where its name was not seen; iSCSI: the target's name, "" likewise. Foreign text. This and the
	 * next are kept once each, unchanged, as long as the decoder: a copy of a flow needs none of its own.
	 */
	const char *name;
	const char *initiator;	/* iSCSI: its name, or "" */
	uint64_t export_id;	/* NFS: tells exports of a server apart that have no name; 0: not known */
	uint64_t last_ns;	/* of its last request or reply */
	const struct wire_op *ops;
	size_t n_ops;
	const struct wire_error *errors;
	size_t n_errors;
	uint64_t more_errors;	/* of other kinds than these */
};

/* "10.9.0.1", "fd00:9::1"; with its port where that is not the protocol's: "10.9.0.1:4000", "[fd00:9::1]:4000". */
#define WIRE_SERVER_TEXT (WIRE_ADDR_TEXT + 8)
void wire_server_text(const struct wire_flow *, char out[static WIRE_SERVER_TEXT]);

/* How well it went. Only grows. */
struct wire_health {
	uint64_t packets, bytes;	/* fed; bytes as they were on the wire */
	uint64_t first_ns, last_ns;	/* the earliest and the latest of them; 0 before the first */
	uint64_t gaps;			/* segments missing in the capture (holes in TCP streams, datagrams with missing fragments) */
	uint64_t resyncs;		/* times a stream was found again after one */
	uint64_t orphan_replies;	/* replies to nothing we saw */
	uint64_t unanswered;		/* requests without a reply */
	uint64_t truncated;		/* messages or packets cut so short that something of them is not known */
	uint64_t malformed;		/* what cannot be read as what it should be */
	uint64_t retransmitted;		/* TCP segments and RPC requests sent again */
	uint64_t reordered;		/* segments that came late, and filled a hole */
	uint64_t duplicates;		/* packets captured twice */
	uint64_t private_calls;		/* encrypted by Kerberos (krb5p): counted, not read */
	uint64_t tls_connections;	/* RPC-with-TLS: nothing can be read */
	uint64_t rdma_packets;		/* RDMA: nothing can be read */
	uint64_t dropped_connections;	/* thrown out of a full table while in use */
	uint64_t crowded;		/* calls counted under "others", for want of room */
	uint64_t untimed;		/* replies counted without their time, for want of room */
};

struct wire_options {
	int link_type;		/* DLT_* */
	unsigned hist_bits;	/* 6 for a file, 3 live */
	/* How many of each are kept at most; 0: as below. */
	uint32_t conns, pendings, flows;
	/* With more in operations and their histograms what is new is counted under "others"; with a quarter more nothing grows. */
	size_t op_bytes;
};

#define WIRE_CONNS 16384
#define WIRE_PENDINGS 65536
#define WIRE_FLOWS (4096 - WIRE_PROTOCOLS)	/* with each protocol's others 4,096: tables of rows grow by doubling */
#define WIRE_OP_BYTES (16u << 20)
#define WIRE_EXPIRE_NS (UINT64_C(300) * 1000000000)
#define WIRE_IDLE_NS (UINT64_C(600) * 1000000000)	/* a flow without traffic goes; */
#define WIRE_CROWD_IDLE_NS (UINT64_C(10) * 1000000000)	/* where others find no place, so soon */

struct wire_decoder;
struct wire_decoder *wire_decoder_new(const struct wire_options *);
void wire_decoder_free(struct wire_decoder *);	/* NULL is fine */
void wire_decoder_feed(struct wire_decoder *, const struct wire_packet *);
/*
 * Time goes on without packets: gives up what has waited too long, and removes flows that were idle for WIRE_IDLE_NS (or WIRE_CROWD_IDLE_NS)
 * and have been visited since. Before each visit of a live source.
 */
void wire_decoder_tick(struct wire_decoder *, uint64_t now_ns);
/* No packet will follow: what is in flight is unanswered now. */
void wire_decoder_finish(struct wire_decoder *);
/* Each flow, in no order; what is handed out is the decoder's and good until it is fed again. */
void wire_decoder_visit(struct wire_decoder *, void (*visit)(void *arg, const struct wire_flow *), void *arg);
const struct wire_health *wire_decoder_health(const struct wire_decoder *);

#endif
