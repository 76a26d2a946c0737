#include "probes/pressure_parse.h"

#include <stdbool.h>
#include <string.h>

#include "core/snapshot.h"
#include "sys/scan.h"

/* The number that stands behind `word` at the beginning of the line, then `key`, and ends the line; or ABSENT. */
static uint64_t
number_behind(const char *line, const char *end, const char *word, const char *key)
{
	size_t len = strlen(word);
	const char *at;
	uint64_t value = ABSENT;

	if ((size_t)(end - line) < len || memcmp(line, word, len) != 0)
		return ABSENT;
	line += len;
	at = memmem(line, (size_t)(end - line), key, strlen(key));
	if (at == NULL || scan_u64(at + strlen(key), end, &value) != end)
		return ABSENT;
	return value;
}

/* The line that begins with `word`: the number behind `key` in it. */
static uint64_t
find_number(const char *buf, size_t len, const char *word, const char *key)
{
	const char *end = buf + len;

	for (const char *p = buf; p < end;) {
		const char *line_end = scan_line_end(p, end);
		uint64_t value = number_behind(p, line_end, word, key);

		if (value != ABSENT)
			return value;
		p = line_end < end ? line_end + 1 : end;
	}
	return ABSENT;
}

void
pressure_parse(const char *buf, size_t len, struct pressure *out)
{
	out->some_us = find_number(buf, len, "some ", " total=");
	out->full_us = find_number(buf, len, "full ", " total=");
}

void
swapping_parse(const char *buf, size_t len, struct swapping *out)
{
	out->in_pages = find_number(buf, len, "pswpin ", "");
	out->out_pages = find_number(buf, len, "pswpout ", "");
}
