/*
 * The line that asks: interval, search, filter, number of rows. Main thread.
 */
#ifndef VIEWS_PROMPT_H
#define VIEWS_PROMPT_H

#include "views/screen.h"

/* PROMPT_NONE repeats the search in the help. */
void prompt_open(struct screen *, enum prompt);
/* A key while the prompt is open. */
void prompt_key(struct screen *, uint32_t code);
/* "rows at most (0: all): ", or shorter where a screen of so many columns would leave no room to answer. */
const char *prompt_question(const struct screen *, int columns);

#endif
