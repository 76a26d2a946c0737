/*
 * The dashboard's state and its drawing: header, tabs, the view, status and footer. It knows neither the
 * terminal nor the sampler: whoever runs it feeds intervals and keys, and does what it asks for.
 * Main thread.
 */
#ifndef VIEWS_SCREEN_H
#define VIEWS_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/interval.h"
#include "db/store.h"
#include "session/history.h"
#include "session/verdict.h"
#include "views/chart.h"
#include "views/histogram.h"
#include "views/input.h"
#include "views/surface.h"
#include "views/table.h"
#include "views/test_page.h"
#include "views/view.h"
#include "views/zones.h"

#define SCREEN_VIEWS VIEW_COUNT

/* What lies over the view and takes the keys. */
enum overlay { OVERLAY_NONE, OVERLAY_HELP, OVERLAY_FIELDS };
enum prompt {
	PROMPT_NONE, PROMPT_INTERVAL, PROMPT_SEARCH, PROMPT_FILTER, PROMPT_ROWS, PROMPT_CAPTURE, PROMPT_HELP_SEARCH,
	/* of the test screen */
	PROMPT_JOB_FILE, PROMPT_TARGET, PROMPT_DURATION, PROMPT_WORKERS, PROMPT_DEPTH, PROMPT_SIZE, PROMPT_CONFIRM,
	PROMPT_QUIT,
};

/* What the keys ask of whoever runs the screen; the runner clears what it has done. */
struct requests {
	bool quit, refresh, redraw, save;
	uint64_t interval_ns;	/* 0: as it is */
	char capture[32];	/* an interface to watch; "": none */
	/* of the test screen: find places, describe the target, list earlier runs; start, stop or forget a test */
	bool survey, describe, earlier;
	bool start_test, stop_test, clear_test;
};

struct screen {
	const char *host;
	const struct history *history;		/* may be NULL */
	const struct verdicts *verdicts;	/* may be NULL */
	uint64_t interval_ns;
	bool recording;			/* asked for at all */
	struct store_status store;
	const char *config_path;	/* for the help; may be NULL */
	char trouble[256];		/* what could not be read and why; "" where all is well */
	uint64_t now_ns;		/* CLOCK_MONOTONIC, set before each call */

	struct interval *live;		/* the newest; NULL before the first */
	struct interval *shown;		/* the one drawn: live, unless paused */
	bool paused;
	size_t view;
	struct table tables[SCREEN_VIEWS];
	enum charset charts;
	enum naming naming;
	bool all, graph;

	enum overlay overlay;
	size_t help_top;
	char help_search[64];
	size_t fields_at, fields_top;
	enum prompt prompt;
	char typed[256];
	size_t before_search;		/* line selected when the search was begun */
	char notice[200];
	uint64_t notice_until_ns;
	struct zones zones;
	struct requests requests;
	struct test_page test;
	struct histogram histogram;	/* over the graph, while it is on */
	int page, width;		/* lines of what is scrolled, columns of the screen, as drawn last */
};

void screen_init(struct screen *);
void screen_clear(struct screen *);
/* Shows this interval from now on (takes a reference of its own). */
void screen_feed(struct screen *, struct interval *);
/* Before the first figures the screen shows what it has; later everything is built again after a change. */
void screen_rebuild(struct screen *);
struct table *screen_table(struct screen *);
void screen_show(struct screen *, size_t view);
/* Is there a lower part, with a table of its own? The cursor goes from one to the other. */
bool screen_parted(const struct screen *);
/* A line for a few seconds. */
__attribute__((format(printf, 2, 3)))
void screen_notice(struct screen *, const char *format, ...);

/* Does what a key or click means. */
void screen_key(struct screen *, const struct input *);

/* Draws everything. The cursor stands at *cursor_y, *cursor_x, or nowhere: *cursor_y is -1. */
void screen_draw(struct screen *, struct surface *, int *cursor_y, int *cursor_x);

/* For the views: the drawing of tables and charts as this screen wants it. */
struct table_draw screen_table_draw(struct screen *, const struct surface *);
/* The row of the totals, or NULL. */
const struct row *screen_total(const struct screen *);

#endif
