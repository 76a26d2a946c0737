/*
 * What the engines share.
 */
#ifndef LOAD_ENGINE_UTIL_H
#define LOAD_ENGINE_UTIL_H

#include "load/engine.h"

/* Asked once, when an engine is opened. */
bool engine_may_write(const struct engine_args *);
/* Is there anything but reads among them, without the right to it? submit() then takes nothing: -EPERM. */
bool engine_refuses(bool may_write, struct io *const *, unsigned n);
/* Keeps the first thing that an engine had to do without. */
void engine_note(struct engine *, const char *what, const char *why);

/* What is done and not yet handed out, in order. Room for as many as the engine is deep. */
struct done_list {
	struct io **ios;
	unsigned first, n, cap;
};

static inline void
done_put(struct done_list *list, struct io *io)
{
	unsigned at = list->first + list->n++;

	list->ios[at < list->cap ? at : at - list->cap] = io;
}

/* Moves up to max to out; how many. */
static inline unsigned
done_take(struct done_list *list, struct io **out, unsigned max)
{
	unsigned n = list->n < max ? list->n : max;

	for (unsigned i = 0; i < n; i++) {
		out[i] = list->ios[list->first++];
		if (list->first == list->cap)
			list->first = 0;
	}
	list->n -= n;
	return n;
}

#endif
