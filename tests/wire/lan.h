/*
 * Packets made by hand, fed to a decoder: frames, TCP connections whose segments may be lost, repeated or out of order, and the messages
 * of RPC, NFS and iSCSI. Integers go in big-endian.
 */
#ifndef TESTS_LAN_H
#define TESTS_LAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/wire/wire.h"

#define LAN_US UINT64_C(1000)
#define LAN_MS UINT64_C(1000000)

/* Bytes under construction. */
struct msg {
	uint8_t b[80000];
	size_t n;
};

void put8(struct msg *, unsigned);
void put16(struct msg *, unsigned);
void put32(struct msg *, uint32_t);
void put64(struct msg *, uint64_t);
void put_bytes(struct msg *, const void *, size_t n);
void put_zeros(struct msg *, size_t n);
void put_opaque(struct msg *, const void *, size_t n);	/* XDR: length, bytes, padding; NULL: zeros */
void put_string(struct msg *, const char *);

/* A wire with a decoder at it; its clock goes on by a microsecond with each frame, and by what the test adds. */
struct lan {
	struct wire_decoder *d;
	uint64_t ns;
	uint32_t snaplen;
	int link_type;
};

struct lan *lan_new(int link_type);
void lan_free(struct lan *);
/* A frame of n bytes of which `len` were on the wire (n or more). */
void lan_frame(struct lan *, const void *, size_t n, size_t len);
const struct wire_health *lan_health(const struct lan *);

/* The operation's figures over all flows of a protocol; all zero, hist NULL, where it is not there. hist is the first flow's. */
struct wire_op lan_op(struct lan *, enum wire_protocol, uint8_t op);
/* Over all flows and operations, for sums. */
uint64_t lan_calls(struct lan *, enum wire_protocol);
/* The only flow, or the nth; its ops and strings are the decoder's. uid 0: there is none. */
struct wire_flow lan_flow(struct lan *, size_t n);
size_t lan_flows(struct lan *);

/* Between 10.0.0.1 (side 0, the client) and 10.0.0.2 (side 1). */
struct tcp {
	struct lan *lan;
	uint8_t host[2];	/* last byte of the address */
	uint16_t port[2];
	uint32_t seq[2];
	bool silent_acks;	/* no acknowledgement numbers: nothing is known to have arrived */
};

struct tcp tcp_new(struct lan *, uint16_t client_port, uint16_t server_port);
void tcp_open(struct tcp *);
/* The next n bytes of a side, as one segment. */
void tcp_put(struct tcp *, unsigned side, const void *, size_t n);
/* The next bytes were sent, but not captured. */
void tcp_miss(struct tcp *, unsigned side, size_t n);
/* A segment at a place of its own; seq does not move. */
void tcp_at(struct tcp *, unsigned side, uint32_t seq, const void *, size_t n, uint8_t flags);
/* An empty segment, which acknowledges what the other side has sent. */
void tcp_ack(struct tcp *, unsigned side);

void udp_put(struct lan *, unsigned side, uint16_t client_port, uint16_t server_port, const void *, size_t n);

/* RPC messages, with their record mark: a call with AUTH_SYS up to its arguments, and a reply up to its results. */
void rpc_call(struct msg *, uint32_t xid, uint32_t prog, uint32_t vers, uint32_t proc);
void rpc_reply(struct msg *, uint32_t xid);
/* The arguments or results are complete: the mark says how long it is. */
void rpc_end(struct msg *);

/* NFSv3: a handle of Linux' nfsd on file system `fs`. */
void put_handle(struct msg *, unsigned fs, unsigned file);
void nfs3_read(struct msg *, uint32_t xid, uint32_t count);
void nfs3_read_ok(struct msg *, uint32_t xid, uint32_t count);
void nfs3_write(struct msg *, uint32_t xid, uint32_t count);
void nfs3_write_ok(struct msg *, uint32_t xid, uint32_t count);
void nfs3_getattr(struct msg *, uint32_t xid);
void nfs3_status(struct msg *, uint32_t xid, uint32_t status);

/* iSCSI: a header with its opcode, flags and tag, and data behind it (with padding; NULL: zeros). */
struct pdu {
	uint8_t opcode, flags, response, status, lun, cdb;
	uint32_t tag, referenced, expected, residual, data_len, cmd_sn;
	const void *data;
	bool header_digest, data_digest;
};
void put_pdu(struct msg *, const struct pdu *);

#endif
