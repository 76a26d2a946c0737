/* test (t): choose a workload and a target, watch it run beside the device, read the result. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/column.h"
#include "core/format.h"
#include "core/kinds/kinds.h"
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
test_page_status(struct screen *s, const struct test_status *status, bool running, const struct result *const *results, size_t n)
{
	struct test_page *p = &s->test;
	bool ended = p->running && !running;

	p->status = status;
	p->running = running;
	p->results = results;
	p->n_results = n;
	if (status != NULL && status->test_uid != p->opened_uid) {
		p->opened_uid = status->test_uid;
		table_open_object(&s->tables[VIEW_TEST], status->test_uid);
	}
	if (!ended)
		return;
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
	return s->test.running ? IN_TABLE | IN_GRAPH | IN_LATENCY | IN_RUNNING : IN_RESULT;
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

static void
draw_title(const struct test_status *t, struct surface *surface, int y)
{
	int x = 1 + surface_text(surface, y, 1, STYLE_STRONG, t->title);

	x += surface_text(surface, y, x, STYLE_DIM, "  on ");
	x += surface_fit(surface, y, x, surface->cols - x - (t->quick ? 8 : 1) > text_columns(t->target.path) ?
	    text_columns(t->target.path) : surface->cols - x - (t->quick ? 8 : 1), false, STYLE_NORMAL, t->target.path);
	if (t->quick)
		surface_text(surface, y, x + 2, STYLE_DIM, "quick");
}

static void
draw_progress(const struct test_status *t, struct surface *surface, int y)
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
cell(const struct row *row, const char *key)
{
	return column_at(row->object->kind, kind_column(row->object->kind, key), row);
}

/* "20947 IOPS  0.76 ms  81.8 MB/s" of a test or a disk; returns the columns used. */
static int
draw_rates(struct surface *surface, int y, int x, const struct row *row)
{
	char iops[FORMAT_MAX], ms[FORMAT_MAX], mb[FORMAT_MAX];

	format_cell(iops, cell(row, "cmds_s"), 6, 0);
	format_cell(ms, cell(row, "gavg"), 6, 2);
	format_cell(mb, cell(row, "mbread_s") + cell(row, "mbwrtn_s"), 6, 1);
	return surface_print(surface, y, x, STYLE_NORMAL, "%6s IOPS  %6s ms  %6s MB/s", iops, ms, mb);
}

#define NAMES 13	/* columns of the names in front */

static void
draw_application(const struct test_status *t, struct surface *surface, int y, const struct row *row)
{
	char value[FORMAT_MAX];
	int x = 1 + NAMES;

	surface_text(surface, y, 1, STYLE_TITLE, "application");
	if (row == NULL)
		return;
	x += draw_rates(surface, y, x, row);
	format_cell(value, cell(row, "inflight"), 6, 1);
	x += surface_print(surface, y, x, STYLE_DIM, "  in flight %s", value);
	if (t->engine != NULL)
		x += surface_print(surface, y, x, STYLE_DIM, "  %s", t->engine);
	if (cell(row, "err_s") > 0)
		surface_text(surface, y, x, STYLE_CRIT, surface->utf8 ? "  I/O errors ‼" : "  I/O errors *");
}

static void
draw_device(const struct test_status *t, struct surface *surface, int y)
{
	const struct row *row = t->last != NULL && t->device_uid != 0 ? interval_row(t->last, &kind_disk, t->device_uid) : NULL;
	char value[FORMAT_MAX];
	int x = 1 + NAMES;

	surface_text(surface, y, 1, STYLE_TITLE, "device");
	surface_fit(surface, y, 8, NAMES - 8, false, STYLE_STRONG, row != NULL ? row->object->name : "-");
	if (row == NULL)
		return;
	if (row->stalled_ns > 0) {
		format_bound(value, row->stalled_ns);
		surface_print(surface, y, x, STYLE_CRIT, "nothing completed for %s", value);
		return;
	}
	x += draw_rates(surface, y, x, row);
	format_cell(value, cell(row, "util_pct"), 4, 0);
	surface_print(surface, y, x, STYLE_DIM, "  busy %s %%", value);
}

/* The charts, what the application felt and what the device did; below them the table of the workers. */
static int
draw_running(struct screen *s, struct surface *surface, int y, int rows)
{
	const struct test_status *t = s->test.status;
	const struct row *row = s->shown != NULL ? interval_row(s->shown, &kind_load, t->test_uid) : NULL;
	struct panels panels = { .history = s->history, .charset = charset_for(s->charts, surface->utf8), .row = row,
		.verdicts = s->verdicts };
	int used = 2, charts = rows - 12;

	draw_title(t, surface, y);
	draw_progress(t, surface, y + 1);
	/* while the file is laid out no worker works */
	if (row != NULL && t->state != RUN_PREPARE && s->history != NULL && charts >= 4) {
		charts = charts < 8 ? charts : 8;
		panels_draw(&panels, surface, y + used, charts);
		used += charts;
	}
	if (rows < 8)
		return used;
	if (t->why[0] != '\0')
		surface_text(surface, y + used++, 1, STYLE_CRIT, t->why);
	if (t->state != RUN_PREPARE)
		draw_application(t, surface, y + used++, row);
	draw_device(t, surface, y + used++);
	return t->state == RUN_PREPARE ? rows : used + (rows >= 12);
}

static int
head(struct screen *s, struct surface *surface, int y, int rows)
{
	if (s->test.status != NULL && s->test.running)
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
	.head = head,
};
