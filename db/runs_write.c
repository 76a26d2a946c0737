#include "db/runs_write.h"

#include <math.h>
#include <stdlib.h>

#include "core/interval.h"
#include "core/xalloc.h"
#include "db/runs_fields.h"
#include "db/sql.h"

void
run_item_free(struct run_item *item)
{
	if (item == NULL)
		return;
	result_free(item->result);
	free(item);
}

/* INSERT INTO table (own, fields...) VALUES (?, ?...): `n` columns of its own, then the fields. */
static int
prepare_insert(sqlite3 *db, sqlite3_stmt **out, const char *table, const char *own, size_t n, const struct fields *list)
{
	sqlite3_str *s = sqlite3_str_new(db);
	char *text;
	int rc;

	sqlite3_str_appendf(s, "INSERT INTO \"%w\" (%s", table, own);
	for (size_t i = 0; i < list->n; i++)
		sqlite3_str_appendf(s, ", \"%w\"", list->fields[i].name);
	sqlite3_str_appendall(s, ") VALUES (?");
	for (size_t i = 1; i < n + list->n; i++)
		sqlite3_str_appendall(s, ", ?");
	sqlite3_str_appendall(s, ")");
	text = sqlite3_str_finish(s);
	rc = text != NULL ? sqlite3_prepare_v2(db, text, -1, out, NULL) : SQLITE_NOMEM;
	sqlite3_free(text);
	return rc;
}

struct span {
	int64_t recording, first, last;	/* ticks; 0: none */
};

static void
find_span(sqlite3 *db, const struct run_item *item, struct span *s)
{
	s->first = sql_int(db, 0, "SELECT min(tick) FROM tick WHERE recording = %lld AND wall_ms > %lld AND wall_ms <= %lld",
	    s->recording, item->first_ms, item->last_ms);
	s->last = sql_int(db, 0, "SELECT max(tick) FROM tick WHERE recording = %lld AND wall_ms > %lld AND wall_ms <= %lld",
	    s->recording, item->first_ms, item->last_ms);
}

static int
bind_or_null(sqlite3_stmt *stmt, int at, int64_t value)
{
	return value != 0 ? sqlite3_bind_int64(stmt, at, value) : sqlite3_bind_null(stmt, at);
}

static int
bind_run(sqlite3_stmt *stmt, const struct run_item *item, const struct span *s)
{
	const struct result_row *total = &item->result->total;

	bind_or_null(stmt, 1, s->recording);
	sqlite3_bind_int64(stmt, 2, item->first_ms);
	sqlite3_bind_int64(stmt, 3, item->last_ms);
	bind_or_null(stmt, 4, s->first);
	bind_or_null(stmt, 5, s->last);
	sqlite3_bind_double(stmt, 6, result_iops(total, RESULT_BOTH));
	sqlite3_bind_double(stmt, 7, result_mib_s(total, RESULT_BOTH));
	sqlite3_bind_double(stmt, 8, result_mean_ms(total, RESULT_BOTH));
	sqlite3_bind_double(stmt, 9, result_quantile_ms(total, RESULT_BOTH, 0.99));
	return fields_bind(&fields_result, stmt, 10, item->result);
}

static int
put_run(sqlite3 *db, const struct run_item *item, const struct span *s)
{
	sqlite3_stmt *stmt = NULL;
	int rc = prepare_insert(db, &stmt, "run",
	    "recording, first_ms, last_ms, first_tick, last_tick, iops, mib_s, mean_ms, p99_ms", 9, &fields_result);

	if (rc == SQLITE_OK)
		rc = bind_run(stmt, item, s);
	if (rc == SQLITE_OK)
		rc = sql_run(stmt);
	sqlite3_finalize(stmt);
	return rc;
}

static int
put_hist(sqlite3 *db, int64_t run, size_t worker, const char *what, const struct hist *h)
{
	sqlite3_stmt *stmt = NULL;
	unsigned char *blob;
	size_t len;
	int rc;

	blob = hist_encode(h, &len);
	if (blob == NULL)
		return SQLITE_OK;
	rc = sql_prepare(db, &stmt, "INSERT INTO run_hist (run, worker, what, hist) VALUES (%lld, %lld, %Q, ?)", run,
	    (int64_t)worker, what);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_blob(stmt, 1, blob, (int)len, SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = sql_run(stmt);
	sqlite3_finalize(stmt);
	free(blob);
	return rc;
}

static int
put_worker(sqlite3 *db, int64_t run, size_t worker, const struct result_row *row)
{
	sqlite3_stmt *stmt = NULL;
	int rc = prepare_insert(db, &stmt, "run_worker", "run, worker", 2, &fields_row);

	if (rc == SQLITE_OK) {
		sqlite3_bind_int64(stmt, 1, run);
		sqlite3_bind_int64(stmt, 2, (int64_t)worker);
		rc = fields_bind(&fields_row, stmt, 3, row);
	}
	if (rc == SQLITE_OK)
		rc = sql_run(stmt);
	sqlite3_finalize(stmt);
	if (rc == SQLITE_OK)
		rc = put_hist(db, run, worker, "read", row->read);
	if (rc == SQLITE_OK)
		rc = put_hist(db, run, worker, "write", row->write);
	if (rc == SQLITE_OK)
		rc = put_hist(db, run, worker, "response", row->response);
	return rc == SQLITE_OK ? put_hist(db, run, worker, "sync", row->sync) : rc;
}

/* Kept beside the ticks: they go some day, the result stays. */
static int
put_series(sqlite3 *db, int64_t run, const struct result *r)
{
	sqlite3_stmt *stmt = NULL;
	int rc = prepare_insert(db, &stmt, "run_series", "run, tick", 2, &fields_point);

	for (size_t i = 0; i < r->n_series && rc == SQLITE_OK; i++) {
		sqlite3_bind_int64(stmt, 1, run);
		sqlite3_bind_int64(stmt, 2, (int64_t)i + 1);
		rc = fields_bind(&fields_point, stmt, 3, &r->series[i]);
		if (rc == SQLITE_OK)
			rc = sql_run(stmt);
	}
	sqlite3_finalize(stmt);
	return rc;
}

/* A mark, unless whoever ran the test has left one there. */
static int
put_mark(sqlite3 *db, int64_t tick, int64_t run, const struct result *r, const char *what)
{
	return sql_exec(db, "INSERT INTO event (tick, wall_ms, type, object, text)"
	    " SELECT tick, wall_ms, %Q, NULL, 'run %lld, ' || %Q || ' on ' || %Q || ': ' || %Q FROM tick AS t WHERE tick = %lld"
	    " AND NOT EXISTS (SELECT 1 FROM event AS e WHERE e.tick = t.tick AND e.type = %Q)",
	    event_name[EVENT_TEST], run, r->workload, r->target.name, what, tick, event_name[EVENT_TEST]);
}

static int
put_all(sqlite3 *db, const struct run_item *item, const struct span *s, int64_t *id)
{
	const struct result *r = item->result;
	int rc = put_run(db, item, s);

	*id = sqlite3_last_insert_rowid(db);
	if (rc == SQLITE_OK)
		rc = put_worker(db, *id, 0, &r->total);
	for (size_t i = 0; i < r->n_rows && rc == SQLITE_OK; i++)
		rc = put_worker(db, *id, i + 1, &r->rows[i]);
	if (rc == SQLITE_OK)
		rc = put_series(db, *id, r);
	if (rc == SQLITE_OK && s->first != 0)
		rc = put_mark(db, s->first, *id, r, "start");
	if (rc == SQLITE_OK && s->last != 0)
		rc = put_mark(db, s->last, *id, r, "end");
	return rc;
}

int
runs_write(sqlite3 *db, const struct run_item *item, int64_t recording, int64_t *id)
{
	struct span s = { .recording = recording };
	int rc = sql_exec(db, "BEGIN IMMEDIATE");

	*id = 0;
	if (rc != SQLITE_OK)
		return rc;
	if (recording != 0)
		find_span(db, item, &s);
	rc = put_all(db, item, &s, id);
	if (rc == SQLITE_OK)
		rc = sql_exec(db, "COMMIT");
	if (!sqlite3_get_autocommit(db))
		sql_exec(db, "ROLLBACK");
	if (rc != SQLITE_OK)
		*id = 0;
	return rc;
}
