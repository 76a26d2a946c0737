/*
 * IP datagrams in fragments (RFC 791 section 3.2, RFC 8200 section 4.5). Only their beginning is kept: it is all that is read.
 */
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "probes/wire/decoder.h"

struct datagram {
	bool used, first_seen;
	struct wire_addr src, dst;
	uint32_t id;
	uint8_t proto;
	uint32_t got, total;	/* bytes; total 0: its last fragment was not seen */
	uint32_t cap, head_len;	/* kept, and the first fragment's length */
	uint64_t first_ns, last_ns;
	uint8_t *head;		/* WIRE_FRAGMENT_HEAD bytes, made when first needed and kept */
};

struct wire_fragments {
	uint32_t hand;
	struct datagram all[WIRE_FRAGMENTS];
};

void
wire_fragments_free(struct wire_fragments *f)
{
	for (uint32_t i = 0; f != NULL && i < WIRE_FRAGMENTS; i++)
		free(f->all[i].head);
	free(f);
}

static bool
is_of(const struct datagram *g, const struct wire_ip *ip)
{
	return g->used && g->id == ip->id && g->proto == ip->proto && memcmp(&g->src, &ip->src, sizeof(g->src)) == 0 &&
	    memcmp(&g->dst, &ip->dst, sizeof(g->dst)) == 0;
}

static struct datagram *
find(struct wire_decoder *d, const struct wire_ip *ip, uint64_t ns)
{
	struct wire_fragments *f = d->fragments;
	struct datagram *g;

	if (f == NULL)
		f = d->fragments = xcalloc(1, sizeof(*f));
	/* Near the hand is what came last. */
	for (uint32_t i = 0; i < WIRE_FRAGMENTS; i++) {
		g = &f->all[(f->hand - i) % WIRE_FRAGMENTS];
		if (is_of(g, ip))
			return g;
	}
	g = &f->all[++f->hand % WIRE_FRAGMENTS];
	if (g->used)	/* never became whole */
		d->health.gaps++;
	*g = (struct datagram){ .used = true, .src = ip->src, .dst = ip->dst, .id = ip->id, .proto = ip->proto, .first_ns = ns,
		.head = g->head };
	if (g->head == NULL)
		g->head = xmalloc(WIRE_FRAGMENT_HEAD);
	return g;
}

bool
wire_fragment_add(struct wire_decoder *d, const struct wire_ip *ip, uint64_t ns, struct wire_part *out, uint64_t *first_ns)
{
	struct datagram *g = find(d, ip, ns);
	const struct wire_part *part = &ip->payload;

	if (ip->offset == 0 && !g->first_seen) {
		g->first_seen = true;
		g->head_len = part->len;
		g->cap = part->cap < WIRE_FRAGMENT_HEAD ? part->cap : WIRE_FRAGMENT_HEAD;
		memcpy(g->head, part->p, g->cap);
	}
	if (!ip->more)
		g->total = ip->offset + part->len;
	g->got += part->len;
	g->last_ns = ns;
	/* Twice the same fragment and one missing come to the same sum: then its time is wrong, its counts are right. */
	if (g->total == 0 || !g->first_seen || g->got < g->total)
		return false;
	g->used = false;
	*out = (struct wire_part){ .p = g->head, .cap = g->cap, .len = g->total };
	*first_ns = g->first_ns;
	return true;
}

void
wire_fragments_expire(struct wire_decoder *d, uint64_t before_ns)
{
	for (uint32_t i = 0; i < WIRE_FRAGMENTS && d->fragments != NULL; i++) {
		struct datagram *g = &d->fragments->all[i];

		if (!g->used || g->last_ns >= before_ns)
			continue;
		d->health.gaps++;
		g->used = false;
	}
}
