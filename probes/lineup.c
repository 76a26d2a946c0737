#include "probes/lineup.h"

#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"

static bool
has_name(const struct lineup_entry *entry, const char *name, size_t len)
{
	const char *own = entry->object->name;

	return strncmp(own, name, len) == 0 && own[len] == '\0';
}

static void
drop(struct lineup_entry *entry)
{
	object_unref(entry->object);
	free(entry->data);
}

void
lineup_begin(struct lineup *lineup)
{
	lineup->next = 0;
	for (size_t i = 0; i < lineup->n; i++)
		lineup->entries[i].taken = false;
}

struct lineup_entry *
lineup_find(struct lineup *lineup, const char *name, size_t len)
{
	for (size_t i = 0; i < lineup->n; i++) {
		if (has_name(&lineup->entries[i], name, len))
			return &lineup->entries[i];
	}
	return NULL;
}

static struct lineup_entry *
add(struct lineup *lineup)
{
	struct lineup_entry *entry;

	if (lineup->n == lineup->cap) {
		lineup->cap = lineup->cap == 0 ? 16 : lineup->cap * 2;
		lineup->entries = xreallocarray(lineup->entries, lineup->cap, sizeof(*lineup->entries));
	}
	entry = &lineup->entries[lineup->n++];
	*entry = (struct lineup_entry){ .taken = true };
	return entry;
}

struct lineup_entry *
lineup_take(struct lineup *lineup, const char *name, size_t len)
{
	struct lineup_entry *entry;

	if (lineup->next < lineup->n && has_name(&lineup->entries[lineup->next], name, len))
		entry = &lineup->entries[lineup->next];
	else
		entry = lineup_find(lineup, name, len);
	if (entry == NULL)
		return add(lineup);
	if (entry->taken)
		return NULL;
	entry->taken = true;
	lineup->next = (size_t)(entry - lineup->entries) + 1;
	return entry;
}

void
lineup_end(struct lineup *lineup)
{
	size_t kept = 0;

	for (size_t i = 0; i < lineup->n; i++) {
		if (lineup->entries[i].taken)
			lineup->entries[kept++] = lineup->entries[i];
		else
			drop(&lineup->entries[i]);
	}
	lineup->n = kept;
}

void
lineup_clear(struct lineup *lineup)
{
	for (size_t i = 0; i < lineup->n; i++)
		drop(&lineup->entries[i]);
	free(lineup->entries);
	*lineup = (struct lineup){ 0 };
}
