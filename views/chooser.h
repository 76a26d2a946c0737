/*
 * The field chooser: which columns the view shows, and in which order. Main thread.
 */
#ifndef VIEWS_CHOOSER_H
#define VIEWS_CHOOSER_H

#include "views/screen.h"

/* Actions of its keys. */
void chooser_move(struct screen *, int by);
void chooser_toggle(struct screen *, int argument);
void chooser_shift(struct screen *, int by);
void chooser_reset(struct screen *, int argument);
/* esxtop's way: the letter before a column switches it. False where there is no such column. */
bool chooser_letter(struct screen *, uint32_t code);

void chooser_draw(struct screen *, struct surface *, int y, int rows);

#endif
