#include "views/chooser.h"

#include "views/text.h"

/* Letters that are keys of the chooser itself are left out. */
static const char letters[] = "abcdegilmnoprstuvwxyzABCDEGHIJKLMNOPQRSTUVWXYZ";

static struct fields *
fields_of(struct screen *s)
{
	return &screen_table(s)->fields;
}

void
chooser_move(struct screen *s, int by)
{
	long at = (long)s->fields_at + by, last = (long)fields_of(s)->n - 1;

	s->fields_at = (size_t)(at < 0 ? 0 : at > last ? last : at);
}

void
chooser_toggle(struct screen *s, int argument)
{
	struct fields *f = fields_of(s);

	(void)argument;
	if (s->fields_at < f->n)
		fields_toggle(f, f->order[s->fields_at]);
}

void
chooser_shift(struct screen *s, int by)
{
	s->fields_at = fields_move(fields_of(s), s->fields_at, by);
}

void
chooser_reset(struct screen *s, int argument)
{
	(void)argument;
	fields_reset(fields_of(s));
}

bool
chooser_letter(struct screen *s, uint32_t code)
{
	struct fields *f = fields_of(s);

	for (size_t i = 0; i < f->n && i + 1 < sizeof(letters); i++) {
		if ((uint32_t)letters[i] != code)
			continue;
		s->fields_at = i;
		fields_toggle(f, f->order[i]);
		return true;
	}
	return false;
}

static void
draw_field(struct screen *s, struct surface *surface, int y, size_t i)
{
	const struct fields *f = fields_of(s);
	const struct column *c = &f->kind->columns[f->order[i]];
	bool on = f->chosen[f->order[i]];
	unsigned style = on ? STYLE_NORMAL : STYLE_DIM;
	int x = 1;

	if (i + 1 < sizeof(letters))
		surface_char(surface, y, x, STYLE_KEY, (uint32_t)letters[i]);
	x = 3 + surface_text(surface, y, 3, style, on ? "[x] " : "[ ] ");
	x += surface_fit(surface, y, x, 10, false, on ? STYLE_STRONG : STYLE_DIM, c->title) + 1;
	surface_text(surface, y, x, style, c->help);
	if (i == s->fields_at)
		surface_restyle(surface, y, 0, surface->cols, STYLE_SELECTED);
}

void
chooser_draw(struct screen *s, struct surface *surface, int y, int rows)
{
	const struct fields *f = fields_of(s);
	size_t page = rows > 1 ? (size_t)rows - 1 : 1;

	surface_print(surface, y, 1, STYLE_TITLE, "Fields of %s", screen_table(s)->view->name);
	if (s->fields_at >= f->n)
		s->fields_at = 0;
	if (s->fields_at < s->fields_top)
		s->fields_top = s->fields_at;
	if (s->fields_at >= s->fields_top + page)
		s->fields_top = s->fields_at - page + 1;
	for (size_t i = 0; i < page && s->fields_top + i < f->n; i++)
		draw_field(s, surface, y + 1 + (int)i, s->fields_top + i);
	if (s->fields_top + page < f->n)
		surface_glyph(surface, y + rows - 1, surface->cols - 1, STYLE_KEY, GLYPH_MORE_DOWN);
	if (s->fields_top > 0)
		surface_glyph(surface, y + 1, surface->cols - 1, STYLE_KEY, GLYPH_MORE_UP);
}
