/*
 * The load's clock: CLOCK_MONOTONIC, as ticks have it. Any thread.
 */
#ifndef LOAD_CLOCK_H
#define LOAD_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)

static inline uint64_t
clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static inline struct timespec
clock_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S) };
}

#endif
