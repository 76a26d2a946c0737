/*
 * From a frame to what it carries: link layer, IP, and the header of TCP or UDP. Pure; any thread.
 */
#ifndef WIRE_FRAME_H
#define WIRE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

struct wire_addr {
	uint64_t w[2];	/* 16 bytes in network order; IPv4 as ::ffff:a.b.c.d */
};

/* IPv4 or IPv6 as text, in at most WIRE_ADDR_TEXT bytes. */
#define WIRE_ADDR_TEXT 48
void wire_addr_text(const struct wire_addr *, char out[static WIRE_ADDR_TEXT]);

/* Part of a frame: cap bytes of it were captured, it had len. */
struct wire_part {
	const uint8_t *p;
	uint32_t cap, len;
};

struct wire_ip {
	struct wire_addr src, dst;
	struct wire_part payload;
	uint8_t proto;		/* IPPROTO_* of the payload */
	bool fragment;		/* a part of a datagram */
	bool more;		/* not its last */
	uint32_t offset;	/* its place in the datagram */
	uint32_t id;
};

enum wire_frame_result {
	WIRE_FRAME_OK,
	WIRE_FRAME_OTHER,	/* no IP, or nothing we read in it */
	WIRE_FRAME_CUT,		/* headers beyond what was captured */
	WIRE_FRAME_BAD,		/* headers that cannot be */
};

struct wire_tcp {
	uint16_t src, dst;
	uint32_t seq, ack;
	uint8_t flags;
	struct wire_part payload;
};

#define WIRE_TCP_FIN 0x01
#define WIRE_TCP_SYN 0x02
#define WIRE_TCP_RST 0x04
#define WIRE_TCP_ACK 0x10

struct wire_udp {
	uint16_t src, dst;
	struct wire_part payload;
};

/* Can frames of this link type (DLT_*) be read? */
bool wire_link_known(int link_type);
/* The IP packet in a frame. On WIRE_FRAME_OK *ip is set up to its payload. */
enum wire_frame_result wire_frame_ip(int link_type, const struct wire_part *frame, struct wire_ip *ip);
enum wire_frame_result wire_frame_tcp(const struct wire_part *, struct wire_tcp *);
enum wire_frame_result wire_frame_udp(const struct wire_part *, struct wire_udp *);

#endif
