/*
 * A small set of numbers: rows that are expanded, rows taken away. Main thread.
 */
#ifndef VIEWS_KEYSET_H
#define VIEWS_KEYSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keyset {
	size_t n;
	uint64_t *keys;
};

bool keyset_has(const struct keyset *, uint64_t key);
void keyset_add(struct keyset *, uint64_t key);
void keyset_remove(struct keyset *, uint64_t key);
void keyset_clear(struct keyset *);

#endif
