/*
 * How much memory may still be taken. Any thread.
 */
#ifndef SYS_MEMORY_H
#define SYS_MEMORY_H

#include <stdint.h>

#include "sys/env.h"

/*
 * Bytes, without making the machine swap or the kernel kill: MemAvailable of /proc/meminfo, or what the control group of this
 * process and those above it leave (memory.max of version 2, memory.limit_in_bytes of version 1), where that is less; page
 * cache that can be dropped counts as free. UINT64_MAX where nothing tells.
 */
uint64_t memory_available(const struct env *);

#endif
