#include "views/keyset.h"

#include <stdlib.h>

#include "core/xalloc.h"

bool
keyset_has(const struct keyset *s, uint64_t key)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->keys[i] == key)
			return true;
	return false;
}

void
keyset_add(struct keyset *s, uint64_t key)
{
	if (keyset_has(s, key))
		return;
	s->keys = xreallocarray(s->keys, s->n + 1, sizeof(*s->keys));
	s->keys[s->n++] = key;
}

void
keyset_remove(struct keyset *s, uint64_t key)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->keys[i] != key)
			continue;
		s->keys[i] = s->keys[--s->n];
		return;
	}
}

void
keyset_clear(struct keyset *s)
{
	free(s->keys);
	*s = (struct keyset) { .n = 0 };
}
