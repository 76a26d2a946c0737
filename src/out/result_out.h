/*
 * Results as text: the table as storage people publish it, and JSON (design.md section 12). Main thread.
 */
#ifndef OUT_RESULT_OUT_H
#define OUT_RESULT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/result.h"

/* One result, or those of a curve, of repeats or rounds with their summary. */
void result_print_table(FILE *, const struct result *const *, size_t n);
void result_print_json(FILE *, const struct result *const *, size_t n);
/* What of a result is put into lines. */
enum result_part {
	RESULT_TITLE = 1 << 0,
	RESULT_ROWS = 1 << 1,		/* the workers and the total */
	RESULT_DIRECTIONS = 1 << 2,	/* latencies of reads, of writes and since due, where the rows had no room for them */
	RESULT_HONESTY = 1 << 3,	/* in flight, device, CPU, working set */
	RESULT_WARNINGS = 1 << 4,
	RESULT_ALL = (1 << 5) - 1,
};
/*
 * The table of one result, or parts of it, as lines for a width; called for each line, with the line as UTF-8 only where `utf8`. The
 * test screen draws the same lines.
 */
void result_lines(const struct result *, unsigned parts, int width, bool utf8, void (*line)(void *arg, const char *text), void *arg);
/* Likewise all that is printed of several. */
void result_set_lines(const struct result *const *, size_t n, int width, bool utf8, void (*line)(void *arg, const char *text),
    void *arg);
/*
 * Results from JSON, one object as printed above, or several "runs": their number, each to be freed, and *out itself. 0 with a
 * message. Hostile text is safe.
 */
size_t result_parse_json(const char *json, size_t len, struct result ***out, char *why, size_t size);
/* The same test on several targets, side by side; ratios are to the first. */
void result_compare_table(FILE *, const struct result *const *, size_t n);
void result_compare_json(FILE *, const struct result *const *, size_t n);

/* A command run as a test. */
struct exec_device { char name[64]; double read_iops, write_iops, read_mib_s, write_mib_s, gavg_ms; };
struct exec_nic { char name[64]; double rx_mbit_s, tx_mbit_s; };
struct exec_run {
	int exit_status;	/* 128 + signal where one ended it */
	double seconds, user_s, system_s, host_pct;
	size_t n_devices, n_nics;
	struct exec_device *devices;	/* with I/O, busiest first */
	struct exec_nic *nics;		/* with traffic, busiest first */
};
/* name NULL: none was given. */
void exec_print_table(FILE *, const char *command, const char *name, const struct exec_run *, size_t n);
void exec_print_json(FILE *, const char *command, const char *name, const struct exec_run *, size_t n);

#endif
