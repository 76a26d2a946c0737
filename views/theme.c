#include "views/theme.h"

#include <string.h>

enum { BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE };

const char *const background_name[BACKGROUND_COUNT] = { "auto", "dark", "light" };

bool
theme_is_light(const char *colorfgbg)
{
	const char *last = colorfgbg != NULL ? strrchr(colorfgbg, ';') : NULL;

	return last != NULL && (strcmp(last, ";7") == 0 || strcmp(last, ";15") == 0);
}

static void
monochrome(struct look *looks)
{
	for (int i = 0; i < STYLE_COUNT; i++)
		looks[i].foreground = looks[i].background = -1;
	looks[STYLE_DIM].dim = true;
	looks[STYLE_STRONG].bold = true;
	looks[STYLE_TITLE].bold = true;
	looks[STYLE_TAB].reverse = true;
	looks[STYLE_KEY].bold = true;
	looks[STYLE_WARN].bold = true;
	looks[STYLE_CRIT].bold = true;
	looks[STYLE_CRIT].reverse = true;
	looks[STYLE_WRITE].bold = true;
}

static struct look
coloured(int foreground, int background, bool bold)
{
	return (struct look) { .foreground = foreground, .background = background, .bold = bold };
}

struct theme
theme_make(bool colours, bool light)
{
	struct theme t = { .looks = { [0] = { .bold = false } } };

	monochrome(t.looks);
	if (!colours)
		return t;
	t.looks[STYLE_CRIT] = coloured(RED, -1, true);
	/* yellow text cannot be read on white; black on yellow can */
	t.looks[STYLE_WARN] = light ? coloured(BLACK, YELLOW, false) : coloured(YELLOW, -1, false);
	t.looks[STYLE_READ] = coloured(CYAN, -1, false);
	t.looks[STYLE_WRITE] = coloured(MAGENTA, -1, false);
	t.looks[STYLE_GRAPH] = coloured(GREEN, -1, false);
	return t;
}

struct look
theme_look(const struct theme *t, unsigned style)
{
	struct look look = t->looks[(style & ~(unsigned)STYLE_SELECTED) % STYLE_COUNT];

	if (style & STYLE_SELECTED) {
		/* a dim figure in a reverse row cannot be read on many terminals */
		look.dim = false;
		look.reverse = true;
	}
	return look;
}
