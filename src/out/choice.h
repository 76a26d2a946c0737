/*
 * Which rows of an interval a text sink prints: the wanted kinds, without hidden objects unless asked
 * for, filtered by name. Decided once per object and not once per tick: as long as the rows are those
 * of the interval before, nothing is looked up.
 */
#ifndef OUT_CHOICE_H
#define OUT_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/interval.h"
#include "core/uidmap.h"
#include "out/out.h"

struct choice_row {
	struct object *object;	/* a reference: a freed one's address could come back as another */
	const char *parent;	/* name of the object it hangs below or is counted in, or NULL */
	bool chosen;
};

struct choice_table {
	const struct kind *kind;
	bool wanted;
	size_t n;
	struct choice_row *rows;	/* as in the interval's table of the same place */
};

struct choice_place {
	size_t table, row;
};

struct choice {
	size_t n;
	struct choice_table *tables;	/* as in the interval */
	struct choice_place *places;	/* of all objects */
	struct uidmap map;		/* uid to its index in places */
};

/* Chooses among the rows of the interval; true when they are not those of last time. */
bool choice_follow(struct choice *, const struct out_options *, const struct interval *);
/* Where the object stands; NULL where it does not. */
const struct choice_place *choice_find(const struct choice *, uint64_t uid);
void choice_free(struct choice *);

/* Is the kind printed: named by the options, or, when none is named, no detail? */
bool choice_wants(const struct out_options *, const struct kind *);
/* The name for people, as tidy and JSON give it beside the kernel's. */
const char *choice_label(const struct out_options *, const struct object *);

#endif
