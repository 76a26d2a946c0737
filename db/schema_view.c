/*
 * The views that people query, generated from the catalogue: KIND_all has the metrics of every object and
 * tick, zeros where it was idle, NULL where a metric was absent; KIND_rate the columns made of them.
 */
#include <stdbool.h>

#include "db/schema.h"

static void
metric_of_view(sqlite3_str *s, const struct kind *kind, size_t m)
{
	const char *key = kind->metrics[m].key, *row = schema_place(kind, m) == PLACE_RARE ? "x" : "r";

	sqlite3_str_appendf(s, ",\n  CASE WHEN %s.tick IS NOT NULL THEN %s.\"%w\""
	    " WHEN instr(p.lacks, ' %q ') THEN NULL ELSE 0 END AS \"%w\"", row, row, key, key, key);
}

char *
schema_view_all(const struct kind *kind)
{
	sqlite3_str *s = sqlite3_str_new(NULL);
	bool rare = schema_mask(kind, PLACE_RARE) != 0;

	sqlite3_str_appendf(s, "CREATE VIEW \"%w_all\" AS SELECT t.tick AS tick, t.recording AS recording,\n"
	    "  t.wall_ms AS wall_ms, strftime('%%Y-%%m-%%d %%H:%%M:%%f', t.wall_ms / 1000.0, 'unixepoch') AS time,\n"
	    "  p.object AS object, o.name AS name, coalesce(r.ns, s.ns, t.ns) / 1e9 AS seconds", kind->key);
	for (size_t m = 0; m < kind->n_metrics; m++)
		if (schema_place(kind, m) == PLACE_MAIN || schema_place(kind, m) == PLACE_RARE)
			metric_of_view(s, kind, m);
	sqlite3_str_appendf(s, "\n FROM presence AS p JOIN object AS o ON o.id = p.object"
	    "\n JOIN tick AS t ON t.recording = o.recording AND t.tick >= p.first"
	    " AND t.tick <= coalesce(p.last, 9223372036854775807)"
	    "\n JOIN sample AS s ON s.tick = t.tick AND s.kind = p.kind"
	    "\n LEFT JOIN \"%w\" AS r ON r.tick = t.tick AND r.object = p.object", kind->key);
	if (rare)
		sqlite3_str_appendf(s, "\n LEFT JOIN \"%w_rare\" AS x ON x.tick = t.tick AND x.object = p.object", kind->key);
	sqlite3_str_appendf(s, "\n WHERE p.kind = %Q", kind->key);
	return sqlite3_str_finish(s);
}

/* The same as column_value(): what is optional counts as 0 unless all of it is absent. */
static void
sum_of(sqlite3_str *s, const struct kind *kind, uint64_t mask, uint64_t optional)
{
	bool several = (mask & (mask - 1)) != 0, all_optional = several && (mask & ~optional) == 0;

	sqlite3_str_appendall(s, mask == 0 ? "(0" : "(");
	for (uint64_t left = mask; left != 0; left &= left - 1) {
		unsigned m = (unsigned)__builtin_ctzll(left);
		const char *form = several && (optional & M(m)) ? "%scoalesce(\"%w\", 0)" : "%s\"%w\"";

		sqlite3_str_appendf(s, form, left != mask ? " + " : "", kind->metrics[m].key);
	}
	if (all_optional) {
		sqlite3_str_appendall(s, " + 0 * coalesce(");
		for (uint64_t left = mask; left != 0; left &= left - 1)
			sqlite3_str_appendf(s, "%s\"%w\"", left != mask ? ", " : "",
			    kind->metrics[__builtin_ctzll(left)].key);
		sqlite3_str_appendall(s, ")");
	}
	sqlite3_str_appendall(s, ")");
}

static bool
expressible(const struct kind *kind, const struct value *v)
{
	uint64_t kept = schema_mask(kind, PLACE_MAIN) | schema_mask(kind, PLACE_RARE);

	if (v->per != PER_ONE && v->per != PER_SECOND && v->per != PER_SUM)
		return false;
	return ((v->plus | v->minus | v->by | v->agree_a | v->agree_b) & ~kept) == 0;
}

static void
column_of_view(sqlite3_str *s, const struct kind *kind, const struct column *column)
{
	const struct value *v = &column->value;

	sqlite3_str_appendall(s, ",\n  ");
	if (v->agree_a != 0) {
		sqlite3_str_appendall(s, "CASE WHEN abs(");
		sum_of(s, kind, v->agree_a, 0);
		sqlite3_str_appendall(s, " - ");
		sum_of(s, kind, v->agree_b, 0);
		sqlite3_str_appendall(s, ") <= 0.01 * max(");
		sum_of(s, kind, v->agree_a, 0);
		sqlite3_str_appendall(s, ", ");
		sum_of(s, kind, v->agree_b, 0);
		sqlite3_str_appendall(s, ") THEN ");
	}
	sqlite3_str_appendf(s, "%!.17g * (", v->scale);
	sum_of(s, kind, v->plus, v->optional);
	if (v->minus != 0) {
		sqlite3_str_appendall(s, " - ");
		sum_of(s, kind, v->minus, v->optional);
	}
	sqlite3_str_appendall(s, ")");
	if (v->per == PER_SECOND) {
		sqlite3_str_appendall(s, " / nullif(seconds, 0)");
	} else if (v->per == PER_SUM) {
		sqlite3_str_appendall(s, " / nullif(");
		sum_of(s, kind, v->by, v->optional);
		sqlite3_str_appendall(s, ", 0)");
	}
	sqlite3_str_appendf(s, "%s AS \"%w\"", v->agree_a != 0 ? " END" : "", column->key);
}

char *
schema_view_rate(const struct kind *kind)
{
	sqlite3_str *s = sqlite3_str_new(NULL);

	sqlite3_str_appendf(s, "CREATE VIEW \"%w_rate\" AS SELECT tick, recording, wall_ms, time, object, name, seconds",
	    kind->key);
	for (size_t c = 0; c < kind->n_columns; c++)
		if (expressible(kind, &kind->columns[c].value))
			column_of_view(s, kind, &kind->columns[c]);
	sqlite3_str_appendf(s, "\n FROM \"%w_all\"", kind->key);
	return sqlite3_str_finish(s);
}
