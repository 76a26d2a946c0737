/*
 * TCP between two hosts, NFS and iSCSI: the input is segments, each with a place near the last one's end. So what is fuzzed is the putting
 * together of streams and what is read in them, not the headers below.
 */
#include <pcap/dlt.h>
#include <stdint.h>
#include <string.h>

#include "wire_audit.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

#define HEADERS 40

static void
put32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* IPv4 and TCP before n bytes of payload. */
static void
make_headers(uint8_t *p, unsigned side, unsigned port, uint32_t seq, uint32_t ack, uint8_t flags, size_t n)
{
	memset(p, 0, HEADERS);
	p[0] = 0x45;
	p[2] = (uint8_t)((n + HEADERS) >> 8);
	p[3] = (uint8_t)(n + HEADERS);
	p[8] = 64;
	p[9] = 6;
	put32(p + 12, 0x0a000001u + side);
	put32(p + 16, 0x0a000002u - side);
	put32(p + 20, side == 0 ? 700u << 16 | port : port << 16 | 700u);
	put32(p + 24, seq);
	put32(p + 28, ack);
	p[32] = 0x50;
	p[33] = flags;
}

/*
 * Each segment: side, port, flags and how much was captured in a byte, its place relative to the last end in the next (-128 to 127, times
 * 1 or 64), its length in the third, then its bytes.
 */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct wire_options options = { .link_type = DLT_RAW, .hist_bits = 3, .conns = 8, .pendings = 16, .flows = 8,
		.op_bytes = 1500 };
	struct wire_decoder *d = wire_decoder_new(&options);
	struct wire_packet packet = { .ns = 1 };
	uint32_t next[2][2] = { { 1, 1 }, { 1, 1 } };
	uint8_t frame[HEADERS + 255];

	for (; size >= 3;) {
		unsigned side = data[0] & 1, which = data[0] >> 1 & 1;
		uint32_t n = data[2] < size - 3 ? data[2] : (uint32_t)size - 3;
		uint32_t seq = next[which][side] + (uint32_t)((int8_t)data[1] * (data[0] & 4 ? 64 : 1));
		uint8_t flags = (uint8_t)((data[0] & 8 ? 0x02 : 0) | (data[0] & 16 ? 0x10 : 0) | (data[0] & 32 ? 0x04 : 0));

		make_headers(frame, side, which ? 3260 : 2049, seq, next[which][!side], flags, n);
		memcpy(frame + HEADERS, data + 3, n);
		packet.len = HEADERS + n;
		packet.caplen = data[0] & 64 && n > 60 ? packet.len - 30 : packet.len;
		packet.bytes = frame;
		packet.ns += data[0] & 128 ? 700000000 : 1000;
		wire_decoder_feed(d, &packet);
		next[which][side] = seq + n + (flags & 0x02 ? 1 : 0);
		data += 3 + n;
		size -= 3 + n;
	}
	audit_and_free(d);
	return 0;
}
