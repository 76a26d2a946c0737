#include "probes/nfsd_parse.h"

#include <stdio.h>
#include <string.h>

#include "core/snapshot.h"
#include "sys/scan.h"

#define NUMBERS_MOST 128	/* proc4ops has 76 */

/* Numbers of a procedure table: the first says how many follow, and the index is the procedure's. */
enum { V2_READ = 6, V2_WRITE = 8, V3_READ = 6, V3_WRITE = 7, V3_COMMIT = 21, V4_COMMIT = 5, V4_READ = 25, V4_WRITE = 38,
	V4_READ_PLUS = 68 };

static size_t
numbers(const char *p, const char *end, uint64_t *out)
{
	size_t n = 0;

	while (n < NUMBERS_MOST && (p = scan_u64(p, end, &out[n])) != NULL)
		n++;
	return n;
}

static void
add(uint64_t *cell, const uint64_t *values, size_t n, size_t procedure)
{
	if (procedure + 1 >= n)
		return;
	*cell = (*cell != ABSENT ? *cell : 0) + values[procedure + 1];
}

static void
set(uint64_t *cell, const uint64_t *values, size_t n, size_t i)
{
	if (i < n)
		*cell = values[i];
}

static bool
is(const char *word, size_t len, const char *wanted)
{
	return strlen(wanted) == len && memcmp(word, wanted, len) == 0;
}

static void
take_procedures(const char *word, size_t len, const uint64_t *v, size_t n, uint64_t *cells)
{
	if (is(word, len, "proc2")) {
		add(&cells[NFSD_READS], v, n, V2_READ);
		add(&cells[NFSD_WRITES], v, n, V2_WRITE);
	} else if (is(word, len, "proc3")) {
		add(&cells[NFSD_READS], v, n, V3_READ);
		add(&cells[NFSD_WRITES], v, n, V3_WRITE);
		add(&cells[NFSD_COMMITS], v, n, V3_COMMIT);
	} else if (is(word, len, "proc4ops")) {
		add(&cells[NFSD_READS], v, n, V4_READ);
		add(&cells[NFSD_READS], v, n, V4_READ_PLUS);
		add(&cells[NFSD_WRITES], v, n, V4_WRITE);
		add(&cells[NFSD_COMMITS], v, n, V4_COMMIT);
	}
}

static void
take_line(const char *p, const char *end, uint64_t *cells)
{
	const char *word = p;
	uint64_t v[NUMBERS_MOST];
	size_t len, n;

	while (p < end && *p != ' ')
		p++;
	len = (size_t)(p - word);
	n = numbers(p, end, v);
	if (is(word, len, "io")) {
		set(&cells[NFSD_READ_BYTES], v, n, 0);
		set(&cells[NFSD_WRITE_BYTES], v, n, 1);
	} else if (is(word, len, "th")) {
		set(&cells[NFSD_THREADS], v, n, 0);
	} else if (is(word, len, "rpc")) {
		set(&cells[NFSD_CALLS], v, n, 0);
		set(&cells[NFSD_BAD_CALLS], v, n, 1);
	} else {
		take_procedures(word, len, v, n, cells);
	}
}

void
nfsd_parse(const char *buf, size_t len, uint64_t cells[NFSD_METRICS])
{
	const char *p = buf, *end = buf + len;

	for (int i = 0; i < NFSD_METRICS; i++)
		cells[i] = ABSENT;
	while (p < end) {
		const char *stop = scan_line_end(p, end);

		take_line(p, stop, cells);
		p = stop < end ? stop + 1 : end;
	}
}

/* The text behind "key: ", without its quotes. */
static bool
value_of(const char *p, const char *end, const char *key, char *out, size_t size)
{
	size_t len = strlen(key), n = 0;

	if ((size_t)(end - p) < len || memcmp(p, key, len) != 0)
		return false;
	for (p = scan_blanks(p + len, end); p < end && n + 1 < size; p++)
		if (*p != '"' && (unsigned char)*p >= ' ')
			out[n++] = *p;
	out[n] = '\0';
	return true;
}

void
nfsd_client_parse(const char *buf, size_t len, struct nfsd_client_text *out)
{
	const char *p = buf, *end = buf + len;
	char number[24];

	*out = (struct nfsd_client_text) { .renewed_s = ABSENT };
	while (p < end) {
		const char *stop = scan_line_end(p, end);

		value_of(p, stop, "address:", out->address, sizeof(out->address));
		value_of(p, stop, "name:", out->name, sizeof(out->name));
		value_of(p, stop, "status:", out->status, sizeof(out->status));
		if (value_of(p, stop, "minor version:", number, sizeof(number)))
			snprintf(out->version, sizeof(out->version), "4.%.4s", number);
		if (value_of(p, stop, "seconds from last renew:", number, sizeof(number)) &&
		    scan_u64(number, number + strlen(number), &out->renewed_s) == NULL)
			out->renewed_s = ABSENT;
		p = stop < end ? stop + 1 : end;
	}
}
