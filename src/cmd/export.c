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

/* The span of the run, and what of it. */
static int
find_run(struct options *o, const char *path, struct run_part *part)
{
	struct result *r;
	char why[300];
	int64_t id;

	if (results_number(o->export_run, &id) < 0) {
		cmd_warn("--run %s: not a number of stortop list runs", o->export_run);
		return 2;
	}
	if (runs_span(path, id, &o->from_ms, &o->to_ms, why, sizeof(why)) < 0) {
		cmd_warn("%s", why);
		return 1;
	}
	part->begin_ms = o->from_ms++;	/* the tick that ends where it begins is not of it */
	r = runs_read(path, id, why, sizeof(why));
	if (r == NULL) {
		cmd_warn("%s", why);
		return 1;
	}
	snprintf(part->device, sizeof(part->device), "%s", r->device.name);
	result_free(r);
	return 0;
}

static int
export_run(const struct options *o, const char *path)
{
	static const struct kind *const kinds[] = { &kind_load, &kind_worker, &kind_disk, &kind_partition };
	const struct kind *wanted[sizeof(kinds) / sizeof(kinds[0])];
	struct options of_run = *o;
	struct run_part part;
	int status = find_run(&of_run, path, &part);

	if (status != 0)
		return status;
	memcpy(wanted, kinds, sizeof(wanted));
	if (o->elapsed && o->n_kinds == 0) {
		of_run.kinds = wanted;
		of_run.n_kinds = sizeof(kinds) / sizeof(kinds[0]);
	}
	return export_from(&of_run, path, o->elapsed ? &part : NULL);
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
