/*
 * Clocks. Ticks, deadlines and the load go by CLOCK_MONOTONIC; the time of day is for people and the store. Any thread.
 */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)

static inline uint64_t
clock_read_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static inline uint64_t
clock_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

/* Milliseconds since 1970. */
static inline int64_t
clock_wall_ms(void)
{
	return (int64_t)(clock_read_ns(CLOCK_REALTIME) / NS_PER_MS);
}

static inline struct timespec
clock_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S) };
}

#endif
