/*
 * What can be clicked, noted while it is drawn: a click does what a key does, or chooses a line or column.
 * Main thread.
 */
#ifndef VIEWS_ZONES_H
#define VIEWS_ZONES_H

#include <stddef.h>
#include <stdint.h>

enum zone_type { ZONE_NONE, ZONE_KEY, ZONE_COLUMN, ZONE_LINE };

struct zone {
	int y, x, width;
	enum zone_type type;
	uint32_t value;	/* the key; the column (as int); the line */
};

struct zones {
	size_t n, cap;
	struct zone *list;
};

void zones_reset(struct zones *);	/* nothing can be clicked */
void zones_clear(struct zones *);	/* gives the memory back */
/* NULL zones: nothing. */
void zones_add(struct zones *, int y, int x, int width, enum zone_type, uint32_t value);
/* The zone drawn last at this place, or NULL. */
const struct zone *zones_at(const struct zones *, int y, int x);

#endif
