#include "load/counters.h"

#include "core/xalloc.h"

#define RELAXED memory_order_relaxed

void
live_hist_init(struct live_hist *h)
{
	counter_set(&h->sum_ns, 0);
	counter_set(&h->min_ns, UINT64_MAX);
	counter_set(&h->max_ns, 0);
	atomic_store_explicit(&h->low, UINT32_MAX, RELAXED);
	atomic_store_explicit(&h->high, 0, RELAXED);
	for (size_t i = 0; i < LOAD_HIST_BUCKETS; i++)
		counter_set(&h->buckets[i], 0);
}

void
live_hist_widen(struct live_hist *h, uint32_t bucket)
{
	if (bucket < atomic_load_explicit(&h->low, RELAXED))
		atomic_store_explicit(&h->low, bucket, RELAXED);
	if (bucket > atomic_load_explicit(&h->high, RELAXED))
		atomic_store_explicit(&h->high, bucket, RELAXED);
}

/*
 * A bucket that comes into use while this reads may be outside the window read before: its I/Os are in the next
 * copy. What was in a copy is in all later ones.
 */
struct hist *
live_hist_copy(const struct live_hist *h)
{
	uint32_t low = atomic_load_explicit(&h->low, RELAXED), high = atomic_load_explicit(&h->high, RELAXED);
	struct hist *copy;

	if (low > high)
		return NULL;
	copy = hist_new(LOAD_HIST_BITS);
	copy->first = low;
	copy->n = high - low + 1;
	copy->buckets = xcalloc(copy->n, sizeof(*copy->buckets));
	for (uint32_t i = 0; i < copy->n; i++) {
		copy->buckets[i] = counter_get(&h->buckets[low + i]);
		copy->count += copy->buckets[i];
	}
	copy->sum_ns = counter_get(&h->sum_ns);
	copy->min_ns = counter_get(&h->min_ns);
	copy->max_ns = counter_get(&h->max_ns);
	return copy;
}

void
load_counters_init(struct load_counters *c)
{
	for (int dir = 0; dir < IO_DIRS; dir++) {
		counter_set(&c->ios[dir], 0);
		counter_set(&c->errors[dir], 0);
		live_hist_init(&c->latency[dir]);
	}
	for (int dir = 0; dir < JOB_DIRS; dir++) {
		counter_set(&c->bytes[dir], 0);
		live_hist_init(&c->response[dir]);
	}
	counter_set(&c->in_flight, 0);
	counter_set(&c->late, 0);
	counter_set(&c->weighted_ns, 0);
	counter_set(&c->phase, 0);
}
