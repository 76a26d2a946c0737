/*
 * export: recorded intervals as text, the same figures that -b would have given; or those of a run, from its second 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/results.h"
#include "core/flow.h"
#include "core/kinds/kinds.h"
#include "db/read.h"
#include "db/runs.h"
#include "db/store.h"

#define SHORT_OF 0.99	/* of the step asked for: a timer is late by a little */

/* What is exported of a run with --elapsed: the load, and the device below. */
struct run_part {
	int64_t begin_ms;
	char device[64];	/* "" where there is none */
};

static bool
belongs(const struct run_part *part, const struct object *o)
{
	if (o->kind == &kind_worker || o->kind == &kind_load)
		return true;
	return (o->kind == &kind_disk || o->kind == &kind_partition) && strcmp(o->name, part->device) == 0;
}

static void
copy_row(struct row *to, const struct row *from)
{
	size_t n = from->object->kind->n_metrics;

	to->object = object_ref(from->object);
	to->ns = from->ns;
	to->stalled_ns = from->stalled_ns;
	memcpy(to->cells, from->cells, n * sizeof(*to->cells));
	for (size_t m = 0; from->hists != NULL && m < n; m++)
		to->hists[m] = hist_copy(from->hists[m]);
}

/* The rows that belong, at their time since the beginning. Takes the interval over. */
static struct interval *
pick(const struct run_part *part, struct interval *all)
{
	struct stamp end = all->end;
	struct interval *v;

	end.wall_ms -= part->begin_ms;
	v = interval_new(&end, all->ns);
	for (size_t i = 0; i < all->n_tables; i++) {
		const struct interval_table *t = &all->tables[i];
		struct interval_table *to;
		size_t n = 0;

		for (size_t k = 0; k < t->n; k++)
			n += belongs(part, t->rows[k].object);
		if (n == 0)
			continue;
		to = interval_make_table(v, t->kind, n, t->ns);
		n = 0;
		for (size_t k = 0; k < t->n; k++)
			if (belongs(part, t->rows[k].object))
				copy_row(&to->rows[n++], &t->rows[k]);
	}
	interval_unref(all);
	return v;
}

/* Rows until the end of the span; the exit status. */
static int
pump(const struct options *o, struct source *recorded, const struct run_part *part)
{
	struct interval *interval;
	struct sink *text = NULL;
	int rc = 0, status = -1;

	while (status < 0 && cmd_stop == 0 && (rc = source_next(recorded, &interval)) > 0) {
		if (part != NULL)
			interval = pick(part, interval);
		/* The host is that of the first recording, so it is not known before. */
		if (text == NULL)
			text = cmd_text_sink(o, read_host(recorded));
		status = cmd_text_put(text, interval);
		interval_unref(interval);
	}
	sink_close(text);
	if (status >= 0)
		return status;
	if (cmd_stop != 0)
		return 130;
	if (rc < 0) {
		cmd_warn("%s", source_error(recorded));
		return 1;
	}
	if (text == NULL) {
		cmd_warn("nothing was recorded in this time");
		return 1;
	}
	return 0;
}

static int
export_from(const struct options *o, const char *path, const struct run_part *part)
{
	struct read_options read = {
		.path = path,
		.from_ms = o->from_ms,
		.to_ms = o->to_ms,
		.every_ns = o->every_ns,
	};
	char why[512];
	struct source *recorded = read_source(&read, why, sizeof(why));
	int status;

	if (recorded == NULL) {
		cmd_warn("%s", why);
		return 1;
	}
	status = pump(o, recorded, part);
	source_close(recorded);
	return status;
}

/* What is left of a run whose ticks are gone; the exit status. */
static int
export_series(const struct options *o, const struct result *r)
{
	struct object *test = object_new(&kind_load, 0, r->workload, r->workload);
	struct object *device = r->device.name[0] != '\0' ? object_new(&kind_disk, 0, r->device.name, r->device.name) : NULL;
	struct sink *text = cmd_text_sink(o, r->host);
	int status = -1;

	for (size_t i = 0; i < r->n_series && status < 0 && cmd_stop == 0; i++) {
		struct result_point p = r->series[i];
		struct stamp end = { .wall_ms = 0 };
		struct interval *v;

		while (i + 1 < r->n_series && p.seconds * 1e9 < (double)o->every_ns * SHORT_OF)
			result_point_add(&p, &r->series[++i]);
		end.wall_ms = (o->elapsed ? 0 : r->started_ms) + (int64_t)(p.at_s * 1000 + 0.5);
		v = result_point_interval(&p, &end, test, device);
		status = cmd_text_put(text, v);
		interval_unref(v);
	}
	sink_close(text);
	object_unref(test);
	object_unref(device);
	return status >= 0 ? status : cmd_stop != 0 ? 130 : 0;
}

static int
export_run(const struct options *o, const char *path)
{
	static const struct kind *const kinds[] = { &kind_load, &kind_worker, &kind_disk, &kind_partition };
	const struct kind *wanted[sizeof(kinds) / sizeof(kinds[0])];
	struct options of_run = *o;
	struct run_part part;
	struct result *r;
	char why[300];
	int64_t id;
	int status;

	if (results_number(o->export_run, &id) < 0) {
		cmd_warn("--run %s: not a number of stortop list runs", o->export_run);
		return 2;
	}
	r = runs_read(path, id, why, sizeof(why));
	if (r == NULL) {
		cmd_warn("%s", why);
		return 1;
	}
	memcpy(wanted, kinds, sizeof(wanted));
	if (o->elapsed && o->n_kinds == 0) {
		of_run.kinds = wanted;
		of_run.n_kinds = sizeof(kinds) / sizeof(kinds[0]);
	}
	snprintf(part.device, sizeof(part.device), "%s", r->device.name);
	status = runs_span(path, r->id, &of_run.from_ms, &of_run.to_ms, why, sizeof(why));
	if (status == 0) {
		part.begin_ms = of_run.from_ms++;	/* the tick that ends where it begins is not of it */
		status = export_from(&of_run, path, o->elapsed ? &part : NULL);
	} else if (r->n_series > 0) {
		cmd_warn("%s; what is left is the series of the test and its device, without workers and percentiles", why);
		status = export_series(&of_run, r);
	} else {
		cmd_warn("%s", why);
		status = 1;
	}
	result_free(r);
	return status;
}

int
cmd_export(const struct options *o, struct env *env)
{
	char *path = NULL;
	int status = 1;

	(void)env;
	if (o->db == NULL)
		path = store_default_read_path();
	if (o->db == NULL && path == NULL)
		cmd_warn("nothing has been recorded yet; `stortop` and `stortop record` do, --db names another file");
	else if (o->export_run != NULL)
		status = export_run(o, o->db != NULL ? o->db : path);
	else
		status = export_from(o, o->db != NULL ? o->db : path, NULL);
	free(path);
	return status;
}
