#include "db/record.h"

#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "db/ledger.h"
#include "db/schema.h"
#include "db/sql.h"

/* No honest file gets there; a damaged one must not make the next tick's number overflow. */
#define MAX_TICK (INT64_C(1) << 42)

struct record {
	sqlite3 *db;
	const struct kind *const *kinds;
	char *source, *host, *boot_id;
	struct rows *rows;
	struct ledger *ledger;	/* NULL before the first interval */
	int64_t recording;
	int64_t tick;		/* the last one in the file */
	int64_t wall_ms;
	sqlite3_stmt *begin, *commit;
};

static int
close_left_open(sqlite3 *db)
{
	/* A recording whose objects came with a tick that is gone again has no last tick. */
	return sql_exec(db, "UPDATE presence SET last = coalesce((SELECT max(t.tick) FROM tick AS t"
	    " WHERE t.recording = (SELECT recording FROM object WHERE id = presence.object)), first)"
	    " WHERE last IS NULL");
}

static int
open_all(struct record *r)
{
	int rc;

	r->rows = rows_new(r->db, r->kinds);
	if (r->rows == NULL)
		return sqlite3_errcode(r->db);
	r->tick = sql_int(r->db, 0, "SELECT max(tick) FROM tick");
	if (r->tick < 0 || r->tick >= MAX_TICK)
		return SQLITE_CORRUPT;
	rc = sql_prepare(r->db, &r->begin, "BEGIN IMMEDIATE");
	if (rc == SQLITE_OK)
		rc = sql_prepare(r->db, &r->commit, "COMMIT");
	return rc == SQLITE_OK ? close_left_open(r->db) : rc;
}

int
record_new(sqlite3 *db, const struct kind *const *kinds, const struct record_info *info, struct record **out)
{
	struct record *r = xcalloc(1, sizeof(*r));
	int rc;

	r->db = db;
	r->kinds = kinds;
	r->source = xstrdup(info->source);
	r->host = xstrdup(info->host);
	r->boot_id = xstrdup(info->boot_id);
	rc = open_all(r);
	if (rc != SQLITE_OK) {
		record_free(r);
		r = NULL;
	}
	*out = r;
	return rc;
}

void
record_free(struct record *r)
{
	if (r == NULL)
		return;
	sqlite3_finalize(r->begin);
	sqlite3_finalize(r->commit);
	ledger_free(r->ledger);
	rows_free(r->rows);
	free(r->source);
	free(r->host);
	free(r->boot_id);
	free(r);
}

struct rows *
record_rows(struct record *r)
{
	return r->rows;
}

int64_t
record_recording(const struct record *r)
{
	return r->recording;
}

int64_t
record_wall_ms(const struct record *r)
{
	return r->wall_ms;
}

/* With the first interval, so that a program that ends before it leaves nothing behind. */
static int
begin_recording(struct record *r, const struct interval *v)
{
	sqlite3_stmt *stmt;
	int rc = sql_prepare(r->db, &stmt, "INSERT INTO recording (host, boot_id, source, started) VALUES (?, ?, ?, ?)");

	if (rc != SQLITE_OK)
		return rc;
	sqlite3_bind_text(stmt, 1, r->host, -1, SQLITE_STATIC);
	sqlite3_bind_text(stmt, 2, r->boot_id, -1, SQLITE_STATIC);
	sqlite3_bind_text(stmt, 3, r->source, -1, SQLITE_STATIC);
	sqlite3_bind_int64(stmt, 4, v->end.wall_ms - (int64_t)(v->ns / 1000000));
	rc = sql_run(stmt);
	sqlite3_finalize(stmt);
	if (rc != SQLITE_OK)
		return rc;
	r->recording = sqlite3_last_insert_rowid(r->db);
	r->ledger = ledger_new(r->db, r->kinds, r->recording);
	return r->ledger != NULL ? SQLITE_OK : sqlite3_errcode(r->db);
}

static bool
is_recorded(const struct record *r, const struct kind *kind)
{
	for (size_t i = 0; r->kinds[i] != NULL; i++)
		if (r->kinds[i] == kind)
			return schema_stored(kind);
	return false;
}

static int
put_table(struct record *r, const struct interval *v, const struct interval_table *t)
{
	const int64_t *ids = NULL;
	int rc = rows_put_sample(r->rows, r->tick, t->kind, t->ns, v->ns);

	if (rc == SQLITE_OK)
		rc = ledger_table(r->ledger, r->tick, t, &ids);
	for (size_t i = 0; i < t->n && rc == SQLITE_OK; i++)
		if (ids[i] != 0)
			rc = rows_put(r->rows, r->tick, ids[i], &t->rows[i], t->ns);
	return rc;
}

static int
put_event(struct record *r, const struct interval *v, const struct event *e)
{
	int64_t id = 0;
	int rc = SQLITE_OK;

	if (e->object != NULL) {
		rc = ledger_object(r->ledger, e->object, &id);
		/* Nothing is told of what is not recorded. */
		if (rc != SQLITE_OK || id == 0)
			return rc;
	}
	return rows_put_event(r->rows, r->tick, v->end.wall_ms, e->type, id, e->text);
}

static int
put_drop(struct record *r, const struct interval *v, uint64_t dropped)
{
	char *text = xasprintf("%llu intervals before this one were not recorded: the file was too slow",
	    (unsigned long long)dropped);
	int rc = rows_put_event(r->rows, r->tick, v->end.wall_ms, EVENT_DROP, 0, text);

	free(text);
	return rc;
}

static int
put_all(struct record *r, const struct interval *v, uint64_t dropped)
{
	int rc = r->ledger == NULL ? begin_recording(r, v) : SQLITE_OK;

	if (rc == SQLITE_OK)
		rc = rows_put_tick(r->rows, r->tick, r->recording, v->end.wall_ms, v->ns, 0);
	for (size_t i = 0; i < v->n_tables && rc == SQLITE_OK; i++)
		if (is_recorded(r, v->tables[i].kind))
			rc = put_table(r, v, &v->tables[i]);
	if (rc == SQLITE_OK)
		rc = ledger_links(r->ledger);
	for (size_t i = 0; i < v->n_events && rc == SQLITE_OK; i++)
		rc = put_event(r, v, &v->events[i]);
	if (rc == SQLITE_OK && dropped > 0)
		rc = put_drop(r, v, dropped);
	return rc;
}

int
record_put(struct record *r, const struct interval *v, uint64_t dropped)
{
	int rc = sql_run(r->begin);

	if (rc != SQLITE_OK)
		return rc;
	r->tick++;
	rc = put_all(r, v, dropped);
	if (rc == SQLITE_OK)
		rc = sql_run(r->commit);
	if (rc == SQLITE_OK) {
		r->wall_ms = v->end.wall_ms;
		return SQLITE_OK;
	}
	/* What the ledger knows is no longer what the file has: no more is written after this. */
	if (!sqlite3_get_autocommit(r->db))
		sql_exec(r->db, "ROLLBACK");
	return (rc & 0xff) == SQLITE_BUSY ? SQLITE_IOERR : rc;
}

int
record_end(struct record *r)
{
	int rc;

	if (r->ledger == NULL)
		return SQLITE_OK;
	rc = sql_run(r->begin);
	if (rc == SQLITE_OK)
		rc = ledger_end(r->ledger, r->tick);
	if (rc == SQLITE_OK)
		rc = sql_run(r->commit);
	if (!sqlite3_get_autocommit(r->db))
		sql_exec(r->db, "ROLLBACK");
	return rc;
}
