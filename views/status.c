#include <stdio.h>
#include <string.h>

#include "core/format.h"
#include "views/frame.h"
#include "views/prompt.h"
#include "views/text.h"

#define VERDICTS_MOST 3

static size_t
verdicts_of(const struct screen *s)
{
	return s->verdicts != NULL && s->shown != NULL ? verdicts_count(s->verdicts) : 0;
}

/* The reason why recording stopped, or another remark of the store. */
static const char *
store_remark(const struct screen *s)
{
	return s->recording ? s->store.reason : "";
}

static bool
has_line(const struct screen *s)
{
	return s->prompt != PROMPT_NONE || s->notice_until_ns > s->now_ns || store_remark(s)[0] != '\0' ||
	    s->trouble[0] != '\0' || s->store.dropped > 0;
}

bool
frame_has_status(const struct screen *s)
{
	return has_line(s) || verdicts_of(s) > 0;
}

int
frame_status_lines(const struct screen *s)
{
	size_t n = verdicts_of(s);

	n = (n < VERDICTS_MOST ? n : VERDICTS_MOST) + (has_line(s) ? 1 : 0);
	return n > 0 ? (int)n : 1;
}

/* "00:41", "1:02:10", "3d 04h" */
static void
since_text(char *out, size_t size, uint64_t ns)
{
	unsigned long long t = ns / UINT64_C(1000000000);

	if (t >= 86400)
		snprintf(out, size, "for %llud %02lluh", t / 86400, t / 3600 % 24);
	else if (t >= 3600)
		snprintf(out, size, "for %llu:%02llu:%02llu", t / 3600, t / 60 % 60, t % 60);
	else
		snprintf(out, size, "for %02llu:%02llu", t / 60, t % 60);
}

static void
draw_verdict(const struct screen *s, struct surface *surface, int y, size_t i, size_t more)
{
	const struct verdict *v = verdicts_get(s->verdicts, i);
	unsigned style = v->severity == SEVERITY_CRIT ? STYLE_CRIT : STYLE_WARN;
	char since[40], end[80];
	int x = 1, right;

	since_text(since, sizeof(since), v->since_ns);
	if (more > 0)
		snprintf(end, sizeof(end), "%s  +%zu more", v->stalled_ns > 0 ? "" : since, more);
	else
		snprintf(end, sizeof(end), "%s", v->stalled_ns > 0 ? "" : since);
	right = surface->cols - 1 - text_columns(end);
	x += surface_glyph(surface, y, x, style, v->severity == SEVERITY_CRIT ? GLYPH_CRIT : GLYPH_WARN) + 1;
	x += surface_text(surface, y, x, STYLE_STRONG, object_display_name(v->object, s->naming)) + 2;
	surface_text(surface, y, x, STYLE_NORMAL, v->text);
	if (x + text_columns(v->text) + 2 <= right)
		surface_text(surface, y, right, STYLE_DIM, end);
}

static void
draw_prompt(const struct screen *s, struct surface *surface, int y, int *cursor_y, int *cursor_x)
{
	const char *question = prompt_question(s, surface->cols);
	int x = 1 + surface_text(surface, y, 1, STYLE_KEY, question);
	int room = surface->cols - x - 1;
	const char *typed = s->typed;
	uint32_t ch;

	/* of a long text the end is seen, where the cursor is */
	while (text_columns(typed) > room && *typed != '\0')
		typed += text_decode(typed, &ch);
	x += surface_text(surface, y, x, STYLE_NORMAL, typed);
	*cursor_y = y;
	*cursor_x = x < surface->cols ? x : surface->cols - 1;
}

/* A path may be long, and what is wrong with it stands at the end: the middle goes. */
static void
draw_remark(struct surface *surface, int y, unsigned style, const char *text)
{
	surface_fit(surface, y, 1, surface->cols - 2, false, style, text);
}

static void
draw_line(const struct screen *s, struct surface *surface, int y, int *cursor_y, int *cursor_x)
{
	if (s->prompt != PROMPT_NONE)
		draw_prompt(s, surface, y, cursor_y, cursor_x);
	else if (s->notice_until_ns > s->now_ns)
		draw_remark(surface, y, STYLE_NORMAL, s->notice);
	else if (store_remark(s)[0] != '\0')
		draw_remark(surface, y, s->store.state == STORE_STOPPED ? STYLE_WARN : STYLE_DIM, store_remark(s));
	else if (s->store.dropped > 0)
		surface_print(surface, y, 1, STYLE_WARN, "not recorded, the disk is too slow: %llu intervals",
		    (unsigned long long)s->store.dropped);
	else
		draw_remark(surface, y, STYLE_DIM, s->trouble);
}

void
frame_status(struct screen *s, struct surface *surface, int y, int rows, int *cursor_y, int *cursor_x)
{
	size_t n = verdicts_of(s), shown = (size_t)(rows > 0 ? rows : 0);
	bool line = has_line(s);

	/* in a single line what was just asked for comes first, then what is wrong, then the rest */
	if (line && rows == 1 && (n == 0 || s->prompt != PROMPT_NONE || s->notice_until_ns > s->now_ns))
		shown = 0;
	else if (line && rows > 1)
		shown--;
	shown = shown < n ? shown : n;
	for (size_t i = 0; i < shown; i++)
		draw_verdict(s, surface, y + (int)i, i, i + 1 == shown ? n - shown : 0);
	if (line && (int)shown < rows)
		draw_line(s, surface, y + rows - 1, cursor_y, cursor_x);
}
