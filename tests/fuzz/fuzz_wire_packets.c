/*
 * Whole frames: a byte chooses the link type, then each packet has 2 bytes of length, 1 of what was cut off and of the time that went by.
 */
#include <pcap/dlt.h>
#include <stdint.h>

#include "wire_audit.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int links[] = { DLT_EN10MB, DLT_LINUX_SLL, DLT_LINUX_SLL2, DLT_NULL, DLT_RAW };
	struct wire_options options = { .hist_bits = 3, .conns = 8, .pendings = 16, .flows = 8 };
	struct wire_packet packet = { .ns = 1 };
	struct wire_decoder *d;

	if (size < 1)
		return 0;
	options.link_type = links[data[0] % (sizeof(links) / sizeof(links[0]))];
	d = wire_decoder_new(&options);
	for (data++, size--; size >= 3;) {
		uint32_t n = (uint32_t)(data[0] << 8 | data[1]) % 2048;

		packet.caplen = n < size - 3 ? n : (uint32_t)size - 3;
		packet.len = packet.caplen + (data[2] & 0x0f) * 100u;
		packet.ns += (uint64_t)(data[2] >> 4) * 40000000;
		packet.bytes = data + 3;
		wire_decoder_feed(d, &packet);
		data += 3 + packet.caplen;
		size -= 3 + packet.caplen;
	}
	audit_and_free(d);
	return 0;
}
