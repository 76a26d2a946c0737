/*
 * Within session/: what a test will write, in words for who has to say yes. Pure but for the choice of the engine.
 */
#ifndef SESSION_TEST_AMOUNT_H
#define SESSION_TEST_AMOUNT_H

#include "session/test_plan.h"

#define TEST_AMOUNT 160

/*
 * "at most 4 GiB" of jobs that end by their amount; "any part of it, up to 64 GiB, again and again for 35 s" of those that go on
 * until their time is over. "" where nothing is written, or the jobs do not fit the target.
 */
void test_amount(const struct test_plan *, const struct test_request *, const struct target_facts *, char *out, size_t size);

#endif
