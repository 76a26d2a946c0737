/*
 * A map from uid to a number (the index of a row), made for one use and thrown away.
 */
#ifndef CORE_UIDMAP_H
#define CORE_UIDMAP_H

#include <stddef.h>
#include <stdint.h>

struct uidmap {
	size_t mask;		/* slots - 1; 0: none made */
	uint64_t *keys;		/* 0: free (no uid is 0) */
	uint32_t *values;
};

/* Room for n entries. */
void uidmap_init(struct uidmap *, size_t n);
void uidmap_put(struct uidmap *, uint64_t uid, size_t value);
/* SIZE_MAX where it is not there. */
size_t uidmap_get(const struct uidmap *, uint64_t uid);
void uidmap_clear(struct uidmap *);

#endif
