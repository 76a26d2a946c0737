/*
 * cmocka's comparison of floats holds when either side is no number: an absent figure would pass for any value. To be included
 * after cmocka.h wherever figures are compared.
 */
#ifndef TESTS_NAN_FAILS_H
#define TESTS_NAN_FAILS_H

#include <math.h>

#undef assert_float_equal
#define assert_float_equal(a, b, epsilon) \
	do { \
		const double a_ = (double)(a), b_ = (double)(b); \
 \
		if (!(fabs(a_ - b_) <= (double)(epsilon))) \
			fail_msg("%.9g is not %.9g", a_, b_); \
	} while (0)

#endif
