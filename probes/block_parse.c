#include "probes/block_parse.h"

#include <errno.h>
#include <string.h>

#include "core/snapshot.h"

#define COUNTERS_PARTITION 4	/* reads, sectors, writes, sectors: 2.6.0 to 2.6.24 */
#define COUNTERS_BASE 11
#define COUNTERS_DISCARD 15	/* 4.18 */
#define COUNTERS_FLUSH 17	/* 5.5 */

static const char *
skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/*
 * Digits up to a blank or the end; NULL where there is none or the number does not fit. A thousand
 * devices have some 20,000 of these, hence no strtoull().
 */
static const char *
parse_u64(const char *p, const char *end, uint64_t *out)
{
	const char *start = p;
	uint64_t value = 0;

	while (p < end && *p >= '0' && *p <= '9') {
		unsigned digit = (unsigned)(*p - '0');

		if (value > UINT64_MAX / 10 || (value == UINT64_MAX / 10 && digit > 5))
			return NULL;
		value = value * 10 + digit;
		p++;
	}
	if (p == start || (p < end && *p != ' ' && *p != '\t'))
		return NULL;
	*out = value;
	return p;
}

/*
 * Requests in flight are a sum over processors that can come out below zero: kernels print that as
 * 4294967295 or -1, and newer ones as 0.
 */
static const char *
parse_in_flight(const char *p, const char *end, uint64_t *out)
{
	bool negative = p < end && *p == '-';

	p = parse_u64(negative ? p + 1 : p, end, out);
	if (p != NULL && (negative || *out >= UINT64_C(1) << 31))
		*out = 0;
	return p;
}

/* Up to COUNTERS_FLUSH numbers; what follows is for a later kernel to explain. -1: not numbers. */
static int
parse_numbers(const char *p, const char *end, uint64_t out[static COUNTERS_FLUSH])
{
	int n = 0;

	while ((p = skip_blanks(p, end)) < end && n < COUNTERS_FLUSH) {
		p = n == DISK_IN_FLIGHT ? parse_in_flight(p, end, &out[n]) : parse_u64(p, end, &out[n]);
		if (p == NULL)
			return -1;
		n++;
	}
	return n;
}

static void
absent_from(uint64_t cells[static DISK_DIRECT], int first)
{
	for (int i = first; i < DISK_DIRECT; i++)
		cells[i] = ABSENT;
}

/* A group of columns that is not there whole is not there. */
static bool
parse_counters(const char *p, const char *end, uint64_t cells[static DISK_DIRECT])
{
	int n;

	_Static_assert(DISK_DIRECT == COUNTERS_FLUSH, "metrics are in the order of the columns");
	n = parse_numbers(p, end, cells);
	if (n == COUNTERS_PARTITION) {
		uint64_t old[COUNTERS_PARTITION];

		memcpy(old, cells, sizeof(old));
		absent_from(cells, 0);
		cells[DISK_READS] = old[0];
		cells[DISK_READ_SECTORS] = old[1];
		cells[DISK_WRITES] = old[2];
		cells[DISK_WRITE_SECTORS] = old[3];
		return true;
	}
	if (n < COUNTERS_BASE)
		return false;
	absent_from(cells, n < COUNTERS_DISCARD ? COUNTERS_BASE :
	    n < COUNTERS_FLUSH ? COUNTERS_DISCARD : COUNTERS_FLUSH);
	return true;
}

static const char *
parse_unsigned(const char *p, const char *end, unsigned *out)
{
	uint64_t value;

	p = parse_u64(skip_blanks(p, end), end, &value);
	if (p == NULL || value > UINT32_MAX)
		return NULL;
	*out = (unsigned)value;
	return p;
}

static bool
parse_line(const char *p, const char *end, struct block_line *out)
{
	p = parse_unsigned(p, end, &out->major);
	if (p == NULL)
		return false;
	p = parse_unsigned(p, end, &out->minor);
	if (p == NULL)
		return false;
	out->name = p = skip_blanks(p, end);
	while (p < end && *p != ' ' && *p != '\t')
		p++;
	out->name_len = (size_t)(p - out->name);
	if (out->name_len == 0 || out->name_len >= BLOCK_NAME_MAX ||
	    memchr(out->name, '\0', out->name_len) != NULL)
		return false;
	return parse_counters(p, end, out->cells);
}

bool
block_next(struct block_cursor *cursor, struct block_line *out)
{
	while (cursor->p < cursor->end) {
		const char *start = cursor->p;
		const char *end = memchr(start, '\n', (size_t)(cursor->end - start));

		if (end == NULL)
			end = cursor->end;
		cursor->p = end < cursor->end ? end + 1 : end;
		if (parse_line(start, end, out))
			return true;
		if (skip_blanks(start, end) < end)
			cursor->skipped++;
	}
	return false;
}

int
block_parse_stat(const char *buf, size_t len, uint64_t cells[static DISK_DIRECT])
{
	const char *end = memchr(buf, '\n', len);

	return parse_counters(buf, end != NULL ? end : buf + len, cells) ? 0 : -EINVAL;
}
