#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/xalloc.h"
#include "probes/wire/decoder.h"

#define SECOND_NS UINT64_C(1000000000)
#define FRAGMENT_NS (30 * SECOND_NS)	/* what RFC 791 suggests, rounded */
#define RDMA_PORT 20049			/* NFS over RDMA (RFC 8166), as iWARP */
#define ROCE_PORT 4791			/* RoCE v2 */

struct wire_decoder *
wire_decoder_new(const struct wire_options *options)
{
	struct wire_decoder *d = xcalloc(1, sizeof(*d));

	d->options = *options;
	if (d->options.conns == 0)
		d->options.conns = WIRE_CONNS;
	if (d->options.pendings == 0)
		d->options.pendings = WIRE_PENDINGS;
	if (d->options.flows == 0)
		d->options.flows = WIRE_FLOWS;
	if (d->options.op_bytes == 0)
		d->options.op_bytes = WIRE_OP_BYTES;
	wire_table_init(&d->conns, d->options.conns, sizeof(struct wire_conn));
	wire_table_init(&d->pendings.table, d->options.pendings, sizeof(struct wire_pending));
	wire_table_init(&d->flows, d->options.flows + WIRE_PROTOCOLS, sizeof(struct wire_flow_entry));
	wire_table_init(&d->names, 2 * d->options.flows, sizeof(struct wire_name));
	wire_table_init(&d->exports, d->options.flows / 2 + 1, sizeof(struct wire_export));
	return d;
}

/* Every connection that there is; those thrown out since are passed over. */
static void
each_conn(struct wire_decoder *d, void (*fn)(struct wire_decoder *, struct wire_conn *))
{
	for (uint32_t hash = 0; hash <= d->conns.mask; hash++)
		for (uint32_t i = d->conns.buckets[hash], next; i != 0; i = next) {
			struct wire_conn *c = wire_table_at(&d->conns, i);

			next = c->link.next;
			fn(d, c);
		}
}

static void
finish_conn(struct wire_decoder *d, struct wire_conn *c)
{
	wire_stream_finish(d, c, 0);
	wire_stream_finish(d, c, 1);
}

static void
free_conn(struct wire_decoder *d, struct wire_conn *c)
{
	wire_stream_free(d, &c->side[0]);
	wire_stream_free(d, &c->side[1]);
	free(c->login);
}

void
wire_decoder_finish(struct wire_decoder *d)
{
	each_conn(d, finish_conn);
	wire_pending_expire(d, UINT64_MAX);
	wire_fragments_expire(d, UINT64_MAX);
}

void
wire_decoder_free(struct wire_decoder *d)
{
	if (d == NULL)
		return;
	each_conn(d, free_conn);
	wire_flow_free_all(d);
	wire_names_free(d);
	wire_fragments_free(d->fragments);
	wire_table_clear(&d->conns);
	wire_table_clear(&d->pendings.table);
	wire_table_clear(&d->flows);
	wire_table_clear(&d->names);
	wire_table_clear(&d->exports);
	free(d);
}

const struct wire_health *
wire_decoder_health(const struct wire_decoder *d)
{
	return &d->health;
}

static uint64_t
earlier(uint64_t ns, uint64_t by)
{
	return ns > by ? ns - by : 0;
}

static void
expire(struct wire_decoder *d, uint64_t now_ns)
{
	wire_pending_expire(d, earlier(now_ns, WIRE_EXPIRE_NS));
	wire_fragments_expire(d, earlier(now_ns, FRAGMENT_NS));
	d->next_expiry_ns = now_ns + SECOND_NS;
}

void
wire_decoder_tick(struct wire_decoder *d, uint64_t now_ns)
{
	expire(d, now_ns);
	wire_flow_expire(d, now_ns);
}

static void
feed_tcp(struct wire_decoder *d, const struct wire_ip *ip, const struct wire_part *part, uint64_t ns)
{
	struct wire_tcp tcp;
	enum wire_frame_result rc = wire_frame_tcp(part, &tcp);
	struct wire_ends ends;
	struct wire_conn *c;
	unsigned side;

	if (rc != WIRE_FRAME_OK) {
		d->health.truncated += rc == WIRE_FRAME_CUT;
		d->health.malformed += rc == WIRE_FRAME_BAD;
		return;
	}
	if (tcp.src == RDMA_PORT || tcp.dst == RDMA_PORT)
		d->health.rdma_packets++;
	ends = (struct wire_ends){ ip->src, ip->dst, tcp.src, tcp.dst, false };
	/* Pure acknowledgements of what we do not follow make no connection. */
	c = wire_conn_find(d, &ends, tcp.payload.len > 0 || (tcp.flags & WIRE_TCP_SYN), &side);
	if (c == NULL)
		return;
	c->last_ns = ns;
	wire_stream_segment(d, c, side, &tcp, ns);
}

static void
feed_udp(struct wire_decoder *d, const struct wire_ip *ip, const struct wire_part *part, uint64_t first_ns, uint64_t ns)
{
	struct wire_udp udp;
	enum wire_frame_result rc = wire_frame_udp(part, &udp);
	struct wire_ends ends;
	struct wire_conn *c;
	unsigned side;

	if (rc != WIRE_FRAME_OK) {
		d->health.truncated += rc == WIRE_FRAME_CUT;
		d->health.malformed += rc == WIRE_FRAME_BAD;
		return;
	}
	if (udp.dst == ROCE_PORT) {
		d->health.rdma_packets++;
		return;
	}
	ends = (struct wire_ends){ ip->src, ip->dst, udp.src, udp.dst, true };
	/* Datagrams come from as many ports as there are resolvers: only what looks like a call makes a conversation. */
	c = wire_conn_find(d, &ends, rpc_datagram_looks_like_call(udp.payload.p, udp.payload.cap) ||
	    rpc_datagram_looks_like_reply(udp.payload.p, udp.payload.cap), &side);
	if (c == NULL)
		return;
	c->last_ns = ns;
	wire_rpc_datagram(d, c, side, &udp.payload, first_ns, ns);
}

void
wire_decoder_feed(struct wire_decoder *d, const struct wire_packet *packet)
{
	struct wire_part frame = { packet->bytes, packet->caplen, packet->len }, part;
	uint64_t first_ns = packet->ns;
	enum wire_frame_result rc;
	struct wire_ip ip;

	if (d->health.packets++ == 0 || packet->ns < d->health.first_ns)
		d->health.first_ns = packet->ns;
	if (packet->ns > d->health.last_ns)
		d->health.last_ns = packet->ns;
	d->health.bytes += packet->len;
	d->now_ns = packet->ns;
	if (packet->ns >= d->next_expiry_ns)
		expire(d, packet->ns);
	rc = wire_frame_ip(d->options.link_type, &frame, &ip);
	if (rc != WIRE_FRAME_OK) {
		d->health.truncated += rc == WIRE_FRAME_CUT;
		d->health.malformed += rc == WIRE_FRAME_BAD;
		return;
	}
	if (ip.proto != IPPROTO_TCP && ip.proto != IPPROTO_UDP)
		return;
	part = ip.payload;
	if (ip.fragment && !wire_fragment_add(d, &ip, packet->ns, &part, &first_ns))
		return;
	if (ip.proto == IPPROTO_TCP)
		feed_tcp(d, &ip, &part, packet->ns);
	else
		feed_udp(d, &ip, &part, first_ns, packet->ns);
}
