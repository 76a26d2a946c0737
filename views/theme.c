#include "views/theme.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>

const char *const background_name[BACKGROUND_COUNT] = { "auto", "dark", "light" };

bool
theme_is_light(const char *colorfgbg)
{
	const char *last = colorfgbg != NULL ? strrchr(colorfgbg, ';') : NULL;

	return last != NULL && (strcmp(last, ";7") == 0 || strcmp(last, ";15") == 0);
}

static bool
colour_wanted(void)
{
	const char *no = getenv("NO_COLOR");

	return (no == NULL || no[0] == '\0') && has_colors() && start_color() == OK && COLORS >= 8;
}

static void
monochrome(struct theme *t)
{
	t->looks[STYLE_DIM].attributes = A_DIM;
	t->looks[STYLE_STRONG].attributes = A_BOLD;
	t->looks[STYLE_TITLE].attributes = A_BOLD;
	t->looks[STYLE_TAB].attributes = A_REVERSE;
	t->looks[STYLE_KEY].attributes = A_BOLD;
	t->looks[STYLE_WARN].attributes = A_BOLD;
	t->looks[STYLE_CRIT].attributes = A_BOLD | A_REVERSE;
	t->looks[STYLE_WRITE].attributes = A_BOLD;
}

static void
colour(struct theme *t, enum style style, short pair, short foreground, short background, unsigned attributes)
{
	if (init_pair(pair, foreground, background) != OK)
		return;
	t->looks[style] = (struct look) { .pair = pair, .attributes = attributes };
}

void
theme_load(struct theme *t, enum background background)
{
	short own = -1;
	bool light = background == BACKGROUND_LIGHT ||
	    (background == BACKGROUND_AUTO && theme_is_light(getenv("COLORFGBG")));

	memset(t, 0, sizeof(*t));
	monochrome(t);
	if (!colour_wanted())
		return;
	/* A terminal that cannot keep its own background gets black: the only one left. */
	if (use_default_colors() != OK)
		own = COLOR_BLACK;
	colour(t, STYLE_CRIT, 1, COLOR_RED, own, A_BOLD);
	/* Yellow text cannot be read on white; black on yellow can. */
	if (light)
		colour(t, STYLE_WARN, 2, COLOR_BLACK, COLOR_YELLOW, 0);
	else
		colour(t, STYLE_WARN, 2, COLOR_YELLOW, own, 0);
	colour(t, STYLE_READ, 3, COLOR_CYAN, own, 0);
	colour(t, STYLE_WRITE, 4, COLOR_MAGENTA, own, 0);
	colour(t, STYLE_GRAPH, 5, COLOR_GREEN, own, 0);
}

struct look
theme_look(const struct theme *t, unsigned style)
{
	struct look look = t->looks[(style & ~(unsigned)STYLE_SELECTED) % STYLE_COUNT];

	if (style & STYLE_SELECTED) {
		/* a dim figure in a reverse row cannot be read on many terminals */
		look.attributes = (look.attributes & ~A_DIM) | A_REVERSE;
	}
	return look;
}
