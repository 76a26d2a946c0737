/*
 * The tables that are the same for all kinds.
 */
#include <stdio.h>

#include "db/runs_fields.h"
#include "db/schema_table.h"

const struct table schema_fixed[] = {
	{ .name = "recording", .n = 5, .key = ")", .columns = {
		{ .name = "id", .type = "INTEGER PRIMARY KEY" },
		{ .name = "host", .type = "TEXT" },
		{ .name = "boot_id", .type = "TEXT" },
		{ .name = "source", .type = "TEXT" },	/* live, or the root directory */
		{ .name = "started", .type = "INTEGER" } } },	/* wall clock, ms */
	{ .name = "object", .n = 9, .key = ")", .columns = {
		{ .name = "id", .type = "INTEGER PRIMARY KEY" },
		{ .name = "recording", .type = "INTEGER NOT NULL REFERENCES recording(id)" },
		{ .name = "kind", .type = "TEXT NOT NULL" },
		{ .name = "name", .type = "TEXT NOT NULL" },
		{ .name = "identity", .type = "TEXT NOT NULL" },
		{ .name = "parent", .type = "INTEGER REFERENCES object(id)" },
		{ .name = "counts_in", .type = "INTEGER REFERENCES object(id)" },
		{ .name = "hidden", .type = "INTEGER" },
		{ .name = "labels", .type = "TEXT" } } },
	{ .name = "tick", .n = 5, .key = ")", .columns = {
		{ .name = "tick", .type = "INTEGER PRIMARY KEY" },
		{ .name = "recording", .type = "INTEGER NOT NULL REFERENCES recording(id)" },
		{ .name = "wall_ms", .type = "INTEGER NOT NULL" },	/* its end */
		{ .name = "ns", .type = "INTEGER NOT NULL" },		/* its length */
		{ .name = "added", .type = "INTEGER" } } },	/* ticks that were added up into it; NULL: as recorded */
	{ .name = "sample", .n = 3, .key = ", PRIMARY KEY (tick, kind)) WITHOUT ROWID", .columns = {
		{ .name = "tick", .type = TO_TICK },
		{ .name = "kind", .type = "TEXT NOT NULL" },
		{ .name = "ns", .type = "INTEGER" } } },	/* NULL: the tick's */
	/* last NULL: still there. lacks: the keys of absent metrics, " a b "; NULL: none. */
	{ .name = "presence", .n = 5, .key = ", PRIMARY KEY (kind, object, first)) WITHOUT ROWID", .columns = {
		{ .name = "kind", .type = "TEXT NOT NULL" },
		{ .name = "object", .type = TO_OBJECT },
		{ .name = "first", .type = "INTEGER NOT NULL" },
		{ .name = "last", .type = "INTEGER" },
		{ .name = "lacks", .type = "TEXT" } } },
	{ .name = "event", .n = 6, .key = ")", .columns = {
		{ .name = "id", .type = "INTEGER PRIMARY KEY" },
		{ .name = "tick", .type = TO_TICK },
		{ .name = "wall_ms", .type = "INTEGER NOT NULL" },
		{ .name = "type", .type = "TEXT NOT NULL" },
		{ .name = "object", .type = "INTEGER REFERENCES object(id)" },
		{ .name = "text", .type = "TEXT" } } },
};
const size_t schema_n_fixed = sizeof(schema_fixed) / sizeof(schema_fixed[0]);

static void
add_fields(struct table *t, const struct fields *list)
{
	for (size_t i = 0; i < list->n; i++)
		table_add(t, list->fields[i].name, field_sql_type(&list->fields[i]), false);
}

/*
 * A run outlives its ticks, and its recording: these hold numbers of them, no references. last_tick: its ticks are kept as they
 * were recorded.
 */
static void
run_table(struct table *t)
{
	*t = (struct table){ .name = "run", .key = ")" };
	table_add(t, "id", "INTEGER PRIMARY KEY", false);
	table_add(t, "recording", "INTEGER", false);
	table_add(t, "first_ms", "INTEGER", false);
	table_add(t, "last_ms", "INTEGER", false);
	table_add(t, "first_tick", "INTEGER", false);	/* NULL: none was recorded */
	table_add(t, "last_tick", "INTEGER", false);
	/* What people ask for first; computed from the rest. */
	table_add(t, "iops", "REAL", false);
	table_add(t, "mib_s", "REAL", false);
	table_add(t, "mean_ms", "REAL", false);
	table_add(t, "p99_ms", "REAL", false);
	add_fields(t, &fields_result);
}

#define TO_RUN "INTEGER NOT NULL REFERENCES run(id)"

void
schema_run_table(struct table *t, size_t i)
{
	switch (i) {
	case 0:
		run_table(t);
		break;
	case 1:
		*t = (struct table){ .name = "run_worker", .key = ", PRIMARY KEY (run, worker)) WITHOUT ROWID" };
		table_add(t, "run", TO_RUN, false);
		table_add(t, "worker", "INTEGER NOT NULL", false);	/* 0: the total */
		add_fields(t, &fields_row);
		break;
	case 2:
		*t = (struct table){ .name = "run_hist", .key = ", PRIMARY KEY (run, worker, what)) WITHOUT ROWID" };
		table_add(t, "run", TO_RUN, false);
		table_add(t, "worker", "INTEGER NOT NULL", false);
		table_add(t, "what", "TEXT NOT NULL", false);	/* read, write, response */
		table_add(t, "hist", "BLOB", false);
		break;
	default:
		*t = (struct table){ .name = "run_series", .key = ", PRIMARY KEY (run, tick)) WITHOUT ROWID" };
		table_add(t, "run", TO_RUN, false);
		table_add(t, "tick", "INTEGER NOT NULL", false);	/* of the run: 1, 2 ... */
		add_fields(t, &fields_point);
		break;
	}
}
