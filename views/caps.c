#include "views/caps.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>

#include "core/xalloc.h"

/* Bits of no_color_video: attributes that this terminal cannot have together with colours. */
enum { NCV_REVERSE = 4, NCV_DIM = 16, NCV_BOLD = 32 };

bool
caps_have_colours(void)
{
	const char *no = getenv("NO_COLOR");

	return (no == NULL || no[0] == '\0') && max_colors >= 8 && set_a_foreground != NULL && set_a_background != NULL;
}

void
caps_append(struct bytes *out, const char *s)
{
	if (s == NULL || s == (const char *)-1)
		return;
	while (*s != '\0') {
		const char *end = s[0] == '$' && s[1] == '<' ? strchr(s, '>') : NULL;
		char one[2] = { *s, '\0' };

		if (end == NULL)
			bytes_add(out, one);
		s = end != NULL ? end + 1 : s + 1;
	}
}

static void
move_to(struct bytes *out, int y, int x)
{
	caps_append(out, tiparm(cursor_address, y, x));
}

static bool
allowed(const struct look *look, int bit)
{
	bool coloured = look->foreground >= 0 || look->background >= 0;

	return !coloured || no_color_video <= 0 || !(no_color_video & bit);
}

static void
append_look(struct bytes *out, const struct look *look)
{
	caps_append(out, exit_attribute_mode);
	if (look->bold && allowed(look, NCV_BOLD))
		caps_append(out, enter_bold_mode);
	if (look->dim && allowed(look, NCV_DIM))
		caps_append(out, enter_dim_mode);
	if (look->reverse && allowed(look, NCV_REVERSE))
		caps_append(out, enter_reverse_mode);
	if (look->foreground >= 0)
		caps_append(out, tiparm(set_a_foreground, look->foreground));
	if (look->background >= 0)
		caps_append(out, tiparm(set_a_background, look->background));
}

/* Keeps the string and leaves the buffer empty. */
static const char *
own(struct caps *c, struct bytes *b)
{
	char *text = xstrndup(b->len > 0 ? b->data : "", b->len);

	b->len = 0;
	c->owned[c->n_owned++] = text;
	return text;
}

static const char *
own_capability(struct caps *c, struct bytes *b, const char *sequence)
{
	caps_append(b, sequence);
	return own(c, b);
}

void
caps_load(struct caps *c, const struct theme *theme)
{
	struct bytes b = { .data = NULL };

	*c = (struct caps) { .n_owned = 0 };
	c->paint.move = move_to;
	for (unsigned i = 0; i < STYLE_COUNT; i++) {
		struct look plain = theme_look(theme, i), selected = theme_look(theme, i | STYLE_SELECTED);

		append_look(&b, &plain);
		c->paint.styles[i] = own(c, &b);
		append_look(&b, &selected);
		c->paint.selected[i] = own(c, &b);
	}
	c->paint.plain = own_capability(c, &b, exit_attribute_mode);
	c->paint.clear = own_capability(c, &b, clear_screen);
	c->paint.show_cursor = own_capability(c, &b, cursor_normal);
	c->paint.hide_cursor = own_capability(c, &b, cursor_invisible);
	c->paint.keep_off_corner = auto_right_margin && !eat_newline_glitch;
	bytes_clear(&b);
}

void
caps_free(struct caps *c)
{
	for (size_t i = 0; i < c->n_owned; i++)
		free(c->owned[i]);
	c->n_owned = 0;
}
