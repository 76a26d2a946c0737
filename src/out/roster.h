/*
 * Which rows of an interval a text sink prints: the wanted kinds, without hidden objects unless asked
 * for, filtered by name. Decided once per object and not once per tick: as long as the rows are those
 * of the interval before, nothing is looked up.
 */
#ifndef OUT_ROSTER_H
#define OUT_ROSTER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/interval.h"
#include "core/uidmap.h"
#include "out/out.h"

struct roster_row {
	struct object *object;	/* a reference: a freed one's address could come back as another */
	const char *parent;	/* name of the object it hangs below or is counted in, or NULL */
	bool chosen;
};

struct roster_table {
	const struct kind *kind;
	bool wanted;
	size_t n;
	struct roster_row *rows;	/* as in the interval's table of the same place */
};

struct roster_place {
	size_t table, row;
};

struct roster {
	size_t n;
	struct roster_table *tables;	/* as in the interval */
	struct roster_place *places;	/* of all objects */
	struct uidmap map;		/* uid to its index in places */
};

/* Brings the roster in line with the interval; true when the rows are not those of last time. */
bool roster_follow(struct roster *, const struct out_options *, const struct interval *);
/* Where the object stands; NULL where it does not. */
const struct roster_place *roster_find(const struct roster *, uint64_t uid);
void roster_free(struct roster *);

/* Is the kind printed: named by the options, or, when none is named, no detail? */
bool roster_wants(const struct out_options *, const struct kind *);
/* The name for people, as tidy and JSON give it beside the kernel's. */
const char *roster_label(const struct out_options *, const struct object *);

#endif
