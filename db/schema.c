#include "db/schema.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "db/schema_table.h"
#include "db/sql.h"

static const char *const indexes[] = {
	"CREATE INDEX IF NOT EXISTS object_identity ON object(recording, identity)",
	"CREATE INDEX IF NOT EXISTS event_tick ON event(tick)",
};

const char *const schema_suffix[PLACE_COUNT] = {
	[PLACE_NONE] = "", [PLACE_MAIN] = "", [PLACE_RARE] = "_rare", [PLACE_HIST] = "_hist",
};

enum place
schema_place(const struct kind *kind, size_t m)
{
	const struct metric *metric = &kind->metrics[m];

	if (kind->rollup != NULL || metric->derived)
		return PLACE_NONE;
	if (metric->nature == METRIC_HIST)
		return PLACE_HIST;
	return metric->rare ? PLACE_RARE : PLACE_MAIN;
}

uint64_t
schema_mask(const struct kind *kind, enum place place)
{
	uint64_t mask = 0;

	for (size_t m = 0; m < kind->n_metrics; m++)
		if (schema_place(kind, m) == place)
			mask |= M(m);
	return mask;
}

bool
schema_stored(const struct kind *kind)
{
	return !kind_is_total(kind);
}

bool
schema_peaks(const struct kind *kind)
{
	return kind->rollup == NULL && kind_column_flagged(kind, COLUMN_IOPS) >= 0 &&
	    kind_column_flagged(kind, COLUMN_GAVG) >= 0;
}

static void
add_metrics(struct table *t, const struct kind *kind, enum place place, const char *type)
{
	for (size_t m = 0; m < kind->n_metrics; m++)
		if (schema_place(kind, m) == place)
			table_add(t, kind->metrics[m].key, type, place != PLACE_HIST);
}

/* The table of a kind for one place; false where it needs none. */
static bool
kind_table_of(struct table *t, const struct kind *kind, enum place place)
{
	*t = (struct table){ .kind = kind->key, .key = KEYED_BY_TICK };
	snprintf(t->name, sizeof(t->name), "%s%s", kind->key, schema_suffix[place]);
	if (place == PLACE_HIST) {
		t->key = ")";
		table_add(t, "id", "INTEGER PRIMARY KEY", false);
		add_metrics(t, kind, place, "BLOB");
		return t->n > 1;
	}
	table_add(t, "tick", TO_TICK, false);
	table_add(t, "object", TO_OBJECT, false);
	if (place == PLACE_MAIN)
		table_add(t, "ns", "INTEGER", false);	/* NULL: the sample's */
	add_metrics(t, kind, place, "INTEGER");
	return place == PLACE_MAIN || t->n > 2;
}

static void
peak_table_of(struct table *t, const struct kind *kind)
{
	*t = (struct table){ .key = KEYED_BY_TICK };
	snprintf(t->name, sizeof(t->name), "%s_peak", kind->key);
	table_add(t, "tick", TO_TICK, false);
	table_add(t, "object", TO_OBJECT, false);
	table_add(t, "iops", "REAL", false);
	table_add(t, "mb_s", "REAL", false);
	table_add(t, "gavg", "REAL", false);
}

uint64_t
schema_columns(const struct layout *layout, const struct kind *kind, enum place place)
{
	uint64_t mask = 0;
	struct table t;

	if (!kind_table_of(&t, kind, place))
		return 0;
	for (size_t m = 0; m < kind->n_metrics; m++)
		if (schema_place(kind, m) == place && layout_has(layout, t.name, kind->metrics[m].key))
			mask |= M(m);
	return mask;
}

static int
failed(sqlite3 *db, int rc, char *why, size_t size)
{
	snprintf(why, size, "%s", sql_words(db, rc));
	return sql_errno(rc);
}

static int
create_table(sqlite3 *db, const struct table *t)
{
	sqlite3_str *s = sqlite3_str_new(db);
	char *text;
	int rc;

	sqlite3_str_appendf(s, "CREATE TABLE \"%w\" (", t->name);
	for (size_t i = 0; i < t->n; i++)
		sqlite3_str_appendf(s, "%s\"%w\" %s", i > 0 ? ", " : "", t->columns[i].name, t->columns[i].type);
	sqlite3_str_appendall(s, t->key);
	text = sqlite3_str_finish(s);
	rc = text != NULL ? sqlite3_exec(db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
	sqlite3_free(text);
	return rc;
}

/* A column that an older program did not write: what it would have held is not known, not zero. */
static int
grow(sqlite3 *db, const struct table *t, const struct table_column *c)
{
	int rc = sql_exec(db, "ALTER TABLE \"%w\" ADD COLUMN \"%w\" %s", t->name, c->name, c->type);

	if (rc == SQLITE_OK && c->metric)
		rc = sql_exec(db, "UPDATE presence SET lacks = coalesce(lacks, ' ') || '%q ' WHERE kind = %Q"
		    " AND instr(coalesce(lacks, ''), ' %q ') = 0", c->name, t->kind, c->name);
	return rc;
}

static bool
knows(const struct table *t, const char *column)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->columns[i].name, column) == 0)
			return true;
	return false;
}

/* A newer program wrote this file if it has a column we do not know. */
static int
refuse_unknown(const struct layout *layout, const struct table *t, char *why, size_t size)
{
	const char *name;

	for (size_t i = 0; (name = layout_column(layout, t->name, i)) != NULL; i++) {
		if (knows(t, name))
			continue;
		snprintf(why, size, "made by a newer stortop (column %s.%s): read, not recorded to", t->name, name);
		return -EPERM;
	}
	return 0;
}

static int
make_table(sqlite3 *db, const struct layout *layout, const struct table *t, char *why, size_t size)
{
	int rc = SQLITE_OK, error;

	if (!layout_has_table(layout, t->name)) {
		rc = create_table(db, t);
		return rc != SQLITE_OK ? failed(db, rc, why, size) : 0;
	}
	error = refuse_unknown(layout, t, why, size);
	if (error != 0)
		return error;
	for (size_t i = 0; i < t->n && rc == SQLITE_OK; i++)
		if (!layout_has(layout, t->name, t->columns[i].name))
			rc = grow(db, t, &t->columns[i]);
	return rc != SQLITE_OK ? failed(db, rc, why, size) : 0;
}

static int
make_view(sqlite3 *db, const char *name, char *text)
{
	int rc = SQLITE_OK;

	if (text == NULL)
		return SQLITE_NOMEM;
	if (sql_int(db, 0, "SELECT count(*) FROM sqlite_schema WHERE type = 'view' AND name = %Q AND sql = %Q",
	    name, text) == 0) {
		rc = sql_exec(db, "DROP VIEW IF EXISTS \"%w\"", name);
		if (rc == SQLITE_OK)
			rc = sqlite3_exec(db, text, NULL, NULL, NULL);
	}
	sqlite3_free(text);
	return rc;
}

static int
make_views(sqlite3 *db, const struct kind *kind, char *why, size_t size)
{
	char name[80];
	int rc;

	if (kind->rollup != NULL)
		return 0;
	snprintf(name, sizeof(name), "%s_all", kind->key);
	rc = make_view(db, name, schema_view_all(kind));
	snprintf(name, sizeof(name), "%s_rate", kind->key);
	if (rc == SQLITE_OK)
		rc = make_view(db, name, schema_view_rate(kind));
	return rc != SQLITE_OK ? failed(db, rc, why, size) : 0;
}

static int
make_kind(sqlite3 *db, const struct layout *layout, const struct kind *kind, char *why, size_t size)
{
	struct table t;
	int error = 0;

	for (enum place place = PLACE_MAIN; place < PLACE_COUNT && error == 0; place++)
		if (kind_table_of(&t, kind, place))
			error = make_table(db, layout, &t, why, size);
	if (error == 0 && schema_peaks(kind)) {
		peak_table_of(&t, kind);
		error = make_table(db, layout, &t, why, size);
	}
	return error != 0 ? error : make_views(db, kind, why, size);
}

static bool
known_table(const struct kind *const *kinds, const char *name)
{
	struct table t;

	for (size_t i = 0; i < schema_n_fixed; i++)
		if (strcmp(schema_fixed[i].name, name) == 0)
			return true;
	for (size_t i = 0; kinds[i] != NULL; i++) {
		for (enum place place = PLACE_MAIN; place < PLACE_COUNT; place++)
			if (kind_table_of(&t, kinds[i], place) && strcmp(t.name, name) == 0)
				return true;
		peak_table_of(&t, kinds[i]);
		if (strcmp(t.name, name) == 0)
			return true;
	}
	return false;
}

/* Rows that hang on a tick and that we do not know would be left behind when it is thinned. */
static int
refuse_unknown_tables(sqlite3 *db, const struct kind *const *kinds, char *why, size_t size)
{
	sqlite3_stmt *stmt;
	int error = 0, rc = sql_prepare(db, &stmt, "SELECT DISTINCT m.name FROM sqlite_schema AS m,"
	    " pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table' AND f.\"table\" = 'tick'");

	while (rc == SQLITE_OK && error == 0 && sqlite3_step(stmt) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(stmt, 0);

		if (name == NULL || known_table(kinds, name))
			continue;
		snprintf(why, size, "made by a newer stortop (table %s): read, not recorded to", name);
		error = -EPERM;
	}
	sqlite3_finalize(stmt);
	return rc != SQLITE_OK ? failed(db, rc, why, size) : error;
}

static int
make_all(sqlite3 *db, const struct kind *const *kinds, char *why, size_t size)
{
	struct layout *layout;
	int error = 0, rc = layout_read(db, &layout);

	if (rc != SQLITE_OK)
		return failed(db, rc, why, size);
	for (size_t i = 0; i < schema_n_fixed && error == 0; i++)
		error = make_table(db, layout, &schema_fixed[i], why, size);
	for (size_t i = 0; i < SCHEMA_RUN_TABLES && error == 0; i++) {
		struct table t;

		schema_run_table(&t, i);
		error = make_table(db, layout, &t, why, size);
	}
	for (size_t i = 0; error == 0 && kinds[i] != NULL; i++)
		if (schema_stored(kinds[i]))
			error = make_kind(db, layout, kinds[i], why, size);
	layout_free(layout);
	if (error == 0)
		error = refuse_unknown_tables(db, kinds, why, size);
	for (size_t i = 0; error == 0 && rc == SQLITE_OK && i < sizeof(indexes) / sizeof(indexes[0]); i++)
		rc = sql_exec(db, "%s", indexes[i]);
	if (rc == SQLITE_OK && error == 0)
		rc = sql_exec(db, "PRAGMA application_id = %d; PRAGMA user_version = %d", SCHEMA_APPLICATION_ID,
		    SCHEMA_VERSION);
	return rc != SQLITE_OK ? failed(db, rc, why, size) : error;
}

/* Is there nothing in it yet? Also a file whose maker was killed before its first tables. */
static bool
is_empty(sqlite3 *db)
{
	return sql_int(db, 1, "PRAGMA application_id") == 0 &&
	    sql_int(db, 1, "SELECT count(*) FROM sqlite_schema") == 0;
}

int
schema_check(sqlite3 *db, char *why, size_t size)
{
	/* The first read tells a file that is no database at all. */
	int rc = sql_exec(db, "SELECT count(*) FROM sqlite_schema");

	if (rc != SQLITE_OK)
		return failed(db, rc, why, size);
	if (sql_int(db, 0, "PRAGMA application_id") == SCHEMA_APPLICATION_ID)
		return 0;
	snprintf(why, size, "not a stortop database");
	return -EBADMSG;
}

/* Where WAL is not to be had, SQLite stays silent and keeps another mode. */
static int
use_wal(sqlite3 *db)
{
	sqlite3_stmt *stmt;
	int rc = sql_prepare(db, &stmt, "PRAGMA journal_mode = WAL");

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW) {
		const char *mode = (const char *)sqlite3_column_text(stmt, 0);

		/* A database in memory (of tests) has no journal on disk. */
		rc = mode != NULL && (strcmp(mode, "wal") == 0 || strcmp(mode, "memory") == 0) ?
		    SQLITE_OK : SQLITE_READONLY;
	}
	sqlite3_finalize(stmt);
	return rc;
}

int
schema_readable(sqlite3 *db, const struct layout *layout, char *why, size_t size)
{
	bool newer = sql_int(db, 0, "PRAGMA user_version") > SCHEMA_VERSION;

	for (size_t i = 0; i < schema_n_fixed; i++) {
		const struct table *t = &schema_fixed[i];

		for (size_t c = 0; c < t->n; c++) {
			if (layout_has(layout, t->name, t->columns[c].name))
				continue;
			snprintf(why, size, "%s: no table %s with a column %s", newer ?
			    "made by a newer stortop, not readable by this one" : "damaged", t->name,
			    t->columns[c].name);
			return -EBADMSG;
		}
	}
	return 0;
}

/*
 * In the order that SQLite wants: auto_vacuum before the first table, WAL outside of a transaction. A file that has
 * nothing to lose yet is not waited for: a power cut leaves it empty.
 */
static int
prepare_file(sqlite3 *db)
{
	int rc = SQLITE_OK;

	if (is_empty(db))
		rc = sql_exec(db, "PRAGMA synchronous = OFF; PRAGMA auto_vacuum = INCREMENTAL");
	if (rc == SQLITE_OK)
		rc = use_wal(db);
	if (rc == SQLITE_OK)
		rc = sql_exec(db, "PRAGMA synchronous = NORMAL; PRAGMA secure_delete = OFF;"
		    " PRAGMA journal_size_limit = 4194304; PRAGMA foreign_keys = OFF");
	return rc;
}

int
schema_make(sqlite3 *db, const struct kind *const *kinds, char *why, size_t size)
{
	int error, rc = sql_exec(db, "SELECT count(*) FROM sqlite_schema");

	if (rc != SQLITE_OK)
		return failed(db, rc, why, size);
	if (!is_empty(db)) {
		error = schema_check(db, why, size);
		if (error != 0)
			return error;
		if (sql_int(db, 0, "PRAGMA user_version") > SCHEMA_VERSION) {
			snprintf(why, size, "made by a newer stortop (format %d): read, not recorded to",
			    (int)sql_int(db, 0, "PRAGMA user_version"));
			return -EPERM;
		}
	}
	rc = prepare_file(db);
	if (rc == SQLITE_OK)
		rc = sql_exec(db, "BEGIN IMMEDIATE");
	if (rc != SQLITE_OK)
		return failed(db, rc, why, size);
	error = make_all(db, kinds, why, size);
	if (error == 0) {
		rc = sql_exec(db, "COMMIT");
		error = rc != SQLITE_OK ? failed(db, rc, why, size) : 0;
	}
	if (error != 0)
		sql_exec(db, "ROLLBACK");
	return error;
}
