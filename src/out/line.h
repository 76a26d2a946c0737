/*
 * Text under construction, written to a descriptor in one piece, so that a closed pipe or a signal
 * leaves whole lines only. One thread.
 */
#ifndef OUT_LINE_H
#define OUT_LINE_H

#include <stddef.h>

struct line {
	char *buf;
	size_t len, cap;
};

/* Room for at least n more bytes: where to put them; the caller adds what it used to len. */
char *line_room(struct line *, size_t n);
void line_char(struct line *, char);
void line_bytes(struct line *, const char *, size_t len);
void line_text(struct line *, const char *);
/*
 * Writes all of it, whatever the size of the pieces the reader takes, and empties it. 0; -EINTR when a
 * signal came before the first byte was taken (nothing is written then); otherwise -errno.
 */
int line_write(struct line *, int fd);
void line_free(struct line *);

#endif
