#include "core/hist.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"

#define MAX_BITS 10

/*
 * Values below 2^bits have a bucket each. Above, the top bits + 1 bits of a value number its bucket:
 * the position of the highest bit chooses the power of two, the next `bits` the sub-bucket.
 */
uint32_t
hist_bucket(unsigned bits, uint64_t ns)
{
	unsigned high, shift;

	if (ns < (UINT64_C(1) << bits))
		return (uint32_t)ns;
	high = 63u - (unsigned)__builtin_clzll(ns);
	shift = high - bits;
	return (uint32_t)(((uint64_t)shift << bits) + (ns >> shift));
}

uint64_t
hist_low_ns(unsigned bits, uint32_t bucket)
{
	uint32_t per = UINT32_C(1) << bits;
	unsigned shift;

	if (bucket >> bits == 0)
		return bucket;
	shift = (bucket >> bits) - 1;
	return (uint64_t)((bucket & (per - 1)) | per) << shift;
}

uint64_t
hist_high_ns(unsigned bits, uint32_t bucket)
{
	if (bucket >= hist_bucket(bits, UINT64_MAX))
		return UINT64_MAX;
	return hist_low_ns(bits, bucket + 1);
}

struct hist *
hist_new(unsigned bits)
{
	struct hist *h = xcalloc(1, sizeof(*h));

	h->bits = bits;
	h->min_ns = UINT64_MAX;
	return h;
}

void
hist_free(struct hist *h)
{
	if (h == NULL)
		return;
	free(h->buckets);
	free(h);
}

struct hist *
hist_copy(const struct hist *h)
{
	struct hist *copy;

	if (h == NULL)
		return NULL;
	copy = xmalloc(sizeof(*copy));
	*copy = *h;
	copy->buckets = NULL;
	if (h->n > 0) {
		copy->buckets = xreallocarray(NULL, h->n, sizeof(*h->buckets));
		memcpy(copy->buckets, h->buckets, h->n * sizeof(*h->buckets));
	}
	return copy;
}

/* Makes the window hold buckets first .. last. */
static void
widen(struct hist *h, uint32_t first, uint32_t last)
{
	uint32_t new_first, new_last, n;
	uint64_t *buckets;

	if (h->n > 0 && first >= h->first && last < h->first + h->n)
		return;
	new_first = h->n > 0 && h->first < first ? h->first : first;
	new_last = h->n > 0 && h->first + h->n - 1 > last ? h->first + h->n - 1 : last;
	n = new_last - new_first + 1;
	buckets = xcalloc(n, sizeof(*buckets));
	if (h->n > 0)
		memcpy(buckets + (h->first - new_first), h->buckets, h->n * sizeof(*buckets));
	free(h->buckets);
	h->buckets = buckets;
	h->first = new_first;
	h->n = n;
}

void
hist_add_value(struct hist *h, uint64_t ns, uint64_t times)
{
	uint32_t bucket = hist_bucket(h->bits, ns);

	if (times == 0)
		return;
	widen(h, bucket, bucket);
	h->buckets[bucket - h->first] += times;
	h->count += times;
	h->sum_ns += ns * times;
	if (ns < h->min_ns)
		h->min_ns = ns;
	if (ns > h->max_ns)
		h->max_ns = ns;
}

/* The bucket of a finer scheme within a coarser one: schemes nest. */
static uint32_t
coarser(unsigned from, unsigned to, uint32_t bucket)
{
	return from == to ? bucket : hist_bucket(to, hist_low_ns(from, bucket));
}

int
hist_add(struct hist *into, const struct hist *from)
{
	if (from == NULL || from->count == 0)
		return 0;
	if (from->bits < into->bits)
		return -EINVAL;
	widen(into, coarser(from->bits, into->bits, from->first),
	    coarser(from->bits, into->bits, from->first + from->n - 1));
	for (uint32_t i = 0; i < from->n; i++)
		into->buckets[coarser(from->bits, into->bits, from->first + i) - into->first] +=
		    from->buckets[i];
	into->count += from->count;
	into->sum_ns += from->sum_ns;
	if (from->min_ns < into->min_ns)
		into->min_ns = from->min_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	return 0;
}

void
hist_merge(struct hist **into, const struct hist *from)
{
	struct hist *sum;

	if (from == NULL)
		return;
	if (*into != NULL && hist_add(*into, from) == 0)
		return;
	sum = hist_copy(from);
	hist_add(sum, *into);
	hist_free(*into);
	*into = sum;
}

static uint64_t
bucket_count(const struct hist *h, uint32_t bucket)
{
	return h != NULL && bucket >= h->first && bucket - h->first < h->n ?
	    h->buckets[bucket - h->first] : 0;
}

/* Min and max of a difference are only known to the bucket, within what was seen in all. */
static void
bound_by_buckets(struct hist *h, const struct hist *later)
{
	uint32_t low = 0, high = h->n - 1;

	while (h->buckets[low] == 0)
		low++;
	while (h->buckets[high] == 0)
		high--;
	h->min_ns = hist_low_ns(h->bits, h->first + low);
	h->max_ns = hist_high_ns(h->bits, h->first + high) - 1;
	if (h->min_ns < later->min_ns)
		h->min_ns = later->min_ns;
	if (h->max_ns > later->max_ns)
		h->max_ns = later->max_ns;
}

struct hist *
hist_sub(const struct hist *later, const struct hist *earlier)
{
	struct hist *h = hist_copy(later);

	if (h == NULL || earlier == NULL || earlier->count == 0)
		return h;
	if (h->buckets == NULL || earlier->bits != h->bits || earlier->count > h->count || earlier->sum_ns > h->sum_ns)
		goto reset;
	for (uint32_t i = 0; i < earlier->n; i++)
		if (earlier->buckets[i] > bucket_count(h, earlier->first + i))
			goto reset;
	for (uint32_t i = 0; i < h->n; i++)
		h->buckets[i] -= bucket_count(earlier, h->first + i);
	h->count -= earlier->count;
	h->sum_ns -= earlier->sum_ns;
	if (h->count > 0) {
		bound_by_buckets(h, later);
		return h;
	}
	hist_free(h);
	return hist_new(later->bits);
reset:
	hist_free(h);
	return NULL;
}

double
hist_quantile_ns(const struct hist *h, double q)
{
	uint64_t rank, seen = 0;

	if (h == NULL || h->count == 0)
		return NAN;
	rank = (uint64_t)ceil(q * (double)h->count);
	if (rank == 0)
		rank = 1;
	if (q >= 1 || rank >= h->count)
		return (double)h->max_ns;
	for (uint32_t i = 0; i < h->n; i++) {
		double low, high, middle;

		seen += h->buckets[i];
		if (seen < rank)
			continue;
		low = (double)hist_low_ns(h->bits, h->first + i);
		high = (double)hist_high_ns(h->bits, h->first + i);
		middle = low + (high - 1 - low) / 2;
		return fmin(fmax(middle, (double)h->min_ns), (double)h->max_ns);
	}
	return (double)h->max_ns;
}

double
hist_mean_ns(const struct hist *h)
{
	return h != NULL && h->count > 0 ? (double)h->sum_ns / (double)h->count : NAN;
}

static size_t
put_varint(unsigned char *out, uint64_t value)
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		out[n++] = (unsigned char)(value | 0x80);
	out[n++] = (unsigned char)value;
	return n;
}

struct cursor {
	const unsigned char *p, *end;
	int ok;
};

static uint64_t
get_varint(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && c->p < c->end; shift += 7) {
		unsigned char byte = *c->p++;

		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	c->ok = 0;
	return 0;
}

#define VARINT_MAX 10

unsigned char *
hist_encode(const struct hist *h, size_t *len)
{
	unsigned char *out;
	uint32_t next = 0;
	size_t n = 0;

	*len = 0;
	if (h == NULL || h->count == 0)
		return NULL;
	out = xmalloc(VARINT_MAX * (5 + 2 * (size_t)h->n));
	n += put_varint(out + n, h->bits);
	n += put_varint(out + n, h->sum_ns);
	n += put_varint(out + n, h->min_ns);
	n += put_varint(out + n, h->max_ns - h->min_ns);
	for (uint32_t i = 0; i < h->n; i++) {
		if (h->buckets[i] == 0)
			continue;
		n += put_varint(out + n, h->first + i - next);
		n += put_varint(out + n, h->buckets[i]);
		next = h->first + i + 1;
	}
	*len = n;
	return out;
}

/* One (gap, count) pair; *next is the bucket after the last one. */
static uint64_t
get_bucket(struct cursor *c, uint32_t limit, uint64_t *next)
{
	uint64_t gap = get_varint(c), count = get_varint(c);

	if (gap > limit || *next + gap > limit || count == 0)
		c->ok = 0;
	else
		*next += gap + 1;
	return count;
}

/* Twice over the pairs: first for the size of the window, so that it is made once. */
static int
decode_buckets(struct cursor *c, struct hist *h)
{
	uint32_t limit = hist_bucket(h->bits, UINT64_MAX);
	struct cursor ahead = *c;
	uint64_t first = 0, next = 0;

	if (ahead.p == ahead.end)
		return 0;
	get_bucket(&ahead, limit, &first);
	next = first;
	while (ahead.ok && ahead.p < ahead.end)
		get_bucket(&ahead, limit, &next);
	if (!ahead.ok)
		return 0;
	widen(h, (uint32_t)first - 1, (uint32_t)next - 1);
	next = 0;
	while (c->p < c->end) {
		uint64_t count = get_bucket(c, limit, &next);

		if (count > UINT64_MAX - h->count)
			return 0;
		h->buckets[next - 1 - h->first] = count;
		h->count += count;
	}
	return 1;
}

struct hist *
hist_decode(const unsigned char *data, size_t len)
{
	struct cursor c = { .p = data, .end = data + len, .ok = data != NULL };
	uint64_t bits, spread;
	struct hist *h;

	if (!c.ok)
		return NULL;
	bits = get_varint(&c);
	if (!c.ok || bits > MAX_BITS)
		return NULL;
	h = hist_new((unsigned)bits);
	h->sum_ns = get_varint(&c);
	h->min_ns = get_varint(&c);
	spread = get_varint(&c);
	c.ok = c.ok && spread <= UINT64_MAX - h->min_ns;
	h->max_ns = c.ok ? h->min_ns + spread : 0;
	if (c.ok && decode_buckets(&c, h) && h->min_ns >= hist_low_ns(h->bits, h->first) &&
	    h->max_ns <= hist_high_ns(h->bits, h->first + h->n - 1))
		return h;
	hist_free(h);
	return NULL;
}
