/*
 * From one surface to the next in as few bytes as is simple: what has changed, as one string that the terminal
 * gets in one write, so that nothing flickers. Curses would send each run of changes by itself, which costs ten
 * times as much as the drawing. Pure.
 */
#ifndef VIEWS_PAINT_H
#define VIEWS_PAINT_H

#include <stdbool.h>
#include <stddef.h>

#include "views/surface.h"

struct bytes {
	char *data;
	size_t len, cap;
};

void bytes_add(struct bytes *, const char *text);	/* NULL: nothing */
void bytes_clear(struct bytes *);			/* gives the memory back */

/* What the terminal understands, free of padding. */
struct paint_caps {
	/* Appends the sequence that moves the cursor. */
	void (*move)(struct bytes *, int y, int x);
	const char *clear;		/* the screen, in the style of `plain` */
	const char *plain;		/* no attributes */
	const char *styles[STYLE_COUNT], *selected[STYLE_COUNT];	/* from any style to this one */
	const char *show_cursor, *hide_cursor;
	bool keep_off_corner;		/* a character in the last column of the last line would scroll */
};

/* What stands on the terminal. */
struct painted {
	struct surface shown;
	bool all;		/* not known: everything must be sent */
	int cursor_y, cursor_x;	/* y < 0: hidden */
};

void painted_init(struct painted *);
void painted_free(struct painted *);
/* Appends what makes the terminal show `next`, with the cursor there (y < 0: nowhere), and notes it. */
void paint(struct bytes *, const struct paint_caps *, struct painted *, const struct surface *next,
	int cursor_y, int cursor_x);

#endif
