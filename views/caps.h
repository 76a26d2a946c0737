/*
 * What the terminal at hand understands, from its terminfo entry. Main thread, after setupterm().
 */
#ifndef VIEWS_CAPS_H
#define VIEWS_CAPS_H

#include "views/paint.h"
#include "views/theme.h"

struct caps {
	struct paint_caps paint;
	char *owned[2 * STYLE_COUNT + 4];	/* the strings of paint */
	size_t n_owned;
};

/* Does the terminal have colours, and is NO_COLOR not set? */
bool caps_have_colours(void);
void caps_load(struct caps *, const struct theme *);
void caps_free(struct caps *);
/* A capability without its padding ("$<2>") appended; nothing where the terminal lacks it. */
void caps_append(struct bytes *, const char *sequence);

#endif
