/*
 * The objects behind the lines of a /proc file, by name. The lines come in the same order tick by tick,
 * so the next line is first compared with the object behind the last one.
 *
 *	lineup_begin(); for each line: lineup_take(); lineup_end().
 */
#ifndef PROBES_LINEUP_H
#define PROBES_LINEUP_H

#include <stdbool.h>
#include <stddef.h>

#include "core/object.h"

struct lineup_entry {
	struct object *object;	/* NULL: new, for the caller to make; one reference, the lineup's */
	void *data;		/* the probe's own, malloc'd; NULL when new */
	bool described;		/* the probe's own: its labels are read; false when new */
	bool taken;		/* in this pass */
};

struct lineup {
	size_t n, cap, next;
	struct lineup_entry *entries;
};

void lineup_begin(struct lineup *);
/*
 * The entry of a name, an empty one for a new name; valid until the next call. NULL where this pass has had
 * the name: lines move between reads when others come and go.
 */
struct lineup_entry *lineup_take(struct lineup *, const char *name, size_t len);
/* Forgets those that were not taken: one that returns is a new object. */
void lineup_end(struct lineup *);
/* NULL where there is none of that name. */
struct lineup_entry *lineup_find(struct lineup *, const char *name, size_t len);
void lineup_clear(struct lineup *);

#endif
