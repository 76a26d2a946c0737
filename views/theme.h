/*
 * How each style looks on the terminal at hand: the terminal's own 16 colours on its own background, or
 * bold, dim and reverse where there is no colour. Colour is never the only sign. Main thread, after
 * the terminal is open.
 */
#ifndef VIEWS_THEME_H
#define VIEWS_THEME_H

#include <stdbool.h>

#include "views/surface.h"

enum background { BACKGROUND_AUTO, BACKGROUND_DARK, BACKGROUND_LIGHT, BACKGROUND_COUNT };
extern const char *const background_name[BACKGROUND_COUNT];

struct look {
	unsigned attributes;	/* of curses */
	short pair;
};

struct theme {
	struct look looks[STYLE_COUNT];
};

/* Never fails: a terminal that has no colours, or NO_COLOR in the environment, gives the monochrome theme. */
void theme_load(struct theme *, enum background);
struct look theme_look(const struct theme *, unsigned style);
/* Does COLORFGBG (rxvt, Konsole: "15;0") name a light background? Pure. */
bool theme_is_light(const char *colorfgbg);

#endif
