/*
 * A test of the load generator at hand, as the dashboard sees it: two workers on a disk in mid-measurement, or the
 * result of it.
 */
#ifndef TESTS_VIEWS_CANNED_TEST_H
#define TESTS_VIEWS_CANNED_TEST_H

#include "session/history.h"
#include "views/screen.h"

struct canned_test;

enum canned_state { CANNED_RUNNING, CANNED_FAILING, CANNED_ENDED, CANNED_FAILED, CANNED_STEPS };

/*
 * Feeds the screen and the history some ticks of it: in the middle of it, with I/O errors, ended,
 * ended by its errors, ended after the steps of a curve.
 */
struct canned_test *canned_test_new(struct screen *, struct history *, enum canned_state);
/* One that runs has ended. */
void canned_test_end(struct canned_test *, struct screen *);
void canned_test_free(struct canned_test *);
/* Three runs in the store: one twice as fast, this one, and one half as fast. */
void canned_test_earlier(struct screen *);
/* What a runner would have found: a survey, and the facts of a disk with a file system on it. */
void canned_test_places(struct screen *);

#endif
