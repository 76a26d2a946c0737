/*
 * Text measured in columns of a terminal. Names of devices and mount points come from outside: bytes
 * that are no UTF-8 and control characters are made harmless here, in one place. Any thread;
 * widths follow LC_CTYPE.
 */
#ifndef VIEWS_TEXT_H
#define VIEWS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_REPLACEMENT 0xFFFD

/* Decodes the character at s (NUL-terminated); returns its bytes, 0 at the end. Malformed: U+FFFD and one byte. */
size_t text_decode(const char *s, uint32_t *ch);
/* Encodes one; returns its bytes (1 to 4), without a NUL. */
size_t text_encode(char out[static 4], uint32_t ch);
/* Columns of a character: 0 (combining), 1 or 2. What cannot be printed is drawn as '?' and takes 1. */
int text_char_columns(uint32_t ch);
int text_columns(const char *s);
/*
 * Bytes of the beginning of s that fit into so many columns and bytes, ending between two words where there is a blank; at
 * least one character.
 */
size_t text_wrap(const char *s, int columns, size_t bytes);
/*
 * Writes s to out in at most `columns` columns. What does not fit loses its middle, and more of
 * the head than of the tail: the end of a device-mapper name tells volumes apart. Of "client > server" the client stays whole
 * where half the room holds it. "…" or, without utf8, "~".
 */
void text_fit(char *out, size_t size, const char *s, int columns, bool utf8);

#endif
