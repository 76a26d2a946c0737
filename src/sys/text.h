/*
 * Small text the kernel gives. Any thread.
 */
#ifndef SYS_TEXT_H
#define SYS_TEXT_H

#include <stdbool.h>
#include <string.h>

/* Into a field of a fixed size; what does not fit is cut. */
static inline void
text_copy(char *out, size_t size, const char *text)
{
	size_t n = strnlen(text, size - 1);

	memcpy(out, text, n);
	out[n] = '\0';
}

/* Is it one of these words, the last of which is NULL? */
static inline bool
text_is_one_of(const char *word, const char *const *words)
{
	while (*words != NULL && strcmp(*words, word) != 0)
		words++;
	return *words != NULL;
}

/* Value of a hexadecimal digit; -1: it is none. */
static inline int
text_hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

#endif
