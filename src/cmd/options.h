/*
 * Between the table of options (options.c) and their values (options_set.c).
 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include <stddef.h>

#include "cmd/cmd.h"

/* Long options; short ones are their letter. */
enum option_id {
	OPT_DB = 256, OPT_CAPTURE, OPT_NO_RECORD, OPT_ROOT, OPT_CONFIG, OPT_VERSION, OPT_FORMAT, OPT_KIND, OPT_FILTER, OPT_NAMES,
	OPT_FROM, OPT_TO, OPT_EVERY,
	OPT_RUNTIME, OPT_RAMP, OPT_FULL, OPT_SIZE, OPT_REPEAT, OPT_NAME, OPT_START_AT, OPT_DESTROY, OPT_IN_USE,
	OPT_ARRAY_CACHE, OPT_KEEP, OPT_SUM, OPT_JSON, OPT_RUN, OPT_ELAPSED,
};

/* Takes an option's value. 0, or -EINVAL after one line on stderr. */
int options_apply(struct options *, int id, const char *arg);
/* Index of the word among n, or -1 after one line on stderr. */
int options_choose(const char *option, const char *text, const char *const *words, size_t n);

#endif
