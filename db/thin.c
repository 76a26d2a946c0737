#include "db/thin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/column.h"
#include "core/uidmap.h"
#include "core/xalloc.h"
#include "db/schema.h"
#include "db/sql.h"

#define MINUTE_MS 60000
/* What one step takes at most, so that the tick that is being recorded does not wait. */
#define STEP_TICKS 64
#define STEP_ROWS 16000
/* Ticks in which a test was measured stay as they were recorded. */
#define OF_TEST "EXISTS (SELECT 1 FROM run AS r WHERE t.tick BETWEEN r.first_tick AND r.last_tick)"

/* Neighbours that become one. */
struct group {
	size_t n;
	struct tick ticks[STEP_TICKS];
	struct interval *intervals[STEP_TICKS];
	struct interval *sum;
	unsigned added;
};

static int64_t
minute_of(const struct tick *t)
{
	int64_t minute = t->wall_ms / MINUTE_MS;

	return t->wall_ms % MINUTE_MS < 0 ? minute - 1 : minute;
}

static bool
belong_together(const struct tick *a, const struct tick *b)
{
	return a->recording == b->recording && minute_of(a) == minute_of(b) && !b->gap && !a->empty;
}

/* One tick of a query that gives at most one. *found: whether it did. */
static int
find_tick(sqlite3 *db, const char *query, int64_t tick, struct tick *out, bool *found)
{
	sqlite3_stmt *stmt;
	int rc = sql_prepare(db, &stmt, "%s", query);

	*found = false;
	if (rc != SQLITE_OK)
		return rc;
	sqlite3_bind_int64(stmt, 1, tick);
	rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW) {
		ticks_row(stmt, out);
		*found = true;
	}
	sqlite3_finalize(stmt);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* The ticks from `first` on that belong to its minute, behind what that minute has already. A test ends a group. */
static int
find_group(sqlite3 *db, const struct tick *first, struct group *g)
{
	sqlite3_stmt *stmt;
	struct tick t;
	bool found;
	int rc = find_tick(db, "SELECT " TICK_COLUMNS " FROM (SELECT * FROM tick WHERE tick < ? ORDER BY tick DESC LIMIT 1) AS t"
	    " WHERE NOT " OF_TEST, first->tick, &t, &found);

	if (rc == SQLITE_OK && found && belong_together(&t, first))
		g->ticks[g->n++] = t;
	if (rc == SQLITE_OK)
		rc = sql_prepare(db, &stmt, "SELECT " TICK_COLUMNS ", " OF_TEST " FROM tick AS t WHERE t.tick >= ?"
		    " ORDER BY t.tick LIMIT %d", STEP_TICKS - 1);
	if (rc != SQLITE_OK)
		return rc;
	sqlite3_bind_int64(stmt, 1, first->tick);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		ticks_row(stmt, &t);
		if (sqlite3_column_int(stmt, TICK_N_COLUMNS) || (g->n > 0 && !belong_together(&g->ticks[g->n - 1], &t))) {
			rc = SQLITE_DONE;
			break;
		}
		g->ticks[g->n++] = t;
	}
	sqlite3_finalize(stmt);
	if (rc == SQLITE_DONE)
		rc = g->n > 0 ? SQLITE_OK : SQLITE_CORRUPT;
	return rc;
}

static size_t
rows_in(const struct interval *v)
{
	size_t rows = 0;

	for (size_t i = 0; i < v->n_tables; i++)
		rows += v->tables[i].n;
	return rows;
}

static void
add_to_group(struct group *g, size_t i, struct interval *v)
{
	struct interval *sum = g->sum != NULL ? interval_add(g->sum, v) : interval_ref(v);

	interval_unref(g->sum);
	g->sum = sum;
	g->intervals[i] = v;
	g->added += g->ticks[i].added > 0 ? g->ticks[i].added : 1;
}

static int
load_group(struct thin *t, struct group *g)
{
	size_t rows = 0, i = 0;
	int rc = ticks_span(t->ticks, g->ticks[0].recording, g->ticks[0].tick, g->ticks[g->n - 1].tick);

	for (; i < g->n && rc == SQLITE_OK && (i < 2 || rows <= STEP_ROWS); i++) {
		struct interval *v = NULL;

		rc = ticks_load(t->ticks, &g->ticks[i], &v);
		if (v == NULL)
			break;
		rows += rows_in(v);
		add_to_group(g, i, v);
	}
	g->n = i;
	return rc == SQLITE_OK && g->sum == NULL ? SQLITE_CORRUPT : rc;
}

static void
clear_group(struct group *g)
{
	for (size_t i = 0; i < STEP_TICKS; i++)
		interval_unref(g->intervals[i]);
	interval_unref(g->sum);
}

static void
raise(struct peak *p, const struct peak *other)
{
	/* fmax() takes the number where the other is none. */
	p->iops = fmax(p->iops, other->iops);
	p->mb_s = fmax(p->mb_s, other->mb_s);
	p->gavg = fmax(p->gavg, other->gavg);
}

static struct peak
peak_of(const struct kind *kind, const struct row *row)
{
	struct peak p = {
		.iops = column_at(kind, kind_column_flagged(kind, COLUMN_IOPS), row),
		.mb_s = NAN,
		.gavg = column_at(kind, kind_column_flagged(kind, COLUMN_GAVG), row),
	};

	for (size_t i = 0; i < kind->n_columns; i++) {
		double value = kind->columns[i].flags & COLUMN_MBYTES ? column_value(&kind->columns[i], row) : NAN;

		if (!isnan(value))
			p.mb_s = isnan(p.mb_s) ? value : p.mb_s + value;
	}
	return p;
}

/* The peaks of a tick that is a sum already. */
static int
stored_peaks(struct thin *t, const struct kind *kind, int64_t tick, const struct uidmap *at, struct peak *peaks)
{
	sqlite3_stmt *stmt;
	int rc = sql_prepare(t->db, &stmt, "SELECT object, iops, mb_s, gavg FROM \"%w_peak\" WHERE tick = ?", kind->key);

	if (rc != SQLITE_OK)
		return rc;
	sqlite3_bind_int64(stmt, 1, tick);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		const struct object *o = presence_object(ticks_presence(t->ticks), sqlite3_column_int64(stmt, 0));
		size_t i = o != NULL ? uidmap_get(at, o->uid) : SIZE_MAX;
		struct peak p = { NAN, NAN, NAN };
		double *parts[] = { &p.iops, &p.mb_s, &p.gavg };

		for (int c = 0; c < 3; c++)
			if (sqlite3_column_type(stmt, c + 1) != SQLITE_NULL)
				*parts[c] = sqlite3_column_double(stmt, c + 1);
		if (i != SIZE_MAX)
			raise(&peaks[i], &p);
	}
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* The highest figures of each object of the sum's table, in a new array. */
static int
find_peaks(struct thin *t, const struct group *g, const struct interval_table *sum, struct peak **out)
{
	struct peak *peaks = xcalloc(sum->n, sizeof(*peaks));
	struct uidmap at;
	int rc = SQLITE_OK;

	uidmap_init(&at, sum->n);
	for (size_t i = 0; i < sum->n; i++) {
		peaks[i] = (struct peak){ NAN, NAN, NAN };
		uidmap_put(&at, sum->rows[i].object->uid, i);
	}
	for (size_t i = 0; i < g->n && rc == SQLITE_OK; i++) {
		const struct interval_table *one = interval_table(g->intervals[i], sum->kind);

		if (g->ticks[i].added > 1) {
			rc = stored_peaks(t, sum->kind, g->ticks[i].tick, &at, peaks);
			continue;
		}
		for (size_t j = 0; one != NULL && j < one->n; j++) {
			struct peak p = peak_of(one->kind, &one->rows[j]);

			raise(&peaks[uidmap_get(&at, one->rows[j].object->uid)], &p);
		}
	}
	uidmap_clear(&at);
	*out = peaks;
	return rc;
}

static int
put_presence(struct thin *t, const struct kind *kind, int64_t id, int64_t first, int64_t last, uint64_t lacks)
{
	char *text = rows_lacks_text(kind, lacks);
	int rc = sql_exec(t->db, "INSERT INTO presence (kind, object, first, last, lacks)"
	    " VALUES (%Q, %lld, %lld, nullif(%lld, %lld), %Q)", kind->key, id, first, last, INT64_MAX, text);

	free(text);
	return rc;
}

#define MAX_PIECES 256

/* Adds a span behind the last one, or to it where they are one. */
static void
append(struct presence_span *list, size_t *n, int64_t first, int64_t last, uint64_t lacks)
{
	if (first > last || *n == MAX_PIECES)
		return;
	if (*n > 0 && list[*n - 1].lacks == lacks && list[*n - 1].last == first - 1)
		list[*n - 1].last = last;
	else
		list[(*n)++] = (struct presence_span){ .first = first, .last = last, .lacks = lacks };
}

/*
 * An object that was there for a part of the ticks first to last, or lacked other metrics in some, is there in the one
 * that stands for all.
 */
static int
mend_presence(struct thin *t, const struct kind *kind, int64_t id, int64_t first, int64_t last, uint64_t lacks)
{
	struct presence_span old[MAX_PIECES], new[MAX_PIECES];
	size_t n_old = 0, n_new = 0;
	sqlite3_stmt *stmt;
	int rc = sql_prepare(t->db, &stmt, "SELECT first, last, lacks FROM presence WHERE kind = %Q AND object = %lld"
	    " AND first <= %lld AND (last IS NULL OR last >= %lld) ORDER BY first LIMIT %d", kind->key, id,
	    last + 1, first - 1, MAX_PIECES - 1);

	if (rc != SQLITE_OK)
		return rc;
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
		old[n_old++] = (struct presence_span){
			.first = sqlite3_column_int64(stmt, 0),
			.last = sqlite3_column_type(stmt, 1) == SQLITE_NULL ? INT64_MAX :
			    sqlite3_column_int64(stmt, 1),
			.lacks = rows_lacks_of(kind, (const char *)sqlite3_column_text(stmt, 2)),
		};
	sqlite3_finalize(stmt);
	if (rc != SQLITE_DONE)
		return rc;
	for (size_t i = 0; i < n_old; i++)
		append(new, &n_new, old[i].first, old[i].last < first ? old[i].last : first - 1, old[i].lacks);
	append(new, &n_new, last, last, lacks);
	/* The ticks between are gone, so what ended just before them goes on. */
	if (n_new > 1 && new[n_new - 2].last == first - 1 && new[n_new - 2].lacks == lacks) {
		new[n_new - 2].last = last;
		n_new--;
	}
	for (size_t i = 0; i < n_old; i++)
		append(new, &n_new, old[i].first > last ? old[i].first : last + 1, old[i].last, old[i].lacks);
	rc = SQLITE_OK;
	for (size_t i = 0; i < n_old && rc == SQLITE_OK; i++)
		rc = sql_exec(t->db, "DELETE FROM presence WHERE kind = %Q AND object = %lld AND first = %lld", kind->key, id,
		    old[i].first);
	for (size_t i = 0; i < n_new && rc == SQLITE_OK; i++)
		rc = put_presence(t, kind, id, new[i].first, new[i].last, new[i].lacks);
	return rc;
}

static bool
is_nothing(const struct peak *p)
{
	return !(p->iops > 0) && !(p->mb_s > 0) && !(p->gavg > 0);
}

static int
put_table(struct thin *t, const struct group *g, const struct interval_table *sum)
{
	int64_t first = g->ticks[0].tick, last = g->ticks[g->n - 1].tick;
	int rc = rows_put_sample(t->rows, last, sum->kind, sum->ns, g->sum->ns);

	for (size_t i = 0; i < sum->n && rc == SQLITE_OK; i++) {
		const struct object *o = sum->rows[i].object;
		int64_t id = presence_id(ticks_presence(t->ticks), o);
		uint64_t lacks = rows_lacks(&sum->rows[i]);

		rc = rows_put(t->rows, last, id, &sum->rows[i], sum->ns);
		if (rc == SQLITE_OK && !presence_covers(ticks_presence(t->ticks), o, first, last, lacks))
			rc = mend_presence(t, sum->kind, id, first, last, lacks);
	}
	return rc;
}

static int
put_peaks(struct thin *t, const struct group *g, const struct interval_table *sum, const struct peak *peaks)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < sum->n && rc == SQLITE_OK; i++)
		if (!is_nothing(&peaks[i]))
			rc = rows_put_peak(t->rows, g->ticks[g->n - 1].tick,
			    presence_id(ticks_presence(t->ticks), sum->rows[i].object), sum->kind, &peaks[i]);
	return rc;
}

/* Peaks are read before the rows they come from are removed. */
static int
replace_rows(struct thin *t, const struct group *g)
{
	int64_t first = g->ticks[0].tick, last = g->ticks[g->n - 1].tick;
	struct peak **peaks = xcalloc(g->sum->n_tables, sizeof(*peaks));
	int rc = SQLITE_OK;

	for (size_t i = 0; i < g->sum->n_tables && rc == SQLITE_OK; i++)
		if (schema_peaks(g->sum->tables[i].kind))
			rc = find_peaks(t, g, &g->sum->tables[i], &peaks[i]);
	if (rc == SQLITE_OK)
		rc = rows_delete(t->rows, first, last);
	for (size_t i = 0; i < g->sum->n_tables && rc == SQLITE_OK; i++) {
		const struct interval_table *sum = &g->sum->tables[i];

		if (!schema_stored(sum->kind))
			continue;
		rc = put_table(t, g, sum);
		if (rc == SQLITE_OK && peaks[i] != NULL)
			rc = put_peaks(t, g, sum, peaks[i]);
	}
	for (size_t i = 0; i < g->sum->n_tables; i++)
		free(peaks[i]);
	free(peaks);
	return rc;
}

static int
replace_ticks(struct thin *t, const struct group *g)
{
	int64_t first = g->ticks[0].tick, last = g->ticks[g->n - 1].tick;
	int rc = sql_exec(t->db, "UPDATE event SET tick = %lld WHERE tick BETWEEN %lld AND %lld", last, first, last - 1);

	if (rc == SQLITE_OK)
		rc = sql_exec(t->db, "DELETE FROM tick WHERE tick BETWEEN %lld AND %lld", first, last - 1);
	if (rc == SQLITE_OK)
		rc = sql_exec(t->db, "UPDATE tick SET ns = %lld, added = %u WHERE tick = %lld", (int64_t)g->sum->ns,
		    g->added, last);
	return rc;
}

static int
add_up(struct thin *t, const struct tick *first)
{
	struct group g = { .n = 0 };
	int rc = find_group(t->db, first, &g);

	if (rc == SQLITE_OK)
		rc = load_group(t, &g);
	/* A tick that is alone in its minute stays as it is, but for the mark. */
	if (rc == SQLITE_OK && g.n > 1)
		rc = replace_rows(t, &g);
	if (rc == SQLITE_OK)
		rc = replace_ticks(t, &g);
	if (rc == SQLITE_OK)
		t->cursor = g.ticks[g.n - 1].tick;
	clear_group(&g);
	return rc;
}

int
thin_step(struct thin *t, int64_t before_ms, int64_t now_ms, bool *did)
{
	struct tick first;
	int rc = find_tick(t->db, "SELECT " TICK_COLUMNS " FROM tick AS t WHERE t.added IS NULL AND t.tick > ?"
	    " AND NOT " OF_TEST " ORDER BY t.tick LIMIT 1", t->cursor, &first, did);

	if (rc != SQLITE_OK || !*did)
		return rc;
	/* A clock that was wrong for a while must not hold up what came after it. */
	if (first.wall_ms > now_ms) {
		t->cursor = first.tick;
		return SQLITE_OK;
	}
	if (minute_of(&first) >= before_ms / MINUTE_MS) {
		*did = false;
		return SQLITE_OK;
	}
	rc = sql_exec(t->db, "BEGIN IMMEDIATE");
	if (rc == SQLITE_OK)
		rc = add_up(t, &first);
	if (rc == SQLITE_OK)
		rc = sql_exec(t->db, "COMMIT");
	if (!sqlite3_get_autocommit(t->db))
		sql_exec(t->db, "ROLLBACK");
	return rc;
}
