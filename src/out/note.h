/*
 * One line for the user that names several things: "came after the header: sdb, sdc and 12 more".
 */
#ifndef OUT_NOTE_H
#define OUT_NOTE_H

#include "out/line.h"
#include "out/out.h"

struct note {
	const struct out_options *options;
	const char *lead;	/* what is said of them, before the first */
	size_t limit;		/* names that are spelled out; 0: all */
	size_t n;
	struct line text;
};

/* Counts a name; listed while the limit allows. */
void note_add(struct note *, const char *name);
/* Hands the line to options->note, unless no name was added. */
void note_end(struct note *);

#endif
