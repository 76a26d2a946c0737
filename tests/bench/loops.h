/*
 * The worker's loop twice over, from its own source: as it is, and without the times of I/Os. The program has only the first; what
 * the times cost is the difference.
 */
#ifndef TESTS_BENCH_LOOPS_H
#define TESTS_BENCH_LOOPS_H

struct worker;

void worker_loop_timed(struct worker *);
/* No I/O is timed or goes into a histogram, and the clock is read for one batch of eight. */
void worker_loop_untimed(struct worker *);

#endif
