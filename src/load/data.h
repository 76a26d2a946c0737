/*
 * What is written: blocks that no array can compress or find twice, unless the job asks for it. A random pool is made once; a
 * write only stamps its buffer every 512 bytes, so that blocks differ at any size a store looks at. One thread.
 */
#ifndef LOAD_DATA_H
#define LOAD_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "load/rng.h"

struct data {
	uint8_t *pool;
	unsigned dedupe_pct;
	uint64_t stamp;		/* of the last new block */
	uint64_t salt;
	struct rng rng;
};

/*
 * Percentages as fio's dedupe_percentage and buffer_compress_percentage. Never the job's seed: what one run writes must
 * differ from what another wrote.
 */
void data_init(struct data *, unsigned dedupe_pct, unsigned compress_pct);
void data_free(struct data *);
/* Once for each buffer, before the first write from it. */
void data_prepare(struct data *, uint8_t *buf, size_t bytes);
/* Before each write: makes the buffer's blocks new, or copies of the one before. */
void data_fill(struct data *, uint8_t *buf, size_t bytes);

#endif
