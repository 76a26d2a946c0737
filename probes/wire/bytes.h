/*
 * Reading foreign bytes: a cursor that fails closed. A capture may hold less of a message than there was (snaplen), so
 * it tells apart what was cut off by the capture from what the message itself promised and does not have. Big-endian
 * throughout, as XDR (RFC 4506), iSCSI and IP are. Pure; any thread.
 */
#ifndef WIRE_BYTES_H
#define WIRE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct wire_bytes {
	const uint8_t *p, *end;	/* what was captured */
	uint64_t left;		/* bytes of the message from p on; at least end - p */
	bool cut;		/* something is there but was not captured */
	bool bad;		/* something was wanted beyond the end of the message */
};

/* cap bytes captured of a message of len. */
static inline struct wire_bytes
wire_bytes(const uint8_t *p, size_t cap, uint64_t len)
{
	return (struct wire_bytes){ .p = p, .end = p + (cap < len ? cap : len), .left = len };
}

static inline bool
wire_ok(const struct wire_bytes *b)
{
	return !b->cut && !b->bad;
}

/* Are the next n bytes to be read? Once it has failed it goes on failing. */
static inline bool
wire_has(struct wire_bytes *b, uint64_t n)
{
	if (b->p == NULL)	/* nothing was captured at all */
		b->cut = true;
	if (!wire_ok(b))
		return false;
	if ((uint64_t)(b->end - b->p) >= n)
		return true;
	if (b->left >= n)
		b->cut = true;
	else
		b->bad = true;
	return false;
}

static inline uint16_t
wire_be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t
wire_be24(const uint8_t *p)
{
	return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

static inline uint32_t
wire_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint32_t
wire_get32(struct wire_bytes *b)
{
	uint32_t v = 0;

	if (wire_has(b, 4)) {
		v = wire_be32(b->p);
		b->p += 4;
		b->left -= 4;
	}
	return v;
}

/* Over n bytes, captured or not. */
static inline void
wire_skip(struct wire_bytes *b, uint64_t n)
{
	uint64_t here = (uint64_t)(b->end - b->p);

	if (!wire_ok(b))
		return;
	if (n > b->left) {
		b->bad = true;
		return;
	}
	b->p += n < here ? n : here;
	b->left -= n;
}

/* An XDR opaque or string: its length, behind it the cursor; *data NULL where not all of it was captured. */
static inline uint32_t
wire_opaque(struct wire_bytes *b, const uint8_t **data)
{
	uint32_t len = wire_get32(b);

	*data = NULL;
	if (!wire_ok(b))
		return 0;
	if ((uint64_t)(b->end - b->p) >= len)
		*data = b->p;
	wire_skip(b, ((uint64_t)len + 3) & ~UINT64_C(3));
	return len;
}

#endif
