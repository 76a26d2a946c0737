/*
 * What a view draws on: a grid of characters with styles. The same grid goes to curses, to plain lines
 * and to golden tests, so all three show the same. Every write is clipped; nothing a view does
 * can fall outside. Main thread.
 */
#ifndef VIEWS_SURFACE_H
#define VIEWS_SURFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a piece of text is, not how it looks: theme.c decides that for the terminal at hand. */
enum style {
	STYLE_NORMAL,
	STYLE_DIM,	/* zero, absent, chrome */
	STYLE_STRONG,	/* the figures of a headline */
	STYLE_TITLE,	/* headers of tables, names of sections */
	STYLE_TAB,	/* the screen shown now */
	STYLE_KEY,	/* a key to press */
	STYLE_WARN,
	STYLE_CRIT,
	STYLE_READ,	/* reads, everywhere */
	STYLE_WRITE,	/* writes, everywhere */
	STYLE_GRAPH,	/* graphs that are neither */
	STYLE_COUNT,
	STYLE_SELECTED = 0x80,	/* a flag: the selected row */
};

/* Signs with a form for terminals without UTF-8. */
enum glyph {
	GLYPH_OPEN, GLYPH_CLOSED, GLYPH_DOWN, GLYPH_UP, GLYPH_WARN, GLYPH_CRIT, GLYPH_REC, GLYPH_DOTS,
	GLYPH_RULE, GLYPH_BAR, GLYPH_MORE_UP, GLYPH_MORE_DOWN, GLYPH_COUNT
};

struct cell {
	uint32_t ch;	/* 0: the right half of a wide character */
	uint8_t style;
};

struct surface {
	int rows, cols;
	struct cell *cells;	/* rows x cols */
	bool utf8;		/* false: ASCII only is drawn */
};

void surface_init(struct surface *, int rows, int cols, bool utf8);
void surface_resize(struct surface *, int rows, int cols);
void surface_free(struct surface *);
void surface_erase(struct surface *);

/* All return the columns used. Text is clipped at the right edge. */
int surface_char(struct surface *, int y, int x, unsigned style, uint32_t ch);
int surface_glyph(struct surface *, int y, int x, unsigned style, enum glyph);
int surface_text(struct surface *, int y, int x, unsigned style, const char *);
__attribute__((format(printf, 5, 6)))
int surface_print(struct surface *, int y, int x, unsigned style, const char *format, ...);
/* In exactly `width` columns, left- or right-aligned; what is longer loses its middle (text_fit). */
int surface_fit(struct surface *, int y, int x, int width, bool right, unsigned style, const char *);
/* The same character `width` times. */
int surface_fill(struct surface *, int y, int x, int width, unsigned style, uint32_t ch);
/* A horizontal rule. */
void surface_rule(struct surface *, int y, int x, int width);
/* Gives what stands there another style, or adds STYLE_SELECTED. */
void surface_restyle(struct surface *, int y, int x, int width, unsigned style);

uint32_t glyph_char(enum glyph, bool utf8);
/* The same as text, for building a string; valid for ever. */
const char *glyph_text(enum glyph, bool utf8);

/* Row y as UTF-8 without trailing blanks; malloc'd. */
char *surface_line(const struct surface *, int y);

#endif
