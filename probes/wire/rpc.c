/*
 * RPC over TCP: records out of a stream (RFC 5531 section 11), messages out of records, calls joined with replies; and over UDP.
 */
#include <string.h>

#include "probes/wire/decoder.h"

#define MARK 4u
#define TWICE_NS UINT64_C(1000000)	/* sooner than any client tries again: captured twice */

/* --- messages --- */

/* The same request under the same number: sent again. Another one: the number is in use again, and the old one is lost. */
static bool
is_same_call(const struct wire_pending *p, const struct rpc_msg *m, uint32_t len)
{
	return p->prog == m->prog && p->vers == m->vers && p->proc == m->proc && p->len == len;
}

static void
count_again(struct wire_decoder *d, struct wire_pending *p)
{
	if (wire_since(p->last_ns, d->now_ns) < TWICE_NS) {
		d->health.duplicates++;
		return;
	}
	d->health.retransmitted++;
	wire_pending_revive(d, p);
	wire_flow_again(d, p);
}

/* Do we have this call already? Its time is that of its first sending. */
static bool
is_known_call(struct wire_decoder *d, struct wire_conn *c, unsigned side, const struct rpc_msg *m, uint32_t len)
{
	struct wire_pending *p = wire_pending_find(d, c, side, m->xid);

	if (p != NULL && is_same_call(p, m, len)) {
		count_again(d, p);
		return true;
	}
	if (p != NULL)
		wire_pending_give_up(d, p);
	/* Clients send again what was not answered when they had to connect anew. */
	p = wire_pending_find_moved(d, c, side, m->xid);
	if (p == NULL || !is_same_call(p, m, len))
		return false;
	count_again(d, p);
	wire_pending_move(d, p, c, side);
	return true;
}

/* The request that a call is; NULL where it was sent again. */
static struct wire_pending *
take_call(struct wire_decoder *d, struct wire_conn *c, unsigned side, const struct rpc_msg *m, struct wire_bytes *b, uint32_t len,
    uint64_t ns)
{
	struct wire_pending *p;

	if (is_known_call(d, c, side, m, len))
		return NULL;
	p = wire_pending_add(d, c, side, m->xid);
	p->prog = m->prog;
	p->vers = m->vers;
	p->proc = m->proc;
	p->len = len;
	p->gss_service = (uint8_t)m->gss_service;
	p->first_ns = p->last_ns = ns;
	if (m->flavor == RPC_AUTH_TLS)
		c->tls_asked = true;
	wire_nfs_call(d, c, p, m, b);
	return p;
}

static struct wire_pending *
take_reply(struct wire_decoder *d, struct wire_conn *c, unsigned side, const struct rpc_msg *m, struct wire_bytes *b, uint64_t ns)
{
	struct wire_pending *p = wire_pending_find(d, c, !side, m->xid);

	if (p == NULL || p->done) {
		/* A second reply answers a call that was sent twice. */
		if (p == NULL)
			d->health.orphan_replies++;
		return NULL;
	}
	if (p->replied)
		return NULL;
	p->replied = true;
	p->reply_ns = ns;
	if (p->gss_service == RPC_GSS_INTEGRITY && !m->denied && m->accept == 0)
		rpc_skip_integrity(b);
	wire_nfs_reply(d, c, p, m, b);
	if (c->tls_asked && m->starttls) {
		c->talk = WIRE_TALK_OPAQUE;
		d->health.tls_connections++;
	}
	return p;
}

/*
 * A message of len bytes, of which the cursor has the beginning. False: it is none, and what was taken for its place in the stream is not.
 */
static bool
take_message(struct wire_decoder *d, struct wire_conn *c, unsigned side, struct wire_bytes b, uint32_t len, uint64_t ns)
{
	struct wire_stream *s = &c->side[side];
	struct wire_pending *p;
	struct rpc_msg m;

	s->role = WIRE_NOTHING;
	if (!rpc_parse(&b, &m)) {
		if (b.bad)
			d->health.malformed++;
		else
			d->health.truncated++;
		return !b.bad;
	}
	if (m.reply)
		p = take_reply(d, c, side, &m, &b, ns);
	else
		p = take_call(d, c, side, &m, &b, len, ns);
	if (p != NULL)
		wire_pending_hold(d, s, p, m.reply ? WIRE_REPLY : WIRE_REQUEST);
	if (b.bad)
		d->health.malformed++;
	return true;
}

static void
end_message(struct wire_decoder *d, struct wire_stream *s, uint64_t ns)
{
	struct wire_pending *p = wire_pending_of(d, s);

	if (p != NULL && s->role == WIRE_REPLY)
		wire_pending_answer(d, p, ns);
	else if (p != NULL && s->role == WIRE_REQUEST && !p->replied && !p->done)
		p->last_ns = ns;
	s->role = WIRE_NOTHING;
}

/* --- records --- */

void
wire_rpc_lost(struct wire_decoder *d, struct wire_conn *c, unsigned side)
{
	struct wire_stream *s = &c->side[side];

	/* Within a record, or between two of its fragments. */
	if (s->phase != WIRE_LOST && s->record_len > 0)
		end_message(d, s, s->last_ns);
	if (s->phase != WIRE_LOST)
		wire_pending_doubt(d, c, !side);
	s->phase = WIRE_LOST;
	s->have = 0;
	s->record_len = 0;
}

/* Where in the piece a message begins; its length where none does. */
static uint32_t
look_for_message(const struct wire_piece *piece)
{
	static const uint8_t call[] = { 0, 0, 0, 0, 0, 0, 0, 2, 0 }, reply[] = { 0, 0, 0, 1, 0, 0, 0, 0 };
	const uint8_t *p = piece->p, *end = p + piece->cap;

	if (rpc_looks_like_call(p, piece->cap) || rpc_looks_like_reply(p, piece->cap))
		return 0;
	for (const uint8_t *at = p + 8; at < end; at++) {
		const uint8_t *a = memmem(at, (size_t)(end - at), call, sizeof(call));

		if (a == NULL)
			break;
		if (rpc_looks_like_call(a - 8, (size_t)(end - a + 8))) {
			end = a;
			break;
		}
		at = a;
	}
	for (const uint8_t *at = p + 8; at < end; at++) {
		const uint8_t *a = memmem(at, (size_t)(end - at), reply, sizeof(reply));

		if (a == NULL)
			break;
		if (rpc_looks_like_reply(a - 8, (size_t)(p + piece->cap - a + 8)))
			return (uint32_t)(a - 8 - p);
		at = a;
	}
	return end < p + piece->cap ? (uint32_t)(end - 8 - p) : piece->len;
}

/* The mark of a fragment. False: it cannot be one. */
static bool
take_mark(struct wire_decoder *d, struct wire_stream *s, uint32_t mark, uint64_t ns)
{
	bool first = s->record_len == 0;
	uint32_t len = mark & 0x7fffffffu;

	s->last_fragment = (mark & 0x80000000u) != 0;
	if (len > RPC_RECORD_MAX || s->record_len + len > RPC_RECORD_MAX || (len == 0 && !s->last_fragment) ||
	    (first && s->last_fragment && len < RPC_REPLY_BYTES - 4)) {
		d->health.malformed++;
		return false;
	}
	if (first) {
		s->first_ns = ns;
		s->parsed = false;
		s->have = 0;
	}
	s->record_len += len;
	s->body_left = len;
	s->phase = WIRE_BODY;
	return true;
}

/* Takes the piece's bytes for the mark. False: the place is lost. */
static bool
take_header(struct wire_decoder *d, struct wire_stream *s, struct wire_piece *piece)
{
	uint32_t n;

	if (s->mark_have == 0 && piece->cap >= MARK) {
		n = wire_be32(piece->p);
		wire_piece_skip(piece, MARK);
		return take_mark(d, s, n, piece->ns);
	}
	n = piece->len < MARK - s->mark_have ? piece->len : MARK - s->mark_have;
	if (piece->cap < n) {
		d->health.truncated++;
		return false;
	}
	memcpy(s->mark + s->mark_have, piece->p, n);
	s->mark_have += (uint8_t)n;
	wire_piece_skip(piece, n);
	if (s->mark_have < MARK)
		return true;
	s->mark_have = 0;
	return take_mark(d, s, wire_be32(s->mark), piece->ns);
}

/*
 * The beginning of a message: read where it lies if all that is wanted of it is there, otherwise collected first. What is there of
 * it is all there will be when the capture was cut, or the record ends.
 */
static bool
take_beginning(struct wire_decoder *d, struct wire_conn *c, unsigned side, const struct wire_piece *piece, uint32_t n)
{
	struct wire_stream *s = &c->side[side];
	uint32_t cap = piece->cap < n ? piece->cap : n;
	bool ends = cap < n || (n == s->body_left && s->last_fragment);
	/* How long a record of several fragments will be, nobody says. */
	uint64_t len = s->last_fragment ? s->record_len : UINT32_MAX;

	if (s->have == 0 && (ends || cap >= WIRE_HEAD)) {
		s->parsed = true;
		return take_message(d, c, side, wire_bytes(piece->p, cap, len), s->record_len, s->first_ns);
	}
	/* Too many of these at a time: no room, and nothing is known of it. */
	ends = wire_stream_hold(d, s, WIRE_HEAD, piece->p, cap) == 0 || ends;
	if (!ends && s->have < WIRE_HEAD)
		return true;
	s->parsed = true;
	return take_message(d, c, side, wire_bytes(s->hold != NULL ? s->hold : piece->p, s->have, len), s->record_len, s->first_ns);
}

/* Takes the piece's bytes of the fragment. False: the place is lost. */
static bool
take_body(struct wire_decoder *d, struct wire_conn *c, unsigned side, struct wire_piece *piece)
{
	struct wire_stream *s = &c->side[side];
	uint32_t n = piece->len < s->body_left ? piece->len : s->body_left;

	if (!s->parsed && !take_beginning(d, c, side, piece, n))
		return false;
	wire_piece_skip(piece, n);
	s->body_left -= n;
	return true;
}

static void
end_fragment(struct wire_decoder *d, struct wire_stream *s, uint64_t ns)
{
	s->phase = WIRE_HEADER;
	s->mark_have = 0;
	if (!s->last_fragment)
		return;
	end_message(d, s, ns);
	s->record_len = 0;
	s->have = 0;
}

static bool
find_place(struct wire_decoder *d, struct wire_stream *s, struct wire_piece *piece)
{
	uint32_t at = piece->cap >= RPC_LOOK_BYTES ? look_for_message(piece) : piece->len;

	wire_piece_skip(piece, at);
	if (piece->len == 0)
		return false;
	d->health.resyncs += s->placed;
	s->placed = true;
	s->phase = WIRE_HEADER;
	s->mark_have = 0;
	s->have = 0;
	s->record_len = 0;
	return true;
}

void
wire_rpc_take(struct wire_decoder *d, struct wire_conn *c, unsigned side, struct wire_piece piece)
{
	struct wire_stream *s = &c->side[side];

	/* A fragment whose end was in a hole. */
	if (s->phase == WIRE_BODY && s->body_left == 0)
		end_fragment(d, s, s->last_ns);
	while (piece.len > 0 && c->talk == WIRE_TALK_RPC) {
		bool ok = true;

		if (s->phase == WIRE_LOST && !find_place(d, s, &piece))
			return;
		if (s->phase == WIRE_HEADER)
			ok = take_header(d, s, &piece);
		else if (s->phase == WIRE_BODY)
			ok = take_body(d, c, side, &piece);
		if (!ok)
			wire_rpc_lost(d, c, side);
		else if (s->phase == WIRE_BODY && s->body_left == 0)
			end_fragment(d, s, piece.ns);
	}
}

/* --- datagrams --- */

void
wire_rpc_datagram(struct wire_decoder *d, struct wire_conn *c, unsigned side, const struct wire_part *part, uint64_t first_ns,
    uint64_t last_ns)
{
	struct wire_stream *s = &c->side[side];

	if (c->talk == WIRE_TALK_UNKNOWN && (rpc_datagram_looks_like_call(part->p, part->cap) ||
	    (c->port_talk == WIRE_TALK_RPC && rpc_datagram_looks_like_reply(part->p, part->cap)))) {
		c->talk = WIRE_TALK_RPC;
		c->client = (uint8_t)(wire_be32(part->p + 4) == 0 ? side : !side);
	}
	if (c->talk != WIRE_TALK_RPC)
		return;
	take_message(d, c, side, wire_bytes(part->p, part->cap, part->len), part->len, first_ns);
	end_message(d, s, last_ns);
}
