/*
 * Within session/: what of the beginning and the end of a test may hang, in threads of their own: reading the job file, looking at the
 * target and proving it safe, and letting go of it. Main thread.
 */
#ifndef SESSION_TEST_OPEN_H
#define SESSION_TEST_OPEN_H

#include "session/test.h"
#include "session/test_plan.h"

struct opening;

/* What came of it; owned by who took it. */
struct opened {
	int status;		/* 0, or the exit status with why */
	char why[512];
	struct test_plan plan;
	struct target *target;	/* NULL where status is not 0 */
	char store_device[64];	/* kernel name of the device on which the database lies, or "" */
};

/* The texts of the request are copied. store_path NULL: nothing is recorded. NULL: no thread. */
struct opening *opening_start(const struct test_request *, const char *store_path);
int opening_fd(const struct opening *);
/* Asks the person where there is a question. True: it has ended, and *out is filled in. Once. */
bool opening_step(struct opening *, struct opened *out);
uint64_t opening_ns(const struct opening *);	/* how long it has been going on */
void opening_free(struct opening *);		/* leaves it behind where it has not ended; NULL is fine */

struct closing;

/* Takes the target over. */
struct closing *closing_start(struct target *);
int closing_fd(const struct closing *);
/* It has ended, or was waited for long enough. */
bool closing_over(struct closing *);
/* Waits for it, but not for ever. False: a test file is left, or may be, and why. NULL is fine. */
bool closing_end(struct closing *, char *why, size_t size);

#endif
