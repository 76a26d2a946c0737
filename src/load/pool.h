/*
 * Memory that is freed whole: what a parsed job file points into. One thread.
 */
#ifndef LOAD_POOL_H
#define LOAD_POOL_H

#include <stddef.h>

struct pool_block;

struct pool {
	struct pool_block *blocks;
};

/* Zeroed, aligned for anything. */
void *pool_alloc(struct pool *, size_t n, size_t size);
char *pool_strndup(struct pool *, const char *text, size_t len);
char *pool_strdup(struct pool *, const char *text);
__attribute__((format(printf, 2, 3))) char *pool_printf(struct pool *, const char *format, ...);
void pool_free(struct pool *);

#endif
