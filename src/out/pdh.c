/*
 * esxtop's batch CSV: Windows' PDH format as perfmon and the readers of esxtop files take it. ASCII, LF,
 * every cell quoted, UTC, the columns frozen at the first interval that has any.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/column.h"
#include "core/format.h"
#include "core/xalloc.h"
#include "out/line.h"
#include "out/note.h"
#include "out/out.h"
#include "out/pdh_plan.h"
#include "out/choice.h"

#define CELL_MAX (FORMAT_MAX + 3)	/* a number, its quotes and the comma */

struct pdh {
	struct sink sink;
	struct out_options options;
	struct choice choice;
	struct pdh_plan plan;
	struct line line;
	int64_t last_s;		/* the time stamp of the line before */
	bool empty_said;
};

static double
figure(struct pdh_instance *instance, const struct pdh_cell *cell, const struct row *row, struct note *unknown)
{
	const struct column *column = cell->column;
	double value;

	if (column == NULL)
		return 0;
	/* A stalled device must not read as idle: its latency is at least this. */
	if (row->stalled_ns > 0 && (column->flags & COLUMN_GAVG))
		return (double)row->stalled_ns / 1e6;
	value = column_value(column, row) * cell->scale;
	if (!isnan(value))
		return value > 0 ? value : 0;
	if (!instance->unknown_said && !pdh_idle(column, row)) {
		note_add(unknown, instance->name != NULL ? instance->name : instance->object->name);
		instance->unknown_said = true;
	}
	return 0;
}

static size_t
put_cell(char *out, double value, bool integer)
{
	size_t len = 2;

	memcpy(out, ",\"", 2);
	if (integer) {
		len += format_integer(out + len, value);
	} else if (value == 0) {
		memcpy(out + len, "0.00", 4);
		len += 4;
	} else {
		len += format_fixed2(out + len, value);
	}
	out[len] = '"';
	return len + 1;
}

static void
put_instance(struct pdh *p, struct pdh_instance *instance, const struct interval *interval, struct note *unknown)
{
	const struct row *row =
	    instance->row == PDH_NOWHERE ? NULL : &interval->tables[instance->table].rows[instance->row];
	char *begin = line_room(&p->line, instance->n * CELL_MAX), *at = begin;

	for (size_t i = 0; i < instance->n; i++) {
		const struct pdh_cell *cell = &p->plan.cells[instance->first + i];

		at += put_cell(at, row != NULL ? figure(instance, cell, row, unknown) : 0, cell->integer);
	}
	p->line.len += (size_t)(at - begin);
}

/*
 * Whole seconds, as esxtop writes them. A tick that comes a little early or late must not give two lines
 * the same second when they are a second apart: readers take the time for a key.
 */
static int64_t
stamp(struct pdh *p, const struct interval *interval)
{
	int64_t ms = interval->end.wall_ms, s = (ms - (ms % 1000 + 1000) % 1000) / 1000;

	if (s == p->last_s && interval->ns >= UINT64_C(990000000))
		s++;
	p->last_s = s;
	return s;
}

static void
put_stamp(struct pdh *p, int64_t s)
{
	char text[FORMAT_MAX];

	/* A clock that far off has no time in this format; the line must have one. */
	if (format_us_time(text, s) == 0)
		format_us_time(text, 0);
	line_char(&p->line, '"');
	line_text(&p->line, text);
	line_char(&p->line, '"');
}

static int
put_header(struct pdh *p, const struct interval *interval)
{
	struct out_options silent = p->options;

	/* Without columns yet it is tried again with the next interval, and what is left out is not known. */
	silent.note = NULL;
	pdh_plan_make(&p->plan, &silent, &p->choice, interval);
	if (p->plan.n_cells == 0) {
		if (!p->empty_said && p->options.note != NULL)
			p->options.note(p->options.note_arg, "no columns: nothing chosen that esxtop knows is measured");
		p->empty_said = true;
		pdh_plan_free(&p->plan);
		return 0;
	}
	pdh_plan_free(&p->plan);
	pdh_plan_make(&p->plan, &p->options, &p->choice, interval);
	pdh_plan_header(&p->plan, p->options.host, &p->line);
	return line_write(&p->line, p->options.fd);
}

static int
put_row(struct pdh *p, const struct interval *interval)
{
	struct note unknown = { .options = &p->options, .limit = 8,
		.lead = "some figures not known for a time, printed as 0:" };

	put_stamp(p, stamp(p, interval));
	for (size_t i = 0; i < p->plan.n; i++)
		put_instance(p, &p->plan.instances[i], interval, &unknown);
	line_char(&p->line, '\n');
	note_end(&unknown);
	return line_write(&p->line, p->options.fd);
}

static int
pdh_put(struct sink *sink, struct interval *interval)
{
	struct pdh *p = (struct pdh *)sink;
	bool changed;
	int rc = 0;

	/* A gap: nothing was measured, and a line of zeros would say it was idle. */
	if (interval->n_tables == 0)
		return 0;
	changed = choice_follow(&p->choice, &p->options, interval);
	if (p->plan.n_cells == 0)
		rc = put_header(p, interval);
	else if (changed)
		pdh_plan_follow(&p->plan, &p->options, &p->choice);
	if (rc < 0 || p->plan.n_cells == 0)
		return rc;
	return put_row(p, interval);
}

static int
pdh_close(struct sink *sink)
{
	struct pdh *p = (struct pdh *)sink;

	pdh_plan_free(&p->plan);
	choice_free(&p->choice);
	line_free(&p->line);
	free(p);
	return 0;
}

static const struct sink_ops pdh_ops = {
	.name = "pdh",
	.put = pdh_put,
	.close = pdh_close,
};

struct sink *
pdh_sink(const struct out_options *options)
{
	struct pdh *p = xcalloc(1, sizeof(*p));

	p->sink.ops = &pdh_ops;
	p->options = *options;
	p->last_s = INT64_MIN;
	return &p->sink;
}
