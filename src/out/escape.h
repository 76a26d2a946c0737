/*
 * Foreign text (names, models, mount points: whatever a device or a user says) made fit for each
 * format. Pure; any thread.
 */
#ifndef OUT_ESCAPE_H
#define OUT_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "out/line.h"

/* A JSON string with its quotes; what is no UTF-8 becomes U+FFFD. */
void escape_json(struct line *, const char *text);
/*
 * A CSV field, quoted as RFC 4180 says where it must be. Control characters become spaces, so that a
 * row is a line; what is no UTF-8 becomes U+FFFD.
 */
void escape_csv(struct line *, const char *text);
/*
 * A part of a PDH counter path: printable ASCII without what any reader takes for structure (quotes,
 * commas, backslashes, parentheses, percent signs), each replaced by '_', spaces at the ends too; "_"
 * for an empty text. malloc'd.
 */
char *escape_pdh(const char *text);

/*
 * The next character of a text that goes to a terminal: how many bytes it has (0 at the end), and in *odd whether it must not be
 * shown: no UTF-8, a control character (C0, DEL, C1), or one that turns the direction of what follows (UAX #9).
 */
size_t escape_next(const char *s, size_t len, bool *odd);
/* Length of the UTF-8 sequence at the start of s (1 to 4), 0 where there is none. RFC 3629. */
size_t escape_utf8(const char *s, size_t len);

#endif
