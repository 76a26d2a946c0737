#include "load/data.h"

#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"

#define SECTOR 512
#define BLOCK 4096		/* what stores find twice is seldom smaller */
#define POOL ((size_t)1 << 20)
#define WORD sizeof(uint64_t)

/* A share of each sector is zeros, at its end: compressible whatever block a store compresses. */
void
data_init(struct data *d, unsigned dedupe_pct, unsigned compress_pct)
{
	size_t zeros = (size_t)SECTOR * (compress_pct < 100 ? compress_pct : 100) / 100;

	*d = (struct data){ .dedupe_pct = dedupe_pct, .rng = { .state = rng_seed() } };
	d->salt = rng_next(&d->rng);
	d->pool = xmalloc(POOL);
	for (size_t at = 0; at < POOL; at += WORD) {
		uint64_t word = rng_next(&d->rng);

		memcpy(d->pool + at, &word, WORD);
	}
	for (size_t at = 0; at < POOL; at += SECTOR)
		memset(d->pool + at + SECTOR - zeros, 0, zeros);
}

void
data_free(struct data *d)
{
	free(d->pool);
	d->pool = NULL;
}

void
data_prepare(struct data *d, uint8_t *buf, size_t bytes)
{
	/* Each buffer from another place of the pool, or equal buffers would differ by their stamps alone. */
	size_t at = (size_t)rng_below(&d->rng, POOL / BLOCK) * BLOCK;

	while (bytes > 0) {
		size_t n = bytes < POOL - at ? bytes : POOL - at;

		memcpy(buf, d->pool + at, n);
		buf += n;
		bytes -= n;
		at = 0;
	}
}

/* Sixteen bytes at the head of each sector: no two of a worker have the same, and none of two workers but by a rare chance. */
static void
stamp(const struct data *d, uint8_t *buf, size_t bytes, uint64_t number)
{
	uint64_t base = rng_mix(d->salt + number), head[2];

	for (size_t at = 0; at + sizeof(head) <= bytes; at += SECTOR) {
		head[0] = rng_mix(base + at);
		head[1] = head[0] ^ rng_mix((number << 16) + at / SECTOR);
		memcpy(buf + at, head, sizeof(head));
	}
}

/* Contents that follow from the number alone, so that a number used again gives the same block. */
static void
fill_block(const struct data *d, uint8_t *buf, size_t bytes, uint64_t number)
{
	memcpy(buf, d->pool + (rng_mix(number) & (POOL / BLOCK - 1)) * BLOCK, bytes);
	stamp(d, buf, bytes, number);
}

void
data_fill(struct data *d, uint8_t *buf, size_t bytes)
{
	if (d->dedupe_pct == 0) {
		stamp(d, buf, bytes, ++d->stamp);
		return;
	}
	for (size_t at = 0; at < bytes; at += BLOCK) {
		if (!rng_chance(&d->rng, d->dedupe_pct))
			d->stamp++;
		fill_block(d, buf + at, bytes - at < BLOCK ? bytes - at : BLOCK, d->stamp);
	}
}

