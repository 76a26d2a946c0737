#include "views/text.h"

#include <string.h>
#include <wchar.h>

/* Continuation bytes that follow a lead byte; -1: no lead byte. */
static int
followers(unsigned char lead)
{
	if (lead < 0x80)
		return 0;
	if (lead >= 0xC2 && lead < 0xE0)
		return 1;
	if (lead >= 0xE0 && lead < 0xF0)
		return 2;
	if (lead >= 0xF0 && lead < 0xF5)
		return 3;
	return -1;
}

/* Overlong forms, surrogates and what lies beyond Unicode. */
static bool
is_forbidden(uint32_t ch, int n)
{
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };

	return ch < least[n] || ch > 0x10FFFF || (ch >= 0xD800 && ch < 0xE000);
}

size_t
text_decode(const char *s, uint32_t *ch)
{
	const unsigned char *p = (const unsigned char *)s;
	int n = followers(p[0]);
	uint32_t value;

	if (p[0] == '\0')
		return 0;
	*ch = TEXT_REPLACEMENT;
	if (n < 0)
		return 1;
	value = n == 0 ? p[0] : p[0] & (0x3Fu >> n);
	for (int i = 1; i <= n; i++) {
		if ((p[i] & 0xC0) != 0x80)
			return 1;
		value = value << 6 | (p[i] & 0x3F);
	}
	if (is_forbidden(value, n))
		return 1;
	*ch = value;
	return (size_t)n + 1;
}

size_t
text_encode(char out[static 4], uint32_t ch)
{
	if (ch < 0x80) {
		out[0] = (char)ch;
		return 1;
	}
	if (ch < 0x800) {
		out[0] = (char)(0xC0 | ch >> 6);
		out[1] = (char)(0x80 | (ch & 0x3F));
		return 2;
	}
	if (ch < 0x10000) {
		out[0] = (char)(0xE0 | ch >> 12);
		out[1] = (char)(0x80 | (ch >> 6 & 0x3F));
		out[2] = (char)(0x80 | (ch & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | ch >> 18);
	out[1] = (char)(0x80 | (ch >> 12 & 0x3F));
	out[2] = (char)(0x80 | (ch >> 6 & 0x3F));
	out[3] = (char)(0x80 | (ch & 0x3F));
	return 4;
}

int
text_char_columns(uint32_t ch)
{
	int w;

	if (ch < 0x7F)
		return 1;
	w = wcwidth((wchar_t)ch);
	return w < 0 ? 1 : w;
}

int
text_columns(const char *s)
{
	uint32_t ch;
	size_t n;
	int columns = 0;

	for (; (n = text_decode(s, &ch)) > 0; s += n)
		columns += text_char_columns(ch);
	return columns;
}

size_t
text_wrap(const char *s, int columns, size_t bytes)
{
	size_t at = 0, end = 0, n;
	uint32_t ch;
	int used = 0;

	for (; (n = text_decode(s + at, &ch)) > 0; at += n) {
		if (ch == ' ')
			end = at;
		used += text_char_columns(ch);
		if (used > columns || at + n > bytes)
			return end > 0 ? end : at > 0 ? at : n;
	}
	return at;
}

/* Bytes of the longest beginning of s in at most `columns` columns. */
static size_t
head_bytes(const char *s, int columns)
{
	const char *p = s;
	uint32_t ch;
	size_t n;

	while ((n = text_decode(p, &ch)) > 0 && (columns -= text_char_columns(ch)) >= 0)
		p += n;
	return (size_t)(p - s);
}

/* The longest end of s in at most `columns` columns. */
static const char *
tail(const char *s, int columns)
{
	int drop = text_columns(s) - columns;
	uint32_t ch;

	while (drop > 0) {
		size_t n = text_decode(s, &ch);

		drop -= text_char_columns(ch);
		s += n;
	}
	return s;
}

static void
append(char *out, size_t size, const char *s, size_t n)
{
	size_t len = strlen(out);

	if (len + n < size) {
		memcpy(out + len, s, n);
		out[len + n] = '\0';
	}
}

/* Columns for the head of what is cut: a third, or the first end of "client > server" where a half holds it. */
static int
head_columns(const char *s, int columns)
{
	int head = columns > 1 ? (columns - 1) / 3 : 0, first = 0;
	const char *arrow = strstr(s, " > ");
	uint32_t ch = 0;

	for (const char *p = s; arrow != NULL && p < arrow; first += text_char_columns(ch))
		p += text_decode(p, &ch);
	return first > head && first <= columns / 2 ? first : head;
}

void
text_fit(char *out, size_t size, const char *s, int columns, bool utf8)
{
	const char *dots = utf8 ? "…" : "~";
	const char *end;
	int head = head_columns(s, columns);

	out[0] = '\0';
	if (columns <= 0)
		return;
	if (text_columns(s) <= columns) {
		append(out, size, s, strlen(s));
		return;
	}
	append(out, size, s, head_bytes(s, head));
	append(out, size, dots, strlen(dots));
	end = tail(s, columns - 1 - head);
	append(out, size, end, strlen(end));
}
