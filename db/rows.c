#include "db/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "db/schema.h"
#include "db/sql.h"

struct kind_rows {
	const struct kind *kind;
	uint64_t masks[PLACE_COUNT];
	sqlite3_stmt *put[PLACE_COUNT];
	sqlite3_stmt *put_peak;
};

struct rows {
	sqlite3 *db;
	size_t n;
	struct kind_rows *kinds;
	sqlite3_stmt *put_tick, *put_sample, *put_event;
};

/* INSERT with the columns by name: those that were added later stand at the end of their table. */
static int
prepare_put(sqlite3 *db, struct kind_rows *k, enum place place)
{
	const char *keys = place == PLACE_HIST ? "id" : place == PLACE_MAIN ? "tick, object, ns" : "tick, object";
	sqlite3_str *s = sqlite3_str_new(db);
	size_t n = place == PLACE_HIST ? 1 : place == PLACE_MAIN ? 3 : 2;
	char *text;
	int rc;

	sqlite3_str_appendf(s, "INSERT INTO \"%w%s\" (%s", k->kind->key, schema_suffix[place], keys);
	for (uint64_t mask = k->masks[place]; mask != 0; mask &= mask - 1, n++)
		sqlite3_str_appendf(s, ", \"%w\"", k->kind->metrics[__builtin_ctzll(mask)].key);
	sqlite3_str_appendall(s, ") VALUES (?");
	while (--n > 0)
		sqlite3_str_appendall(s, ", ?");
	sqlite3_str_appendall(s, ")");
	text = sqlite3_str_finish(s);
	rc = sql_prepare(db, &k->put[place], "%s", text);
	sqlite3_free(text);
	return rc;
}

static int
prepare_kind(sqlite3 *db, struct kind_rows *k)
{
	int rc = SQLITE_OK;

	for (enum place place = PLACE_MAIN; place < PLACE_COUNT && rc == SQLITE_OK; place++) {
		k->masks[place] = schema_mask(k->kind, place);
		if (place == PLACE_MAIN || k->masks[place] != 0)
			rc = prepare_put(db, k, place);
	}
	if (rc == SQLITE_OK && schema_peaks(k->kind))
		rc = sql_prepare(db, &k->put_peak, "INSERT INTO \"%w_peak\" (tick, object, iops, mb_s, gavg)"
		    " VALUES (?, ?, ?, ?, ?)", k->kind->key);
	return rc;
}

struct rows *
rows_new(sqlite3 *db, const struct kind *const *kinds)
{
	struct rows *r = xcalloc(1, sizeof(*r));
	int rc = SQLITE_OK;

	r->db = db;
	for (size_t i = 0; kinds[i] != NULL && rc == SQLITE_OK; i++) {
		if (!schema_stored(kinds[i]))
			continue;
		r->kinds = xreallocarray(r->kinds, r->n + 1, sizeof(*r->kinds));
		r->kinds[r->n] = (struct kind_rows){ .kind = kinds[i] };
		rc = prepare_kind(db, &r->kinds[r->n++]);
	}
	if (rc == SQLITE_OK)
		rc = sql_prepare(db, &r->put_tick, "INSERT INTO tick (tick, recording, wall_ms, ns, added)"
		    " VALUES (?, ?, ?, ?, nullif(?, 0))");
	if (rc == SQLITE_OK)
		rc = sql_prepare(db, &r->put_sample, "INSERT INTO sample (tick, kind, ns) VALUES (?, ?, nullif(?, ?))");
	if (rc == SQLITE_OK)
		rc = sql_prepare(db, &r->put_event, "INSERT INTO event (tick, wall_ms, type, object, text)"
		    " VALUES (?, ?, ?, nullif(?, 0), ?)");
	if (rc == SQLITE_OK)
		return r;
	rows_free(r);
	return NULL;
}

void
rows_free(struct rows *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < r->n; i++) {
		for (enum place place = PLACE_MAIN; place < PLACE_COUNT; place++)
			sqlite3_finalize(r->kinds[i].put[place]);
		sqlite3_finalize(r->kinds[i].put_peak);
	}
	sqlite3_finalize(r->put_tick);
	sqlite3_finalize(r->put_sample);
	sqlite3_finalize(r->put_event);
	free(r->kinds);
	free(r);
}

int
rows_put_tick(struct rows *r, int64_t tick, int64_t recording, int64_t wall_ms, uint64_t ns, unsigned added)
{
	sqlite3_bind_int64(r->put_tick, 1, tick);
	sqlite3_bind_int64(r->put_tick, 2, recording);
	sqlite3_bind_int64(r->put_tick, 3, wall_ms);
	sqlite3_bind_int64(r->put_tick, 4, (int64_t)ns);
	sqlite3_bind_int64(r->put_tick, 5, added);
	return sql_run(r->put_tick);
}

int
rows_put_sample(struct rows *r, int64_t tick, const struct kind *kind, uint64_t ns, uint64_t tick_ns)
{
	sqlite3_bind_int64(r->put_sample, 1, tick);
	sqlite3_bind_text(r->put_sample, 2, kind->key, -1, SQLITE_STATIC);
	sqlite3_bind_int64(r->put_sample, 3, (int64_t)ns);
	sqlite3_bind_int64(r->put_sample, 4, (int64_t)tick_ns);
	return sql_run(r->put_sample);
}

int
rows_put_event(struct rows *r, int64_t tick, int64_t wall_ms, enum event_type type, int64_t object, const char *text)
{
	sqlite3_bind_int64(r->put_event, 1, tick);
	sqlite3_bind_int64(r->put_event, 2, wall_ms);
	sqlite3_bind_text(r->put_event, 3, event_name[type], -1, SQLITE_STATIC);
	sqlite3_bind_int64(r->put_event, 4, object);
	sqlite3_bind_text(r->put_event, 5, text, -1, SQLITE_TRANSIENT);
	return sql_run(r->put_event);
}

static bool
all_zero(const struct row *row, uint64_t mask)
{
	for (; mask != 0; mask &= mask - 1) {
		double cell = row->cells[__builtin_ctzll(mask)];

		if (!isnan(cell) && cell != 0)
			return false;
	}
	return true;
}

static bool
no_hists(const struct row *row, uint64_t mask)
{
	for (; mask != 0; mask &= mask - 1) {
		const struct hist *h = row->hists[__builtin_ctzll(mask)];

		if (h != NULL && h->count > 0)
			return false;
	}
	return true;
}

static uint64_t
all_numbers(const struct kind *kind)
{
	uint64_t mask = 0;

	for (size_t m = 0; m < kind->n_metrics; m++)
		if (kind->metrics[m].nature != METRIC_HIST)
			mask |= M(m);
	return mask;
}

bool
rows_idle(const struct row *row)
{
	/* All cells: a roll-up's are not kept, but tell whether its members did anything. */
	return all_zero(row, all_numbers(row->object->kind)) &&
	    (row->hists == NULL || no_hists(row, schema_mask(row->object->kind, PLACE_HIST)));
}

uint64_t
rows_lacks(const struct row *row)
{
	const struct kind *kind = row->object->kind;
	uint64_t lacks = 0;

	for (size_t m = 0; m < kind->n_metrics; m++) {
		enum place place = schema_place(kind, m);

		if ((place == PLACE_MAIN || place == PLACE_RARE) && isnan(row->cells[m]))
			lacks |= M(m);
	}
	return lacks;
}

char *
rows_lacks_text(const struct kind *kind, uint64_t lacks)
{
	size_t size = 2;
	char *text;

	if (lacks == 0)
		return NULL;
	for (uint64_t mask = lacks; mask != 0; mask &= mask - 1)
		size += strlen(kind->metrics[__builtin_ctzll(mask)].key) + 1;
	text = xmalloc(size);
	strcpy(text, " ");
	for (uint64_t mask = lacks; mask != 0; mask &= mask - 1) {
		strcat(text, kind->metrics[__builtin_ctzll(mask)].key);
		strcat(text, " ");
	}
	return text;
}

uint64_t
rows_lacks_of(const struct kind *kind, const char *text)
{
	uint64_t lacks = 0;

	while (text != NULL && *text != '\0') {
		size_t n = strcspn(text, " ");
		char key[64];

		snprintf(key, sizeof(key), "%.*s", (int)(n < sizeof(key) ? n : 0), text);
		if (kind_metric(kind, key) >= 0)
			lacks |= M(kind_metric(kind, key));
		text += n + strspn(text + n, " ");
	}
	return lacks;
}

/* Counters are whole numbers, and small ones take few bytes; absent is NULL. */
static void
bind_cell(sqlite3_stmt *stmt, int at, double cell)
{
	if (isnan(cell))
		sqlite3_bind_null(stmt, at);
	else if (cell == floor(cell) && fabs(cell) < 0x1p62)
		sqlite3_bind_int64(stmt, at, (int64_t)cell);
	else
		sqlite3_bind_double(stmt, at, cell);
}

static int
put_cells(sqlite3_stmt *stmt, int at, const struct row *row, uint64_t mask)
{
	for (; mask != 0; mask &= mask - 1)
		bind_cell(stmt, at++, row->cells[__builtin_ctzll(mask)]);
	return sql_run(stmt);
}

static int
put_hists(struct kind_rows *k, int64_t tick, int64_t object, const struct row *row)
{
	sqlite3_stmt *stmt = k->put[PLACE_HIST];
	int at = 2, rc;

	/* The id has room for a million objects; histograms of more are not kept. */
	if (object > SCHEMA_HIST_OBJECT)
		return SQLITE_OK;
	sqlite3_bind_int64(stmt, 1, schema_hist_id(tick, object));
	for (uint64_t mask = k->masks[PLACE_HIST]; mask != 0; mask &= mask - 1) {
		size_t len;
		unsigned char *block = hist_encode(row->hists[__builtin_ctzll(mask)], &len);

		sqlite3_bind_blob64(stmt, at++, block, len, block != NULL ? free : SQLITE_STATIC);
	}
	rc = sql_run(stmt);
	sqlite3_clear_bindings(stmt);
	return rc;
}

static struct kind_rows *
rows_of(struct rows *r, const struct kind *kind)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->kinds[i].kind == kind)
			return &r->kinds[i];
	return NULL;
}

int
rows_put(struct rows *r, int64_t tick, int64_t object, const struct row *row, uint64_t sample_ns)
{
	struct kind_rows *k = rows_of(r, row->object->kind);
	int rc = SQLITE_OK;

	if (k == NULL)
		return SQLITE_OK;
	if (row->ns != sample_ns || !all_zero(row, k->masks[PLACE_MAIN])) {
		sqlite3_bind_int64(k->put[PLACE_MAIN], 1, tick);
		sqlite3_bind_int64(k->put[PLACE_MAIN], 2, object);
		if (row->ns != sample_ns)
			sqlite3_bind_int64(k->put[PLACE_MAIN], 3, (int64_t)row->ns);
		else
			sqlite3_bind_null(k->put[PLACE_MAIN], 3);
		rc = put_cells(k->put[PLACE_MAIN], 4, row, k->masks[PLACE_MAIN]);
	}
	if (rc == SQLITE_OK && !all_zero(row, k->masks[PLACE_RARE])) {
		sqlite3_bind_int64(k->put[PLACE_RARE], 1, tick);
		sqlite3_bind_int64(k->put[PLACE_RARE], 2, object);
		rc = put_cells(k->put[PLACE_RARE], 3, row, k->masks[PLACE_RARE]);
	}
	if (rc == SQLITE_OK && row->hists != NULL && !no_hists(row, k->masks[PLACE_HIST]))
		rc = put_hists(k, tick, object, row);
	return rc;
}

int
rows_put_peak(struct rows *r, int64_t tick, int64_t object, const struct kind *kind, const struct peak *peak)
{
	struct kind_rows *k = rows_of(r, kind);

	if (k == NULL || k->put_peak == NULL)
		return SQLITE_OK;
	sqlite3_bind_int64(k->put_peak, 1, tick);
	sqlite3_bind_int64(k->put_peak, 2, object);
	/* SQLite takes NaN for NULL. */
	sqlite3_bind_double(k->put_peak, 3, peak->iops);
	sqlite3_bind_double(k->put_peak, 4, peak->mb_s);
	sqlite3_bind_double(k->put_peak, 5, peak->gavg);
	return sql_run(k->put_peak);
}

static int
delete_kind(sqlite3 *db, const struct kind_rows *k, int64_t first, int64_t last)
{
	int rc = SQLITE_OK;

	for (enum place place = PLACE_MAIN; place < PLACE_HIST && rc == SQLITE_OK; place++)
		if (k->put[place] != NULL)
			rc = sql_exec(db, "DELETE FROM \"%w%s\" WHERE tick BETWEEN %lld AND %lld", k->kind->key,
			    schema_suffix[place], first, last);
	if (rc == SQLITE_OK && k->put[PLACE_HIST] != NULL)
		rc = sql_exec(db, "DELETE FROM \"%w_hist\" WHERE id BETWEEN %lld AND %lld", k->kind->key,
		    schema_hist_id(first, 0), schema_hist_id(last, SCHEMA_HIST_OBJECT));
	if (rc == SQLITE_OK && k->put_peak != NULL)
		rc = sql_exec(db, "DELETE FROM \"%w_peak\" WHERE tick BETWEEN %lld AND %lld", k->kind->key, first, last);
	return rc;
}

int
rows_delete(struct rows *r, int64_t first, int64_t last)
{
	int rc = sql_exec(r->db, "DELETE FROM sample WHERE tick BETWEEN %lld AND %lld", first, last);

	for (size_t i = 0; i < r->n && rc == SQLITE_OK; i++)
		rc = delete_kind(r->db, &r->kinds[i], first, last);
	return rc;
}
