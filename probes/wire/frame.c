#include "probes/wire/frame.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pcap/dlt.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "probes/wire/bytes.h"

#define ETHER_IP 0x0800
#define ETHER_IPV6 0x86dd
#define ETHER_VLAN 0x8100	/* IEEE 802.1Q */
#define ETHER_QINQ 0x88a8	/* IEEE 802.1ad */
#define ETHER_QINQ_OLD 0x9100
#define MAX_TAGS 4
#define MAX_EXTENSIONS 8

#define BSD_INET 2
/* AF_INET6 of NetBSD, FreeBSD and macOS, as in frames of the null link type; Linux's own is 10. */
#define IS_BSD_INET6(family) ((family) == 24 || (family) == 28 || (family) == 30 || (family) == 10)

void
wire_addr_text(const struct wire_addr *a, char out[static WIRE_ADDR_TEXT])
{
	uint8_t b[16];

	memcpy(b, a->w, sizeof(b));
	if (a->w[0] == 0 && b[8] == 0 && b[9] == 0 && b[10] == 0xff && b[11] == 0xff)
		inet_ntop(AF_INET, b + 12, out, WIRE_ADDR_TEXT);
	else
		inet_ntop(AF_INET6, b, out, WIRE_ADDR_TEXT);
}

/* Takes n bytes off the front. */
static bool
advance(struct wire_part *part, uint32_t n)
{
	if (part->cap < n)
		return false;
	part->p += n;
	part->cap -= n;
	part->len -= n;
	return true;
}

/* The link header by itself: its length, and the EtherType; the type is 0 where the first half-byte of IP tells. */
static bool
link_header(int link_type, const struct wire_part *f, uint32_t *len, uint16_t *type)
{
	uint32_t family;

	*type = 0;
	switch (link_type) {
	case DLT_EN10MB:
		*len = 14;
		*type = f->cap >= 14 ? wire_be16(f->p + 12) : 0;
		return true;
	case DLT_LINUX_SLL:
		*len = 16;
		*type = f->cap >= 16 ? wire_be16(f->p + 14) : 0;
		return true;
	case DLT_LINUX_SLL2:
		*len = 20;
		*type = f->cap >= 20 ? wire_be16(f->p) : 0;
		return true;
	case DLT_NULL:
	case DLT_LOOP:
		/* The family in the byte order of the host that captured: small numbers, so the order is seen. */
		*len = 4;
		family = f->cap >= 4 ? wire_be32(f->p) : 0;
		if (family > 0xffff)
			family = __builtin_bswap32(family);
		*type = family == BSD_INET ? ETHER_IP : IS_BSD_INET6(family) ? ETHER_IPV6 : 0xffff;
		return true;
	case DLT_RAW:
	case 101:	/* LINKTYPE_RAW */
	case DLT_IPV4:
	case DLT_IPV6:
		*len = 0;
		return true;
	default:
		return false;
	}
}

bool
wire_link_known(int link_type)
{
	const struct wire_part none = { .p = NULL };
	uint32_t len;
	uint16_t type;

	return link_header(link_type, &none, &len, &type);
}

/* VLAN tags, of customer and service, one after the other. */
static enum wire_frame_result
skip_tags(struct wire_part *f, uint16_t *type)
{
	for (int i = 0; *type == ETHER_VLAN || *type == ETHER_QINQ || *type == ETHER_QINQ_OLD; i++) {
		if (i == MAX_TAGS)
			return WIRE_FRAME_OTHER;
		if (f->cap < 4)
			return WIRE_FRAME_CUT;
		*type = wire_be16(f->p + 2);
		advance(f, 4);
	}
	return WIRE_FRAME_OK;
}

/* RFC 791 section 3.1 */
static enum wire_frame_result
parse_ipv4(struct wire_part f, struct wire_ip *ip)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	uint32_t header, total;
	uint8_t b[16];
	uint16_t frag;

	if (f.cap < 20)
		return WIRE_FRAME_CUT;
	header = (f.p[0] & 0xfu) * 4;
	total = wire_be16(f.p + 2);
	if (header < 20)
		return WIRE_FRAME_BAD;
	/* 0 where the kernel hands on more than 16 bits can say (TSO, BIG TCP): then the frame knows. */
	if (total == 0)
		total = f.len;
	if (total < header)
		return WIRE_FRAME_BAD;
	memcpy(b, mapped, sizeof(mapped));
	memcpy(b + 12, f.p + 12, 4);
	memcpy(ip->src.w, b, sizeof(b));
	memcpy(b + 12, f.p + 16, 4);
	memcpy(ip->dst.w, b, sizeof(b));
	frag = wire_be16(f.p + 6);
	ip->proto = f.p[9];
	ip->id = wire_be16(f.p + 4);
	ip->more = (frag & 0x2000) != 0;
	ip->offset = (frag & 0x1fffu) * 8;
	ip->fragment = ip->more || ip->offset > 0;
	f.len = total;
	if (f.cap > total)
		f.cap = total;
	if (!advance(&f, header))
		return WIRE_FRAME_CUT;
	ip->payload = f;
	return WIRE_FRAME_OK;
}

/* One extension header: the next one's type in *next. RFC 8200 section 4. */
static enum wire_frame_result
ipv6_extension(struct wire_part *f, struct wire_ip *ip, uint8_t *next)
{
	uint32_t len;

	if (f->cap < 8)
		return WIRE_FRAME_CUT;
	len = *next == IPPROTO_FRAGMENT ? 8 : *next == IPPROTO_AH ? (f->p[1] + 2u) * 4 : (f->p[1] + 1u) * 8;
	if (*next == IPPROTO_FRAGMENT) {
		uint16_t frag = wire_be16(f->p + 2);

		ip->offset = frag & 0xfff8u;
		ip->more = frag & 1;
		ip->fragment = ip->more || ip->offset > 0;
		ip->id = wire_be32(f->p + 4);
	}
	*next = f->p[0];
	if (f->len < len)
		return WIRE_FRAME_BAD;
	return advance(f, len) ? WIRE_FRAME_OK : WIRE_FRAME_CUT;
}

static enum wire_frame_result
parse_ipv6(struct wire_part f, struct wire_ip *ip)
{
	uint32_t payload;
	uint8_t next;

	if (f.cap < 40)
		return WIRE_FRAME_CUT;
	payload = wire_be16(f.p + 4);
	next = f.p[6];
	memcpy(ip->src.w, f.p + 8, 16);
	memcpy(ip->dst.w, f.p + 24, 16);
	/* 0: a jumbogram (RFC 2675) or BIG TCP; its option says what the frame says too. */
	if (payload > 0) {
		f.len = payload + 40;
		if (f.cap > f.len)
			f.cap = f.len;
	}
	advance(&f, 40);
	for (int i = 0; next == IPPROTO_HOPOPTS || next == IPPROTO_ROUTING || next == IPPROTO_FRAGMENT ||
	    next == IPPROTO_DSTOPTS || next == IPPROTO_AH; i++) {
		enum wire_frame_result rc = i < MAX_EXTENSIONS ? ipv6_extension(&f, ip, &next) : WIRE_FRAME_BAD;

		if (rc != WIRE_FRAME_OK)
			return rc;
		if (ip->offset > 0)	/* what follows is data */
			break;
	}
	ip->proto = next;
	ip->payload = f;
	return WIRE_FRAME_OK;
}

enum wire_frame_result
wire_frame_ip(int link_type, const struct wire_part *frame, struct wire_ip *ip)
{
	struct wire_part f = *frame;
	enum wire_frame_result rc;
	uint32_t header;
	uint16_t type;

	ip->fragment = ip->more = false;
	ip->offset = ip->id = 0;
	if (!link_header(link_type, &f, &header, &type))
		return WIRE_FRAME_OTHER;
	if (f.len < f.cap)
		f.len = f.cap;
	if (!advance(&f, header))
		return WIRE_FRAME_CUT;
	rc = skip_tags(&f, &type);
	if (rc != WIRE_FRAME_OK)
		return rc;
	if (type == 0 && f.cap > 0)
		type = f.p[0] >> 4 == 4 ? ETHER_IP : f.p[0] >> 4 == 6 ? ETHER_IPV6 : 0xffff;
	if (type == ETHER_IP)
		return f.cap > 0 && f.p[0] >> 4 != 4 ? WIRE_FRAME_BAD : parse_ipv4(f, ip);
	if (type == ETHER_IPV6)
		return f.cap > 0 && f.p[0] >> 4 != 6 ? WIRE_FRAME_BAD : parse_ipv6(f, ip);
	return WIRE_FRAME_OTHER;
}

/* RFC 9293 section 3.1 */
enum wire_frame_result
wire_frame_tcp(const struct wire_part *part, struct wire_tcp *tcp)
{
	uint32_t header;

	if (part->cap < 20)
		return part->len < 20 ? WIRE_FRAME_BAD : WIRE_FRAME_CUT;
	tcp->src = wire_be16(part->p);
	tcp->dst = wire_be16(part->p + 2);
	tcp->seq = wire_be32(part->p + 4);
	tcp->ack = wire_be32(part->p + 8);
	header = (part->p[12] >> 4) * 4u;
	tcp->flags = part->p[13];
	if (header < 20 || part->len < header)
		return WIRE_FRAME_BAD;
	/* The options may lie behind the cut; how long the payload is, is known all the same. */
	tcp->payload.cap = part->cap > header ? part->cap - header : 0;
	tcp->payload.p = part->p + (part->cap > header ? header : part->cap);
	tcp->payload.len = part->len - header;
	return WIRE_FRAME_OK;
}

/* RFC 768 */
enum wire_frame_result
wire_frame_udp(const struct wire_part *part, struct wire_udp *udp)
{
	uint32_t len;

	if (part->cap < 8)
		return part->len < 8 ? WIRE_FRAME_BAD : WIRE_FRAME_CUT;
	udp->src = wire_be16(part->p);
	udp->dst = wire_be16(part->p + 2);
	len = wire_be16(part->p + 4);
	if (len == 0 || len > part->len)
		len = part->len;
	if (len < 8)
		return WIRE_FRAME_BAD;
	udp->payload = (struct wire_part){ .p = part->p + 8, .cap = (part->cap < len ? part->cap : len) - 8, .len = len - 8 };
	return WIRE_FRAME_OK;
}
