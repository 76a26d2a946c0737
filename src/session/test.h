/*
 * A test: the load generator joined to the live source and the store. Beside what the application felt stands what the device
 * and the CPU did in the very same ticks. One at a time. Main thread.
 */
#ifndef SESSION_TEST_H
#define SESSION_TEST_H

#include <stdbool.h>
#include <stdint.h>

#include "core/interval.h"
#include "core/result.h"
#include "load/run.h"
#include "load/target.h"
#include "load/workload.h"

struct session;

struct test_request {
	const char *workload;		/* a built-in name, or a .fio file */
	const char *target;
	uint64_t runtime_ns, ramp_ns;	/* UINT64_MAX: the workload's: built-ins quick (30 s after 5 s), files their own */
	bool full;			/* built-ins at the source's own durations */
	uint64_t size_bytes;		/* 0: default */
	unsigned workers, depth;	/* 0: the workload's */
	const char *name;		/* --name, or NULL */
	const char *destroy;
	bool in_use, keep;
	double array_cache_bytes;	/* NaN: not said */
	int64_t start_at_ms;
	unsigned repeat;		/* so many times; 0 stands for 1 */
	/*
	 * Asks a person; NULL: no terminal. `amount` says in words what will be written ("at most 4 GiB"), "" where nothing is;
	 * `wants` is what must be typed, NULL: a plain yes.
	 */
	bool (*confirm)(void *, const struct target_facts *, const char *amount, const char *wants);
	void *confirm_arg;
};

struct test_status {
	enum run_state state;
	char workload[128], title[128];
	struct target_facts target;
	const char *engine, *engine_why;
	bool quick;
	uint64_t done_ns, all_ns;		/* of the state at hand; bytes while preparing */
	unsigned step, steps;			/* of a curve, --repeat, rounds: 1-based */
	const struct interval *sum;		/* measured so far; NULL before */
	const struct interval *last;		/* the newest tick */
	uint64_t test_uid, device_uid;		/* objects: the run, and the disk below the target (0: none) */
	const struct result *result;		/* once ended: of this run; NULL before */
	int64_t run_id;				/* number in the store; 0: not stored */
	int exit_status;			/* once ended: 0, 1 failed, 2 usage, 3 refused for safety */
	const char *why;			/* first error, what is waited for, or leftover; "" */
	const char *leftover;			/* once ended: the test file that is left, and why; "" */
};

/*
 * Reads the job and checks the target, in a thread, since both may lie on dead storage; then starts the workers. What is wrong with
 * them ends the test, with exit_status and why in its status and no result. 0, or the exit status with the reason in why: nothing was
 * begun. The person is asked (`confirm`) and notes of the job file are told (`note`, may be NULL) by session_step().
 */
int session_test_start(struct session *, const struct test_request *, void (*note)(const char *), char *why, size_t size);
/*
 * What the last tick alone would say as a result; steady and CPU time of an I/O are of all that was measured so far. NULL: nothing runs,
 * or no worker has worked yet. Valid until the next session_step().
 */
const struct result *session_test_now(struct session *);
/* NULL: no test was started in this session. */
const struct test_status *session_test(struct session *);
bool session_test_running(struct session *);
void session_test_stop(struct session *);	/* drains; ends within a second */
/*
 * The results of the steps that have ended (one, or those of a curve, of repeats, of rounds), in order; valid as long as the test.
 */
const struct result *const *session_test_results(struct session *, size_t *n);
/* Has the store said of all results which number they have, or that it has none for them? It may take as long as its disk. */
bool session_test_stored(struct session *);
/* Forgets the ended test and its results. */
void session_test_clear(struct session *);

#endif
