/*
 * Steps over the text of /proc files, [p, end), that need not end with a NUL. Inline, as they run some
 * thousand times a tick. Pure; any thread.
 */
#ifndef SYS_SCAN_H
#define SYS_SCAN_H

#include <stdint.h>
#include <string.h>

static inline const char *
scan_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* Blanks, then digits; behind them, or NULL where there is no digit or the number does not fit. */
static inline const char *
scan_u64(const char *p, const char *end, uint64_t *out)
{
	uint64_t value = 0;
	const char *start = p = scan_blanks(p, end);

	while (p < end && *p >= '0' && *p <= '9') {
		unsigned digit = (unsigned)(*p - '0');

		if (value > (UINT64_MAX - digit) / 10)
			return NULL;
		value = value * 10 + digit;
		p++;
	}
	if (p == start)
		return NULL;
	*out = value;
	return p;
}

/* The end of the line that p is in: its newline, or end. */
static inline const char *
scan_line_end(const char *p, const char *end)
{
	const char *newline = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;

	return newline != NULL ? newline : end;
}

#endif
