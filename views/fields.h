/*
 * Which columns of a kind a table shows, and in which order: the catalogue's or the view's choice at
 * first, then the user's. Main thread.
 */
#ifndef VIEWS_FIELDS_H
#define VIEWS_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/interval.h"
#include "views/view.h"

struct fields {
	const struct view *view;
	const struct kind *kind;
	size_t n;		/* columns of the kind */
	int *order;		/* all columns, in the order of display */
	bool *chosen;		/* by column */
	bool *filled;		/* by column: some row has had a figure since the start */
	bool *asked;		/* by column: switched on by the user just now, so drawn whatever it holds */
	bool *alarmed;		/* by column: some row has had an error or a lost path there */
	bool noted;		/* there have been rows at all */
	bool by_user;		/* not the default any more */
};

void fields_init(struct fields *, const struct view *);
void fields_clear(struct fields *);
/* Back to the default choice and order. */
void fields_reset(struct fields *);
/*
 * Takes the keys named, in that order, separated by blanks. False where one is unknown: the others are
 * taken; *unknown is set to it and points into keys.
 */
bool fields_parse(struct fields *, const char *keys, const char **unknown);
/* The chosen keys as fields_parse() takes them; malloc'd. */
char *fields_format(const struct fields *);
void fields_toggle(struct fields *, int column);
/* Moves the column at place `at` of the order by one, left (-1) or right (1); returns its new place. */
size_t fields_move(struct fields *, size_t at, int by);
/* Is this a text "3/4" of paths or ports, not all of which are usable? */
bool fields_lost(const struct column *, const char *text, unsigned *usable);
/* Notes which columns have figures, and which tell of something wrong. */
void fields_note(struct fields *, const struct interval_table *);
/*
 * Is it drawn? Chosen, and not one of those that no source fills: a wall of "-" says nothing. Latencies
 * that are absent only while a device rests do not come and go.
 */
bool fields_drawn(const struct fields *, int column);

#endif
