/*
 * /proc/PID/stat, as far as it is needed (kernel: fs/proc/array.c). Pure; any thread.
 */
#ifndef SYS_PIDSTAT_H
#define SYS_PIDSTAT_H

#include <stddef.h>
#include <stdint.h>

struct pidstat {
	char name[16];		/* as the kernel keeps it: cut to 15 characters */
	uint64_t cpu_ticks;	/* user and system time of all its threads, in USER_HZ (sysconf(_SC_CLK_TCK)) */
	uint64_t start_ticks;	/* after boot: with its number it names the process for good */
};

/* 0 or -EINVAL. */
int pidstat_parse(const char *text, size_t len, struct pidstat *out);

#endif
