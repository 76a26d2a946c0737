/*
 * Log-linear histogram of latencies in nanoseconds. A scheme has 2^bits sub-buckets in each power
 * of two: 6 bits err by at most 1 %, 3 bits by 6 %. Schemes nest: a bucket of 6 bits lies whole in
 * one of 3. Only the window of buckets in use is kept. Count and sum are exact; min and max are exact
 * while measured live, and bounds of their bucket after a subtraction.
 *
 * Not thread-safe: one writer, or read-only.
 */
#ifndef CORE_HIST_H
#define CORE_HIST_H

#include <stddef.h>
#include <stdint.h>

struct hist {
	unsigned bits;
	uint32_t first, n;	/* window: buckets first .. first + n - 1 */
	uint64_t *buckets;	/* NULL when empty */
	uint64_t count;
	uint64_t sum_ns;
	uint64_t min_ns, max_ns;	/* UINT64_MAX and 0 when empty */
};

struct hist *hist_new(unsigned bits);
void hist_free(struct hist *);		/* NULL is fine */
struct hist *hist_copy(const struct hist *);	/* NULL gives NULL */
void hist_add_value(struct hist *, uint64_t ns, uint64_t times);
/* into += from; from may be finer (more bits) than into, never coarser: -EINVAL. NULL from: nothing. */
int hist_add(struct hist *into, const struct hist *from);
/* *into += from, both of them NULL or not; of two schemes the coarser takes both. */
void hist_merge(struct hist **into, const struct hist *from);
/*
 * A new histogram: later - earlier, of the same scheme. NULL where a bucket went back (a reset).
 * earlier NULL stands for empty.
 */
struct hist *hist_sub(const struct hist *later, const struct hist *earlier);
/*
 * The value at or below which fraction q of the values lie (0 < q <= 1), as the middle of its
 * bucket, never outside min and max; q 1.0 gives max. NaN where the histogram is NULL or empty.
 */
double hist_quantile_ns(const struct hist *, double q);
double hist_mean_ns(const struct hist *);	/* NaN when empty */

/* The bucket of a value, and the bounds of a bucket: [low, high). */
uint32_t hist_bucket(unsigned bits, uint64_t ns);
uint64_t hist_low_ns(unsigned bits, uint32_t bucket);
uint64_t hist_high_ns(unsigned bits, uint32_t bucket);

/*
 * Sparse varint form for the store: scheme, sum, min, max - min, then (gap, count) of each bucket in use.
 * encode returns a malloc'd block and its length, NULL and 0 for NULL or empty. decode returns NULL for anything
 * malformed; hostile input is safe.
 */
unsigned char *hist_encode(const struct hist *, size_t *len);
struct hist *hist_decode(const unsigned char *, size_t len);

#endif
