#include "views/help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "views/keys.h"
#include "views/text.h"

/* A line of the help: a head of fixed width, then text. */
struct help_line {
	char *head, *text;	/* head NULL: the text is a title */
};

struct help_text {
	int head_width, width;
	size_t n;
	struct help_line *lines;
};

static void
add_line(struct help_text *h, const char *head, const char *text, size_t len)
{
	h->lines = xreallocarray(h->lines, h->n + 1, sizeof(*h->lines));
	h->lines[h->n++] = (struct help_line) { head != NULL ? xstrdup(head) : NULL, xstrndup(text, len) };
}

static void
add_title(struct help_text *h, const char *text)
{
	if (h->n > 0)
		add_line(h, "", "", 0);
	add_line(h, NULL, text, strlen(text));
}

static void
add_entry(struct help_text *h, const char *head, const char *text)
{
	int room = h->width - h->head_width;

	if (room < 10)
		room = 10;
	do {
		size_t n = text_wrap(text, room, SIZE_MAX);

		add_line(h, head, text, n);
		head = "";
		text += n;
		text += strspn(text, " ");
	} while (*text != '\0');
}

static void
add_keys(struct help_text *h, struct screen *s)
{
	const struct table *t = screen_table(s);
	enum overlay overlay = s->overlay;
	unsigned where;

	/* what works behind the help is what it is about */
	s->overlay = OVERLAY_NONE;
	where = keys_where(s);
	s->overlay = overlay;
	for (const struct key *k = key_table; k->action != NULL; k++)
		if (k->where & where)
			add_entry(h, k->label, k->help);
	for (size_t i = 0; i < t->view->kind->n_columns; i++) {
		const struct column *c = &t->view->kind->columns[i];
		char head[2] = { c->sort_key, '\0' }, text[80];

		if (c->sort_key == 0)
			continue;
		snprintf(text, sizeof(text), "sort by %s", c->title);
		add_entry(h, head, text);
	}
}

static void
add_signs(struct help_text *h, bool utf8)
{
	add_entry(h, "-", "not known, or there is nothing to divide by: no command was completed");
	add_entry(h, glyph_text(GLYPH_WARN, utf8), "over the warning threshold of its class, or an error");
	add_entry(h, glyph_text(GLYPH_CRIT, utf8), "over the critical threshold, or standing still");
	add_entry(h, ">41 s", "commands are in flight and none has been completed for so long");
	add_entry(h, glyph_text(GLYPH_CLOSED, utf8), "the row expands");
}

static void
add_files(struct help_text *h, const struct screen *s)
{
	if (s->config_path == NULL && s->store.path[0] == '\0')
		return;
	add_title(h, "Files");
	if (s->recording && s->store.path[0] != '\0')
		add_entry(h, "recording", s->store.path);
	if (s->config_path != NULL)
		add_entry(h, "settings", s->config_path);
}

static struct help_text
make(struct screen *s, int width, bool utf8)
{
	const struct kind *kind = screen_table(s)->view->kind;
	struct help_text h = { .head_width = width >= 50 ? 14 : 9, .width = width - 2 };
	char title[80];

	snprintf(title, sizeof(title), "Keys of %s", screen_table(s)->view->name);
	add_title(&h, title);
	add_keys(&h, s);
	add_title(&h, "Signs");
	add_signs(&h, utf8);
	snprintf(title, sizeof(title), "Columns of %s (f chooses; MB is 2^20 bytes)", screen_table(s)->view->name);
	add_title(&h, title);
	for (size_t i = 0; i < kind->n_columns; i++)
		add_entry(&h, kind->columns[i].title, kind->columns[i].help);
	add_files(&h, s);
	return h;
}

static void
clear(struct help_text *h)
{
	for (size_t i = 0; i < h->n; i++) {
		free(h->lines[i].head);
		free(h->lines[i].text);
	}
	free(h->lines);
}

static void
draw_line(const struct help_text *h, const struct help_line *line, struct surface *surface, int y, const char *search)
{
	if (line->head == NULL) {
		surface_text(surface, y, 1, STYLE_TITLE, line->text);
		return;
	}
	surface_text(surface, y, 1, STYLE_KEY, line->head);
	surface_text(surface, y, 1 + h->head_width, STYLE_NORMAL, line->text);
	if (search[0] != '\0' && (strcasestr(line->text, search) != NULL || strcasestr(line->head, search) != NULL))
		surface_restyle(surface, y, 0, surface->cols, STYLE_SELECTED);
}

void
help_draw(struct screen *s, struct surface *surface, int y, int rows)
{
	struct help_text h = make(s, surface->cols, surface->utf8);
	size_t page = rows > 0 ? (size_t)rows : 0;

	s->page = rows;
	s->width = surface->cols;
	if (s->help_top + page > h.n)
		s->help_top = h.n > page ? h.n - page : 0;
	for (size_t i = 0; i < page && s->help_top + i < h.n; i++)
		draw_line(&h, &h.lines[s->help_top + i], surface, y + (int)i, s->help_search);
	if (s->help_top + page < h.n)
		surface_glyph(surface, y + rows - 1, surface->cols - 1, STYLE_KEY, GLYPH_MORE_DOWN);
	if (s->help_top > 0)
		surface_glyph(surface, y, surface->cols - 1, STYLE_KEY, GLYPH_MORE_UP);
	clear(&h);
}

bool
help_find(struct screen *s, bool again)
{
	struct help_text h = make(s, s->width, true);
	bool found = false;

	for (size_t i = again ? 1 : 0; i < h.n && !found; i++) {
		size_t at = (s->help_top + i) % h.n;
		const struct help_line *line = &h.lines[at];

		if (strcasestr(line->text, s->help_search) != NULL ||
		    (line->head != NULL && strcasestr(line->head, s->help_search) != NULL)) {
			s->help_top = at;
			found = true;
		}
	}
	clear(&h);
	return found;
}
