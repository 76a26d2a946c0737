#include "tests/bench/loops.h"

#include "core/clock.h"
#include "load/counters.h"

/* It takes some clock to see an end, and whether completions are worth waiting for. */
static uint64_t
seldom_ns(void)
{
	static _Thread_local uint64_t now_ns;
	static _Thread_local unsigned calls;

	if (calls++ % 8 == 0)
		now_ns = clock_ns();
	return now_ns;
}

#define clock_ns seldom_ns
#define live_hist_count(hist, ns) ((void)(hist), (void)(ns))
#define live_hist_sum(hist, ns) ((void)(hist), (void)(ns))
#define worker_loop worker_loop_untimed
#include "src/load/worker_loop.c"
