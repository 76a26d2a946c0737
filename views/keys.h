/*
 * The keys: one table that drives what they do, the footer, the help and the manual. Main thread.
 */
#ifndef VIEWS_KEYS_H
#define VIEWS_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct screen;

/* Where a key is valid; a key is shown only where it works. */
enum where {
	IN_VIEW = 1 << 0,	/* any view, with nothing over it */
	IN_TREE = 1 << 1,	/* the view's rows expand */
	IN_OVERVIEW = 1 << 2,	/* Enter opens the row in its own view */
	IN_GRAPH = 1 << 3,	/* the rows have graphs */
	IN_LATENCY = 1 << 4,	/* the rows have latencies */
	IN_SEARCH = 1 << 5,	/* a search is on */
	IN_LIMIT = 1 << 6,	/* a search or filter is on: Esc ends it */
	IN_HELP = 1 << 7,
	IN_FIELDS = 1 << 8,
	IN_HELP_SEARCH = 1 << 9,	/* the help, with a search on */
	IN_PROMPT = 1 << 10,
	IN_TABLE = 1 << 11,	/* a view with a table of rows */
	IN_FORM = 1 << 12,	/* choosing a test */
	IN_FORM_START = 1 << 13,	/* its last list */
	IN_FORM_BACK = 1 << 14,	/* there is a list before */
	IN_RUNNING = 1 << 15,	/* the test screen while a test runs */
	IN_RESULT = 1 << 16,	/* the test screen with a result */
	IN_SUMMARY = 1 << 17,	/* the test screen while a test runs or with its result */
	IN_DETAILS = 1 << 18,	/* with the details in their place */
	IN_WIRE = 1 << 20,	/* the view has a lower part for what is on the wire */
	IN_SCROLL = 1 << 19,	/* either is longer than the screen, perhaps */
};

#define KEY_CODES 6

struct key {
	uint32_t codes[KEY_CODES];	/* ends with 0 */
	const char *label;		/* "up down j k" in the help; its first word in the footer */
	const char *name;		/* "sort", for the footer; NULL: not there */
	const char *help;
	unsigned where;
	int rank;			/* in the footer, from 1; what does not fit is left out, highest rank first */
	void (*action)(struct screen *, int argument);
	int argument;
};

extern const struct key key_table[];	/* ends with action NULL */

/* What is valid now. */
unsigned keys_where(struct screen *);
/* Finds the key for this code that is valid now, or NULL. */
const struct key *keys_find(struct screen *, uint32_t code);

#endif
