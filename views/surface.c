#include "views/surface.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "views/text.h"

static const struct {
	const char *utf8, *ascii;
} glyphs[GLYPH_COUNT] = {
	[GLYPH_OPEN] = { "▾", "-" },
	[GLYPH_CLOSED] = { "▸", "+" },
	[GLYPH_DOWN] = { "▾", "v" },
	[GLYPH_UP] = { "▴", "^" },
	[GLYPH_WARN] = { "!", "!" },
	[GLYPH_CRIT] = { "‼", "*" },
	[GLYPH_REC] = { "●", "*" },
	[GLYPH_DOTS] = { "…", "~" },
	[GLYPH_RULE] = { "─", "-" },
	[GLYPH_BAR] = { "│", "|" },
	[GLYPH_MORE_UP] = { "↑", "^" },
	[GLYPH_MORE_DOWN] = { "↓", "v" },
};

void
surface_init(struct surface *s, int rows, int cols, bool utf8)
{
	*s = (struct surface) { .utf8 = utf8 };
	surface_resize(s, rows, cols);
}

void
surface_resize(struct surface *s, int rows, int cols)
{
	s->rows = rows > 0 ? rows : 1;
	s->cols = cols > 0 ? cols : 1;
	s->cells = xreallocarray(s->cells, (size_t)s->rows * (size_t)s->cols, sizeof(*s->cells));
	surface_erase(s);
}

void
surface_free(struct surface *s)
{
	free(s->cells);
	s->cells = NULL;
}

void
surface_erase(struct surface *s)
{
	size_t n = (size_t)s->rows * (size_t)s->cols;

	for (size_t i = 0; i < n; i++)
		s->cells[i] = (struct cell) { .ch = ' ' };
}

static struct cell *
cell_at(struct surface *s, int y, int x)
{
	return &s->cells[(size_t)y * (size_t)s->cols + (size_t)x];
}

/* What half of a wide character is overwritten leaves a blank for the other half. */
static void
mend_wide(struct surface *s, int y, int x)
{
	if (x > 0 && cell_at(s, y, x)->ch == 0)
		cell_at(s, y, x - 1)->ch = ' ';
	if (x + 1 < s->cols && cell_at(s, y, x + 1)->ch == 0)
		cell_at(s, y, x + 1)->ch = ' ';
}

static uint32_t
harmless(const struct surface *s, uint32_t ch)
{
	if (ch < ' ' || ch == 0x7F || (ch >= 0x80 && ch < 0xA0))
		return '?';
	if (ch >= 0x80 && !s->utf8)
		return '?';
	return ch;
}

int
surface_char(struct surface *s, int y, int x, unsigned style, uint32_t ch)
{
	int w;

	ch = harmless(s, ch);
	w = text_char_columns(ch);
	if (w == 0 || y < 0 || y >= s->rows || x < 0 || x + w > s->cols)
		return w;
	mend_wide(s, y, x);
	*cell_at(s, y, x) = (struct cell) { .ch = ch, .style = (uint8_t)style };
	if (w == 2) {
		mend_wide(s, y, x + 1);
		cell_at(s, y, x)->ch = ch;
		*cell_at(s, y, x + 1) = (struct cell) { .ch = 0, .style = (uint8_t)style };
	}
	return w;
}

uint32_t
glyph_char(enum glyph g, bool utf8)
{
	uint32_t ch = '?';

	text_decode(glyph_text(g, utf8), &ch);
	return ch;
}

const char *
glyph_text(enum glyph g, bool utf8)
{
	return utf8 ? glyphs[g].utf8 : glyphs[g].ascii;
}

int
surface_glyph(struct surface *s, int y, int x, unsigned style, enum glyph g)
{
	return surface_char(s, y, x, style, glyph_char(g, s->utf8));
}

int
surface_text(struct surface *s, int y, int x, unsigned style, const char *text)
{
	int start = x;
	uint32_t ch;
	size_t n;

	for (; x < s->cols && (n = text_decode(text, &ch)) > 0; text += n)
		x += surface_char(s, y, x, style, ch);
	return x - start;
}

int
surface_print(struct surface *s, int y, int x, unsigned style, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	return surface_text(s, y, x, style, text);
}

int
surface_fit(struct surface *s, int y, int x, int width, bool right, unsigned style, const char *text)
{
	char fitted[1024];
	int used, pad;

	if (width <= 0)
		return 0;
	text_fit(fitted, sizeof(fitted), text, width, s->utf8);
	used = text_columns(fitted);
	pad = width > used ? width - used : 0;
	surface_fill(s, y, right ? x : x + used, pad, style, ' ');
	surface_text(s, y, right ? x + pad : x, style, fitted);
	return width;
}

int
surface_fill(struct surface *s, int y, int x, int width, unsigned style, uint32_t ch)
{
	for (int i = 0; i < width && x + i < s->cols; i++)
		surface_char(s, y, x + i, style, ch);
	return width > 0 ? width : 0;
}

void
surface_rule(struct surface *s, int y, int x, int width)
{
	surface_fill(s, y, x, width, STYLE_DIM, glyph_char(GLYPH_RULE, s->utf8));
}

void
surface_restyle(struct surface *s, int y, int x, int width, unsigned style)
{
	if (y < 0 || y >= s->rows)
		return;
	for (int i = x < 0 ? 0 : x; i < x + width && i < s->cols; i++) {
		struct cell *c = cell_at(s, y, i);

		c->style = style == STYLE_SELECTED ? c->style | STYLE_SELECTED : (uint8_t)style;
	}
}

char *
surface_line(const struct surface *s, int y)
{
	const struct cell *cells = &s->cells[(size_t)y * (size_t)s->cols];
	char *line = xmalloc((size_t)s->cols * 4 + 1);
	size_t len = 0, used = 0;

	for (int x = 0; x < s->cols; x++) {
		if (cells[x].ch == 0)
			continue;
		len += text_encode(line + len, cells[x].ch);
		if (cells[x].ch != ' ')
			used = len;
	}
	line[used] = '\0';
	return line;
}
