#include "probes/wire/table.h"

#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"

void
wire_table_init(struct wire_table *t, uint32_t size, size_t entry_bytes)
{
	uint32_t buckets = 8;

	while (buckets < size)
		buckets *= 2;
	/* Pages that are never used stay with the kernel. */
	*t = (struct wire_table){ .mask = buckets - 1, .size = size, .entry_bytes = entry_bytes };
	t->buckets = xcalloc(buckets, sizeof(*t->buckets));
	t->entries = xcalloc((size_t)size + 1, entry_bytes);
}

void
wire_table_clear(struct wire_table *t)
{
	free(t->buckets);
	free(t->entries);
	*t = (struct wire_table){ 0 };
}

uint32_t
wire_table_take(struct wire_table *t, uint32_t hash)
{
	uint32_t entry = t->free;
	struct wire_link *l;

	if (t->used == t->size)
		return 0;
	/* Freed ones first, so that the entries in use stay together. */
	if (entry != 0)
		t->free = ((struct wire_link *)wire_table_at(t, entry))->next;
	else
		entry = t->used + 1;
	l = wire_table_at(t, entry);
	memset(l, 0, t->entry_bytes);
	l->hash = hash;
	l->next = t->buckets[hash & t->mask];
	t->buckets[hash & t->mask] = entry;
	t->used++;
	return entry;
}

void
wire_table_drop(struct wire_table *t, uint32_t entry)
{
	struct wire_link *l = wire_table_at(t, entry);
	uint32_t *at = &t->buckets[l->hash & t->mask];

	while (*at != entry)
		at = &((struct wire_link *)wire_table_at(t, *at))->next;
	*at = l->next;
	l->next = t->free;
	t->free = entry;
	t->used--;
}
