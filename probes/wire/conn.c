/*
 * Connections: both directions of a TCP connection, or of the datagrams between two ports.
 */
#include <stdlib.h>
#include <string.h>

#include "probes/wire/decoder.h"

#define TRIES 64		/* connections looked at to find one to throw out */
#define QUIET_NS UINT64_C(30000000000)	/* none of ours is thrown out sooner, if another can be */

/* What is spoken at ports that everybody knows; mountd where knfsd's users put it. */
static const struct {
	uint16_t port;
	uint8_t talk;
} known_ports[] = {
	{ 2049, WIRE_TALK_RPC }, { 20048, WIRE_TALK_RPC }, { 111, WIRE_TALK_RPC }, { 3260, WIRE_TALK_ISCSI }, { 860, WIRE_TALK_ISCSI },
};

/* What portmap told of a host goes before what is usual. */
static uint8_t
talk_at(const struct wire_decoder *d, const struct wire_addr *addr, uint16_t port)
{
	for (size_t i = 0; i < d->n_services; i++)
		if (d->services[i].port == port && memcmp(&d->services[i].addr, addr, sizeof(*addr)) == 0)
			return WIRE_TALK_RPC;
	for (size_t i = 0; i < sizeof(known_ports) / sizeof(known_ports[0]); i++)
		if (known_ports[i].port == port)
			return known_ports[i].talk;
	return WIRE_TALK_UNKNOWN;
}

/* iSCSI's system port is also one of those that NFS's clients come from. */
static uint8_t
talk_between(uint8_t a, uint8_t b)
{
	return a == WIRE_TALK_RPC || b == WIRE_TALK_UNKNOWN ? a : b;
}

/* The oldest gives way: servers are few. */
void
wire_service_add(struct wire_decoder *d, const struct wire_addr *addr, uint16_t port)
{
	if (port == 0 || talk_at(d, addr, port) == WIRE_TALK_RPC)
		return;
	if (d->n_services == WIRE_SERVICES) {
		memmove(d->services, d->services + 1, (WIRE_SERVICES - 1) * sizeof(d->services[0]));
		d->n_services--;
	}
	d->services[d->n_services++] = (struct wire_service){ *addr, port };
}

uint32_t
wire_conn_entry(const struct wire_decoder *d, const struct wire_conn *c)
{
	return (uint32_t)((size_t)((const unsigned char *)c - d->conns.entries) / d->conns.entry_bytes);
}

void
wire_conn_drop(struct wire_decoder *d, uint32_t entry)
{
	struct wire_conn *c = wire_table_at(&d->conns, entry);

	for (unsigned side = 0; side < 2; side++) {
		wire_stream_finish(d, c, side);
		wire_stream_free(d, &c->side[side]);
	}
	wire_pending_drop_all(d, c);
	free(c->login);
	wire_table_drop(&d->conns, entry);
	if (d->last_conn == entry)
		d->last_conn = 0;
	c->last_ns = UINT64_MAX;	/* free: not to be chosen again */
}

/* Which of two would be missed less: what is not ours before what is, then the longer silent one. */
static bool
is_lesser(const struct wire_conn *a, const struct wire_conn *b)
{
	bool ours_a = a->talk >= WIRE_TALK_RPC, ours_b = b->talk >= WIRE_TALK_RPC;

	return ours_a != ours_b ? ours_b : a->last_ns < b->last_ns;
}

static void
throw_one_out(struct wire_decoder *d)
{
	struct wire_conn *worst = NULL;

	for (uint32_t i = 0; i < TRIES; i++) {
		struct wire_conn *c;

		d->conn_hand = d->conn_hand % d->conns.size + 1;
		c = wire_table_at(&d->conns, d->conn_hand);
		if (worst == NULL || is_lesser(c, worst))
			worst = c;
	}
	if (worst->talk >= WIRE_TALK_RPC && wire_since(worst->last_ns, d->now_ns) < QUIET_NS)
		d->health.dropped_connections++;
	wire_conn_drop(d, wire_conn_entry(d, worst));
}

static bool
is_higher(const struct wire_ends *e)
{
	int order = memcmp(&e->src, &e->dst, sizeof(e->src));

	return order != 0 ? order > 0 : e->src_port > e->dst_port;
}

static bool
is_between(const struct wire_conn *c, const struct wire_addr *a, const struct wire_addr *b, uint16_t port_a, uint16_t port_b)
{
	return c->port[0] == port_a && c->port[1] == port_b && c->addr[0].w[1] == a->w[1] && c->addr[1].w[1] == b->w[1] &&
	    c->addr[0].w[0] == a->w[0] && c->addr[1].w[0] == b->w[0];
}

static struct wire_conn *
make_conn(struct wire_decoder *d, uint32_t hash)
{
	uint32_t entry = wire_table_take(&d->conns, hash);
	struct wire_conn *c;

	if (entry == 0) {
		throw_one_out(d);
		entry = wire_table_take(&d->conns, hash);
	}
	c = wire_table_at(&d->conns, entry);
	c->header_digest = c->data_digest = -1;
	c->minor = UINT8_MAX;
	c->last_ns = d->now_ns;
	return c;
}

struct wire_conn *
wire_conn_find(struct wire_decoder *d, const struct wire_ends *e, bool make, unsigned *side)
{
	const struct wire_addr *a = &e->src, *b = &e->dst;
	uint16_t port_a = e->src_port, port_b = e->dst_port;
	uint64_t pair, hash;
	struct wire_conn *c;

	*side = 0;
	if (is_higher(e)) {
		*side = 1;
		a = &e->dst, b = &e->src;
		port_a = e->dst_port, port_b = e->src_port;
	}
	if (d->last_conn != 0) {
		c = wire_table_at(&d->conns, d->last_conn);
		if (c->udp == e->udp && is_between(c, a, b, port_a, port_b))
			return c;
	}
	pair = wire_mix(wire_mix(a->w[0], a->w[1]), wire_mix(b->w[0], b->w[1]) + 1);
	hash = wire_mix(pair, (uint64_t)port_a << 17 | (uint64_t)port_b << 1 | e->udp);
	for (uint32_t i = wire_table_first(&d->conns, (uint32_t)hash); i != 0; i = c->link.next) {
		c = wire_table_at(&d->conns, i);
		if (c->link.hash == (uint32_t)hash && c->udp == e->udp && is_between(c, a, b, port_a, port_b)) {
			d->last_conn = i;
			return c;
		}
	}
	if (!make)
		return NULL;
	c = make_conn(d, (uint32_t)hash);
	c->addr[0] = *a, c->addr[1] = *b;
	c->port[0] = port_a, c->port[1] = port_b;
	c->udp = e->udp;
	c->since_ns = e->udp ? d->now_ns : 0;
	c->pair = (uint32_t)pair;
	c->port_talk = talk_between(talk_at(d, a, port_a), talk_at(d, b, port_b));
	d->last_conn = wire_conn_entry(d, c);
	return c;
}
