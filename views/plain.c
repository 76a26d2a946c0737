#include "views/plain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/format.h"
#include "core/xalloc.h"
#include "views/text.h"

#define WIDEST 400	/* the table never grows so wide: its texts have limits */

/*
 * Frees the text. Names come from outside: like the rows of the table, every line goes over a surface, which
 * makes them harmless.
 */
static void
print_line(FILE *out, bool utf8, char *text)
{
	struct surface surface;
	char *line;

	surface_init(&surface, 1, text_columns(text) + 1, utf8);
	surface_text(&surface, 0, 0, STYLE_NORMAL, text);
	line = surface_line(&surface, 0);
	fprintf(out, "%s\n", line);
	free(line);
	surface_free(&surface);
	free(text);
}

static void
print_time(FILE *out, const struct screen *s, bool utf8)
{
	time_t seconds = (time_t)(s->shown->end.wall_ms / 1000);
	char clock[32] = "", length[FORMAT_MAX];
	struct tm tm;

	if (localtime_r(&seconds, &tm) != NULL)
		strftime(clock, sizeof(clock), "%Y-%m-%d %H:%M:%S", &tm);
	format_number(length, round((double)s->shown->ns / 1e6) / 1e3);
	print_line(out, utf8, xasprintf("%s  %s  %s s", clock, s->host, length));
}

static void
print_verdicts(FILE *out, const struct screen *s, bool utf8)
{
	for (size_t i = 0; s->verdicts != NULL && i < verdicts_count(s->verdicts); i++) {
		const struct verdict *v = verdicts_get(s->verdicts, i);
		const char *mark = glyph_text(v->severity == SEVERITY_CRIT ? GLYPH_CRIT : GLYPH_WARN, utf8);

		print_line(out, utf8, xasprintf(" %s %s  %s", mark, object_display_name(v->object, s->naming), v->text));
	}
}

char *
plain_text(struct screen *s, bool utf8, int columns, size_t *len)
{
	struct table *t = screen_table(s);
	struct table_draw d = { .verdicts = s->verdicts, .charset = CHARSET_ASCII };
	struct surface surface;
	char *text = NULL;
	FILE *out = open_memstream(&text, len);
	int used;

	if (out == NULL)
		return xstrdup("");
	print_time(out, s, utf8);
	surface_init(&surface, (int)t->n + 1, columns > 0 ? columns : WIDEST, utf8);
	used = table_draw(t, &surface, 0, surface.rows, &d);
	for (int y = 0; y < used; y++) {
		char *line = surface_line(&surface, y);

		fprintf(out, "%s\n", line);
		free(line);
	}
	surface_free(&surface);
	if (t->n == 0)
		fprintf(out, " no %s\n", t->view->kind->one);
	print_verdicts(out, s, utf8);
	fputc('\n', out);
	fclose(out);
	return text;
}
