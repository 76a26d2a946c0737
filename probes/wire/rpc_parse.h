/*
 * ONC RPC messages (RFC 5531 section 9) with RPCSEC_GSS (RFC 2203 section 5) and the start of TLS (RFC 9289). Pure.
 */
#ifndef WIRE_RPC_PARSE_H
#define WIRE_RPC_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/wire/bytes.h"

#define RPC_PORTMAP 100000u
#define RPC_NFS 100003u
#define RPC_MOUNT 100005u
#define RPC_CALLBACK 0x40000000u	/* the first of the programs for NFSv4 callbacks */

#define RPC_CALL_BYTES 24u	/* from the xid to the procedure */
#define RPC_REPLY_BYTES 24u	/* the shortest reply: accepted, empty verifier */

enum rpc_flavor { RPC_AUTH_NONE, RPC_AUTH_SYS, RPC_AUTH_SHORT, RPC_AUTH_DH, RPC_AUTH_GSS = 6, RPC_AUTH_TLS = 7 };
enum rpc_gss_proc { RPC_GSS_DATA };
enum rpc_gss_service { RPC_GSS_NONE = 1, RPC_GSS_INTEGRITY, RPC_GSS_PRIVACY };

struct rpc_msg {
	bool reply;
	uint32_t xid;
	/* of a call */
	uint32_t prog, vers, proc, flavor;
	uint32_t gss_proc, gss_service;	/* with RPC_AUTH_GSS; service 0 else */
	/* of a reply */
	bool denied;
	uint32_t accept;	/* 0: done */
	bool starttls;		/* the verifier says so */
};

/*
 * Reads a message up to its arguments or results. False: no RPC message, or cut before the procedure or the reply's state;
 * the cursor says which. True: what is in *out is known; the arguments can be read where the cursor is still good.
 */
bool rpc_parse(struct wire_bytes *, struct rpc_msg *out);
/* Over what integrity protection puts before arguments and results: a length and a sequence number. */
void rpc_skip_integrity(struct wire_bytes *);

/*
 * Could a record begin here: its mark, and behind it a call of a program we know, or a reply? For finding the way in a
 * stream. n bytes are at hand; at least RPC_LOOK_BYTES are needed.
 */
#define RPC_LOOK_BYTES 28
bool rpc_looks_like_call(const uint8_t *, size_t n);
bool rpc_looks_like_reply(const uint8_t *, size_t n);
/* The same without a record mark, in a datagram. */
bool rpc_datagram_looks_like_call(const uint8_t *, size_t n);
bool rpc_datagram_looks_like_reply(const uint8_t *, size_t n);

/* The longest record that is believed: the largest transfer of any server, and some room. */
#define RPC_RECORD_MAX (32u << 20)

#endif
