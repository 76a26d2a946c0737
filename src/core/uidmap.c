#include "core/uidmap.h"

#include <stdlib.h>

#include "core/xalloc.h"

void
uidmap_init(struct uidmap *m, size_t n)
{
	size_t slots = 8;

	while (slots < 2 * n)
		slots *= 2;
	m->mask = slots - 1;
	m->keys = xcalloc(slots, sizeof(*m->keys));
	m->values = xcalloc(slots, sizeof(*m->values));
}

static size_t
slot_of(const struct uidmap *m, uint64_t uid)
{
	/* uids are handed out in a row; the multiplication (2^64 / golden ratio) spreads them. */
	size_t i = (size_t)(uid * UINT64_C(0x9E3779B97F4A7C15) >> 32) & m->mask;

	while (m->keys[i] != 0 && m->keys[i] != uid)
		i = (i + 1) & m->mask;
	return i;
}

void
uidmap_put(struct uidmap *m, uint64_t uid, size_t value)
{
	size_t i = slot_of(m, uid);

	m->keys[i] = uid;
	m->values[i] = (uint32_t)value;
}

size_t
uidmap_get(const struct uidmap *m, uint64_t uid)
{
	size_t i;

	if (m->keys == NULL || uid == 0)
		return SIZE_MAX;
	i = slot_of(m, uid);
	return m->keys[i] == uid ? m->values[i] : SIZE_MAX;
}

void
uidmap_clear(struct uidmap *m)
{
	free(m->keys);
	free(m->values);
	*m = (struct uidmap){ 0 };
}
