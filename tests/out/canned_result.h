/*
 * Results by hand for the tests of their text.
 */
#ifndef TESTS_OUT_CANNED_RESULT_H
#define TESTS_OUT_CANNED_RESULT_H

#include "core/result.h"

/*
 * Two workers for 30 s: 10473 and 10474 IOPS, 70 % reads of 4 KiB at 0.5 ms, writes at 1.25 ms, nine in a thousand ten times as long.
 */
struct result *canned_result(void);
/* A step of a curve, or one of several runs: so many IOPS at one latency. */
struct result *canned_step(unsigned depth, uint64_t iops, uint64_t us);

/* A run without workers: only what the device did. */
struct result *canned_listen(void);

#endif
