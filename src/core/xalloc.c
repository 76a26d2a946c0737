#include "core/xalloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A global because it is called where nothing can be passed along any more. */
static void (*restore_terminal)(void);

void
xalloc_on_fatal(void (*restore)(void))
{
	restore_terminal = restore;
}

static _Noreturn void
out_of_memory(void)
{
	if (restore_terminal != NULL)
		restore_terminal();
	fputs("stortop: out of memory\n", stderr);
	_Exit(1);
}

void *
xmalloc(size_t size)
{
	void *p = malloc(size > 0 ? size : 1);

	if (p == NULL)
		out_of_memory();
	return p;
}

void *
xcalloc(size_t n, size_t size)
{
	void *p = calloc(n > 0 ? n : 1, size > 0 ? size : 1);

	if (p == NULL)
		out_of_memory();
	return p;
}

void *
xreallocarray(void *old, size_t n, size_t size)
{
	void *p = NULL;

	if (size == 0 || n <= SIZE_MAX / size)
		p = realloc(old, n * size > 0 ? n * size : 1);
	if (p == NULL)
		out_of_memory();
	return p;
}

char *
xstrdup(const char *text)
{
	return xstrndup(text, strlen(text));
}

char *
xstrndup(const char *text, size_t len)
{
	size_t n = strnlen(text, len);
	char *copy = xmalloc(n + 1);

	memcpy(copy, text, n);
	copy[n] = '\0';
	return copy;
}

char *
xasprintf(const char *format, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, format);
	n = vasprintf(&text, format, ap);
	va_end(ap);
	if (n < 0)
		out_of_memory();
	return text;
}
