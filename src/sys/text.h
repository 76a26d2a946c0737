/*
 * Copying text from the kernel into fields of a fixed size; what does not fit is cut. Any thread.
 */
#ifndef SYS_TEXT_H
#define SYS_TEXT_H

#include <string.h>

static inline void
text_copy(char *out, size_t size, const char *text)
{
	size_t n = strnlen(text, size - 1);

	memcpy(out, text, n);
	out[n] = '\0';
}

#endif
