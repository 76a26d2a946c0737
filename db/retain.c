#include "db/retain.h"

#include <stdlib.h>

#include "core/xalloc.h"
#include "db/sql.h"
#include "db/thin.h"

#define ROUND_MS 60000		/* between two rounds */
#define JUMP_MS 90000000	/* the clock was set, or the machine slept: 25 hours */
#define DELETE_TICKS 64		/* in one step */
#define VACUUM_PAGES 128	/* in one step */
#define SPARE_PAGES 1024	/* free pages that stay for the next rows */

enum work { REST, THIN, EXPIRE, CAP, SWEEP, VACUUM };

struct retain {
	sqlite3 *db;
	struct rows *rows;
	struct retain_options options;
	struct thin thin;
	enum work work;
	int64_t round_ms;	/* when the last round began */
	int64_t steady_ms, last_ms;	/* since when the clock goes on without a jump, and until when */
	bool capping;		/* has to come down to the lower mark */
	bool deleted;		/* something, in this round */
};

int
retain_new(sqlite3 *db, const struct kind *const *kinds, struct rows *rows, const struct retain_options *options,
    struct retain **out)
{
	struct retain *r = xcalloc(1, sizeof(*r));
	struct layout *layout;
	int rc = layout_read(db, &layout);

	r->db = db;
	r->rows = rows;
	r->options = *options;
	r->thin = (struct thin){ .db = db, .rows = rows };
	r->round_ms = INT64_MIN;
	if (rc == SQLITE_OK)
		rc = ticks_new(db, layout, kinds, &r->thin.ticks);
	layout_free(layout);
	if (rc != SQLITE_OK) {
		retain_free(r);
		r = NULL;
	}
	*out = r;
	return rc;
}

void
retain_free(struct retain *r)
{
	if (r == NULL)
		return;
	ticks_free(r->thin.ticks);
	free(r);
}

static int
run_in_transaction(struct retain *r, int (*run)(struct retain *, int64_t), int64_t arg)
{
	int rc = sql_exec(r->db, "BEGIN IMMEDIATE");

	if (rc == SQLITE_OK)
		rc = run(r, arg);
	if (rc == SQLITE_OK)
		rc = sql_exec(r->db, "COMMIT");
	if (!sqlite3_get_autocommit(r->db))
		sql_exec(r->db, "ROLLBACK");
	return rc;
}

/* All that hangs on the ticks up to `last`, and they themselves. */
static int
delete_up_to(struct retain *r, int64_t last)
{
	int rc = rows_delete(r->rows, 0, last);

	if (rc == SQLITE_OK)
		rc = sql_exec(r->db, "DELETE FROM event WHERE tick <= %lld", last);
	if (rc == SQLITE_OK)
		rc = sql_exec(r->db, "DELETE FROM presence WHERE last <= %lld", last);
	if (rc == SQLITE_OK)
		rc = sql_exec(r->db, "DELETE FROM tick WHERE tick <= %lld", last);
	r->deleted = true;
	return rc;
}

/* The oldest ticks that ended before `before_ms`, some of them, never the newest of all. */
static int
delete_oldest(struct retain *r, int64_t before_ms, int64_t now_ms, bool *did)
{
	/*
	 * Up to the first one that is younger: ticks are deleted from the old end only. One in the future was recorded
	 * while the clock was wrong, and goes with the old ones behind it.
	 */
	int64_t last = sql_int(r->db, 0, "SELECT max(tick) FROM (SELECT tick FROM tick WHERE wall_ms < %lld AND tick < coalesce("
	    "(SELECT tick FROM tick WHERE wall_ms BETWEEN %lld AND %lld ORDER BY tick LIMIT 1), 9223372036854775807)"
	    " AND tick < (SELECT max(tick) FROM tick) ORDER BY tick LIMIT %d)", before_ms, before_ms, now_ms, DELETE_TICKS);

	*did = last > 0;
	return *did ? run_in_transaction(r, delete_up_to, last) : SQLITE_OK;
}

/* Recordings without ticks, and objects that nothing speaks of any more. */
static int
sweep(struct retain *r, int64_t oldest)
{
	int rc = sql_exec(r->db, "DELETE FROM presence WHERE object IN (SELECT id FROM object WHERE recording < %lld);"
	    "DELETE FROM object WHERE recording < %lld; DELETE FROM recording WHERE id < %lld", oldest, oldest, oldest);

	if (rc == SQLITE_OK)
		rc = sql_exec(r->db, "DELETE FROM object WHERE recording = %lld"
		    " AND id NOT IN (SELECT object FROM presence)"
		    " AND id NOT IN (SELECT object FROM event WHERE object IS NOT NULL)"
		    " AND id NOT IN (SELECT parent FROM object WHERE parent IS NOT NULL)"
		    " AND id NOT IN (SELECT counts_in FROM object WHERE counts_in IS NOT NULL)", oldest);
	return rc;
}

static int
sweep_step(struct retain *r)
{
	/* Recordings follow each other, so those before the oldest tick's have none. */
	int64_t oldest = sql_int(r->db, 0, "SELECT recording FROM tick ORDER BY tick LIMIT 1");

	return oldest > 0 ? run_in_transaction(r, sweep, oldest) : SQLITE_OK;
}

/* Above the cap, ticks go until a thirty-second of it is free, so that not every round has to. */
static int
cap_step(struct retain *r, bool *did)
{
	uint64_t page = (uint64_t)sql_int(r->db, 0, "PRAGMA page_size"), cap = r->options.cap_bytes;
	uint64_t used = (uint64_t)(sql_int(r->db, 0, "PRAGMA page_count") - sql_int(r->db, 0, "PRAGMA freelist_count")) * page;

	*did = false;
	r->capping = cap > 0 && used > (r->capping ? cap - cap / 32 : cap);
	return r->capping ? delete_oldest(r, INT64_MAX, INT64_MAX, did) : SQLITE_OK;
}

static int
vacuum_step(struct retain *r, bool *did)
{
	int64_t pages = sql_int(r->db, 0, "PRAGMA page_count"), spare = sql_int(r->db, 0, "PRAGMA freelist_count");
	uint64_t bytes = (uint64_t)pages * (uint64_t)sql_int(r->db, 0, "PRAGMA page_size");
	bool too_big = r->options.cap_bytes > 0 && bytes > r->options.cap_bytes && spare > 0;

	*did = too_big || (spare > SPARE_PAGES && spare > pages / 8);
	return *did ? sql_exec(r->db, "PRAGMA incremental_vacuum(%d)", VACUUM_PAGES) : SQLITE_OK;
}

static int
do_work(struct retain *r, int64_t now_ms, int64_t hold_ms, bool *did)
{
	int64_t thin_ms = now_ms - (int64_t)r->options.full_rate_s * 1000;

	*did = false;
	switch (r->work) {
	case THIN:
		return thin_step(&r->thin, thin_ms < hold_ms ? thin_ms : hold_ms, now_ms, did);
	case EXPIRE:
		return delete_oldest(r, thin_ms - (int64_t)r->options.minute_s * 1000, now_ms, did);
	case CAP:
		return cap_step(r, did);
	case SWEEP:
		return r->deleted ? sweep_step(r) : SQLITE_OK;
	case VACUUM:
		return vacuum_step(r, did);
	case REST:
		break;
	}
	return SQLITE_OK;
}

/*
 * A clock that is a year ahead for the minutes until it is set right would have everything deleted. What is kept
 * too long meanwhile costs nothing.
 */
static bool
is_steady(struct retain *r, int64_t now_ms)
{
	if (r->last_ms == 0 || now_ms < r->last_ms || now_ms - r->last_ms > JUMP_MS)
		r->steady_ms = now_ms;
	r->last_ms = now_ms;
	return now_ms - r->steady_ms >= (int64_t)r->options.settle_s * 1000;
}

int
retain_step(struct retain *r, int64_t now_ms, int64_t hold_ms, bool *done)
{
	bool did, steady = is_steady(r, now_ms);
	int rc;

	*done = true;
	if (r->work == REST) {
		/* The clock may have been set back. */
		if (now_ms == 0 || (now_ms >= r->round_ms && now_ms - ROUND_MS < r->round_ms))
			return SQLITE_OK;
		r->round_ms = now_ms;
		r->deleted = false;
		r->work = steady ? THIN : CAP;
	}
	rc = do_work(r, now_ms, hold_ms, &did);
	if (rc == SQLITE_OK && !did)
		r->work = r->work == VACUUM ? REST : r->work + 1;
	*done = rc != SQLITE_OK || r->work == REST;
	return rc;
}
