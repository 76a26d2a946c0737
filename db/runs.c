#include "db/runs.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "db/layout.h"
#include "db/open.h"
#include "db/runs_fields.h"
#include "db/runs_write.h"
#include "db/schema.h"
#include "db/sql.h"
#include "db/store.h"

#define MAX_WORKERS 4096	/* no honest run has as many */
#define MAX_POINTS (1 << 20)

void
runs_put(struct sink *store, const struct result *r, int64_t first_ms, int64_t last_ms, void (*done)(void *, int64_t), void *arg)
{
	struct run_item *item = xcalloc(1, sizeof(*item));

	*item = (struct run_item){
		.result = result_copy(r), .first_ms = first_ms, .last_ms = last_ms, .done = done, .arg = arg,
	};
	store_put_run(store, item);
}

void
runs_hold(struct sink *store, int64_t from_ms)
{
	store_hold(store, from_ms);
}

/* A file and what it has: real tables alone, for what a view or a virtual table runs is not ours to read. */
struct file {
	sqlite3 *db;
	struct layout *layout;
};

static void
file_close(struct file *f)
{
	layout_free(f->layout);
	sqlite3_close(f->db);
}

/* SELECT own, fields... FROM table rest. A column that an older file lacks is NULL. */
static int
prepare_select(const struct file *f, sqlite3_stmt **out, const char *table, const char *own, const struct fields *list, const char *rest)
{
	sqlite3_str *s = sqlite3_str_new(f->db);
	char *text;
	int rc;

	sqlite3_str_appendf(s, "SELECT %s", own);
	for (size_t i = 0; i < list->n; i++)
		sqlite3_str_appendf(s, layout_has(f->layout, table, list->fields[i].name) ? ", \"%w\"" : ", NULL", list->fields[i].name);
	sqlite3_str_appendf(s, " FROM \"%w\" %s", table, rest);
	text = sqlite3_str_finish(s);
	*out = NULL;
	rc = text != NULL ? sqlite3_prepare_v2(f->db, text, -1, out, NULL) : SQLITE_NOMEM;
	sqlite3_free(text);
	return rc;
}

/* A file of before there were tests has no such table. */
static bool
has_runs(const struct file *f)
{
	return layout_has(f->layout, "run", "id");
}

static int
open_runs(const char *path, struct file *f, char *why, size_t size)
{
	int error = open_read(path, &f->db, &f->layout, why, size);

	if (error != 0 || has_runs(f))
		return error;
	snprintf(why, size, "%.160s: no test was recorded in it", path);
	return -ENOENT;
}

static int
read_run(const struct file *f, struct result *r, int64_t id)
{
	sqlite3_stmt *stmt;
	int rc = prepare_select(f, &stmt, "run", "id", &fields_result, "WHERE id = ? OR ? = 0 ORDER BY id DESC LIMIT 1");

	if (rc != SQLITE_OK)
		return rc;
	sqlite3_bind_int64(stmt, 1, id);
	sqlite3_bind_int64(stmt, 2, id);
	rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW) {
		r->id = sqlite3_column_int64(stmt, 0);
		fields_take(&fields_result, stmt, 1, r);
		if (r->steady > STEADY_NO)
			r->steady = STEADY_UNKNOWN;
	}
	sqlite3_finalize(stmt);
	return rc == SQLITE_ROW ? SQLITE_OK : rc == SQLITE_DONE ? SQLITE_NOTFOUND : rc;
}

/* The row of a worker by its number in the file: 0 is the total, others are appended in order. */
static struct result_row *
row_for(struct result *r, int64_t worker)
{
	if (worker == 0)
		return &r->total;
	if (worker < 0 || r->n_rows >= MAX_WORKERS)
		return NULL;
	r->rows = xreallocarray(r->rows, r->n_rows + 1, sizeof(*r->rows));
	r->rows[r->n_rows] = (struct result_row){ .seconds = NAN };
	return &r->rows[r->n_rows++];
}

static int
read_hists(sqlite3 *db, int64_t run, int64_t worker, struct result_row *row)
{
	sqlite3_stmt *stmt;
	int rc = sql_prepare(db, &stmt, "SELECT what, hist FROM run_hist WHERE run = %lld AND worker = %lld", run, worker);

	while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		const char *what = (const char *)sqlite3_column_text(stmt, 0);
		struct hist **to = what == NULL ? NULL : strcmp(what, "read") == 0 ? &row->read :
		    strcmp(what, "write") == 0 ? &row->write : strcmp(what, "response") == 0 ? &row->response :
		    strcmp(what, "sync") == 0 ? &row->sync : NULL;
		const void *blob = sqlite3_column_blob(stmt, 1);

		rc = SQLITE_OK;
		if (to == NULL || *to != NULL)
			continue;
		*to = hist_decode(blob, blob != NULL ? (size_t)sqlite3_column_bytes(stmt, 1) : 0);
		if (*to == NULL)
			rc = SQLITE_CORRUPT;
	}
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int
read_workers(const struct file *f, struct result *r)
{
	sqlite3_stmt *stmt;
	int rc = prepare_select(f, &stmt, "run_worker", "worker", &fields_row, "WHERE run = ? ORDER BY worker");

	sqlite3_bind_int64(stmt, 1, r->id);
	while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		int64_t worker = sqlite3_column_int64(stmt, 0);
		struct result_row *row = row_for(r, worker);

		rc = SQLITE_OK;
		if (row == NULL)
			continue;
		fields_take(&fields_row, stmt, 1, row);
		rc = read_hists(f->db, r->id, worker, row);
	}
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int
read_series(const struct file *f, struct result *r)
{
	sqlite3_stmt *stmt;
	int rc = prepare_select(f, &stmt, "run_series", "tick", &fields_point, "WHERE run = ? ORDER BY tick");

	sqlite3_bind_int64(stmt, 1, r->id);
	while (rc == SQLITE_OK && r->n_series < MAX_POINTS && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		r->series = xreallocarray(r->series, r->n_series + 1, sizeof(*r->series));
		fields_take(&fields_point, stmt, 1, &r->series[r->n_series++]);
		rc = SQLITE_OK;
	}
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static void
say_missing(const char *path, int64_t id, char *why, size_t size)
{
	if (id == 0)
		snprintf(why, size, "%.160s: no test was recorded in it", path);
	else
		snprintf(why, size, "%.160s: there is no run %lld", path, (long long)id);
}

struct result *
runs_read(const char *path, int64_t id, char *why, size_t size)
{
	struct result *r = result_new();
	struct file f;
	int rc;

	if (open_runs(path, &f, why, size) != 0)
		goto fail;
	rc = read_run(&f, r, id);
	if (rc == SQLITE_OK)
		rc = read_workers(&f, r);
	if (rc == SQLITE_OK)
		rc = read_series(&f, r);
	if (rc == SQLITE_NOTFOUND)
		say_missing(path, id, why, size);
	else if (rc != SQLITE_OK)
		open_failed(f.db, rc, path, why, size);
	if (rc != SQLITE_OK)
		goto fail;
	file_close(&f);
	return r;
fail:
	file_close(&f);
	result_free(r);
	return NULL;
}

static const struct field of_line[] = {
#define LINE(name, type, member) { name, type, offsetof(struct run_line, member), sizeof(((struct run_line *)NULL)->member) }
	LINE("started_ms", FIELD_INT64, started_ms),
	LINE("workload", FIELD_TEXT, workload),
	LINE("target", FIELD_TEXT, target),
	LINE("label", FIELD_TEXT, label),
	LINE("state", FIELD_TEXT, state),
	LINE("engine", FIELD_TEXT, engine),
	LINE("runtime_s", FIELD_REAL, runtime_s),
	LINE("iops", FIELD_REAL, iops),
	LINE("mib_s", FIELD_REAL, mib_s),
	LINE("mean_ms", FIELD_REAL, mean_ms),
	LINE("p99_ms", FIELD_REAL, p99_ms),
	LINE("warnings", FIELD_UINT32, warnings),
};
static const struct fields fields_line = { of_line, sizeof(of_line) / sizeof(of_line[0]) };

int
runs_list(const char *path, const char *workload, struct run_line *out, int max, char *why, size_t size)
{
	sqlite3_stmt *stmt = NULL;
	struct file f;
	int n = 0, rc, error = open_read(path, &f.db, &f.layout, why, size);

	if (error != 0 || !has_runs(&f))
		goto out;
	rc = prepare_select(&f, &stmt, "run", "id", &fields_line, "WHERE ?1 IS NULL OR workload = ?1 ORDER BY id DESC LIMIT ?2");
	if (workload != NULL)
		sqlite3_bind_text(stmt, 1, workload, -1, SQLITE_STATIC);
	sqlite3_bind_int(stmt, 2, max);
	while (rc == SQLITE_OK && n < max && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		out[n].id = sqlite3_column_int64(stmt, 0);
		fields_take(&fields_line, stmt, 1, &out[n++]);
		rc = SQLITE_OK;
	}
	if (rc != SQLITE_OK && rc != SQLITE_DONE)
		error = open_failed(f.db, rc, path, why, size);
	sqlite3_finalize(stmt);
out:
	file_close(&f);
	return error != 0 ? error : n;
}

/* -ENOENT: there is no such run; *first is 0 where no tick was recorded. */
static int
read_span(sqlite3 *db, int64_t id, int64_t *first, int64_t *from_ms, int64_t *to_ms)
{
	sqlite3_stmt *stmt;
	int error = -ENOENT;

	if (sql_prepare(db, &stmt, "SELECT first_tick, first_ms, last_ms FROM run WHERE id = %lld OR %lld = 0"
	    " ORDER BY id DESC LIMIT 1", id, id) != SQLITE_OK)
		return -EIO;
	if (sqlite3_step(stmt) == SQLITE_ROW) {
		*first = sqlite3_column_int64(stmt, 0);
		*from_ms = sqlite3_column_int64(stmt, 1);
		*to_ms = sqlite3_column_int64(stmt, 2);
		error = 0;
	}
	sqlite3_finalize(stmt);
	return error;
}

int
runs_span(const char *path, int64_t id, int64_t *from_ms, int64_t *to_ms, char *why, size_t size)
{
	struct file f;
	int64_t first = 0;
	int error = open_runs(path, &f, why, size);

	if (error == 0) {
		error = read_span(f.db, id, &first, from_ms, to_ms);
		if (error != 0)
			say_missing(path, id, why, size);
	}
	if (error == 0 && sql_int(f.db, 0, "SELECT count(*) FROM tick WHERE tick = %lld", first) == 0) {
		snprintf(why, size, first == 0 ? "%.160s: nothing was recorded while run %lld was measured" :
		    "%.160s: what was recorded during run %lld has been deleted, as the retention wants it", path, (long long)id);
		error = -ENOENT;
	}
	file_close(&f);
	return error;
}
