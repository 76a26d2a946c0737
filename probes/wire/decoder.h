/*
 * Inside the decoder: its tables, and how its parts call each other. Nothing outside probes/wire and its tests reads this.
 *
 *   decoder.c   packet -> frame, fragments -> connection      conn.c     connections
 *   stream.c    TCP segments in order -> bytes                pending.c  requests without a reply
 *   rpc.c       records -> messages -> calls and replies      flow.c     flows and operations
 *   nfs.c       what calls and replies say                    export.c   names of exports
 *   iscsi.c     PDUs -> commands and responses                fragment.c parts of IP datagrams
 */
#ifndef WIRE_DECODER_H
#define WIRE_DECODER_H

#include "probes/wire/bytes.h"
#include "probes/wire/frame.h"
#include "probes/wire/iscsi_parse.h"
#include "probes/wire/nfs_parse.h"
#include "probes/wire/rpc_parse.h"
#include "probes/wire/table.h"
#include "probes/wire/wire.h"

#define WIRE_HEAD 1024		/* bytes of a message that are read at most, when it comes in pieces */
#define WIRE_HOLDS 4096		/* streams that may be in the middle of a message's beginning */
#define WIRE_HOLES 4
#define WIRE_QUEUE 64		/* early segments kept for a stream */
#define WIRE_QUEUE_BYTES (4u << 20)	/* and for all */
#define WIRE_FAR (64 << 20)	/* no window is wider: such a sequence number is damaged, or another connection's */

/* A segment that came before its predecessor. */
struct wire_segment {
	struct wire_segment *next;
	uint64_t ns;
	uint32_t seq, len, cap;
	uint8_t bytes[];
};

/* Bytes from..to of a stream that were not seen; filled later, or a gap. */
struct wire_hole {
	uint32_t from, to;
	uint64_t ns;
};

enum wire_phase {
	WIRE_LOST,	/* a message may begin anywhere */
	WIRE_HEADER,	/* at, or within, a record mark or a PDU's header */
	WIRE_BODY,
};

enum wire_role { WIRE_NOTHING, WIRE_REQUEST, WIRE_REPLY, WIRE_DATA };

/* One direction of a connection. */
struct wire_stream {
	uint32_t next;		/* sequence number of the byte to come */
	uint32_t body_left;	/* of this fragment or PDU */
	bool started;		/* next is known */
	bool from_start;	/* its beginning was seen */
	uint8_t phase, role;
	bool last_fragment, parsed;
	bool placed;		/* it was known once where a message begins */
	bool far_seen, acked_seen;
	bool digest_unsure;	/* iSCSI: a data digest may stand here, nobody knows yet */
	uint8_t mark_have;
	uint8_t mark[4];	/* a record mark that came in pieces */
	uint16_t have, want;	/* bytes in hold; and of the PDU wanted there */
	uint32_t record_len;	/* of the fragments so far */
	uint32_t pending, pending_uid;	/* the request that this message belongs to */
	uint32_t far;		/* where a stream would go on that jumped */
	uint32_t acked;		/* what the other side has */
	uint32_t last_seq, last_len;	/* the last segment taken */
	uint64_t first_ns, last_ns;	/* of this message, and of the last segment taken */
	uint8_t *hold;		/* WIRE_HEAD bytes, made when first needed */
	struct wire_segment *queue, *queue_end;
	uint16_t queued, n_holes;
	struct wire_hole *holes;	/* WIRE_HOLES of them, made when first needed */
	struct iscsi_pdu pdu;	/* whose body this is */
};

enum wire_talk {
	WIRE_TALK_UNKNOWN,
	WIRE_TALK_OTHER,	/* seen from the start, and nothing for us */
	WIRE_TALK_RPC, WIRE_TALK_ISCSI,
	WIRE_TALK_OPAQUE,	/* ours, but encrypted */
};

struct wire_conn {
	struct wire_link link;
	struct wire_addr addr[2];	/* the lower first, so that both directions find it */
	uint16_t port[2];
	uint32_t pair;			/* hash of both addresses */
	bool udp;
	uint8_t talk;
	uint8_t client;			/* the side that calls */
	uint8_t port_talk;		/* what belongs to one of its ports; WIRE_TALK_UNKNOWN: nothing of ours */
	uint8_t minor;			/* NFSv4: of the last compound; 0xff: none yet */
	bool tls_asked;
	bool closed;			/* by one of them, or both */
	int8_t header_digest, data_digest;	/* 1, 0, or -1: not known */
	uint8_t guesses;		/* iSCSI without a login: commands in a row */
	uint32_t guess_sn;
	uint32_t flow;			/* the last one used, */
	uint64_t flow_uid, flow_key;	/* who that was, and what it was found by */
	uint32_t pendings;		/* its requests, the newest first */
	uint64_t since_ns, last_ns;	/* opened (0: that was not seen), and the last packet */
	const char *initiator, *target;	/* interned; NULL: not seen */
	struct iscsi_login *login;	/* while logging in */
	struct wire_stream side[2];	/* what each sends */
};

/* A request without its reply. */
struct wire_pending {
	struct wire_link link;
	uint32_t uid;			/* which request has this entry */
	uint32_t conn, conn_next, conn_prev;
	uint32_t age_next, age_prev;	/* towards the younger, the older */
	uint32_t xid;			/* or initiator task tag */
	uint8_t side;			/* that asked */
	bool done;			/* answered; kept to know it again if it is sent again (UDP) */
	bool doubtful;			/* the reply may have been in a gap */
	bool replied;			/* its reply has begun */
	uint8_t protocol;		/* enum wire_protocol, WIRE_PROTOCOLS: none of ours */
	uint8_t gss_service, n_ops;
	uint16_t lun;			/* iSCSI */
	uint32_t flow;			/* 0: not counted in one */
	uint64_t flow_uid;		/* who that is: once it is done the flow may go before it does */
	uint32_t prog, vers, proc;
	uint32_t len;			/* of the request */
	uint32_t asked;			/* bytes to read, or written; NFS_UNKNOWN where cut */
	uint64_t first_ns, last_ns;	/* first and last byte of the request */
	uint64_t reply_ns;		/* first byte of the reply */
	uint64_t r2t_ns, data_ns;
	const char *path;		/* interned: what a handle in the reply is called */
	uint32_t status;		/* from the reply */
	uint32_t read_bytes, write_bytes;	/* done, where the status is 0 */
	uint8_t reply_ops;
	uint8_t ops[NFS4_OPS_MAX];	/* NFSv4: COMPOUND first */
};

struct wire_pendings {
	struct wire_table table;
	uint32_t oldest, newest, oldest_done, newest_done, n_done;
	uint32_t uid;
};

struct wire_flow_entry {
	struct wire_link link;
	struct wire_flow flow;		/* as it is shown; ops is made when first needed */
	uint64_t key;
	struct wire_op *ops;
	size_t ops_room;
	uint32_t in_flight;
	uint64_t visited_ns;		/* last_ns when it was last shown */
	bool seen;
	struct wire_error errors[WIRE_ERRORS];
	uint8_t slot[256];		/* of an operation in ops, plus 1 */
};

/* Text that is kept, once each; at most twice as many as flows. */
struct wire_name {
	struct wire_link link;
	char *text;
};

/* A file handle or file system with a name; at most half as many as flows. */
struct wire_export {
	struct wire_link link;
	struct wire_addr server;
	uint64_t key;
	const char *path;
};

#define WIRE_FRAGMENTS 256
#define WIRE_FRAGMENT_HEAD 2048
struct wire_fragments;

#define WIRE_SERVICES 64
struct wire_service {
	struct wire_addr addr;
	uint16_t port;
};

struct wire_decoder {
	struct wire_options options;
	struct wire_health health;
	uint64_t now_ns;	/* of the latest packet */
	struct wire_table conns;
	uint32_t conn_hand;	/* where the search for one to throw out goes on */
	uint32_t last_conn;
	struct wire_pendings pendings;
	struct wire_table flows, names, exports;
	uint64_t flow_uid;
	size_t op_bytes;	/* in all operations, with their histograms */
	uint32_t n_holds;	/* streams with a hold */
	uint64_t next_expiry_ns;
	uint32_t others[WIRE_PROTOCOLS];	/* flows, made when needed */
	struct wire_fragments *fragments;	/* made when first needed */
	size_t queue_bytes;
	struct wire_service services[WIRE_SERVICES];	/* that portmap told of */
	size_t n_services;
};

/* 0 where the clock went back, or the capture's order is not that of the wire. */
static inline uint64_t
wire_since(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* --- conn.c --- */
struct wire_ends {
	struct wire_addr src, dst;
	uint16_t src_port, dst_port;
	bool udp;
};
/* *side is the sender's. NULL where it is not there; with `make` it is then made, in place of an old one if need be. */
struct wire_conn *wire_conn_find(struct wire_decoder *, const struct wire_ends *, bool make, unsigned *side);
void wire_conn_drop(struct wire_decoder *, uint32_t entry);
uint32_t wire_conn_entry(const struct wire_decoder *, const struct wire_conn *);
/* Portmap said that one of our RPC services is there. */
void wire_service_add(struct wire_decoder *, const struct wire_addr *, uint16_t port);

/* --- stream.c --- */
void wire_stream_segment(struct wire_decoder *, struct wire_conn *, unsigned side, const struct wire_tcp *, uint64_t ns);
void wire_stream_free(struct wire_decoder *, struct wire_stream *);
/* Nothing more will come: what is held is taken as it is. */
void wire_stream_finish(struct wire_decoder *, struct wire_conn *, unsigned side);
/* Adds captured bytes to hold until there are `want`; how many were taken. 0 also where there are too many holds. */
uint32_t wire_stream_hold(struct wire_decoder *, struct wire_stream *, uint32_t want, const uint8_t *, uint32_t n);

/* A piece of a stream: the bytes that follow the last ones. */
struct wire_piece {
	const uint8_t *p;
	uint32_t cap, len;
	uint64_t ns;
	bool starts;	/* at the start of a segment */
};
static inline void
wire_piece_skip(struct wire_piece *piece, uint32_t n)
{
	uint32_t here = n < piece->cap ? n : piece->cap;

	piece->p += here;
	piece->cap -= here;
	piece->len -= n;
	piece->starts = piece->starts && n == 0;
}

/* --- rpc.c --- */
void wire_rpc_take(struct wire_decoder *, struct wire_conn *, unsigned side, struct wire_piece);
/* The stream lost its place: the message it was in is over, at its last_ns. */
void wire_rpc_lost(struct wire_decoder *, struct wire_conn *, unsigned side);
void wire_rpc_datagram(struct wire_decoder *, struct wire_conn *, unsigned side, const struct wire_part *, uint64_t first_ns,
    uint64_t last_ns);

/* --- nfs.c: calls and replies of NFS, MOUNT and portmap --- */
void wire_nfs_call(struct wire_decoder *, struct wire_conn *, struct wire_pending *, const struct rpc_msg *, struct wire_bytes *);
void wire_nfs_reply(struct wire_decoder *, struct wire_conn *, struct wire_pending *, const struct rpc_msg *, struct wire_bytes *);

/* --- iscsi.c --- */
void wire_iscsi_take(struct wire_decoder *, struct wire_conn *, unsigned side, struct wire_piece);
void wire_iscsi_lost(struct wire_decoder *, struct wire_conn *, unsigned side);
/* Does a connection of iSCSI begin here, or go on? */
bool wire_iscsi_begins(struct wire_conn *, const struct wire_piece *);

/* --- pending.c --- */
struct wire_pending *wire_pending_add(struct wire_decoder *, struct wire_conn *, unsigned side, uint32_t xid);
/* The request with this tag of that side of the connection, answered (`done`) or not; NULL. */
struct wire_pending *wire_pending_find(struct wire_decoder *, const struct wire_conn *, unsigned side, uint32_t xid);
/* A request of the same client to the same server on an earlier connection, which was over before this one began. */
struct wire_pending *wire_pending_find_moved(struct wire_decoder *, const struct wire_conn *, unsigned side, uint32_t xid);
void wire_pending_move(struct wire_decoder *, struct wire_pending *, struct wire_conn *, unsigned side);
uint32_t wire_pending_entry(const struct wire_decoder *, const struct wire_pending *);
/* What a stream is in the middle of; NULL where it is gone. */
struct wire_pending *wire_pending_of(struct wire_decoder *, const struct wire_stream *);
void wire_pending_hold(struct wire_decoder *, struct wire_stream *, const struct wire_pending *, enum wire_role);
/* Counts the reply, which ended at last_ns, and forgets the request (or keeps it as done). */
void wire_pending_answer(struct wire_decoder *, struct wire_pending *, uint64_t last_ns);
/* Counts it as unanswered and forgets it. */
void wire_pending_give_up(struct wire_decoder *, struct wire_pending *);
/* All that this side asked of a LUN on this connection; of a target (`all`) whatever LUN. */
void wire_pending_give_up_lun(struct wire_decoder *, struct wire_conn *, unsigned side, uint16_t lun, bool all);
void wire_pending_expire(struct wire_decoder *, uint64_t before_ns);
void wire_pending_doubt(struct wire_decoder *, struct wire_conn *, unsigned side);
/* It was sent again: in flight after all. */
void wire_pending_revive(struct wire_decoder *, struct wire_pending *);
void wire_pending_drop_all(struct wire_decoder *, struct wire_conn *);

/* --- flow.c --- */
struct wire_flow_key {
	enum wire_protocol protocol;
	uint64_t export_id;
	uint16_t lun;
};
/* The flow of a connection's request; never 0. */
uint32_t wire_flow_find(struct wire_decoder *, struct wire_conn *, const struct wire_flow_key *);
struct wire_op *wire_flow_op(struct wire_decoder *, uint32_t flow, uint8_t op);
struct wire_flow_entry *wire_flow_at(const struct wire_decoder *, uint32_t flow);
/* The calls of a new request, for whose operations its flow may have no room: then it is the others'. And its replies, when they have come. */
void wire_flow_call(struct wire_decoder *, struct wire_pending *);
/* It was sent again. */
void wire_flow_again(struct wire_decoder *, const struct wire_pending *);
void wire_flow_reply(struct wire_decoder *, struct wire_pending *, uint64_t last_ns);
void wire_flow_give_up(struct wire_decoder *, const struct wire_pending *);
void wire_flow_expire(struct wire_decoder *, uint64_t now_ns);
void wire_flow_free_all(struct wire_decoder *);

/* --- export.c --- */
/* The same text is the same pointer; NULL where there are too many. */
const char *wire_name_keep(struct wire_decoder *, const char *text, size_t len);
void wire_names_free(struct wire_decoder *);
/* What tells the file systems of a server apart in a handle; 0 where nothing is known to. */
uint64_t wire_export_id(const struct nfs_handle *);
uint64_t wire_handle_key(const struct nfs_handle *);
void wire_export_name(struct wire_decoder *, const struct wire_addr *server, uint64_t key, const char *path);
const char *wire_export_find(const struct wire_decoder *, const struct wire_addr *server, uint64_t key);

/* --- fragment.c --- */
void wire_fragments_free(struct wire_fragments *);
/* A datagram that is whole now: its beginning, and when it began; false: not yet. */
bool wire_fragment_add(struct wire_decoder *, const struct wire_ip *, uint64_t ns, struct wire_part *out, uint64_t *first_ns);
void wire_fragments_expire(struct wire_decoder *, uint64_t before_ns);

#endif
