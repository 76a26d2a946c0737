/*
 * Random numbers for patterns and data: splitmix64, a counter behind a mixer. Fast, and any seed is as good as another.
 * Not for secrets. One thread.
 */
#ifndef LOAD_RNG_H
#define LOAD_RNG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/random.h>
#include <time.h>

struct rng {
	uint64_t state;
};

/* A bijection of 64 bits: near numbers come out far apart. */
static inline uint64_t
rng_mix(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static inline uint64_t
rng_next(struct rng *rng)
{
	rng->state += UINT64_C(0x9e3779b97f4a7c15);
	return rng_mix(rng->state);
}

/* A seed that no other run has. */
static inline uint64_t
rng_seed(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), 0) == (ssize_t)sizeof(seed))
		return seed;
	return rng_mix((uint64_t)time(NULL));
}

/* From 0 to n - 1, evenly; n above 0. A multiplication in place of a division. */
static inline uint64_t
rng_below(struct rng *rng, uint64_t n)
{
	return (uint64_t)((unsigned __int128)rng_next(rng) * n >> 64);
}

/* From 0 to below 1. */
static inline double
rng_unit(struct rng *rng)
{
	return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

/* True in pct of 100 cases; 0 and 100 are sure and take no number. */
static inline bool
rng_chance(struct rng *rng, unsigned pct)
{
	if (pct == 0 || pct >= 100)
		return pct != 0;
	return rng_below(rng, 100) < pct;
}

#endif
