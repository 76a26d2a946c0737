#include "out/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/xalloc.h"

#define REPLACEMENT "\xef\xbf\xbd"

size_t
escape_utf8(const char *s, size_t len)
{
	const unsigned char *u = (const unsigned char *)s;
	/* The bounds of the second byte rule out overlong forms, surrogates and what is past U+10FFFF. */
	unsigned char low = 0x80, high = 0xbf;
	size_t n;

	if (len == 0 || u[0] < 0x80)
		return len > 0;
	if (u[0] < 0xc2 || u[0] > 0xf4)
		return 0;
	n = u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
	if (u[0] == 0xe0)
		low = 0xa0;
	else if (u[0] == 0xed)
		high = 0x9f;
	else if (u[0] == 0xf0)
		low = 0x90;
	else if (u[0] == 0xf4)
		high = 0x8f;
	if (len < n || u[1] < low || u[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((u[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

/* U+202A to U+202E and U+2066 to U+2069 */
static bool
turns_direction(const unsigned char *u)
{
	return u[0] == 0xe2 && ((u[1] == 0x80 && u[2] >= 0xaa && u[2] <= 0xae) || (u[1] == 0x81 && u[2] >= 0xa6 && u[2] <= 0xa9));
}

size_t
escape_next(const char *s, size_t len, bool *odd)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t n = escape_utf8(s, len);

	*odd = n == 0 || (n == 1 && (u[0] < ' ' || u[0] == 0x7f)) || (n == 2 && u[0] == 0xc2 && u[1] < 0xa0) ||
	    (n == 3 && turns_direction(u));
	return n == 0 && len > 0 ? 1 : n;
}

static void
json_ascii(struct line *l, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";

	if (c == '"' || c == '\\') {
		line_char(l, '\\');
		line_char(l, (char)c);
	} else if (c < 0x20 || c == 0x7f) {
		line_text(l, "\\u00");
		line_char(l, hex[c >> 4]);
		line_char(l, hex[c & 15]);
	} else {
		line_char(l, (char)c);
	}
}

static void
csv_ascii(struct line *l, unsigned char c)
{
	if (c == '"')
		line_char(l, '"');
	line_char(l, c < 0x20 || c == 0x7f ? ' ' : (char)c);
}

static void
each(struct line *l, const char *text, void (*ascii)(struct line *, unsigned char))
{
	size_t len = strlen(text), n;

	for (size_t i = 0; i < len; i += n > 0 ? n : 1) {
		n = escape_utf8(text + i, len - i);
		if (n == 1)
			ascii(l, (unsigned char)text[i]);
		else if (n > 1)
			line_bytes(l, text + i, n);
		else
			line_text(l, REPLACEMENT);
	}
}

void
escape_json(struct line *l, const char *text)
{
	line_char(l, '"');
	each(l, text, json_ascii);
	line_char(l, '"');
}

void
escape_csv(struct line *l, const char *text)
{
	/* Spaces at the ends would be trimmed by some readers, as RFC 4180 says they must not be. */
	size_t len = strlen(text);
	bool quoted = strpbrk(text, "\",") != NULL || (len > 0 && ((unsigned char)text[0] <= ' ' || (unsigned char)text[len - 1] <= ' '));

	if (quoted)
		line_char(l, '"');
	each(l, text, csv_ascii);
	if (quoted)
		line_char(l, '"');
}

char *
escape_pdh(const char *text)
{
	char *copy = xstrdup(*text != '\0' ? text : "_");
	size_t len = strlen(copy);

	for (size_t i = 0; i < len; i++)
		if (copy[i] < ' ' || copy[i] > '~' || strchr("\"',\\()%", copy[i]) != NULL ||
		    (copy[i] == ' ' && (i == 0 || i == len - 1)))
			copy[i] = '_';
	return copy;
}
