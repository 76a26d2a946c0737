/*
 * A hash table with a fixed number of entries, all made at the start, so that nothing is allocated per packet and nothing
 * a sender does makes it grow. An entry's number is 1 or more; 0 is none. Each entry begins with a struct wire_link. One thread.
 */
#ifndef WIRE_TABLE_H
#define WIRE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct wire_link {
	uint32_t next;	/* of the same bucket, or of the free entries */
	uint32_t hash;
};

struct wire_table {
	uint32_t *buckets;
	unsigned char *entries;	/* entry 0 is never used */
	size_t entry_bytes;
	uint32_t mask, size, used, free;
};

void wire_table_init(struct wire_table *, uint32_t size, size_t entry_bytes);
void wire_table_clear(struct wire_table *);
/* A zeroed entry under this hash, or 0 when full. */
uint32_t wire_table_take(struct wire_table *, uint32_t hash);
void wire_table_drop(struct wire_table *, uint32_t entry);

static inline void *
wire_table_at(const struct wire_table *t, uint32_t entry)
{
	return t->entries + entry * t->entry_bytes;
}

/* The first that may have this hash; the next by its link. */
static inline uint32_t
wire_table_first(const struct wire_table *t, uint32_t hash)
{
	return t->buckets[hash & t->mask];
}

/* Mixes a word into a hash (the constant is 2^64 / golden ratio). */
static inline uint64_t
wire_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
	return hash ^ hash >> 32;
}

#endif
