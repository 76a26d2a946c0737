/*
 * A terminal in memory, small but strict: what the program writes is obeyed, what lies outside the screen is
 * counted. Enough of xterm for what curses sends.
 */
#ifndef TESTS_VIEWS_VT_H
#define TESTS_VIEWS_VT_H

#include <stdbool.h>
#include <stddef.h>

#define VT_ROWS 120
#define VT_COLS 320

struct vt {
	int rows, cols, y, x;
	unsigned cells[VT_ROWS][VT_COLS];	/* code points */
	bool alternate, cursor, mouse;
	unsigned outside;	/* characters and moves beyond the screen */
	char pending[64];	/* a sequence that is not whole yet */
	size_t n_pending;
};

void vt_init(struct vt *, int rows, int cols);
void vt_resize(struct vt *, int rows, int cols);
void vt_feed(struct vt *, const char *, size_t);
/* Is this text on the screen, in one line? ASCII. */
bool vt_shows(const struct vt *, const char *);
/* All lines, for a message. malloc'd. */
char *vt_text(const struct vt *);

#endif
