#include "views/screen.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/column.h"
#include "core/kinds/kinds.h"
#include "views/chooser.h"
#include "views/keys.h"
#include "views/prompt.h"
#include "views/wire.h"

#define NOTICE_NS UINT64_C(5000000000)

void
screen_init(struct screen *s)
{
	*s = (struct screen) { .host = "", .width = 80 };
	test_page_init(&s->test);
	for (size_t i = 0; i < SCREEN_VIEWS; i++)
		table_init(&s->tables[i], view_table[i]);
}

void
screen_clear(struct screen *s)
{
	for (size_t i = 0; i < SCREEN_VIEWS; i++)
		table_clear(&s->tables[i]);
	zones_clear(&s->zones);
	histogram_close(&s->histogram);
	interval_unref(s->live);
	interval_unref(s->shown);
}

struct table *
screen_table(struct screen *s)
{
	return &s->tables[s->view];
}

static void
rebuild(struct screen *s, size_t view)
{
	struct table *t = &s->tables[view];

	t->all = s->all;
	t->naming = s->naming;
	if (s->shown != NULL)
		table_build(t, s->shown);
}

/* Both parts, where there are two: both are drawn. */
void
screen_rebuild(struct screen *s)
{
	size_t tab = view_tab(s->view), below = view_below(tab);

	rebuild(s, tab);
	if (below < VIEW_COUNT)
		rebuild(s, below);
}

bool
screen_parted(const struct screen *s)
{
	return view_below(view_tab(s->view)) < VIEW_COUNT && (wire_watched(s) || s->view != view_tab(s->view));
}

/* Keys mean rows: where the upper part has none and the lower some, the cursor is there, unless something is being answered. */
static void
leave_empty_part(struct screen *s)
{
	size_t below = view_below(s->view);

	if (below == VIEW_COUNT || !wire_watched(s) || s->overlay != OVERLAY_NONE || s->prompt != PROMPT_NONE)
		return;
	if (s->tables[s->view].n == 0 && s->tables[s->view].filter_text == NULL && s->tables[below].n > 0)
		s->view = below;
}

void
screen_show(struct screen *s, size_t view)
{
	if (view >= SCREEN_VIEWS)
		return;
	s->view = view;
	screen_rebuild(s);
	leave_empty_part(s);
}

void
screen_feed(struct screen *s, struct interval *interval)
{
	struct interval *before = s->live;

	s->live = interval_ref(interval);
	interval_unref(before);
	if (s->paused && s->shown != NULL)
		return;
	before = s->shown;
	s->shown = interval_ref(interval);
	histogram_feed(&s->histogram, interval);
	/* the tables of the other views still point into the interval before */
	for (size_t i = 0; i < SCREEN_VIEWS; i++)
		s->tables[i].n = i == s->view ? s->tables[i].n : 0;
	screen_rebuild(s);
	leave_empty_part(s);
	interval_unref(before);
}

const struct row *
screen_total(const struct screen *s)
{
	const struct interval_table *t = s->shown != NULL ? interval_table(s->shown, &kind_total) : NULL;

	return t != NULL && t->n > 0 ? &t->rows[0] : NULL;
}

void
screen_notice(struct screen *s, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(s->notice, sizeof(s->notice), format, ap);
	va_end(ap);
	s->notice_until_ns = s->now_ns + NOTICE_NS;
}

struct table_draw
screen_table_draw(struct screen *s, const struct surface *surface)
{
	return (struct table_draw) {
		.verdicts = s->verdicts,
		.history = s->history,
		.charset = charset_for(s->charts, surface->utf8),
		.interval_s = (double)s->interval_ns / 1e9,
		.cursor = true,
		.zones = &s->zones,
	};
}

/* esxtop's letters: each column may have one. */
static bool
sort_letter(struct screen *s, uint32_t code)
{
	struct table *t = screen_table(s);

	for (size_t i = 0; i < t->view->kind->n_columns; i++) {
		char letter = t->view->kind->columns[i].sort_key;

		if (letter == 0 || (uint32_t)letter != code)
			continue;
		table_sort(t, (int)i);
		screen_rebuild(s);
		return true;
	}
	return false;
}

static void
press(struct screen *s, uint32_t code)
{
	const struct key *key = keys_find(s, code);

	if (key != NULL) {
		key->action(s, key->argument);
		return;
	}
	if (s->overlay == OVERLAY_FIELDS) {
		chooser_letter(s, code);
		return;
	}
	if (s->overlay == OVERLAY_NONE && !((keys_where(s) & IN_TABLE) && sort_letter(s, code)) && code > ' ' && code < 0x7F)
		screen_notice(s, "%c does nothing here; h shows the keys", (char)code);
}

/* A title sorts, and again the other way round; a row is selected, and selected again opened. */
static void
click(struct screen *s, const struct input *in)
{
	const struct zone *zone = zones_at(&s->zones, in->y, in->x);
	struct table *t = screen_table(s);

	if (zone == NULL)
		return;
	switch (zone->type) {
	case ZONE_KEY:
		/* a tab beside an open help leads there */
		if (keys_find(s, zone->value) == NULL)
			s->overlay = OVERLAY_NONE;
		press(s, zone->value);
		break;
	case ZONE_COLUMN:
		if (t->sort == (int)zone->value)
			t->reverse = !t->reverse;
		else
			table_sort(t, (int)zone->value);
		screen_rebuild(s);
		break;
	case ZONE_LINE:
		if (t->selected == zone->value && t->selected_key != 0)
			press(s, INPUT_ENTER);
		else
			table_select(t, zone->value);
		break;
	default:
		break;
	}
}

static void
wheel(struct screen *s, int by)
{
	press(s, by < 0 ? INPUT_UP : INPUT_DOWN);
}

void
screen_key(struct screen *s, const struct input *in)
{
	s->notice_until_ns = 0;
	if (s->prompt != PROMPT_NONE)
		prompt_key(s, in->code);
	else if (in->code == INPUT_CLICK)
		click(s, in);
	else if (in->code == INPUT_WHEEL_UP || in->code == INPUT_WHEEL_DOWN)
		wheel(s, in->code == INPUT_WHEEL_UP ? -1 : 1);
	else
		press(s, in->code);
}
