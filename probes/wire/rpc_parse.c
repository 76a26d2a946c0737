#include "probes/wire/rpc_parse.h"

#define AUTH_MAX 400	/* RFC 5531 section 8.2 */
#define FLAVOR_MAX 400000	/* pseudo-flavours of Kerberos are 390003 to 390005 */

/* RFC 2203 section 5: version, procedure, sequence number, service, handle. */
static void
parse_gss(struct wire_bytes cred, struct rpc_msg *out)
{
	if (wire_get32(&cred) != 1)
		return;
	out->gss_proc = wire_get32(&cred);
	wire_get32(&cred);
	out->gss_service = wire_get32(&cred);
	if (!wire_ok(&cred))
		out->gss_service = 0;
}

/* Flavour and body. */
static void
parse_auth(struct wire_bytes *b, uint32_t *flavor, struct wire_bytes *body)
{
	const uint8_t *data;
	uint32_t len;

	*flavor = wire_get32(b);
	len = wire_opaque(b, &data);
	if (wire_ok(b) && len > AUTH_MAX)
		b->bad = true;
	*body = wire_bytes(data != NULL ? data : b->p, data != NULL ? len : 0, len);
}

static bool
parse_call(struct wire_bytes *b, struct rpc_msg *out)
{
	struct wire_bytes cred, verf;
	uint32_t version = wire_get32(b), flavor;

	out->prog = wire_get32(b);
	out->vers = wire_get32(b);
	out->proc = wire_get32(b);
	if (!wire_ok(b))
		return false;
	if (version != 2) {
		b->bad = true;
		return false;
	}
	parse_auth(b, &out->flavor, &cred);
	if (wire_ok(b) && out->flavor == RPC_AUTH_GSS)
		parse_gss(cred, out);
	parse_auth(b, &flavor, &verf);
	if (out->gss_service == RPC_GSS_INTEGRITY && out->gss_proc == RPC_GSS_DATA)
		rpc_skip_integrity(b);
	return true;
}

static bool
parse_reply(struct wire_bytes *b, struct rpc_msg *out)
{
	uint32_t stat = wire_get32(b), flavor;
	struct wire_bytes verf;

	if (wire_ok(b) && stat > 1)
		b->bad = true;
	if (!wire_ok(b))
		return false;
	out->denied = stat == 1;
	if (out->denied)
		return true;
	parse_auth(b, &flavor, &verf);
	out->starttls = wire_has(&verf, 8) && memcmp(verf.p, "STARTTLS", 8) == 0;
	out->accept = wire_get32(b);
	return true;
}

bool
rpc_parse(struct wire_bytes *b, struct rpc_msg *out)
{
	uint32_t type;

	*out = (struct rpc_msg){ .reply = false };
	out->xid = wire_get32(b);
	type = wire_get32(b);
	if (wire_ok(b) && type > 1)
		b->bad = true;
	if (!wire_ok(b))
		return false;
	out->reply = type == 1;
	return out->reply ? parse_reply(b, out) : parse_call(b, out);
}

void
rpc_skip_integrity(struct wire_bytes *b)
{
	wire_skip(b, 8);
}

/* What runs beside NFS: portmap, rstat's neighbours mount and lock manager, quota, status, ACLs. */
static bool
known_program(uint32_t prog)
{
	return prog == RPC_NFS || prog == RPC_MOUNT || prog == RPC_PORTMAP || prog == 100021 || prog == 100011 ||
	    prog == 100024 || prog == 100227 || (prog >= RPC_CALLBACK && prog < RPC_CALLBACK + 0x20000000u);
}

bool
rpc_datagram_looks_like_call(const uint8_t *p, size_t n)
{
	return n >= RPC_CALL_BYTES && wire_be32(p + 4) == 0 && wire_be32(p + 8) == 2 && known_program(wire_be32(p + 12)) &&
	    wire_be32(p + 16) < 16 && wire_be32(p + 20) < 64;
}

/* Accepted with one of the six states, or denied with one of two; verifiers are short and of a known flavour. */
bool
rpc_datagram_looks_like_reply(const uint8_t *p, size_t n)
{
	uint32_t stat, flavor, len;

	if (n < RPC_REPLY_BYTES || wire_be32(p + 4) != 1)
		return false;
	stat = wire_be32(p + 8);
	flavor = wire_be32(p + 12);
	len = wire_be32(p + 16);
	if (stat == 1)
		return flavor <= 1 && len <= 16;
	if (stat != 0 || flavor > FLAVOR_MAX || len > AUTH_MAX)
		return false;
	len = (len + 3) & ~3u;
	return n < 24 + len || wire_be32(p + 20 + len) <= 5;
}

static bool
looks_like_mark(const uint8_t *p, size_t n, uint32_t least)
{
	uint32_t len;

	if (n < RPC_LOOK_BYTES)
		return false;
	len = wire_be32(p) & 0x7fffffffu;
	return len >= least && len <= RPC_RECORD_MAX;
}

bool
rpc_looks_like_call(const uint8_t *p, size_t n)
{
	/* With empty credential and verifier a call has 40 bytes; but its first fragment may be shorter. */
	return looks_like_mark(p, n, RPC_CALL_BYTES) && rpc_datagram_looks_like_call(p + 4, n - 4);
}

bool
rpc_looks_like_reply(const uint8_t *p, size_t n)
{
	return looks_like_mark(p, n, 20) && rpc_datagram_looks_like_reply(p + 4, n - 4);
}
