#include "load/pool.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"

struct pool_block {
	_Alignas(max_align_t) struct pool_block *next;
	unsigned char data[];
};

void *
pool_alloc(struct pool *pool, size_t n, size_t size)
{
	struct pool_block *block;
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes) || __builtin_add_overflow(bytes, sizeof(*block), &bytes))
		bytes = SIZE_MAX;	/* xcalloc has the message */
	block = xcalloc(1, bytes);
	block->next = pool->blocks;
	pool->blocks = block;
	return block->data;
}

char *
pool_strndup(struct pool *pool, const char *text, size_t len)
{
	char *copy = pool_alloc(pool, len + 1, 1);

	memcpy(copy, text, len);
	return copy;
}

char *
pool_strdup(struct pool *pool, const char *text)
{
	return pool_strndup(pool, text, strlen(text));
}

char *
pool_printf(struct pool *pool, const char *format, ...)
{
	char *text, *copy;
	va_list ap;
	int len;

	va_start(ap, format);
	len = vasprintf(&text, format, ap);
	va_end(ap);
	if (len < 0)
		return pool_alloc(pool, SIZE_MAX, 1);
	copy = pool_strndup(pool, text, (size_t)len);
	free(text);
	return copy;
}

void
pool_free(struct pool *pool)
{
	struct pool_block *next;

	for (struct pool_block *block = pool->blocks; block != NULL; block = next) {
		next = block->next;
		free(block);
	}
	pool->blocks = NULL;
}
