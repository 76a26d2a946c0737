#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/hist.h"
#include "tests/nan_fails.h"

/* 3 bits: 8 buckets of 1 ns, then 8 to each power of two. 16 = 2^4 begins the third row. */
static void
test_buckets_of_three_bits(void **state)
{
	static const struct { uint64_t ns; uint32_t bucket; uint64_t low, high; } cases[] = {
		{ 0, 0, 0, 1 }, { 7, 7, 7, 8 }, { 8, 8, 8, 9 }, { 15, 15, 15, 16 },
		{ 16, 16, 16, 18 }, { 17, 16, 16, 18 }, { 31, 23, 30, 32 }, { 32, 24, 32, 36 },
		{ 1000000, 143, 983040, 1048576 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(hist_bucket(3, cases[i].ns), cases[i].bucket);
		assert_int_equal(hist_low_ns(3, cases[i].bucket), cases[i].low);
		assert_int_equal(hist_high_ns(3, cases[i].bucket), cases[i].high);
	}
	assert_int_equal(hist_high_ns(3, hist_bucket(3, UINT64_MAX)), UINT64_MAX);
}

static void
test_schemes_nest(void **state)
{
	(void)state;
	for (uint32_t fine = 0; fine < hist_bucket(6, UINT64_C(1) << 40); fine += 7) {
		uint64_t low = hist_low_ns(6, fine), high = hist_high_ns(6, fine);

		assert_int_equal(hist_bucket(3, low), hist_bucket(3, high - 1));
	}
}

/* KB 309140's example: four commands of 1 ms and one of 500 ms have a mean of 100.8 ms. */
static void
test_quantiles(void **state)
{
	struct hist *h = hist_new(6);

	(void)state;
	assert_true(isnan(hist_quantile_ns(h, 0.5)));
	assert_true(isnan(hist_mean_ns(h)));
	hist_add_value(h, 1000000, 4);
	hist_add_value(h, 500000000, 1);
	assert_float_equal(hist_mean_ns(h), 100.8e6, 1);
	/* 1,000,000 lies in the bucket [999424, 1007616), whose middle is 1,003,519.5 */
	assert_float_equal(hist_quantile_ns(h, 0.5), 1003519.5, 0.01);
	assert_float_equal(hist_quantile_ns(h, 0.8), 1003519.5, 0.01);
	assert_float_equal(hist_quantile_ns(h, 0.81), 500000000, 0.01);
	assert_float_equal(hist_quantile_ns(h, 1), 500000000, 0.01);
	hist_free(h);
}

static void
test_add_merges_finer_into_coarser(void **state)
{
	struct hist *coarse = hist_new(3), *fine = hist_new(6);

	(void)state;
	hist_add_value(coarse, 20, 2);
	hist_add_value(fine, 1000000, 3);
	assert_int_equal(hist_add(coarse, fine), 0);
	assert_int_equal(coarse->count, 5);
	assert_int_equal(coarse->sum_ns, 40 + 3000000);
	assert_int_equal(coarse->min_ns, 20);
	assert_int_equal(coarse->max_ns, 1000000);
	assert_int_equal(coarse->buckets[143 - coarse->first], 3);
	assert_int_equal(hist_add(fine, coarse), -EINVAL);
	hist_free(coarse);
	hist_free(fine);
}

static void
test_subtraction_and_reset(void **state)
{
	struct hist *a = hist_new(3), *b, *d;

	(void)state;
	hist_add_value(a, 20, 2);
	b = hist_copy(a);
	hist_add_value(b, 20, 1);
	hist_add_value(b, 5000, 4);
	d = hist_sub(b, a);
	assert_int_equal(d->count, 5);
	assert_int_equal(d->sum_ns, 20 + 20000);
	assert_int_equal(d->min_ns, 20);
	assert_int_equal(d->max_ns, 5000);
	assert_null(hist_sub(a, b));
	hist_free(d);
	d = hist_sub(a, a);
	assert_int_equal(d->count, 0);
	hist_free(d);
	hist_free(a);
	hist_free(b);
}

static void
test_encoding_round_trip(void **state)
{
	struct hist *h = hist_new(6), *back;
	unsigned char *data;
	size_t len;

	(void)state;
	assert_null(hist_encode(h, &len));
	assert_int_equal(len, 0);
	hist_add_value(h, 90000, 130);
	hist_add_value(h, 91000, 1);
	hist_add_value(h, 7000000000, 2);
	data = hist_encode(h, &len);
	back = hist_decode(data, len);
	assert_non_null(back);
	assert_int_equal(back->bits, 6);
	assert_int_equal(back->count, 133);
	assert_int_equal(back->sum_ns, h->sum_ns);
	assert_int_equal(back->min_ns, 90000);
	assert_int_equal(back->max_ns, 7000000000);
	assert_int_equal(back->first, h->first);
	assert_int_equal(back->n, h->n);
	assert_memory_equal(back->buckets, h->buckets, h->n * sizeof(*h->buckets));
	for (size_t cut = 0; cut < len; cut++)
		hist_free(hist_decode(data, cut));
	assert_null(hist_decode(data, 3));
	free(data);
	hist_free(back);
	hist_free(h);
}

static void
test_decode_refuses_nonsense(void **state)
{
	static const unsigned char bits[] = { 40, 1, 1, 1, 1, 1 };
	static const unsigned char far[] = { 3, 1, 1, 1, 0xff, 0xff, 0xff, 0xff, 0x7f, 1 };
	static const unsigned char zero[] = { 3, 1, 1, 1, 1, 0 };

	(void)state;
	assert_null(hist_decode(NULL, 0));
	assert_null(hist_decode(bits, sizeof(bits)));
	assert_null(hist_decode(far, sizeof(far)));
	assert_null(hist_decode(zero, sizeof(zero)));
}

/* Whichever comes first, the coarser takes both; nothing adds nothing. */
static void
test_merge(void **state)
{
	struct hist *fine = hist_new(6), *coarse = hist_new(3), *sum = NULL;

	(void)state;
	hist_add_value(fine, 1000000, 3);
	hist_add_value(coarse, 20, 2);
	hist_merge(&sum, NULL);
	assert_null(sum);
	hist_merge(&sum, fine);
	assert_int_equal(sum->bits, 6);
	assert_int_equal(sum->count, 3);
	hist_merge(&sum, coarse);
	assert_int_equal(sum->bits, 3);
	assert_int_equal(sum->count, 5);
	assert_int_equal(sum->sum_ns, 3000040);
	hist_merge(&sum, fine);
	assert_int_equal(sum->bits, 3);
	assert_int_equal(sum->count, 8);
	assert_int_equal(fine->count, 3);
	hist_free(sum);
	hist_free(fine);
	hist_free(coarse);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets_of_three_bits),
		cmocka_unit_test(test_schemes_nest),
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_add_merges_finer_into_coarser),
		cmocka_unit_test(test_subtraction_and_reset),
		cmocka_unit_test(test_encoding_round_trip),
		cmocka_unit_test(test_decode_refuses_nonsense),
		cmocka_unit_test(test_merge),
	};

	return cmocka_run_group_tests_name("core/hist", tests, NULL, NULL);
}
