/*
 * What the bench programs share: a canned machine, medians of CPU time, one line of the table a figure.
 */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include <stddef.h>
#include <stdint.h>

#include "core/interval.h"

#define BENCH_ROUNDS 7	/* figures are medians of so many */

/* CPU time of this process so far, all threads, in microseconds. */
double bench_cpu_us(void);
double bench_median(double *values, size_t n);
/* The median of what run() returns. */
double bench_repeat(double (*run)(void *), void *arg);

/*
 * One line of the table: "redraw of 50 rows   0.41 ms   bar 2". at_most 0: no bar. A figure over its bar is
 * marked; it fails nothing, since machines differ.
 */
void bench_line(const char *what, double value, const char *unit, double at_most);

/*
 * A machine of `disks` disks in adapters of 100, one partition each, under steady load: every call is a second later.
 * Counters grow by amounts that vary, and together make `iops` a second.
 */
struct bench_machine;
struct bench_machine *bench_machine_new(size_t disks, double iops);
void bench_machine_free(struct bench_machine *);
struct snapshot *bench_machine_next(struct bench_machine *);

#endif
