/*
 * The help of the screen shown: every key that works there and every column it can show, made from the key
 * table and the catalogue. Main thread.
 */
#ifndef VIEWS_HELP_H
#define VIEWS_HELP_H

#include "views/screen.h"

void help_draw(struct screen *, struct surface *, int y, int rows);
/* Scrolls to the next line with help_search in it, from the top one on (`again`: behind it); false: none. */
bool help_find(struct screen *, bool again);

#endif
