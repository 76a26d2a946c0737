/*
 * report: finished runs again, or several added into one. compare: the same test on several targets. list runs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/cmd.h"
#include "cmd/results.h"
#include "core/result.h"
#include "core/xalloc.h"
#include "db/runs.h"
#include "out/page.h"
#include "out/result_out.h"

#define MAX_LIST 10000

static int
load_all(struct results *list, const struct options *o)
{
	for (int i = 0; i < o->n_args; i++) {
		int status = results_add(list, o, o->args[i]);

		if (status != 0)
			return status;
	}
	return o->n_args > 0 ? 0 : results_add_last(list, o);
}

static const char *
name_of(const struct result *r)
{
	return r->label[0] != '\0' ? r->label : r->host[0] != '\0' ? r->host : r->target.name;
}

/* What was not at work at the same time does not add up to anything that ever was. */
static void
warn_apart(const struct result *a, const struct result *b)
{
	double begin = fabs((double)(a->started_ms - b->started_ms)) / 1000;

	if (a->started_ms != 0 && b->started_ms != 0 && begin > a->runtime_s / 10 + 2)
		cmd_warn("%s and %s started %.0f s apart: their sum was never measured", name_of(a), name_of(b), begin);
}

/* All into the first. 0 or the exit status. */
static int
add_up(struct results *list)
{
	char why[300];

	for (size_t i = 1; i < list->n; i++) {
		warn_apart(list->r[0], list->r[i]);
		if (result_sum(list->r[0], list->r[i], why, sizeof(why)) < 0) {
			cmd_warn("%s", why);
			return 1;
		}
		result_free(list->r[i]);
		list->r[i] = NULL;
	}
	list->n = 1;
	result_check(list->r[0]);
	return 0;
}

int
cmd_report(const struct options *o, struct env *env)
{
	struct results list = { .r = NULL };
	int status = load_all(&list, o);

	(void)env;
	if (status == 0 && o->sum)
		status = add_up(&list);
	if (status == 0 && o->json)
		result_print_json(stdout, (const struct result *const *)list.r, list.n);
	else if (status == 0)
		result_print_table(stdout, (const struct result *const *)list.r, list.n);
	results_clear(&list);
	return status;
}

static void
number_of(const struct result *r, char *out, size_t size)
{
	if (r->id > 0)
		snprintf(out, size, "run %lld", (long long)r->id);
	else
		snprintf(out, size, "%s", name_of(r));
}

/* The first two that are not of the same test. */
static int
check_alike(const struct results *list)
{
	char why[300], a[600], b[600];

	for (size_t i = 1; i < list->n; i++) {
		if (result_unlike(list->r[0], list->r[i], why, sizeof(why)) == 0)
			continue;
		number_of(list->r[0], a, sizeof(a));
		number_of(list->r[i], b, sizeof(b));
		cmd_warn("%s and %s cannot be compared: %s", a, b, why);
		return 1;
	}
	return 0;
}

int
cmd_compare(const struct options *o, struct env *env)
{
	struct results list = { .r = NULL };
	int status = load_all(&list, o);

	(void)env;
	if (status == 0)
		status = check_alike(&list);
	if (status == 0 && o->json)
		result_compare_json(stdout, (const struct result *const *)list.r, list.n);
	else if (status == 0)
		result_compare_table(stdout, (const struct result *const *)list.r, list.n);
	results_clear(&list);
	return status;
}

enum { RUN_ID, RUN_STARTED, RUN_WORKLOAD, RUN_TARGET, RUN_SECONDS, RUN_IOPS, RUN_MIB_S, RUN_MEAN, RUN_P99, RUN_STATE, RUN_NOTES,
	RUN_COLUMNS };

#define NOTES_LEAST 16

static const struct page_column run_columns[RUN_COLUMNS] = {
	[RUN_ID] = { "RUN ", 7, 0, false, false }, [RUN_STARTED] = { "STARTED", 18, 40, true, false },
	[RUN_WORKLOAD] = { "WORKLOAD", 0, 90, true, false }, [RUN_TARGET] = { "TARGET", 0, 95, true, false },
	[RUN_SECONDS] = { "SECONDS", 8, 35, false, false }, [RUN_IOPS] = { "IOPS", 9, 100, false, false },
	[RUN_MIB_S] = { "MiB/s", 9, 60, false, false }, [RUN_MEAN] = { "MEAN ms", 9, 80, false, false },
	[RUN_P99] = { "P99 ms", 9, 85, false, false }, [RUN_STATE] = { " STATE", 9, 50, true, false },
	[RUN_NOTES] = { " NOTES", 0, 70, true, false },
};

static void
notes_of(const struct run_line *run, char *out, size_t size)
{
	char words[300];

	result_warning_words(run->warnings, words, sizeof(words));
	snprintf(out, size, " %s%s%s", run->label, run->label[0] != '\0' && words[0] != '\0' ? ", " : "", words);
}

static void
print_run(struct page *p, const struct page_column *c, const struct run_line *run)
{
	time_t started = (time_t)(run->started_ms / 1000);
	char text[512], when[32] = "";
	struct tm tm;

	snprintf(text, sizeof(text), "%lld ", (long long)run->id);
	page_cell(p, &c[RUN_ID], text);
	if (run->started_ms != 0 && localtime_r(&started, &tm) != NULL)
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &tm);
	page_cell(p, &c[RUN_STARTED], when);
	page_cell(p, &c[RUN_WORKLOAD], run->workload);
	page_cell(p, &c[RUN_TARGET], run->target);
	page_figure(p, &c[RUN_SECONDS], run->runtime_s, 1);
	page_figure(p, &c[RUN_IOPS], run->iops, 0);
	page_figure(p, &c[RUN_MIB_S], run->mib_s, 2);
	page_figure(p, &c[RUN_MEAN], run->mean_ms, 3);
	page_figure(p, &c[RUN_P99], run->p99_ms, 3);
	snprintf(text, sizeof(text), " %s", run->state);
	page_cell(p, &c[RUN_STATE], text);
	notes_of(run, text, sizeof(text));
	page_cell(p, &c[RUN_NOTES], text);
	page_end(p);
}

/* As wide as its longest text, and a blank. */
static void
widen(struct page_column *c, const char *text, int most)
{
	int width = (int)strlen(text) + 2;

	if (width > most)
		width = most;
	if (width > c->width)
		c->width = width;
}

/* The notes, which may be long, take what the others leave, and have the others leave enough for a name. */
static void
fit_runs(const struct page *p, struct page_column *c)
{
	int wanted = c[RUN_NOTES].width, left;

	if (p->width > 0 && wanted > NOTES_LEAST)
		c[RUN_NOTES].width = NOTES_LEAST;
	page_fit(p, c, RUN_COLUMNS);
	left = p->width - (page_columns_width(c, RUN_COLUMNS) - c[RUN_NOTES].width);
	if (p->width > 0)
		c[RUN_NOTES].width = left < wanted ? left : wanted;
}

static void
print_runs(const struct run_line *runs, int n)
{
	struct page_column c[RUN_COLUMNS];
	char notes[512];
	struct page p;

	memcpy(c, run_columns, sizeof(c));
	for (size_t i = RUN_WORKLOAD; i <= RUN_TARGET; i++)
		widen(&c[i], c[i].title, 40);
	widen(&c[RUN_NOTES], c[RUN_NOTES].title, 40);
	for (int i = 0; i < n; i++) {
		widen(&c[RUN_WORKLOAD], runs[i].workload, 24);
		widen(&c[RUN_TARGET], runs[i].target, 40);
		notes_of(&runs[i], notes, sizeof(notes));
		widen(&c[RUN_NOTES], notes, 120);
	}
	page_on_file(&p, stdout);
	fit_runs(&p, c);
	page_titles(&p, c, RUN_COLUMNS);
	for (int i = 0; i < n; i++)
		print_run(&p, c, &runs[i]);
	page_free(&p);
}

int
cmd_list_runs(const struct options *o)
{
	char *path = results_path(o), why[300];
	struct run_line *runs;
	int n;

	if (path == NULL)
		return 1;
	runs = xcalloc(MAX_LIST, sizeof(*runs));
	n = runs_list(path, NULL, runs, MAX_LIST, why, sizeof(why));
	if (n < 0)
		cmd_warn("%s", why);
	else if (n == 0)
		cmd_warn("%s: no test has been run yet", path);
	else
		print_runs(runs, n);
	free(runs);
	free(path);
	return n > 0 ? 0 : 1;
}
