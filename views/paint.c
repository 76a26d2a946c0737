#include "views/paint.h"

#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "views/text.h"

#define GAP 6	/* unchanged characters that are sent again rather than jumped over */

struct brush {
	struct bytes *out;
	const struct paint_caps *caps;
	int y, x;	/* where the terminal's cursor is; y < 0: not known */
	int style;	/* -1: not known */
};

static void
append(struct bytes *b, const char *data, size_t n)
{
	if (b->len + n + 1 > b->cap) {
		b->cap = 2 * (b->len + n) + 256;
		b->data = xreallocarray(b->data, b->cap, 1);
	}
	memcpy(b->data + b->len, data, n);
	b->len += n;
	b->data[b->len] = '\0';
}

void
bytes_add(struct bytes *b, const char *text)
{
	if (text != NULL)
		append(b, text, strlen(text));
}

void
bytes_clear(struct bytes *b)
{
	free(b->data);
	*b = (struct bytes) { .data = NULL };
}

void
painted_init(struct painted *p)
{
	*p = (struct painted) { .all = true, .cursor_y = -1 };
	surface_init(&p->shown, 1, 1, true);
}

void
painted_free(struct painted *p)
{
	surface_free(&p->shown);
}

static bool
same(const struct cell *a, const struct cell *b)
{
	return a->ch == b->ch && a->style == b->style;
}

static void
use_style(struct brush *b, uint8_t style)
{
	unsigned plain = style & ~(unsigned)STYLE_SELECTED;

	if (b->style == style)
		return;
	bytes_add(b->out, style & STYLE_SELECTED ? b->caps->selected[plain] : b->caps->styles[plain]);
	b->style = style;
}

/*
 * Braille and letters are as wide as we think. Terminals with East Asian fonts may draw the signs and blocks two
 * columns wide: behind one of those the place of the cursor is not known.
 */
static bool
has_sure_width(uint32_t ch)
{
	return ch < 0x80 || (ch >= 0x2800 && ch < 0x2900);
}

static void
put(struct brush *b, const struct surface *s, const struct cell *cell)
{
	char utf8[4];
	size_t n = text_encode(utf8, cell->ch);

	use_style(b, cell->style);
	append(b->out, utf8, n);
	b->x += text_char_columns(cell->ch);
	/* behind the last column terminals differ in where the cursor is */
	if (b->x >= s->cols || !has_sure_width(cell->ch))
		b->y = -1;
}

/* To column x of line y: over a short gap by sending again what stands there. */
static void
go(struct brush *b, const struct surface *s, const struct cell *line, int y, int x)
{
	if (b->y == y && b->x <= x && x - b->x <= GAP) {
		bool plain = true;

		for (int i = b->x; i < x; i++)
			plain = plain && line[i].ch < 0x80 && line[i].ch != 0 && line[i].style == b->style;
		if (plain) {
			while (b->x < x)
				put(b, s, &line[b->x]);
			return;
		}
	}
	b->caps->move(b->out, y, x);
	b->y = y;
	b->x = x;
}

static void
paint_line(struct brush *b, struct cell *old, const struct surface *s, int y)
{
	const struct cell *line = &s->cells[(size_t)y * (size_t)s->cols];

	for (int x = 0; x < s->cols; x++) {
		if (same(&old[x], &line[x]))
			continue;
		/* the right half of a wide character is sent with its left half */
		if (line[x].ch == 0 && x > 0)
			x--;
		if (b->caps->keep_off_corner && y == s->rows - 1 && x == s->cols - 1)
			return;
		go(b, s, line, y, x);
		put(b, s, &line[x]);
		if (x + 1 < s->cols && line[x + 1].ch == 0)
			x++;
	}
}

/* A cleared screen is one of blanks. */
static void
start_over(struct brush *b, struct painted *p, const struct surface *next)
{
	surface_resize(&p->shown, next->rows, next->cols);
	bytes_add(b->out, b->caps->plain);
	bytes_add(b->out, b->caps->clear);
	b->style = STYLE_NORMAL;
	p->all = false;
}

static void
place_cursor(struct brush *b, struct painted *p, int y, int x)
{
	if (y >= 0 && (b->y != y || b->x != x))
		b->caps->move(b->out, y, x);
	if ((y >= 0) != (p->cursor_y >= 0))
		bytes_add(b->out, y >= 0 ? b->caps->show_cursor : b->caps->hide_cursor);
	p->cursor_y = y;
	p->cursor_x = x;
}

void
paint(struct bytes *out, const struct paint_caps *caps, struct painted *p, const struct surface *next,
	int cursor_y, int cursor_x)
{
	struct brush b = { .out = out, .caps = caps, .y = -1, .style = -1 };
	size_t before = out->len;

	if (p->all || p->shown.rows != next->rows || p->shown.cols != next->cols)
		start_over(&b, p, next);
	for (int y = 0; y < next->rows; y++) {
		struct cell *old = &p->shown.cells[(size_t)y * (size_t)next->cols];

		paint_line(&b, old, next, y);
		memcpy(old, &next->cells[(size_t)y * (size_t)next->cols], (size_t)next->cols * sizeof(*old));
	}
	/* what others write, a message of the kernel say, comes without our attributes */
	if (out->len > before)
		bytes_add(out, caps->plain);
	if (out->len > before || cursor_y != p->cursor_y || cursor_x != p->cursor_x)
		place_cursor(&b, p, cursor_y, cursor_x);
}
