#include "load/shuffle.h"

static void
new_order(struct shuffle *s)
{
	for (int i = 0; i < 3; i++) {
		s->factor[i] = rng_next(&s->rng) | 1;
		s->term[i] = rng_next(&s->rng);
	}
	s->at = 0;
}

void
shuffle_init(struct shuffle *s, uint64_t n, uint64_t seed)
{
	unsigned bits = n > 1 ? 64u - (unsigned)__builtin_clzll(n - 1) : 1;

	s->n = n;
	s->mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
	s->shift = (bits + 1) / 2;
	s->rng.state = seed;
	new_order(s);
}

uint64_t
shuffle_of(const struct shuffle *s, uint64_t number)
{
	uint64_t x = number;

	/* Each step can be undone, so the whole is a bijection; fewer than two rounds of the outer loop are the mean. */
	do {
		for (int i = 0; i < 3; i++) {
			x = (x * s->factor[i] + s->term[i]) & s->mask;
			x ^= x >> s->shift;
		}
	} while (x >= s->n);
	return x;
}

uint64_t
shuffle_next(struct shuffle *s)
{
	if (s->at == s->n)
		new_order(s);
	return shuffle_of(s, s->at++);
}
