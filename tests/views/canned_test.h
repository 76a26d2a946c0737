/*
 * A test of the load generator at hand, as the dashboard sees it: two workers on a disk in mid-measurement, or the
 * result of it.
 */
#ifndef TESTS_VIEWS_CANNED_TEST_H
#define TESTS_VIEWS_CANNED_TEST_H

#include "session/history.h"
#include "views/screen.h"

struct canned_test;

/* Feeds the screen and the history some ticks of it. */
struct canned_test *canned_test_new(struct screen *, struct history *, bool ended);
void canned_test_free(struct canned_test *);
/* What a runner would have found: a survey, and the facts of a disk with a file system on it. */
void canned_test_places(struct screen *);

#endif
