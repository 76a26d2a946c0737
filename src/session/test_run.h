/*
 * Within session/: what session.c asks of the test at hand.
 */
#ifndef SESSION_TEST_RUN_H
#define SESSION_TEST_RUN_H

#include "session/test.h"

struct test;

struct test_place {	/* what a test needs of its session */
	struct board *board;
	struct sink *store;	/* NULL: not recorded */
	const char *store_path;	/* of the database; NULL: not recorded */
};

int test_start(struct test **, const struct test_place *, const struct test_request *, void (*note)(const char *),
    char *why, size_t size);
/* For poll(); -1 when ended. */
int test_fd(const struct test *);
/* Moves the run on. True: its state changed, and a tick must be taken now. */
bool test_step(struct test *);
/* An interval that is still ours alone: marks what began or ended in it. */
void test_mark(struct test *, struct interval *);
/* The interval since the last tick belongs to the state before test_step(). */
void test_feed(struct test *, struct interval *);
bool test_running(const struct test *);
void test_stop(struct test *);
const struct test_status *test_status(struct test *);
const struct result *test_now(struct test *);
/* With the numbers that the store has told so far. */
const struct result *const *test_results(struct test *, size_t *n);
bool test_stored(const struct test *);	/* has it told all? */
void test_free(struct test *);	/* stops it if need be; NULL is fine */

#endif
