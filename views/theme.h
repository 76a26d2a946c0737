/*
 * How each style looks: the terminal's own 16 colours on its own background, or bold, dim and reverse where
 * there is no colour. Colour is never the only sign. Pure.
 */
#ifndef VIEWS_THEME_H
#define VIEWS_THEME_H

#include <stdbool.h>

#include "views/surface.h"

enum background { BACKGROUND_AUTO, BACKGROUND_DARK, BACKGROUND_LIGHT, BACKGROUND_COUNT };
extern const char *const background_name[BACKGROUND_COUNT];

struct look {
	bool bold, dim, reverse;
	int foreground, background;	/* of 16 colours; -1: the terminal's own */
};

struct theme {
	struct look looks[STYLE_COUNT];
};

struct theme theme_make(bool colours, bool light);
/* Of a style with or without STYLE_SELECTED. */
struct look theme_look(const struct theme *, unsigned style);
/* Does COLORFGBG (rxvt, Konsole: "15;0") name a light background? NULL: no. */
bool theme_is_light(const char *colorfgbg);

#endif
