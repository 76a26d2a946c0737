/*
 * The numbers 0 .. n - 1 in an order that looks random, each once a pass, without a map of those that were: a
 * bijection over the next power of two, and what is n or more is passed over. Each pass has another order. One thread.
 */
#ifndef LOAD_SHUFFLE_H
#define LOAD_SHUFFLE_H

#include <stdint.h>

#include "load/rng.h"

struct shuffle {
	uint64_t n, at;		/* of this pass */
	uint64_t mask;
	unsigned shift;
	uint64_t factor[3], term[3];	/* of this pass; factors are odd */
	struct rng rng;
};

/* n above 0. */
void shuffle_init(struct shuffle *, uint64_t n, uint64_t seed);
/* Place of a number in the present order; always the same within a pass. */
uint64_t shuffle_of(const struct shuffle *, uint64_t number);
uint64_t shuffle_next(struct shuffle *);

#endif
