#include "views/frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/column.h"
#include "core/format.h"
#include "core/kinds/kinds.h"
#include "views/keys.h"
#include "views/prompt.h"
#include "views/text.h"

/* A piece of the header; what does not fit goes, lowest rank first. */
struct piece {
	char text[80];
	unsigned style;
	int rank;
	bool right;
	bool gone;
};
#define PIECES 10

static void
add(struct piece *list, int *n, int rank, bool right, unsigned style, const char *text)
{
	struct piece *p = &list[*n];

	if (text[0] == '\0')
		return;
	*p = (struct piece) { .style = style, .rank = rank, .right = right };
	snprintf(p->text, sizeof(p->text), "%s", text);
	(*n)++;
}

static const struct row *
host_row(const struct screen *s)
{
	const struct interval_table *t = s->shown != NULL ? interval_table(s->shown, &kind_host) : NULL;

	return t != NULL && t->n > 0 ? &t->rows[0] : NULL;
}

/* "up 15d 4h" */
static void
uptime_text(char *out, size_t size, double seconds)
{
	unsigned long long minutes = seconds > 0 ? (unsigned long long)(seconds / 60) : 0;

	out[0] = '\0';
	if (isnan(seconds))
		return;
	if (minutes >= 1440)
		snprintf(out, size, "up %llud %lluh", minutes / 1440, minutes / 60 % 24);
	else
		snprintf(out, size, "up %lluh %02llum", minutes / 60, minutes % 60);
}

static void
clock_text(char *out, size_t size, int64_t wall_ms)
{
	time_t seconds = (time_t)(wall_ms / 1000);
	struct tm tm;

	out[0] = '\0';
	if (localtime_r(&seconds, &tm) != NULL)
		strftime(out, size, "%H:%M:%S", &tm);
}

static void
add_facts(struct screen *s, struct piece *list, int *n)
{
	const struct row *host = host_row(s);
	char text[80];

	if (s->shown != NULL) {
		clock_text(text, sizeof(text), s->shown->end.wall_ms);
		add(list, n, 8, false, STYLE_NORMAL, text);
	}
	if (host == NULL)
		return;
	uptime_text(text, sizeof(text), host->cells[HOST_UPTIME_S]);
	add(list, n, 2, false, STYLE_DIM, text);
	if (isnan(host->cells[HOST_LOAD1_X100]))
		return;
	snprintf(text, sizeof(text), "load %.2f %.2f %.2f", host->cells[HOST_LOAD1_X100] / 100,
	    host->cells[HOST_LOAD5_X100] / 100, host->cells[HOST_LOAD15_X100] / 100);
	add(list, n, 4, false, STYLE_DIM, text);
}

static void
add_recording(struct screen *s, struct piece *list, int *n, bool utf8)
{
	char text[40];

	if (!s->recording) {
		add(list, n, 3, true, STYLE_DIM, "not recording");
	} else if (s->store.state == STORE_STOPPED) {
		add(list, n, 9, true, STYLE_WARN, "recording stopped");
	} else {
		snprintf(text, sizeof(text), "%s REC", glyph_text(GLYPH_REC, utf8));
		add(list, n, 7, true, s->store.state == STORE_RECORDING ? STYLE_GRAPH : STYLE_DIM, text);
	}
}

static void
add_state(struct screen *s, struct piece *list, int *n, bool utf8)
{
	size_t stalled = s->verdicts != NULL ? verdicts_stalled(s->verdicts) : 0;
	char text[40], number[FORMAT_MAX];

	if (stalled > 0) {
		snprintf(text, sizeof(text), "%zu stalled%s", stalled, glyph_text(GLYPH_CRIT, utf8));
		add(list, n, 11, true, STYLE_CRIT, text);
	}
	if (s->paused)
		add(list, n, 10, true, STYLE_TAB, "PAUSED");
	if (s->test.running) {
		double share = test_page_share(s->test.status);

		if (isnan(share))
			snprintf(text, sizeof(text), "TEST %s", run_state_name[s->test.status->state]);
		else
			snprintf(text, sizeof(text), "TEST %s %.0f %%", run_state_name[s->test.status->state], share * 100);
		add(list, n, 10, true, STYLE_GRAPH, text);
	}
	format_number(number, (double)s->interval_ns / 1e9);
	snprintf(text, sizeof(text), "every %s s", number);
	add(list, n, 5, true, STYLE_DIM, text);
	add_recording(s, list, n, utf8);
}

static int
width_of(const struct piece *list, int n)
{
	int width = 1;

	for (int i = 0; i < n; i++)
		if (!list[i].gone)
			width += text_columns(list[i].text) + 2;
	return width;
}

static void
drop_least(struct piece *list, int n)
{
	int least = -1;

	for (int i = 0; i < n; i++)
		if (!list[i].gone && (least < 0 || list[i].rank < list[least].rank))
			least = i;
	if (least >= 0)
		list[least].gone = true;
}

void
frame_header(struct screen *s, struct surface *surface, int y)
{
	struct piece list[PIECES];
	char host[80];
	int n = 0, x = 1, right;

	add(list, &n, 1, false, STYLE_STRONG, "stortop");
	text_fit(host, sizeof(host), s->host, surface->cols >= 60 ? 24 : 10, surface->utf8);
	add(list, &n, 6, false, STYLE_STRONG, host);
	add_facts(s, list, &n);
	add_state(s, list, &n, surface->utf8);
	for (int i = 0; i < n && width_of(list, n) > surface->cols + 1; i++)
		drop_least(list, n);
	right = surface->cols - 1;
	for (int i = 0; i < n; i++)
		right -= list[i].right && !list[i].gone ? text_columns(list[i].text) + 2 : 0;
	for (int i = 0; i < n; i++) {
		if (list[i].gone)
			continue;
		if (list[i].right)
			right += 2 + surface_text(surface, y, right + 2, list[i].style, list[i].text);
		else
			x += 2 + surface_text(surface, y, x, list[i].style, list[i].text);
	}
}

/* Names where they fit, else the letters alone and the name of the screen shown. The help has a place in the footer too. */
void
frame_tabs(struct screen *s, struct surface *surface, int y)
{
	int width = 1, x = 1;
	bool names;

	for (size_t i = 0; i < VIEW_TABS; i++)
		width += (int)strlen(view_table[i]->name) + 4;
	names = width - 2 <= surface->cols;
	for (size_t i = 0; i < VIEW_TABS; i++) {
		bool on = i == view_tab(s->view);
		int start = x;

		x += surface_char(surface, y, x, on ? STYLE_TAB : STYLE_KEY, view_table[i]->key);
		if (names || on) {
			x += surface_char(surface, y, x, on ? STYLE_TAB : STYLE_DIM, ' ');
			x += surface_text(surface, y, x, on ? STYLE_TAB : STYLE_DIM, view_table[i]->name);
		}
		zones_add(&s->zones, y, start, x - start, ZONE_KEY, view_table[i]->key);
		x += 2;
	}
	if (x + 7 > surface->cols)
		return;
	surface_text(surface, y, surface->cols - 7, STYLE_KEY, "?");
	surface_text(surface, y, surface->cols - 5, STYLE_DIM, "help");
	zones_add(&s->zones, y, surface->cols - 7, 6, ZONE_KEY, '?');
}

void
frame_footer(struct screen *s, struct surface *surface, int y)
{
	unsigned where = keys_where(s);
	int x = 1;

	for (int rank = 1; rank < 20; rank++) {
		for (const struct key *k = key_table; k->action != NULL; k++) {
			int letters = (int)(k->label != NULL ? strcspn(k->label, " ") : 0), start = x;

			if (k->rank != rank || !(k->where & where) || k->name == NULL)
				continue;
			/* one that does not fit makes room for none after it: the order stays */
			if (x + letters + 1 + text_columns(k->name) > surface->cols - 1)
				return;
			x += surface_fit(surface, y, x, letters, false, STYLE_KEY, "");
			for (int i = 0; i < letters; i++)
				surface_char(surface, y, start + i, STYLE_KEY, (uint32_t)k->label[i]);
			x += 1 + surface_text(surface, y, x + 1, STYLE_DIM, k->name);
			zones_add(&s->zones, y, start, x - start, ZONE_KEY, k->codes[0]);
			x += 2;
		}
	}
}
