/*
 * iSCSI: PDUs out of a stream, commands joined with their data and responses. A read that went well has no response PDU of its own:
 * its last Data-In brings the status (RFC 7143 section 11.7).
 */
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "probes/wire/decoder.h"

#define DIGEST 4
#define FULL_FEATURE 3
#define SENSE_BYTES 32		/* of a response's data that are looked at */
#define GUESSES 2		/* commands in a row that make a conversation iSCSI */
#define NO_SENSE 0xffu

/* --- what begins a conversation --- */

static bool
has_initiator_name(const struct wire_piece *piece)
{
	return memmem(piece->p, piece->cap, "InitiatorName=", 14) != NULL;
}

/* Off the usual ports, and without its login: two commands, each a segment of its own, whose numbers follow each other. */
static bool
guess(struct wire_conn *c, const struct iscsi_pdu *pdu, const struct wire_piece *piece)
{
	uint32_t len = ISCSI_BHS + pdu->ahs_bytes + ((pdu->data_bytes + 3) & ~3u);

	if (pdu->opcode != ISCSI_COMMAND || piece->len < len || piece->len > len + 2 * DIGEST || scsi_name(pdu->cdb) == NULL)
		return false;
	c->guesses = c->guesses > 0 && pdu->cmd_sn == c->guess_sn + 1 ? c->guesses + 1 : 1;
	c->guess_sn = pdu->cmd_sn;
	return c->guesses >= GUESSES;
}

bool
wire_iscsi_begins(struct wire_conn *c, const struct wire_piece *piece)
{
	struct iscsi_pdu pdu;

	if (piece->cap < ISCSI_BHS || !iscsi_parse(piece->p, &pdu))
		return false;
	if (pdu.opcode == ISCSI_LOGIN && has_initiator_name(piece))
		return true;
	if (c->port_talk == WIRE_TALK_ISCSI)
		return true;
	return guess(c, &pdu, piece);
}

/* --- logins --- */

static struct iscsi_login *
login_of(struct wire_conn *c)
{
	if (c->login == NULL) {
		c->login = xcalloc(1, sizeof(*c->login));
		c->login->header_digest = c->login->data_digest = -1;
	}
	return c->login;
}

static const char *
keep(struct wire_decoder *d, const char *text)
{
	return text[0] != '\0' ? wire_name_keep(d, text, strlen(text)) : NULL;
}

/* The target's answers count; its last one ends the login, and what was agreed is in force from the next PDU on. */
static void
take_login(struct wire_decoder *d, struct wire_conn *c, const struct iscsi_pdu *pdu, const uint8_t *text, uint32_t n)
{
	struct iscsi_login *login = login_of(c);

	iscsi_login_text(text, n, login);
	if (!pdu->from_target) {
		c->initiator = keep(d, login->initiator);
		c->target = keep(d, login->target);
		return;
	}
	if (!pdu->transit || pdu->next_stage != FULL_FEATURE || pdu->login_status != 0)
		return;
	c->header_digest = login->header_digest == 1;
	c->data_digest = login->data_digest == 1;
	free(c->login);
	c->login = NULL;
}

/* --- commands and what belongs to them --- */

static void
take_command(struct wire_decoder *d, struct wire_conn *c, unsigned side, const struct iscsi_pdu *pdu, uint64_t ns)
{
	const struct wire_flow_key key = { .protocol = WIRE_ISCSI, .lun = pdu->lun };
	struct wire_pending *p = wire_pending_find(d, c, side, pdu->tag);

	if (p != NULL)
		wire_pending_give_up(d, p);
	p = wire_pending_add(d, c, side, pdu->tag);
	p->protocol = WIRE_ISCSI;
	p->ops[p->n_ops++] = pdu->cdb;
	p->lun = pdu->lun;
	p->asked = pdu->expected;
	p->first_ns = p->last_ns = ns;
	c->client = (uint8_t)side;
	p->flow = wire_flow_find(d, c, &key);
	wire_flow_call(d, p);
	wire_pending_hold(d, &c->side[side], p, WIRE_REQUEST);
}

/* Commands are to end (section 11.5): which, is not said again in the response. */
static void
take_task(struct wire_decoder *d, struct wire_conn *c, unsigned side, const struct iscsi_pdu *pdu)
{
	struct wire_pending *p = wire_pending_find(d, c, side, pdu->tag);

	if (p != NULL)
		wire_pending_give_up(d, p);
	p = wire_pending_add(d, c, side, pdu->tag);
	p->proc = pdu->function;
	p->lun = pdu->lun;
	p->asked = pdu->referenced;
}

/* Done, or there is no such task: what it was about is not answered any more. */
static void
take_task_response(struct wire_decoder *d, struct wire_conn *c, unsigned side, const struct iscsi_pdu *pdu)
{
	struct wire_pending *p = wire_pending_find(d, c, !side, pdu->tag), *aborted;
	uint32_t function, tag;
	uint16_t lun;

	if (p == NULL || p->protocol == WIRE_ISCSI)
		return;
	function = p->proc, tag = p->asked, lun = p->lun;
	wire_pending_give_up(d, p);
	if (pdu->response > 1)
		return;
	if (function == ISCSI_ABORT_TASK) {
		aborted = wire_pending_find(d, c, !side, tag);
		if (aborted != NULL)
			wire_pending_give_up(d, aborted);
	} else if (function != ISCSI_CLEAR_ACA && function <= ISCSI_TARGET_COLD_RESET) {
		wire_pending_give_up_lun(d, c, !side, lun, function >= ISCSI_TARGET_WARM_RESET);
	}
}

static void
take_status(struct wire_pending *p, const struct iscsi_pdu *pdu, const uint8_t *data, uint32_t n)
{
	int key = pdu->opcode == ISCSI_RESPONSE && pdu->status != 0 ? iscsi_sense_key(data, n) : -1;
	uint32_t done = pdu->underflow < p->asked ? p->asked - pdu->underflow : 0;

	p->status = pdu->response != 0 ? UINT32_C(0x10000) | pdu->response :
	    pdu->status != 0 ? (uint32_t)pdu->status << 8 | (key >= 0 ? (uint32_t)key : NO_SENSE) : 0;
	p->read_bytes = p->write_bytes = done;
}

static void
take_answer(struct wire_decoder *d, struct wire_conn *c, unsigned side, const struct iscsi_pdu *pdu, const uint8_t *data, uint32_t n,
    uint64_t ns)
{
	struct wire_pending *p = wire_pending_find(d, c, !side, pdu->tag);

	if (p == NULL) {
		d->health.orphan_replies += pdu->has_status;
		return;
	}
	if (pdu->opcode == ISCSI_R2T) {
		if (p->r2t_ns == 0)
			p->r2t_ns = ns;
		return;
	}
	if (!p->replied)
		p->reply_ns = ns;
	p->replied = true;
	if (!pdu->has_status)
		return;
	take_status(p, pdu, data, n);
	wire_pending_hold(d, &c->side[side], p, WIRE_REPLY);
}

/* A PDU with as much of its data as was wanted. */
static void
take_pdu(struct wire_decoder *d, struct wire_conn *c, unsigned side, const uint8_t *data, uint32_t n, uint64_t ns)
{
	struct wire_stream *s = &c->side[side];
	struct wire_pending *p;

	s->parsed = true;
	s->role = WIRE_NOTHING;
	switch (s->pdu.opcode) {
	case ISCSI_COMMAND:
		take_command(d, c, side, &s->pdu, ns);
		break;
	case ISCSI_DATA_OUT:
		p = wire_pending_find(d, c, side, s->pdu.tag);
		if (p != NULL)
			wire_pending_hold(d, s, p, WIRE_DATA);
		break;
	case ISCSI_RESPONSE:
	case ISCSI_DATA_IN:
	case ISCSI_R2T:
		take_answer(d, c, side, &s->pdu, data, n, ns);
		break;
	case ISCSI_TASK:
		take_task(d, c, side, &s->pdu);
		break;
	case ISCSI_TASK_RESPONSE:
		take_task_response(d, c, side, &s->pdu);
		break;
	case ISCSI_LOGIN:
	case ISCSI_LOGIN_RESPONSE:
		take_login(d, c, &s->pdu, data, n);
		break;
	default:
		break;
	}
}

static void
end_pdu(struct wire_decoder *d, struct wire_stream *s, uint64_t ns)
{
	struct wire_pending *p = wire_pending_of(d, s);

	s->phase = WIRE_HEADER;
	s->have = s->want = 0;
	if (p != NULL && s->role == WIRE_REPLY)
		wire_pending_answer(d, p, ns);
	else if (p != NULL && s->role == WIRE_REQUEST && !p->replied)
		p->last_ns = ns;	/* with its immediate data */
	else if (p != NULL && s->role == WIRE_DATA)
		p->data_ns = ns;
	s->role = WIRE_NOTHING;
}

/* --- the stream --- */

void
wire_iscsi_lost(struct wire_decoder *d, struct wire_conn *c, unsigned side)
{
	struct wire_stream *s = &c->side[side];

	if (s->phase == WIRE_BODY && s->parsed)
		end_pdu(d, s, s->last_ns);
	if (s->phase != WIRE_LOST)
		wire_pending_doubt(d, c, !side);
	s->phase = WIRE_LOST;
	s->digest_unsure = false;
	s->have = s->want = 0;
}

/* How much of the PDU's data is read: text, and sense. Behind the header, where there are digests too. */
static uint32_t
data_wanted(const struct iscsi_pdu *pdu)
{
	uint32_t most = 0;

	if (pdu->opcode == ISCSI_LOGIN || pdu->opcode == ISCSI_LOGIN_RESPONSE)
		most = WIRE_HEAD;
	else if (pdu->opcode == ISCSI_RESPONSE)
		most = SENSE_BYTES;
	return pdu->data_bytes < most ? pdu->data_bytes : most;
}

/*
 * Joined in the middle, a connection does not say whether its headers have digests: the 4 bytes behind one are its CRC32C, or not.
 * `more`: what lies behind the header in the same segment, of which cap bytes were captured.
 */
static void
detect_header_digest(struct wire_conn *c, const struct iscsi_pdu *pdu, const uint8_t *bhs, const struct wire_piece *more)
{
	if (c->header_digest >= 0 || pdu->ahs_bytes > 0)
		return;
	if (more->len == 0) {
		c->header_digest = 0;
		return;
	}
	if (more->cap < DIGEST)
		return;
	c->header_digest = iscsi_crc(bhs, ISCSI_BHS) == wire_be32(more->p);
}

/* A header at bhs, whose bytes have been taken off the piece. False: it is none. */
static bool
begin_pdu(struct wire_decoder *d, struct wire_conn *c, unsigned side, const uint8_t *bhs, const struct wire_piece *more)
{
	struct wire_stream *s = &c->side[side];
	uint32_t before;

	if (!iscsi_parse(bhs, &s->pdu) || s->pdu.from_target != (side != c->client)) {
		if (!s->digest_unsure)
			d->health.malformed++;
		return false;
	}
	detect_header_digest(c, &s->pdu, bhs, more);
	if (s->digest_unsure)
		c->data_digest = 0;
	s->digest_unsure = c->data_digest < 0 && s->pdu.data_bytes > 0;
	before = s->pdu.ahs_bytes + (c->header_digest == 1 ? DIGEST : 0);
	s->body_left = before + ((s->pdu.data_bytes + 3) & ~3u) + (c->data_digest == 1 && s->pdu.data_bytes > 0 ? DIGEST : 0);
	s->phase = WIRE_BODY;
	s->parsed = false;
	s->have = 0;
	s->want = (uint16_t)(data_wanted(&s->pdu) > 0 ? before + data_wanted(&s->pdu) : 0);
	if (s->want > WIRE_HEAD)
		s->want = WIRE_HEAD;
	s->first_ns = more->ns;
	if (s->want == 0)
		take_pdu(d, c, side, NULL, 0, s->first_ns);
	return true;
}

/*
 * The last PDU may have had a data digest: then the header begins 4 bytes later. Once that is so, it is so for the connection. `held`:
 * the header is in hold, whose first bytes go.
 */
static bool
shift_by_digest(struct wire_conn *c, struct wire_stream *s)
{
	if (!s->digest_unsure)
		return false;
	s->digest_unsure = false;
	c->data_digest = 1;
	memmove(s->hold, s->hold + DIGEST, ISCSI_BHS - DIGEST);
	s->have = ISCSI_BHS - DIGEST;
	return true;
}

/* False: the place is lost. */
static bool
take_header(struct wire_decoder *d, struct wire_conn *c, unsigned side, struct wire_piece *piece)
{
	struct wire_stream *s = &c->side[side];
	const uint8_t *bhs = piece->p;
	uint32_t n;

	if (s->have == 0 && piece->cap >= ISCSI_BHS && !s->digest_unsure) {
		wire_piece_skip(piece, ISCSI_BHS);
		return begin_pdu(d, c, side, bhs, piece);
	}
	n = piece->len < (uint32_t)ISCSI_BHS - s->have ? piece->len : (uint32_t)ISCSI_BHS - s->have;
	if (piece->cap < n || wire_stream_hold(d, s, ISCSI_BHS, piece->p, n) < n) {
		d->health.truncated++;
		return false;
	}
	wire_piece_skip(piece, n);
	if (s->have < ISCSI_BHS)
		return true;
	return begin_pdu(d, c, side, s->hold, piece) || shift_by_digest(c, s);
}

static void
collect(struct wire_decoder *d, struct wire_conn *c, unsigned side, const struct wire_piece *piece, uint32_t n)
{
	struct wire_stream *s = &c->side[side];
	uint32_t before = s->pdu.ahs_bytes + (c->header_digest == 1 ? DIGEST : 0);
	uint32_t cap = piece->cap < n ? piece->cap : n, took = wire_stream_hold(d, s, s->want, piece->p, cap);

	if (s->have < s->want && cap == n && took == cap)
		return;
	if (s->have < s->want)
		d->health.truncated++;
	if (s->have > before)
		take_pdu(d, c, side, s->hold + before, s->have - before, s->first_ns);
	else
		take_pdu(d, c, side, NULL, 0, s->first_ns);
}

/* A header at the start of a segment; in between only one that belongs to a request we know. */
static bool
is_place(struct wire_decoder *d, struct wire_conn *c, unsigned side, const uint8_t *p, bool starts)
{
	struct iscsi_pdu pdu;

	if (!iscsi_parse(p, &pdu) || pdu.from_target != (side != c->client))
		return false;
	return starts || (pdu.from_target ? wire_pending_find(d, c, !side, pdu.tag) != NULL :
	    pdu.opcode == ISCSI_COMMAND && scsi_name(pdu.cdb) != NULL && pdu.data_bytes <= pdu.expected);
}

static bool
find_place(struct wire_decoder *d, struct wire_conn *c, unsigned side, struct wire_piece *piece)
{
	uint32_t i;

	for (i = 0; i + ISCSI_BHS <= piece->cap; i++)
		if (is_place(d, c, side, piece->p + i, piece->starts && i == 0))
			break;
	if (i + ISCSI_BHS > piece->cap)
		return false;
	wire_piece_skip(piece, i);
	d->health.resyncs += c->side[side].placed;
	c->side[side].placed = true;
	c->side[side].phase = WIRE_HEADER;
	c->side[side].have = 0;
	return true;
}

void
wire_iscsi_take(struct wire_decoder *d, struct wire_conn *c, unsigned side, struct wire_piece piece)
{
	struct wire_stream *s = &c->side[side];

	/* A PDU whose end was in a hole. */
	if (s->phase == WIRE_BODY && s->body_left == 0)
		end_pdu(d, s, s->last_ns);
	while (piece.len > 0) {
		bool ok = true;

		if (s->phase == WIRE_LOST && !find_place(d, c, side, &piece))
			return;
		if (s->phase == WIRE_HEADER) {
			ok = take_header(d, c, side, &piece);
		} else {
			uint32_t n = piece.len < s->body_left ? piece.len : s->body_left;

			if (!s->parsed)
				collect(d, c, side, &piece, n);
			wire_piece_skip(&piece, n);
			s->body_left -= n;
		}
		if (!ok)
			wire_iscsi_lost(d, c, side);
		else if (s->phase == WIRE_BODY && s->body_left == 0)
			end_pdu(d, s, piece.ns);
	}
}
