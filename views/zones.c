#include "views/zones.h"

#include <stdlib.h>

#include "core/xalloc.h"

void
zones_reset(struct zones *z)
{
	z->n = 0;
}

void
zones_clear(struct zones *z)
{
	free(z->list);
	*z = (struct zones) { .n = 0 };
}

void
zones_add(struct zones *z, int y, int x, int width, enum zone_type type, uint32_t value)
{
	if (z == NULL)
		return;
	if (z->n == z->cap) {
		z->cap = z->cap > 0 ? z->cap * 2 : 64;
		z->list = xreallocarray(z->list, z->cap, sizeof(*z->list));
	}
	z->list[z->n++] = (struct zone) { y, x, width, type, value };
}

const struct zone *
zones_at(const struct zones *z, int y, int x)
{
	for (size_t i = z->n; i > 0; i--) {
		const struct zone *it = &z->list[i - 1];

		if (it->y == y && x >= it->x && x < it->x + it->width)
			return it;
	}
	return NULL;
}
