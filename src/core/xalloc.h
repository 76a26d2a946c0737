/*
 * Memory that cannot fail: out of memory is fatal for the whole program (after the terminal is
 * restored), so no caller has a path for it that nobody ever tests. Any thread.
 */
#ifndef CORE_XALLOC_H
#define CORE_XALLOC_H

#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
/* Room for n elements of `size` bytes; checks the product. */
void *xreallocarray(void *old, size_t n, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t len);
__attribute__((format(printf, 1, 2))) char *xasprintf(const char *format, ...);

/* Called once before the message when memory runs out, to give the terminal back; NULL: nothing. */
void xalloc_on_fatal(void (*restore)(void));

#endif
