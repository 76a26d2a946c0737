/*
 * A depth curve: the same test at growing depth. Where does more depth buy latency instead of IOPS, and how many IOPS are there
 * below a latency? And what several runs of the same come to. Pure; any thread.
 */
#ifndef CORE_CURVE_H
#define CORE_CURVE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/result.h"

#define CURVE_NONE SIZE_MAX
/* Limits of p99, in ms, that people ask for. */
#define CURVE_LIMITS 9
extern const double curve_limits_ms[CURVE_LIMITS];

/* Is it a curve: the same workload at depths that grow from step to step? */
bool curve_is(const struct result *const *, size_t n);
/*
 * The last step worth its latency: the next one gains less than 10 % of IOPS and costs more than 50 % of mean latency. CURVE_NONE
 * where every step paid.
 */
size_t curve_knee(const struct result *const *, size_t n);
/* The step with the most IOPS among those whose p99 is known and at most p99_ms; CURVE_NONE: none is. */
size_t curve_within(const struct result *const *, size_t n, double p99_ms);

/* Of the values that are no NaN. sd is the sample's (n - 1), NaN below two; cv is sd over mean. */
struct summary {
	size_t n;
	double mean, sd, cv, min, max;
};
#define SUMMARY_CV_FLAG 0.05	/* above it the runs do not agree */
void summary_of(struct summary *, const double *values, size_t n);

#endif
