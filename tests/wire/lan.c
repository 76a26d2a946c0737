#include "lan.h"

#include <pcap/dlt.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "probes/wire/iscsi_parse.h"

void
put_bytes(struct msg *m, const void *p, size_t n)
{
	if (n > sizeof(m->b) - m->n)
		abort();
	memcpy(m->b + m->n, p, n);
	m->n += n;
}

void
put_zeros(struct msg *m, size_t n)
{
	if (n > sizeof(m->b) - m->n)
		abort();
	memset(m->b + m->n, 0, n);
	m->n += n;
}

void
put8(struct msg *m, unsigned v)
{
	put_bytes(m, &(uint8_t){ (uint8_t)v }, 1);
}

void
put16(struct msg *m, unsigned v)
{
	put8(m, v >> 8);
	put8(m, v & 0xff);
}

void
put32(struct msg *m, uint32_t v)
{
	put16(m, v >> 16);
	put16(m, v & 0xffff);
}

void
put64(struct msg *m, uint64_t v)
{
	put32(m, (uint32_t)(v >> 32));
	put32(m, (uint32_t)v);
}

void
put_opaque(struct msg *m, const void *p, size_t n)
{
	put32(m, (uint32_t)n);
	if (p != NULL)
		put_bytes(m, p, n);
	else
		put_zeros(m, n);
	put_zeros(m, (4 - n % 4) % 4);
}

void
put_string(struct msg *m, const char *text)
{
	put_opaque(m, text, strlen(text));
}

struct lan *
lan_new(int link_type)
{
	struct lan *l = xcalloc(1, sizeof(*l));
	const struct wire_options options = { .link_type = link_type, .hist_bits = 6 };

	l->d = wire_decoder_new(&options);
	l->ns = UINT64_C(1000000000000);
	l->snaplen = UINT32_MAX;
	l->link_type = link_type;
	return l;
}

void
lan_free(struct lan *l)
{
	wire_decoder_free(l->d);
	free(l);
}

void
lan_frame(struct lan *l, const void *p, size_t n, size_t len)
{
	/* A copy of its own size, so that a sanitizer sees a read beyond it. */
	uint32_t cap = n < l->snaplen ? (uint32_t)n : l->snaplen;
	uint8_t *copy = xmalloc(cap + 1);
	const struct wire_packet packet = { .ns = l->ns, .caplen = cap, .len = (uint32_t)len, .bytes = copy + 1 };

	memcpy(copy + 1, p, cap);
	wire_decoder_feed(l->d, &packet);
	free(copy);
	l->ns += LAN_US;
}

const struct wire_health *
lan_health(const struct lan *l)
{
	return wire_decoder_health(l->d);
}

struct search {
	enum wire_protocol protocol;
	bool all;
	uint8_t op;
	size_t n, wanted;
	struct wire_op sum;
	struct wire_flow flow;
};

static void
add(struct wire_op *sum, const struct wire_op *op)
{
	sum->calls += op->calls;
	sum->sealed = sum->sealed || op->sealed;
	sum->replies += op->replies;
	sum->bytes += op->bytes;
	sum->errors += op->errors;
	sum->retransmitted += op->retransmitted;
	sum->unanswered += op->unanswered;
	sum->in_flight += op->in_flight;
	sum->last_sum_ns += op->last_sum_ns;
	sum->r2t_count += op->r2t_count;
	sum->r2t_sum_ns += op->r2t_sum_ns;
	sum->data_count += op->data_count;
	sum->data_sum_ns += op->data_sum_ns;
	if (sum->hist == NULL)
		sum->hist = op->hist;
}

static void
look_at(void *arg, const struct wire_flow *f)
{
	struct search *s = arg;

	if (s->n++ == s->wanted)
		s->flow = *f;
	for (size_t i = 0; i < f->n_ops && f->protocol == s->protocol; i++)
		if (s->all || f->ops[i].op == s->op)
			add(&s->sum, &f->ops[i]);
}

struct wire_op
lan_op(struct lan *l, enum wire_protocol protocol, uint8_t op)
{
	struct search s = { .protocol = protocol, .op = op };

	wire_decoder_visit(l->d, look_at, &s);
	s.sum.op = op;
	return s.sum;
}

uint64_t
lan_calls(struct lan *l, enum wire_protocol protocol)
{
	struct search s = { .protocol = protocol, .all = true };

	wire_decoder_visit(l->d, look_at, &s);
	return s.sum.calls;
}

struct wire_flow
lan_flow(struct lan *l, size_t n)
{
	struct search s = { .wanted = n };

	wire_decoder_visit(l->d, look_at, &s);
	return s.flow;
}

size_t
lan_flows(struct lan *l)
{
	struct search s = { .n = 0 };

	wire_decoder_visit(l->d, look_at, &s);
	return s.n;
}

static void
put_ethernet(struct lan *l, struct msg *m)
{
	if (l->link_type != DLT_EN10MB)
		return;
	put_zeros(m, 12);
	put16(m, 0x0800);
}

/* total 0: as a kernel hands on what has more than 16 bits can say. */
static void
put_ipv4(struct msg *m, uint8_t proto, size_t payload, uint8_t from, uint8_t to)
{
	size_t total = payload + 20;

	put16(m, 0x4500);
	put16(m, total > 0xffff ? 0 : (unsigned)total);
	put32(m, 0x4000);	/* no id, not to be fragmented */
	put8(m, 64);
	put8(m, proto);
	put16(m, 0);
	put32(m, 0x0a000000u | from);
	put32(m, 0x0a000000u | to);
}

struct tcp
tcp_new(struct lan *l, uint16_t client_port, uint16_t server_port)
{
	return (struct tcp){ .lan = l, .host = { 1, 2 }, .port = { client_port, server_port }, .seq = { 1000, 5000 } };
}

void
tcp_at(struct tcp *t, unsigned side, uint32_t seq, const void *p, size_t n, uint8_t flags)
{
	struct msg *m = xcalloc(1, sizeof(*m));

	put_ethernet(t->lan, m);
	put_ipv4(m, 6, n + 20, t->host[side], t->host[!side]);
	put16(m, t->port[side]);
	put16(m, t->port[!side]);
	put32(m, seq);
	put32(m, t->silent_acks ? 0 : t->seq[!side]);
	put8(m, 0x50);
	put8(m, t->silent_acks ? flags & ~0x10u : flags);
	put_zeros(m, 6);
	put_bytes(m, p, n);
	lan_frame(t->lan, m->b, m->n, m->n);
	free(m);
}

void
tcp_open(struct tcp *t)
{
	tcp_at(t, 0, t->seq[0] - 1, "", 0, 0x02);
	tcp_at(t, 1, t->seq[1] - 1, "", 0, 0x12);
	tcp_ack(t, 0);
}

void
tcp_put(struct tcp *t, unsigned side, const void *p, size_t n)
{
	tcp_at(t, side, t->seq[side], p, n, 0x18);
	t->seq[side] += (uint32_t)n;
}

void
tcp_miss(struct tcp *t, unsigned side, size_t n)
{
	t->seq[side] += (uint32_t)n;
}

void
tcp_ack(struct tcp *t, unsigned side)
{
	tcp_at(t, side, t->seq[side], "", 0, 0x10);
}

void
udp_put(struct lan *l, unsigned side, uint16_t client_port, uint16_t server_port, const void *p, size_t n)
{
	struct msg *m = xcalloc(1, sizeof(*m));

	put_ethernet(l, m);
	put_ipv4(m, 17, n + 8, side == 0 ? 1 : 2, side == 0 ? 2 : 1);
	put16(m, side == 0 ? client_port : server_port);
	put16(m, side == 0 ? server_port : client_port);
	put16(m, (unsigned)n + 8);
	put16(m, 0);
	put_bytes(m, p, n);
	lan_frame(l, m->b, m->n, m->n);
	free(m);
}

void
rpc_call(struct msg *m, uint32_t xid, uint32_t prog, uint32_t vers, uint32_t proc)
{
	m->n = 0;
	put32(m, 0);	/* the mark, see rpc_end() */
	put32(m, xid);
	put32(m, 0);
	put32(m, 2);
	put32(m, prog);
	put32(m, vers);
	put32(m, proc);
	put32(m, 1);	/* AUTH_SYS: stamp, machine, uid, gid, no more groups */
	put32(m, 24);
	put32(m, 7);
	put_string(m, "abc");
	put_zeros(m, 12);
	put64(m, 0);	/* empty verifier */
}

void
rpc_reply(struct msg *m, uint32_t xid)
{
	m->n = 0;
	put32(m, 0);
	put32(m, xid);
	put32(m, 1);
	put32(m, 0);	/* accepted */
	put64(m, 0);
	put32(m, 0);	/* done */
}

void
rpc_end(struct msg *m)
{
	uint32_t mark = UINT32_C(0x80000000) | (uint32_t)(m->n - 4);

	for (int i = 0; i < 4; i++)
		m->b[i] = (uint8_t)(mark >> (24 - 8 * i));
}

void
put_handle(struct msg *m, unsigned fs, unsigned file)
{
	put32(m, 28);
	put32(m, 0x01000602);	/* version 1, file system known by 16 bytes, file id of 2 numbers */
	put64(m, 0x1122334455667788u);
	put64(m, fs);
	put64(m, file);
}

void
nfs3_read(struct msg *m, uint32_t xid, uint32_t count)
{
	rpc_call(m, xid, 100003, 3, 6);
	put_handle(m, 1, 5);
	put64(m, 0);
	put32(m, count);
	rpc_end(m);
}

static void
put_attributes(struct msg *m)
{
	put32(m, 1);
	put_zeros(m, 84);
}

void
nfs3_read_ok(struct msg *m, uint32_t xid, uint32_t count)
{
	rpc_reply(m, xid);
	put32(m, 0);
	put_attributes(m);
	put32(m, count);
	put32(m, 0);
	put_opaque(m, NULL, count);
	rpc_end(m);
}

void
nfs3_write(struct msg *m, uint32_t xid, uint32_t count)
{
	rpc_call(m, xid, 100003, 3, 7);
	put_handle(m, 1, 5);
	put64(m, 0);
	put32(m, count);
	put32(m, 0);
	put_opaque(m, NULL, count);
	rpc_end(m);
}

void
nfs3_write_ok(struct msg *m, uint32_t xid, uint32_t count)
{
	rpc_reply(m, xid);
	put32(m, 0);
	put32(m, 0);
	put_attributes(m);
	put32(m, count);
	put32(m, 2);
	put64(m, 1);
	rpc_end(m);
}

void
nfs3_getattr(struct msg *m, uint32_t xid)
{
	rpc_call(m, xid, 100003, 3, 1);
	put_handle(m, 1, 5);
	rpc_end(m);
}

void
nfs3_status(struct msg *m, uint32_t xid, uint32_t status)
{
	rpc_reply(m, xid);
	put32(m, status);
	if (status == 0)
		put_zeros(m, 84);
	rpc_end(m);
}

void
put_pdu(struct msg *m, const struct pdu *p)
{
	size_t start = m->n;

	put8(m, p->opcode);
	put8(m, p->flags);
	put8(m, p->response);
	put8(m, p->status);
	put32(m, p->data_len);	/* no AHS, 24 bits of length */
	put16(m, p->lun);
	put_zeros(m, 6);
	put32(m, p->tag);
	put32(m, (p->opcode & 0x3f) == 1 ? p->expected : (p->opcode & 0x3f) == 2 ? p->referenced : 0xffffffff);
	put32(m, p->cmd_sn);
	put32(m, 0);
	put8(m, (p->opcode & 0x3f) == 1 ? p->cdb : 0);
	put_zeros(m, 11);
	put32(m, p->residual);
	if (p->header_digest)
		put32(m, iscsi_crc(m->b + start, 48));
	start = m->n;
	if (p->data != NULL)
		put_bytes(m, p->data, p->data_len);
	else
		put_zeros(m, p->data_len);
	put_zeros(m, (4 - p->data_len % 4) % 4);
	if (p->data_digest && p->data_len > 0)
		put32(m, iscsi_crc(m->b + start, m->n - start));
}
