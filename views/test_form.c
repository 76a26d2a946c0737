/*
 * Choosing a test: a workload, a target, how long and how hard; then start. One list after the other, Esc goes back.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/format.h"
#include "core/kinds/kinds.h"
#include "load/remote.h"
#include "load/workload.h"
#include "session/settings.h"
#include "views/prompt.h"
#include "views/screen.h"
#include "views/text.h"

#define SIZE_LEAST (UINT64_C(1) << 20)
#define SIZE_MOST (UINT64_C(1) << 50)

#define TARGET_TEXT 512

enum start_line { START_RUN, START_DURATION, START_WORKERS, START_DEPTH, START_SIZE, START_LINES };

/* A line of a list, as chosen (name) and shown (head and text). */
struct choice {
	char name[512], head[64], text[320];
};

/* Without what is secret in a URL, once it is typed. */
static const char *
shown_target(const char *target, char out[static TARGET_TEXT])
{
	remote_shown(target, out, TARGET_TEXT);
	return out;
}

static size_t
count_workloads(void)
{
	size_t n = 0;

	while (workload_table[n] != NULL)
		n++;
	return n;
}

/* ---- targets: where tests ran before and directories, then disks ---- */

static bool
offered(const struct row *row)
{
	return !row->object->hidden && view_counted(row->object);
}

/* The row of the disk offered at this place, NULL where there are fewer; how many there are. */
static const struct row *
disk_at(const struct screen *s, size_t i, size_t *disks)
{
	const struct interval_table *t = s->shown != NULL ? interval_table(s->shown, &kind_disk) : NULL;
	const struct row *row = NULL;

	*disks = 0;
	for (size_t k = 0; t != NULL && k < t->n; k++)
		if (offered(&t->rows[k]) && (*disks)++ == i)
			row = &t->rows[k];
	return row;
}

static void
disk_choice(const struct row *row, struct choice *c)
{
	char size[FORMAT_MAX], what[256];
	double bytes = object_number(row->object, LABEL_SIZE_BYTES);

	snprintf(c->name, sizeof(c->name), "/dev/%s", row->object->name);
	snprintf(c->head, sizeof(c->head), "%.60s", c->name);
	view_what(&view_devices, row->object, row->object->name, NULL, what, sizeof(what));
	format_bytes(size, bytes);
	snprintf(c->text, sizeof(c->text), "%s%s%s", bytes > 0 ? size : "", bytes > 0 && what[0] != '\0' ? "  " : "", what);
}

static bool
target_choice(const struct screen *s, size_t i, struct choice *c)
{
	const struct test_survey *v = &s->test.survey;
	size_t disks;
	const struct row *row = disk_at(s, i - v->n, &disks);	/* none for a place, whose number is beyond all */

	*c = (struct choice) { .name = "" };
	if (i < v->n) {
		snprintf(c->name, sizeof(c->name), "%s", v->places[i].name);
		snprintf(c->head, sizeof(c->head), "%.60s", c->name);
		snprintf(c->text, sizeof(c->text), "%s", v->places[i].what);
	} else if (row != NULL) {
		disk_choice(row, c);
	} else if (i - v->n == disks) {
		snprintf(c->name, sizeof(c->name), "null:");
		snprintf(c->head, sizeof(c->head), "null:");
		snprintf(c->text, sizeof(c->text), "no storage at all: what the load generator itself can do");
	} else if (i - v->n == disks + 1) {
		snprintf(c->head, sizeof(c->head), "another");
		snprintf(c->text, sizeof(c->text), "type a directory, a file, a device or a URL");
	} else {
		return false;
	}
	return true;
}

void
test_form_survey(struct screen *s, const struct test_survey *found)
{
	size_t *at = &s->test.at[STAGE_TARGET];
	struct choice before = { .name = "" }, c;
	bool chosen = *at > 0 && target_choice(s, *at, &before);

	s->test.survey = *found;
	for (size_t i = 0; chosen && target_choice(s, i, &c); i++) {
		if (strcmp(c.head, before.head) != 0 || strcmp(c.name, before.name) != 0)
			continue;
		*at = i;
		return;
	}
	*at = 0;
}

static bool
workload_choice(size_t i, struct choice *c)
{
	size_t n = count_workloads();

	if (i < n) {
		snprintf(c->name, sizeof(c->name), "%s", workload_table[i]->name);
		snprintf(c->head, sizeof(c->head), "%s", workload_table[i]->name);
		snprintf(c->text, sizeof(c->text), "%s", workload_table[i]->pattern);
	} else if (i == n) {
		snprintf(c->head, sizeof(c->head), "another");
		snprintf(c->text, sizeof(c->text), "type the path of a fio job file");
	}
	return i <= n;
}

/* ---- how long, how hard ---- */

static void
duration_text(const struct test_page *p, char *out, size_t size)
{
	const struct workload *w = workload_find(p->workload);
	uint64_t runtime_ns, ramp_ns;
	char number[FORMAT_MAX];
	bool quick;

	format_number(number, (double)p->runtime_ns / 1e9);
	if (p->runtime_ns != UINT64_MAX) {
		snprintf(out, size, "%s s", number);
	} else if (w == NULL) {
		snprintf(out, size, "as the job file says");
	} else if (w->full_s == 0) {
		snprintf(out, size, "until it ends by itself");
	} else {
		quick = workload_times(w, p->full, &runtime_ns, &ramp_ns);
		format_number(number, quick ? (double)runtime_ns / 1e9 : (double)w->full_s);
		snprintf(out, size, "%s: %s s%s", quick ? "quick" : "full", number,
		    w->depths != NULL || w->steady_rounds != 0 ? " each step" : "");
	}
}

/* What was asked for, or the default as far as the target is known. A kept file keeps its size. */
static void
size_text(const struct test_page *p, char *out, size_t size)
{
	const struct target_facts *f = &p->facts;
	char bytes[FORMAT_MAX];

	format_bytes(bytes, (double)(p->size_bytes != 0 ? p->size_bytes : f->size_bytes));
	if (p->size_bytes != 0)
		snprintf(out, size, "%s", bytes);
	else if (p->facts_state != FACTS_KNOWN)
		snprintf(out, size, "default");
	else if (f->size_bytes != 0)
		snprintf(out, size, "all of it, %s", bytes);
	else if (f->kind == TARGET_DEVICE)
		snprintf(out, size, "all of it");
	else
		snprintf(out, size, "%sa quarter of what is free, at most 64 GiB", f->remote != REMOTE_NONE ? "of a new file " : "");
}

static bool
start_choice(const struct test_page *p, size_t i, struct choice *c)
{
	static const char *const heads[START_LINES] = { "start", "duration", "workers", "depth", "size" };
	char shown[TARGET_TEXT];
	unsigned number = i == START_WORKERS ? p->workers : p->depth;

	if (i >= START_LINES)
		return false;
	snprintf(c->head, sizeof(c->head), "%s", heads[i]);
	if (i == START_RUN)
		snprintf(c->text, sizeof(c->text), "%.100s on %.200s", p->workload, shown_target(p->target, shown));
	else if (i == START_DURATION)
		duration_text(p, c->text, sizeof(c->text));
	else if (i == START_SIZE)
		size_text(p, c->text, sizeof(c->text));
	else if (number == 0)
		snprintf(c->text, sizeof(c->text), "the workload's");
	else
		snprintf(c->text, sizeof(c->text), "%u%s", number, i == START_DEPTH ? " in flight, each worker" : "");
	return true;
}

static bool
choice_at(const struct screen *s, size_t i, struct choice *c)
{
	*c = (struct choice) { .name = "" };
	switch (s->test.stage) {
	case STAGE_WORKLOAD:
		return workload_choice(i, c);
	case STAGE_TARGET:
		return target_choice(s, i, c);
	default:
		return start_choice(&s->test, i, c);
	}
}

/* ---- keys ---- */

static void
go_to_target(struct screen *s)
{
	s->test.stage = STAGE_TARGET;
	s->requests.survey = true;
}

static void
go_to_start(struct screen *s)
{
	struct test_page *p = &s->test;

	p->stage = STAGE_START;
	p->at[STAGE_START] = START_RUN;
	p->why[0] = '\0';
	p->asked = false;
	p->answer[0] = '\0';
	p->facts_state = FACTS_ASKED;
	s->requests.describe = true;
}

void
test_move(struct screen *s, int by)
{
	size_t *at = &s->test.at[s->test.stage];
	struct choice c;

	if (by < 0)
		*at = *at > (size_t)-by ? *at - (size_t)-by : 0;
	for (int i = 0; i < by && choice_at(s, *at + 1, &c); i++)
		(*at)++;
}

static void
start(struct screen *s)
{
	char shown[TARGET_TEXT];

	/* what does not even say what it is would not be opened either */
	if (s->test.facts_state == FACTS_ASKED) {
		screen_notice(s, "%.100s has not answered yet", shown_target(s->test.target, shown));
		return;
	}
	s->test.why[0] = '\0';
	s->requests.start_test = true;
}

static void
choose_start(struct screen *s, size_t line)
{
	static const enum prompt prompts[] = { PROMPT_NONE, PROMPT_DURATION, PROMPT_WORKERS, PROMPT_DEPTH, PROMPT_SIZE };

	if (line == START_RUN)
		start(s);
	else
		prompt_open(s, prompts[line]);
}

void
test_choose(struct screen *s, int argument)
{
	struct test_page *p = &s->test;
	struct choice c;

	(void)argument;
	if (!choice_at(s, p->at[p->stage], &c))
		return;
	if (p->stage == STAGE_START) {
		choose_start(s, p->at[STAGE_START]);
	} else if (c.name[0] == '\0') {
		prompt_open(s, p->stage == STAGE_WORKLOAD ? PROMPT_JOB_FILE : PROMPT_TARGET);
	} else if (p->stage == STAGE_WORKLOAD) {
		snprintf(p->workload, sizeof(p->workload), "%.255s", c.name);
		go_to_target(s);
	} else {
		snprintf(p->target, sizeof(p->target), "%s", c.name);
		go_to_start(s);
	}
}

static unsigned
doubled(unsigned n, int by, unsigned most)
{
	if (by < 0)
		return n / 2;
	return n == 0 ? 1 : n * 2 <= most ? n * 2 : n;
}

void
test_adjust(struct screen *s, int by)
{
	struct test_page *p = &s->test;

	switch (p->at[STAGE_START]) {
	case START_DURATION:
		p->full = p->runtime_ns == UINT64_MAX && !p->full;
		p->runtime_ns = UINT64_MAX;
		break;
	case START_WORKERS:
		p->workers = doubled(p->workers, by, 64);
		break;
	case START_DEPTH:
		p->depth = doubled(p->depth, by, 1024);
		break;
	case START_SIZE:
		p->size_bytes = by < 0 ? p->size_bytes / 2 : p->size_bytes == 0 ? UINT64_C(1) << 30 : p->size_bytes * 2;
		p->size_bytes = p->size_bytes < SIZE_LEAST || p->size_bytes > SIZE_MOST ? 0 : p->size_bytes;
		break;
	default:
		break;
	}
}

void
test_back(struct screen *s, int argument)
{
	(void)argument;
	if (s->test.stage > 0)
		s->test.stage--;
}

/* ---- what was typed ---- */

static void
take_number(struct screen *s, unsigned *out, unsigned most)
{
	char *end;
	unsigned long n = strtoul(s->typed, &end, 10);

	if (end == s->typed || *end != '\0' || n > most)
		screen_notice(s, "%.40s: not a number from 0 (the workload's) to %u", s->typed, most);
	else
		*out = (unsigned)n;
}

void
test_take_workers(struct screen *s)
{
	take_number(s, &s->test.workers, 1024);
}

void
test_take_depth(struct screen *s)
{
	take_number(s, &s->test.depth, 65536);
}

void
test_take_size(struct screen *s)
{
	if (!settings_size(s->typed, &s->test.size_bytes))
		screen_notice(s, "%.40s: not a size as 512M or 20G", s->typed);
}

void
test_take_job_file(struct screen *s)
{
	snprintf(s->test.workload, sizeof(s->test.workload), "%s", s->typed);
	go_to_target(s);
}

void
test_take_target(struct screen *s)
{
	snprintf(s->test.target, sizeof(s->test.target), "%s", s->typed);
	go_to_start(s);
}

void
test_take_duration(struct screen *s)
{
	struct test_page *p = &s->test;
	uint64_t ns;

	if (strcmp(s->typed, "quick") == 0 || strcmp(s->typed, "full") == 0) {
		p->full = s->typed[0] == 'f';
		p->runtime_ns = UINT64_MAX;
	} else if (!settings_duration(s->typed, &ns) || ns < UINT64_C(1000000000)) {
		screen_notice(s, "%.40s: not quick, full, or a time of a second or more", s->typed);
	} else {
		p->full = false;
		p->runtime_ns = ns;
	}
}

void
test_take_answer(struct screen *s)
{
	struct test_page *p = &s->test;

	if (strcmp(s->typed, p->wants) != 0) {
		p->asked = false;
		snprintf(p->why, sizeof(p->why), "not started: %.60s was typed, not %.100s", s->typed, p->wants);
		return;
	}
	snprintf(p->answer, sizeof(p->answer), "%.127s", s->typed);
	s->requests.start_test = true;
}

/* ---- drawing ---- */

static void
draw_list(struct screen *s, struct surface *surface, int y, int rows)
{
	size_t at = s->test.at[s->test.stage], top = at >= (size_t)rows ? at - (size_t)rows + 1 : 0;
	int width = s->test.stage == STAGE_TARGET ? surface->cols / 3 : surface->cols >= 60 ? 22 : surface->cols / 3;
	struct choice c;

	for (int i = 0; i < rows && choice_at(s, top + (size_t)i, &c); i++) {
		bool self = top + (size_t)i == at;

		surface_fit(surface, y + i, 1, width, false, STYLE_STRONG, c.head);
		surface_fit(surface, y + i, width + 2, surface->cols - width - 3, false, STYLE_NORMAL, c.text);
		if (self)
			surface_restyle(surface, y + i, 0, surface->cols, STYLE_SELECTED);
	}
}

static void
draw_start(struct screen *s, struct surface *surface, int y, int rows)
{
	const struct test_page *p = &s->test;
	char shown[TARGET_TEXT];
	int end = y + rows;

	if (p->asked) {
		test_question_draw(p, surface, y, end);
		return;
	}
	draw_list(s, surface, y, rows < START_LINES ? rows : START_LINES);
	y += START_LINES + (rows > 12);
	if (p->why[0] != '\0')
		y += test_text_draw(surface, y, end, STYLE_WARN, p->why) + (rows > 12);
	if (y >= end)
		return;
	if (p->facts_state == FACTS_KNOWN)
		test_facts_draw(surface, y, end, &p->facts);
	else if (p->facts_state == FACTS_FAILED)
		surface_print(surface, y, 1, STYLE_WARN, "%s: %s", shown_target(p->target, shown),
		    strerror(p->facts_error));
	else
		surface_text(surface, y, 1, STYLE_DIM, "asking the target what it is");
}

void
test_form_draw(struct screen *s, struct surface *surface, int y, int rows)
{
	static const char *const titles[] = {
		[STAGE_WORKLOAD] = "TEST  which workload?", [STAGE_TARGET] = "TEST  on which target?", [STAGE_START] = "TEST",
	};
	int x = 1;

	if (rows < 2)
		return;
	x += surface_text(surface, y, x, STYLE_TITLE, titles[s->test.stage]) + 2;
	if (s->test.stage > STAGE_WORKLOAD)
		surface_text(surface, y, x, STYLE_DIM, s->test.workload);
	if (s->test.stage == STAGE_START)
		draw_start(s, surface, y + 1, rows - 1);
	else
		draw_list(s, surface, y + 1, rows - 1);
}
