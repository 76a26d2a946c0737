/* test (t): choose a workload and a target, watch it run beside the device, read the result. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/format.h"
#include "core/kinds/kinds.h"
#include "out/result_out.h"
#include "views/keys.h"
#include "views/panels.h"
#include "views/screen.h"
#include "views/text.h"


void
test_page_init(struct test_page *p)
{
	*p = (struct test_page) { .runtime_ns = UINT64_MAX };
}

void
test_page_status(struct screen *s, const struct test_status *status, bool running, const struct result *now,
	const struct result *const *results, size_t n)
{
	struct test_page *p = &s->test;
	bool ended = p->running && !running;

	p->status = status;
	p->running = running;
	p->now = now;
	p->results = results;
	p->n_results = n;
	if (status != NULL && status->test_uid != p->opened_uid) {
		p->opened_uid = status->test_uid;
		table_open_object(&s->tables[VIEW_TEST], status->test_uid);
	}
	if (!ended)
		return;
	p->details = false;
	p->result_top = 0;
	s->notice_until_ns = 0;	/* "stopping" */
	if (s->view != VIEW_TEST)
		screen_notice(s, "the test has ended: t shows its result");
}

bool
test_page_confirm(void *page, const struct target_facts *facts, const char *amount, const char *wants)
{
	struct test_page *p = page;
	const char *word = wants != NULL ? wants : "yes";

	/* the answer is to this question only: the same device, the same word */
	if (p->answer[0] != '\0' && strcmp(facts->path, p->question.path) == 0 && strcmp(word, p->wants) == 0)
		return strcmp(p->answer, word) == 0;
	p->asked = true;
	p->question = *facts;
	snprintf(p->question_amount, sizeof(p->question_amount), "%s", amount);
	snprintf(p->wants, sizeof(p->wants), "%s", word);
	p->answer[0] = '\0';
	return false;
}

unsigned
test_page_where(const struct screen *s)
{
	if (s->test.status == NULL)
		return IN_FORM | (s->test.stage == STAGE_START ? IN_FORM_START : 0) | (s->test.stage > 0 ? IN_FORM_BACK : 0);
	if (s->test.details)
		return IN_DETAILS | IN_SCROLL | (s->test.running ? IN_RUNNING : 0);
	return IN_SUMMARY | (s->test.running ? IN_TABLE | IN_GRAPH | IN_LATENCY | IN_RUNNING : IN_RESULT | IN_SCROLL);
}

double
test_page_share(const struct test_status *t)
{
	return t->all_ns > 0 ? fmin(1, (double)t->done_ns / (double)t->all_ns) : NAN;
}

static void
time_text(char *out, size_t size, uint64_t ns)
{
	unsigned long long t = ns / UINT64_C(1000000000);

	if (t >= 3600)
		snprintf(out, size, "%llu:%02llu:%02llu", t / 3600, t / 60 % 60, t % 60);
	else
		snprintf(out, size, "%02llu:%02llu", t / 60, t % 60);
}

/* "measure  01:12 / 05:00", of the layout "prepare  1.2 GiB / 64 GiB" */
static void
state_text(const struct test_status *t, char *out, size_t size)
{
	char done[FORMAT_MAX], all[FORMAT_MAX], step[40] = "";

	if (t->state == RUN_PREPARE) {
		format_bytes(done, (double)t->done_ns);
		format_bytes(all, (double)t->all_ns);
	} else {
		time_text(done, sizeof(done), t->done_ns);
		time_text(all, sizeof(all), t->all_ns);
	}
	if (t->steps > 1)
		snprintf(step, sizeof(step), "%u of %u  ", t->step, t->steps);
	if (t->all_ns > 0)
		snprintf(out, size, "%s%s  %s / %s", step, run_state_name[t->state], done, all);
	else
		snprintf(out, size, "%s%s  %s", step, run_state_name[t->state], t->done_ns > 0 ? done : "");
}

void
test_progress_draw(const struct test_status *t, struct surface *surface, int y)
{
	double share = test_page_share(t);
	char text[160];
	int x, room;

	state_text(t, text, sizeof(text));
	x = 2 + surface_text(surface, y, 1, STYLE_NORMAL, text);
	room = surface->cols - x - 8;
	if (isnan(share) || room < 4)
		return;
	room = room < 40 ? room : 40;
	surface_fill(surface, y, x + 1, room, STYLE_DIM, surface->utf8 ? 0x2591 : '.');
	surface_fill(surface, y, x + 1, (int)(share * room), STYLE_GRAPH, surface->utf8 ? 0x2588 : '#');
	surface_print(surface, y, x + room + 2, STYLE_NORMAL, "%3.0f %%", share * 100);
}

static double
errors_so_far(const struct test_page *p)
{
	const struct test_status *t = p->status;
	const struct row *row = t->sum != NULL ? interval_row(t->sum, &kind_load, t->test_uid) : NULL;
	double errors = 0;

	if (p->running)
		return row != NULL ? row->cells[WORKER_ERRORS] : 0;
	for (size_t i = 0; i < p->n_results; i++)
		errors += (double)p->results[i]->total.errors;
	return errors;
}

int
test_why_draw(const struct test_page *p, struct surface *surface, int y, int end)
{
	const char *sign = glyph_text(GLYPH_CRIT, surface->utf8);
	double errors = errors_so_far(p);
	char text[640];

	if (p->status->why[0] == '\0')
		return 0;
	if (errors > 1)
		snprintf(text, sizeof(text), "%s %.0f I/O errors, the first: %s", sign, errors, p->status->why);
	else
		snprintf(text, sizeof(text), "%s %s", sign, p->status->why);
	return test_text_draw(surface, y, end, STYLE_CRIT, text);
}

/* Lines below the table: the last tick held against itself. */
struct foot {
	struct surface *surface;
	int y, end;
};

static void
put_foot(void *arg, const char *text)
{
	struct foot *f = arg;

	if (f->y < f->end)
		test_line_draw(f->surface, f->y++, text);
}

static void
draw_foot(const struct screen *s, struct surface *surface, int y, int end)
{
	struct foot foot = { surface, y, end };

	if (s->test.now != NULL)
		result_lines(s->test.now, RESULT_HONESTY, surface->cols - 2, surface->utf8, put_foot, &foot);
}

/* Lines that the foot may take: as many as it ever needs, so that nothing jumps when a figure gets longer. */
static int
foot_lines(const struct surface *surface)
{
	return surface->cols >= 110 ? 4 : surface->cols >= 72 ? 5 : 7;
}

#define CHART_LEAST 4
#define CHART_MOST 10
#define TABLE_LEAST 3

/* The charts above the table, as high as what must stand below leaves room for; the lines used. */
static int
draw_charts(struct screen *s, struct surface *surface, int y, int rows, const struct row *row)
{
	struct panels panels = { .history = s->history, .charset = charset_for(s->charts, surface->utf8), .row = row,
		.verdicts = s->verdicts };
	int high = rows < CHART_MOST ? rows : CHART_MOST;

	if (row == NULL || s->history == NULL || high < CHART_LEAST)
		return 0;
	panels_draw(&panels, surface, y, high);
	return high;
}

/* What the application felt, worker by worker, and below it what the device did and what the figures are worth. */
static void
draw_measured(struct screen *s, struct surface *surface, int y, int end)
{
	const struct row *row = s->shown != NULL ? interval_row(s->shown, &kind_load, s->test.status->test_uid) : NULL;
	struct table_draw d = screen_table_draw(s, surface);
	int foot = foot_lines(surface), table = (int)screen_table(s)->n + 1, spare;

	table = table > end - y - foot ? end - y - foot : table;
	table = table < TABLE_LEAST ? TABLE_LEAST : table;
	spare = end - y - foot - table;
	/* empty lines once the charts can be read: above the foot, then above the table */
	y += draw_charts(s, surface, y, spare - (spare > CHART_LEAST + 1), row) + (spare > CHART_MOST + 1);
	table_draw(screen_table(s), surface, y, table, &d);
	y += table + (spare > CHART_LEAST + 1);
	draw_foot(s, surface, y, end);
}

/* While its file is laid out no worker works: what the device does is all there is to see. */
static void
draw_layout(struct screen *s, struct surface *surface, int y, int end)
{
	const struct test_status *t = s->test.status;
	const struct row *row = s->shown != NULL && t->device_uid != 0 ? interval_row(s->shown, &kind_disk, t->device_uid) : NULL;

	if (row == NULL || end - y < 2)
		return;
	surface_print(surface, y, 1, STYLE_DIM, "%s, while the test file is written", row->object->name);
	draw_charts(s, surface, y + 1, end - y - 1, row);
}

/* Above the table where there is little room, or a graph; elsewhere the whole screen. Returns the lines used. */
static int
draw_running(struct screen *s, struct surface *surface, int y, int rows)
{
	const struct test_status *t = s->test.status;
	int start = y, end = y + rows;

	test_title_draw(t, NULL, surface, y++);
	test_progress_draw(t, surface, y++);
	if (rows < 8 && t->state != RUN_PREPARE)
		return rows < 2 ? rows : y + test_why_draw(&s->test, surface, y, end > y + 1 ? y + 1 : y) - start;
	y += test_why_draw(&s->test, surface, y, end);
	if (t->state == RUN_PREPARE)
		draw_layout(s, surface, y, end);
	else
		draw_measured(s, surface, y, end);
	return rows;
}

static int
head(struct screen *s, struct surface *surface, int y, int rows)
{
	if (s->test.status != NULL && s->test.running && !s->test.details)
		return draw_running(s, surface, y, rows);
	if (s->test.status != NULL)
		test_result_draw(s, surface, y, rows);
	else
		test_form_draw(s, surface, y, rows);
	return rows;
}

const struct view view_test = {
	.name = "test",
	.key = 't',
	.kind = &kind_load,
	.name_title = "WORKER",
	.tree = TREE_DEVICES,
	.by_name = true,
	.head = head,
};
