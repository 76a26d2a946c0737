/*
 * The built-in workloads: fio job files compiled in. Const data; any thread.
 */
#ifndef LOAD_WORKLOAD_H
#define LOAD_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct workload {
	const char *name;	/* "oltp-4k" */
	const char *title;	/* "OLTP 4K" for the test screen */
	const char *pattern;	/* "4 KiB, 70 % read, 100 % random, depth 16" */
	const char *source;	/* who defined it: "VMware I/O Analyzer" */
	const char *text;	/* the job file, as `show` prints it; runtime and ramp_time in it are the source's own */
	/*
	 * --full: the source's own durations, of each section, step or round. 0: it ends by itself, is never cut short and never quick.
	 * Otherwise quick is quick_s after a ramp of quick_ramp_s; where they are 0, 30 s after 5 s.
	 */
	uint64_t full_s, full_ramp_s;
	uint64_t quick_s, quick_ramp_s;
	/* curve: the depths to step through, 0-terminated; NULL: one run. */
	const unsigned *depths;
	unsigned steady_rounds;	/* wsat: at most so many rounds until steady; 0: one measurement */
	bool leaves;		/* precondition: run for what it leaves on the target, not for its figures */
};

/* In the order of `list workloads`: latency-qd1, curve, oltp-4k first. NULL-terminated. */
extern const struct workload *const workload_table[];
const struct workload *workload_find(const char *name);
/*
 * How long it is measured, and settles before: UINT64_MAX, as its jobs say, where it ends by itself or `full` is asked for. True: that
 * is shorter than the source has it.
 */
bool workload_times(const struct workload *, bool full, uint64_t *runtime_ns, uint64_t *ramp_ns);
/* The one whose name is most like this, for a hint; NULL: none is much alike. */
const struct workload *workload_nearest(const char *name);

#endif
