/*
 * The terminal: a surface on top, curses underneath. One at a time, main thread. The terminal is given back
 * on every way out: terminal_close(), a fatal signal, out of memory, being stopped.
 */
#ifndef VIEWS_TERMINAL_H
#define VIEWS_TERMINAL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "views/input.h"
#include "views/surface.h"
#include "views/theme.h"

struct terminal;

struct terminal_options {
	enum background background;
	bool mouse;
};

/*
 * Takes over the terminal on stdin and stdout. NULL where that cannot carry a screen (no cursor
 * addressing, TERM not set ...), with the reason in why; a remark (another TERM was taken) stands there too,
 * else "". Sets handlers for SIGWINCH, SIGTSTP, SIGCONT and the fatal signals.
 */
struct terminal *terminal_open(const struct terminal_options *, char *why, size_t size);
void terminal_close(struct terminal *);		/* NULL is fine */

/* Rows and columns now; a size that is not known is 24 x 80. */
void terminal_size(const struct terminal *, int *rows, int *cols);
/* Blocks (in *mask) the signals that terminal_signals() deals with, so that only ppoll() lets them in. */
void terminal_block(sigset_t *mask);
/*
 * Does what signals have asked for: suspends on SIGTSTP, follows a new size. True where the screen
 * must be drawn again, whole.
 */
bool terminal_signals(struct terminal *);
/*
 * Holds SIGTSTP back from now on, or no more: what runs below must not be stopped. terminal_refused() tells, once,
 * that it was asked for.
 */
void terminal_hold(struct terminal *, bool hold);
bool terminal_refused(struct terminal *);
/* Shows the surface; what has not changed is not sent. cursor_y < 0: no cursor. */
void terminal_draw(struct terminal *, const struct surface *, int cursor_y, int cursor_x);
/* The next draw sends everything (^L, another program wrote on the screen). */
void terminal_redraw(struct terminal *);
/* 1: a key or click; 0: none waiting. */
int terminal_read(struct terminal *, struct input *);
/* After poll() reported its input and terminal_read() found nothing: has the terminal gone? */
bool terminal_lost(const struct terminal *);

#endif
