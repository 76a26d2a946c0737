/*
 * Finished results, by what stands on the command line: a number of `list runs`, or a file in JSON.
 */
#ifndef CMD_RESULTS_H
#define CMD_RESULTS_H

#include <stddef.h>

#include "cmd/cmd.h"
#include "core/result.h"

struct results {
	struct result **r;
	size_t n;
};

/* The file to read from: --db, or the default; malloc'd. NULL after one line on stderr: nothing is there. */
char *results_path(const struct options *);
/* Appends what the word names. 0, or the exit status after one line on stderr. */
int results_add(struct results *, const struct options *, const char *word);
/* The last run of the store. */
int results_add_last(struct results *, const struct options *);
void results_clear(struct results *);
/* A number of a run: 0 and the number, or -EINVAL: no number. */
int results_number(const char *word, int64_t *id);

#endif
