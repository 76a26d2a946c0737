#include "core/curve.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define GAIN 1.1
#define COST 1.5

const double curve_limits_ms[CURVE_LIMITS] = { 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50 };

bool
curve_is(const struct result *const *steps, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (steps[i]->depth <= steps[i - 1]->depth || strcmp(steps[i]->workload, steps[0]->workload) != 0)
			return false;
	return n > 1 && steps[0]->depth > 0;
}

size_t
curve_knee(const struct result *const *steps, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const struct result_row *a = &steps[i - 1]->total, *b = &steps[i]->total;

		if (result_iops(b, RESULT_BOTH) < GAIN * result_iops(a, RESULT_BOTH) &&
		    result_mean_ms(b, RESULT_BOTH) > COST * result_mean_ms(a, RESULT_BOTH))
			return i - 1;
	}
	return CURVE_NONE;
}

size_t
curve_within(const struct result *const *steps, size_t n, double p99_ms)
{
	size_t best = CURVE_NONE;

	for (size_t i = 0; i < n; i++) {
		if (!(result_quantile_ms(&steps[i]->total, RESULT_BOTH, 0.99) <= p99_ms))
			continue;
		if (best == CURVE_NONE || result_iops(&steps[i]->total, RESULT_BOTH) > result_iops(&steps[best]->total, RESULT_BOTH))
			best = i;
	}
	return best;
}

void
summary_of(struct summary *s, const double *values, size_t n)
{
	double sum = 0, squares = 0;

	*s = (struct summary){ .mean = NAN, .sd = NAN, .cv = NAN, .min = NAN, .max = NAN };
	for (size_t i = 0; i < n; i++) {
		if (isnan(values[i]))
			continue;
		s->n++;
		sum += values[i];
		s->min = fmin(s->min, values[i]);
		s->max = fmax(s->max, values[i]);
	}
	if (s->n == 0)
		return;
	s->mean = sum / (double)s->n;
	for (size_t i = 0; i < n; i++)
		if (!isnan(values[i]))
			squares += (values[i] - s->mean) * (values[i] - s->mean);
	if (s->n > 1)
		s->sd = sqrt(squares / (double)(s->n - 1));
	if (s->mean > 0)
		s->cv = s->sd / s->mean;
}
