/*
 * Within session/: a test, for the files that make it.
 */
#ifndef SESSION_TEST_OWN_H
#define SESSION_TEST_OWN_H

#include <stdatomic.h>

#include "session/test_open.h"
#include "session/test_plan.h"
#include "session/test_run.h"

/* The number that the store gives a result, told by its thread. Whoever of the two is the last frees it. */
struct number {
	_Atomic int64_t id;	/* 0: not told, or not stored */
	atomic_bool told;
	atomic_int refs;
};

struct test {
	struct test_place place;
	struct test_request request;
	char *workload, *target_name;	/* what was asked for */
	struct opening *opening;	/* NULL: the target is open, or there is none */
	struct closing *closing;	/* NULL: nothing is let go of */
	void (*note)(const char *);	/* NULL: nobody wants them */
	int exit_status;
	struct test_plan plan;
	struct target *target;
	struct run *run;		/* of the step at hand; NULL between and after */
	size_t step;
	uint64_t uid, device_uid;
	enum run_state state;		/* as the intervals see it: changes after the tick */
	unsigned section;		/* likewise */
	bool stopping, ended;
	enum run_state outcome;		/* once the last run is over */
	char store_device[64];		/* kernel name of the device on which the database lies, or "" */
	struct interval *sum, *last;
	struct result *now;		/* of the interval last, once somebody asked; NULL before */
	struct result *series;		/* the ticks measured so far */
	uint64_t wrote_bytes;		/* by the steps that have ended */
	double cpu_at_s, cpu_s;		/* our CPU time at the beginning of the measurement, and in it */
	int64_t first_ms, last_ms;
	char mark[768];			/* to be written into the next interval */
	struct result **results;
	struct number **numbers;	/* of the results, in the store; NULL where there is none */
	size_t n_results;
	struct test_status status;
	char why[512];
	char leftover[700];		/* the test file that is left, and why */
};

/* CPU time of all threads of ours, those that the kernel runs for our io_uring too. */
double test_own_cpu_s(void);
/* The result of the step at hand, whose run has ended. Its own; the series is taken over. */
struct result *test_result(struct test *);
/* Hands it to the store. NULL: there is none, or nothing was measured. */
struct number *test_store_result(struct test *, const struct result *);
void test_drop_number(struct number *);	/* NULL is fine */

#endif
