#include "load/spread.h"

#include <math.h>
#include <stdlib.h>

#include "core/xalloc.h"

/*
 * Integral of x^-theta and its inverse, both good near theta 1 too. Zipf numbers come by rejection-inversion (W. Hoermann and
 * G. Derflinger, 1996): no table of the size of the area, two numbers a draw at most in the mean.
 */
static double
area(double x, double theta)
{
	double log_x = log(x), a = (1 - theta) * log_x;

	return fabs(a) > 1e-8 ? expm1(a) / (1 - theta) : log_x * (1 + a / 2);
}

static double
area_inverse(double y, double theta)
{
	double t = fmax(y * (1 - theta), -1);

	return fabs(t) > 1e-8 ? exp(log1p(t) / (1 - theta)) : exp(y * (1 - t / 2));
}

static void
zipf_init(struct spread *s)
{
	s->low = area(1.5, s->theta) - 1;
	s->high = area((double)s->n + 0.5, s->theta);
	s->accept = 2 - area_inverse(area(2.5, s->theta) - pow(2, -s->theta), s->theta);
}

/* Rank from 0: the most frequent first. */
static uint64_t
zipf_rank(const struct spread *s, struct rng *rng)
{
	for (;;) {
		double u = s->high + rng_unit(rng) * (s->low - s->high);
		double x = area_inverse(u, s->theta);
		double k = fmin(fmax(floor(x + 0.5), 1), (double)s->n);

		if (k - x <= s->accept || u >= area(k + 0.5, s->theta) - pow(k, -s->theta))
			return (uint64_t)k - 1;
	}
}

/* h of the accesses go to 1 - h of the places, and so on within those. */
static uint64_t
pareto_rank(const struct spread *s, struct rng *rng)
{
	return (uint64_t)((double)(s->n - 1) * pow(rng_unit(rng), s->exponent));
}

/* The middle comes first: 0, then its neighbours. */
static uint64_t
normal_offset(const struct spread *s, struct rng *rng)
{
	double half = (double)s->n / 2, x;

	do {
		double radius = sqrt(-2 * log(1 - rng_unit(rng)));

		x = half + s->deviation * radius * cos(2 * M_PI * rng_unit(rng));
	} while (x < 0 || x >= (double)s->n);
	return (uint64_t)x;
}

static uint64_t
zoned_place(const struct spread *s, struct rng *rng)
{
	double u = rng_unit(rng);
	size_t i = 0;

	while (i + 1 < s->n_zones && u >= s->zones[i].upto)
		i++;
	return s->zones[i].first + rng_below(rng, s->zones[i].n);
}

/* Zones that reach beyond the area end with it; each has at least one place. */
static void
zones_init(struct spread *s, const struct job_pattern *p, uint64_t place_bytes)
{
	uint64_t first = 0;
	double upto = 0, all = 0;

	for (size_t i = 0; i < p->n_zones; i++)
		all += p->zones[i].access_pct;
	s->zones = xcalloc(p->n_zones, sizeof(*s->zones));
	for (size_t i = 0; i < p->n_zones; i++) {
		const struct job_zone *zone = &p->zones[i];
		uint64_t n = p->distribution == DIST_ZONED ? (uint64_t)llround((double)s->n * zone->size_pct / 100)
		    : zone->bytes / place_bytes;

		upto += zone->access_pct;
		if (first >= s->n)
			first = s->n - 1;
		if (n == 0)
			n = 1;
		if (n > s->n - first || (i + 1 == p->n_zones && p->distribution == DIST_ZONED))
			n = s->n - first;
		s->zones[s->n_zones++] = (struct spread_zone){ upto / all, first, n };
		first += n;
	}
}

void
spread_init(struct spread *s, const struct job_pattern *p, uint64_t n, uint64_t place_bytes, uint64_t seed)
{
	*s = (struct spread){ .kind = p->distribution, .n = n, .theta = p->theta };
	s->scattered = p->centre < 0;
	s->centre = s->scattered ? 0 : (uint64_t)((double)n * fmin(p->centre, 1)) % n;
	shuffle_init(&s->scatter, n, seed);
	switch (p->distribution) {
	case DIST_ZIPF:
		zipf_init(s);
		break;
	case DIST_PARETO:
		s->exponent = log(p->theta) / log(1 - p->theta);
		break;
	case DIST_NORMAL:
		s->deviation = fmin((double)n * p->theta / 100, (double)n / 2);
		break;
	case DIST_ZONED:
	case DIST_ZONED_ABS:
		zones_init(s, p, place_bytes);
		break;
	case DIST_RANDOM:
		break;
	}
}

void
spread_free(struct spread *s)
{
	free(s->zones);
	s->zones = NULL;
}

/* The hot places lie anywhere, or from the centre on. */
static uint64_t
placed(const struct spread *s, uint64_t rank)
{
	if (s->scattered)
		return shuffle_of(&s->scatter, rank);
	rank += s->centre;
	return rank < s->n ? rank : rank - s->n;
}

uint64_t
spread_next(struct spread *s, struct rng *rng)
{
	switch (s->kind) {
	case DIST_ZIPF:
		return placed(s, zipf_rank(s, rng));
	case DIST_PARETO:
		return placed(s, pareto_rank(s, rng));
	case DIST_NORMAL:
		return placed(s, normal_offset(s, rng));
	case DIST_ZONED:
	case DIST_ZONED_ABS:
		return zoned_place(s, rng);
	case DIST_RANDOM:
		break;
	}
	return rng_below(rng, s->n);
}
