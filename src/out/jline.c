#include "out/jline.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "core/format.h"
#include "out/escape.h"

static void
begin(struct line *l, const char *key)
{
	char last = l->len > 0 ? l->buf[l->len - 1] : '{';

	if (last != '{' && last != '[')
		line_char(l, ',');
	if (key == NULL)
		return;
	line_char(l, '"');
	line_text(l, key);
	line_text(l, "\":");
}

void
jline_open(struct line *l, const char *key, char bracket)
{
	begin(l, key);
	line_char(l, bracket);
}

void
jline_close(struct line *l, char bracket)
{
	line_char(l, bracket);
}

void
jline_number(struct line *l, const char *key, double value)
{
	char text[FORMAT_MAX];

	if (!isfinite(value))
		return;
	begin(l, key);
	line_bytes(l, text, format_number(text, value));
}

void
jline_count(struct line *l, const char *key, uint64_t value)
{
	char text[24];

	begin(l, key);
	line_bytes(l, text, (size_t)snprintf(text, sizeof(text), "%llu", (unsigned long long)value));
}

void
jline_text(struct line *l, const char *key, const char *text)
{
	if (text == NULL || text[0] == '\0')
		return;
	begin(l, key);
	escape_json(l, text);
}

void
jline_bool(struct line *l, const char *key, bool value)
{
	begin(l, key);
	line_text(l, value ? "true" : "false");
}

void
jline_null(struct line *l, const char *key)
{
	begin(l, key);
	line_text(l, "null");
}

void
jline_summary(struct line *l, const char *key, const struct summary *s, double scale)
{
	jline_open(l, key, '{');
	jline_number(l, "mean", s->mean * scale);
	jline_number(l, "sd", s->sd * scale);
	jline_number(l, "cv", s->cv);
	jline_number(l, "min", s->min * scale);
	jline_number(l, "max", s->max * scale);
	jline_close(l, '}');
}
