/*
 * Sinks that write text: esxtop's batch CSV (PDH), tidy CSV, JSON lines. Each row of output goes out in one
 * write, so a closed pipe or Ctrl-C leaves whole lines only.
 */
#ifndef OUT_OUT_H
#define OUT_OUT_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/flow.h"
#include "core/object.h"

struct out_options {
	int fd;
	const char *host;	/* for the counter paths */
	bool all;		/* -a: hidden devices too; pdh: full counter sets, true zeros too */
	const struct kind *const *kinds;	/* exactly these; NULL: all but details */
	size_t n_kinds;
	const regex_t *filter;	/* objects whose name, label or parent's name match; NULL: all */
	enum naming naming;
	/*
	 * Intervals end so many ms after a beginning, not at a time of day: tidy and JSON say seconds (elapsed_s), PDH, which knows
	 * dates only, counts from the first second of 1970.
	 */
	bool elapsed;
	/* Called with one line for the user (stderr): what was left out and why, devices born later. NULL: silent. */
	void (*note)(void *arg, const char *line);
	void *note_arg;
};

/* The options are copied; what they point to must outlive the sink. */
struct sink *pdh_sink(const struct out_options *);
struct sink *tidy_sink(const struct out_options *);
struct sink *json_sink(const struct out_options *);

#endif
