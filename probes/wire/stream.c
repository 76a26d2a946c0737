/*
 * TCP segments (RFC 9293) in order, and what to do where they are not: in a capture, unlike in a host, a segment may be missing for
 * good. A hole within the body of a message is stepped over, since its length is known. Where a hole may hide the beginning of a
 * message, the segments behind it wait until it is filled, or until the receiver says that it has what we have not.
 */
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "probes/wire/decoder.h"

#define LATE_NS UINT64_C(3000000)	/* later than this it was sent again, not only captured out of order */
#define TWICE_NS UINT64_C(1000000)	/* no sender tries again so soon: captured twice */
#define HOLE_NS UINT64_C(1000000000)	/* a hole that old is not filled any more */
#define WAIT_NS UINT64_C(2000000000)	/* and nothing waits longer for one */

uint32_t
wire_stream_hold(struct wire_decoder *d, struct wire_stream *s, uint32_t want, const uint8_t *p, uint32_t n)
{
	uint32_t take;

	if (s->hold == NULL && d->n_holds == WIRE_HOLDS)
		return 0;
	if (s->hold == NULL) {
		s->hold = xmalloc(WIRE_HEAD);
		d->n_holds++;
	}
	if (want > WIRE_HEAD)
		want = WIRE_HEAD;
	take = s->have < want ? want - s->have : 0;
	if (take > n)
		take = n;
	memcpy(s->hold + s->have, p, take);
	s->have += (uint16_t)take;
	return take;
}

static void
pop(struct wire_decoder *d, struct wire_stream *s)
{
	struct wire_segment *first = s->queue;

	s->queue = first->next;
	if (s->queue == NULL)
		s->queue_end = NULL;
	s->queued--;
	d->queue_bytes -= sizeof(*first) + first->cap;
	free(first);
}

void
wire_stream_free(struct wire_decoder *d, struct wire_stream *s)
{
	while (s->queue != NULL)
		pop(d, s);
	if (s->hold != NULL)
		d->n_holds--;
	free(s->hold);
	s->hold = NULL;
	free(s->holes);
	s->holes = NULL;
	s->n_holes = 0;
}

static void
lost(struct wire_decoder *d, struct wire_conn *c, unsigned side)
{
	if (c->talk == WIRE_TALK_RPC)
		wire_rpc_lost(d, c, side);
	else if (c->talk == WIRE_TALK_ISCSI)
		wire_iscsi_lost(d, c, side);
	c->side[side].phase = WIRE_LOST;
	c->side[side].have = 0;
}

/* A conversation of ours begins with this piece. */
static bool
begins(struct wire_conn *c, unsigned side, const struct wire_piece *piece)
{
	struct wire_stream *s = &c->side[side];

	if (rpc_looks_like_call(piece->p, piece->cap)) {
		bool callback = wire_be32(piece->p + 16) >= RPC_CALLBACK;

		c->talk = WIRE_TALK_RPC;
		c->client = (uint8_t)(callback ? !side : side);
	} else if (wire_iscsi_begins(c, piece)) {
		c->talk = WIRE_TALK_ISCSI;
		c->client = (uint8_t)((piece->p[0] & 0x20) != 0 ? !side : side);
		/* A login is seen from its start; joined later, digests must be found out. */
		if ((piece->p[0] & 0x3f) == ISCSI_LOGIN)
			c->header_digest = c->data_digest = 0;
	} else {
		return false;
	}
	s->phase = WIRE_HEADER;
	s->placed = true;
	return true;
}

static void
take(struct wire_decoder *d, struct wire_conn *c, unsigned side, struct wire_piece piece)
{
	if (c->talk == WIRE_TALK_RPC)
		wire_rpc_take(d, c, side, piece);
	else if (c->talk == WIRE_TALK_ISCSI)
		wire_iscsi_take(d, c, side, piece);
}

/*
 * What is this conversation? Only the starts of segments are looked at. What was seen from its first byte and is none of ours
 * never will be, unless its port says otherwise.
 */
static void
identify(struct wire_decoder *d, struct wire_conn *c, unsigned side, struct wire_piece piece)
{
	struct wire_stream *s = &c->side[side];
	uint8_t early[WIRE_HEAD];
	struct wire_piece held = { .p = early, .ns = s->last_ns, .starts = true };

	/* A record mark is sometimes sent by itself. */
	if (s->from_start && piece.cap == piece.len && (s->have > 0 || piece.len < RPC_LOOK_BYTES)) {
		uint32_t n = wire_stream_hold(d, s, ISCSI_BHS, piece.p, piece.cap);

		if (s->have < RPC_LOOK_BYTES)
			return;
		wire_piece_skip(&piece, n);
		held.cap = held.len = s->have;
		memcpy(early, s->hold, s->have);
		s->have = 0;
		if (begins(c, side, &held)) {
			take(d, c, side, held);
			if (piece.len > 0)
				take(d, c, side, piece);
			return;
		}
	} else if (begins(c, side, &piece)) {
		take(d, c, side, piece);
		return;
	}
	if (s->from_start && c->port_talk == WIRE_TALK_UNKNOWN && !rpc_looks_like_reply(piece.p, piece.cap))
		c->talk = WIRE_TALK_OTHER;
	s->from_start = false;
	s->phase = WIRE_LOST;
	s->have = 0;
	/* At NFS's own port a reply is one even though its call was not seen. */
	if (c->port_talk == WIRE_TALK_RPC && rpc_looks_like_reply(piece.p, piece.cap)) {
		c->talk = WIRE_TALK_RPC;
		c->client = !side;
		take(d, c, side, piece);
	}
}

static void
deliver(struct wire_decoder *d, struct wire_conn *c, unsigned side, const struct wire_piece *piece)
{
	struct wire_stream *s = &c->side[side];

	s->next += piece->len;
	if (c->talk == WIRE_TALK_UNKNOWN)
		identify(d, c, side, *piece);
	else
		take(d, c, side, *piece);
	s->last_ns = piece->ns;
}

static void
confirm_hole(struct wire_decoder *d, struct wire_stream *s, unsigned i)
{
	d->health.gaps++;
	s->n_holes--;
	memmove(&s->holes[i], &s->holes[i + 1], (s->n_holes - i) * sizeof(s->holes[0]));
}

/* The first is the oldest. */
static void
confirm_old_holes(struct wire_decoder *d, struct wire_stream *s, uint64_t ns)
{
	while (s->n_holes > 0 && wire_since(s->holes[0].ns, ns) > HOLE_NS)
		confirm_hole(d, s, 0);
}

static void
add_hole(struct wire_decoder *d, struct wire_stream *s, uint32_t to, uint64_t ns)
{
	if (s->n_holes == WIRE_HOLES)
		confirm_hole(d, s, 0);
	if (s->holes == NULL)
		s->holes = xcalloc(WIRE_HOLES, sizeof(*s->holes));
	s->holes[s->n_holes++] = (struct wire_hole){ .from = s->next, .to = to, .ns = ns };
}

/* Bytes that lie behind us: do they fill a hole? It gets smaller by them. */
static bool
fill_hole(struct wire_decoder *d, struct wire_stream *s, uint32_t from, uint32_t to, uint64_t ns)
{
	for (unsigned i = 0; i < s->n_holes; i++) {
		struct wire_hole *h = &s->holes[i];

		if ((int32_t)(to - h->from) <= 0 || (int32_t)(from - h->to) >= 0)
			continue;
		if (wire_since(h->ns, ns) > LATE_NS)
			d->health.retransmitted++;
		else
			d->health.reordered++;
		if ((int32_t)(from - h->from) <= 0)
			h->from = to;
		else
			h->to = from;
		if ((int32_t)(h->to - h->from) <= 0) {
			s->n_holes--;
			memmove(h, h + 1, (s->n_holes - i) * sizeof(*h));
		}
		return true;
	}
	return false;
}

/* All of it was there before. */
static void
again(struct wire_decoder *d, struct wire_stream *s, uint32_t seq, uint32_t len, uint64_t ns)
{
	if (len == 1 && seq + 1 == s->next)	/* keepalive */
		return;
	if (fill_hole(d, s, seq, seq + len, ns))
		return;
	if (seq == s->last_seq && len == s->last_len && wire_since(s->last_ns, ns) < TWICE_NS)
		d->health.duplicates++;
	else
		d->health.retransmitted++;
}

/* The hole before the first segment that waits will not be filled. */
static void
give_up_hole(struct wire_decoder *d, struct wire_conn *c, unsigned side)
{
	struct wire_stream *s = &c->side[side];
	uint32_t hole = s->queue->seq - s->next;

	d->health.gaps++;
	/* A body that ends with the hole: the next message begins behind it. */
	if (s->phase == WIRE_BODY && s->parsed && s->body_left == hole)
		s->body_left = 0;
	else
		lost(d, c, side);
	s->next = s->queue->seq;
}

/* Takes what waits and is no longer early. */
static void
drain(struct wire_decoder *d, struct wire_conn *c, unsigned side)
{
	struct wire_stream *s = &c->side[side];

	while (s->queue != NULL && (int32_t)(s->queue->seq - s->next) <= 0) {
		struct wire_segment *q = s->queue;
		uint32_t old = s->next - q->seq;
		struct wire_piece piece = { q->bytes, q->cap, q->len, q->ns, true };

		if (old < q->len) {
			wire_piece_skip(&piece, old);
			deliver(d, c, side, &piece);
		} else {
			d->health.retransmitted++;
		}
		pop(d, s);
	}
}

void
wire_stream_finish(struct wire_decoder *d, struct wire_conn *c, unsigned side)
{
	struct wire_stream *s = &c->side[side];

	while (s->queue != NULL) {
		if ((int32_t)(s->queue->seq - s->next) > 0)
			give_up_hole(d, c, side);
		drain(d, c, side);
	}
	while (s->n_holes > 0)
		confirm_hole(d, s, 0);
	/* The message it is in the middle of ended here, for all we know. */
	if (s->started)
		lost(d, c, side);
}

static void
enqueue(struct wire_decoder *d, struct wire_stream *s, const struct wire_tcp *tcp, uint64_t ns)
{
	const struct wire_part *part = &tcp->payload;
	struct wire_segment *q, **at = &s->queue;

	while (*at != NULL && (int32_t)((*at)->seq - tcp->seq) < 0)
		at = &(*at)->next;
	if (*at != NULL && (*at)->seq == tcp->seq && (*at)->len >= part->len) {
		d->health.retransmitted++;
		return;
	}
	q = xmalloc(sizeof(*q) + part->cap);
	*q = (struct wire_segment){ .next = *at, .ns = ns, .seq = tcp->seq, .len = part->len, .cap = part->cap };
	memcpy(q->bytes, part->p, part->cap);
	*at = q;
	if (q->next == NULL)
		s->queue_end = q;
	s->queued++;
	d->queue_bytes += sizeof(*q) + q->cap;
}

/* A hole, and this behind it. */
static void
early(struct wire_decoder *d, struct wire_conn *c, unsigned side, const struct wire_tcp *tcp, struct wire_piece *piece)
{
	struct wire_stream *s = &c->side[side];
	uint32_t hole = tcp->seq - s->next;

	if (s->queue == NULL && (s->phase == WIRE_LOST || (s->phase == WIRE_BODY && s->parsed && s->body_left > hole))) {
		add_hole(d, s, tcp->seq, piece->ns);
		if (s->phase == WIRE_BODY)
			s->body_left -= hole;
		s->next = tcp->seq;
		deliver(d, c, side, piece);
		return;
	}
	enqueue(d, s, tcp, piece->ns);
	while (s->queue != NULL && (s->queued > WIRE_QUEUE || d->queue_bytes > WIRE_QUEUE_BYTES ||
	    wire_since(s->queue->ns, piece->ns) > WAIT_NS || (s->acked_seen && (int32_t)(s->acked - s->queue->seq) > 0))) {
		give_up_hole(d, c, side);
		drain(d, c, side);
	}
}

/* Beyond any window. One such segment is damaged; two that follow each other are where the stream is now. */
static bool
far_away(struct wire_decoder *d, struct wire_conn *c, unsigned side, const struct wire_tcp *tcp)
{
	struct wire_stream *s = &c->side[side];
	bool again_there = s->far_seen && tcp->seq - s->far < WIRE_FAR;

	s->far_seen = true;
	s->far = tcp->seq + tcp->payload.len;
	if (!again_there)
		return true;
	d->health.gaps++;
	while (s->queue != NULL)
		pop(d, s);
	lost(d, c, side);
	s->next = tcp->seq;
	s->far_seen = false;
	return false;
}

/* What the receiver has and we have not, we shall not see. */
static void
acknowledged(struct wire_decoder *d, struct wire_conn *c, unsigned side, uint32_t ack)
{
	struct wire_stream *s = &c->side[side];

	while (s->queue != NULL && (int32_t)(ack - s->queue->seq) > 0) {
		give_up_hole(d, c, side);
		drain(d, c, side);
	}
}

static void
restart(struct wire_decoder *d, struct wire_stream *s, uint32_t next)
{
	wire_stream_free(d, s);
	*s = (struct wire_stream){ .next = next, .started = true, .from_start = true, .placed = true,
		.phase = WIRE_HEADER };
}

/* A connection opens, or opens again on the ports of an earlier one. */
static void
synchronise(struct wire_decoder *d, struct wire_conn *c, unsigned side, const struct wire_tcp *tcp)
{
	struct wire_stream *s = &c->side[side];

	if (s->started && s->from_start && s->next == tcp->seq + 1)	/* sent again */
		return;
	if (!(tcp->flags & WIRE_TCP_ACK)) {
		wire_stream_finish(d, c, side);
		wire_stream_finish(d, c, !side);
		wire_stream_free(d, &c->side[!side]);
		c->side[!side] = (struct wire_stream){ .phase = WIRE_LOST };
		c->talk = WIRE_TALK_UNKNOWN;
		c->tls_asked = false;
		c->header_digest = c->data_digest = -1;
		c->flow = 0;
	}
	c->since_ns = d->now_ns;
	c->closed = false;
	restart(d, s, tcp->seq + 1);
}

void
wire_stream_segment(struct wire_decoder *d, struct wire_conn *c, unsigned side, const struct wire_tcp *tcp, uint64_t ns)
{
	struct wire_stream *s = &c->side[side], *other = &c->side[!side];
	struct wire_piece piece = { tcp->payload.p, tcp->payload.cap, tcp->payload.len, ns, true };
	int32_t delta;

	if ((tcp->flags & WIRE_TCP_SYN) && (tcp->flags & (WIRE_TCP_RST | WIRE_TCP_FIN)))	/* damaged, or a scan */
		return;
	if (tcp->flags & WIRE_TCP_SYN)
		synchronise(d, c, side, tcp);
	if (tcp->flags & WIRE_TCP_ACK) {
		other->acked = tcp->ack;
		other->acked_seen = true;
		if (other->queue != NULL)
			acknowledged(d, c, !side, tcp->ack);
	}
	/* Who ends it answers no more, but for what comes with this; a reset is the end of both. */
	if (tcp->flags & (WIRE_TCP_RST | WIRE_TCP_FIN)) {
		wire_pending_doubt(d, c, !side);
		c->closed = true;
	}
	if (tcp->flags & WIRE_TCP_RST)
		wire_pending_doubt(d, c, side);
	if (piece.len == 0 || (tcp->flags & WIRE_TCP_SYN) || c->talk == WIRE_TALK_OTHER || c->talk == WIRE_TALK_OPAQUE)
		return;
	confirm_old_holes(d, s, ns);
	if (!s->started) {
		s->started = true;
		s->next = tcp->seq;
		s->phase = WIRE_LOST;
	}
	if (c->talk == WIRE_TALK_UNKNOWN && tcp->seq != s->next) {
		s->from_start = false;
		s->have = 0;
		s->next = tcp->seq;
	}
	delta = (int32_t)(tcp->seq - s->next);
	if ((delta > WIRE_FAR || delta < -WIRE_FAR) && far_away(d, c, side, tcp))
		return;
	delta = (int32_t)(tcp->seq - s->next);
	if (delta < 0) {
		if ((uint32_t)-delta >= piece.len) {
			again(d, s, tcp->seq, piece.len, ns);
			return;
		}
		wire_piece_skip(&piece, (uint32_t)-delta);
		delta = 0;
	}
	s->last_seq = tcp->seq;
	s->last_len = tcp->payload.len;
	if (delta > 0)
		early(d, c, side, tcp, &piece);
	else
		deliver(d, c, side, &piece);
	if (s->queue != NULL)
		drain(d, c, side);
}
