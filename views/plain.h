/*
 * The plain table: the same rows and columns as the screen's, as lines of text, for pipes and for terminals
 * that cannot carry a screen. Main thread.
 */
#ifndef VIEWS_PLAIN_H
#define VIEWS_PLAIN_H

#include <stddef.h>

#include "views/screen.h"

/*
 * One interval as text: a line with the time, the table, what is wrong. `columns` wide at most, 0: as wide as it
 * gets. malloc'd; *len without the NUL.
 */
char *plain_text(struct screen *, bool utf8, int columns, size_t *len);

#endif
