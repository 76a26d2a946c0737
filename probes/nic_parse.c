#include "probes/nic_parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sys/scan.h"

#define COLUMNS 16
#define NAME_SIZE 16	/* IF_NAMESIZE */

/* Receive: bytes packets errs drop fifo frame compressed multicast; transmit: the same but colls, carrier. */
enum {
	RX_BYTES, RX_PACKETS, RX_ERRS, RX_DROP, RX_FIFO, RX_FRAME, RX_COMPRESSED, RX_MULTICAST,
	TX_BYTES, TX_PACKETS, TX_ERRS, TX_DROP,
};

static const int column_of[NIC_METRICS] = {
	[NIC_RX_BYTES] = RX_BYTES,
	[NIC_RX_PACKETS] = RX_PACKETS,
	[NIC_RX_ERRORS] = RX_ERRS,
	[NIC_RX_DROPPED] = RX_DROP,
	[NIC_RX_MULTICAST] = RX_MULTICAST,
	[NIC_TX_BYTES] = TX_BYTES,
	[NIC_TX_PACKETS] = TX_PACKETS,
	[NIC_TX_ERRORS] = TX_ERRS,
	[NIC_TX_DROPPED] = TX_DROP,
};

/*
 * The name ends at the last colon: old kernels let a name have one itself ("eth0:1"), and a large number
 * may follow without a space ("eth0:123").
 */
static bool
parse_line(const char *p, const char *end, struct nic_line *out)
{
	const char *colon = memrchr(p, ':', (size_t)(end - p));
	uint64_t columns[COLUMNS];

	if (colon == NULL)
		return false;
	p = scan_blanks(p, colon);
	/* the name becomes part of a path, and the kernel lets none have a slash */
	if (p == colon || colon - p >= NAME_SIZE || memchr(p, '/', (size_t)(colon - p)) != NULL)
		return false;
	out->name = p;
	out->name_len = (size_t)(colon - p);
	p = colon + 1;
	for (int i = 0; i < COLUMNS; i++) {
		p = scan_u64(p, end, &columns[i]);
		if (p == NULL)
			return false;
	}
	for (int i = 0; i < NIC_METRICS; i++)
		out->cells[i] = columns[column_of[i]];
	return true;
}

bool
nic_next(struct nic_cursor *cursor, struct nic_line *out)
{
	while (cursor->p < cursor->end) {
		const char *line = cursor->p, *end = scan_line_end(line, cursor->end);

		cursor->p = end < cursor->end ? end + 1 : end;
		if (parse_line(line, end, out))
			return true;
		/* only the heading has bars */
		if (memchr(line, '|', (size_t)(end - line)) == NULL)
			cursor->skipped++;
	}
	return false;
}

bool
nic_speed(const char *attr, char *text, size_t size, double *bits_per_s)
{
	uint64_t mbit;
	const char *end = attr + strlen(attr);

	if (scan_u64(attr, end, &mbit) != end || mbit == 0 || mbit >= UINT32_MAX)
		return false;
	if (mbit % 1000 == 0)
		snprintf(text, size, "%" PRIu64 " Gbit", mbit / 1000);
	else if (mbit > 1000 && mbit % 100 == 0)
		snprintf(text, size, "%" PRIu64 ".%" PRIu64 " Gbit", mbit / 1000, mbit % 1000 / 100);
	else
		snprintf(text, size, "%" PRIu64 " Mbit", mbit);
	*bits_per_s = 1e6 * (double)mbit;
	return true;
}
