#include "db/ticks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "db/schema.h"
#include "db/sql.h"

struct kind_ticks {
	const struct kind *kind;
	uint64_t masks[PLACE_COUNT];	/* the columns that the file has */
	uint64_t missing;		/* the metrics that it has no column for */
	sqlite3_stmt *get[PLACE_COUNT];
};

struct ticks {
	sqlite3 *db;
	size_t n;
	struct kind_ticks *kinds;
	sqlite3_stmt *get_samples, *get_events;
	struct presence *presence;
	uint64_t mono_ns;
};

void
ticks_row(sqlite3_stmt *stmt, struct tick *t)
{
	int64_t ns = sqlite3_column_int64(stmt, 3), added = sqlite3_column_int64(stmt, 4);

	*t = (struct tick){
		.tick = sqlite3_column_int64(stmt, 0),
		.recording = sqlite3_column_int64(stmt, 1),
		.wall_ms = sqlite3_column_int64(stmt, 2),
		.ns = ns > 0 ? (uint64_t)ns : 0,
		.added = added > 0 && added < 1 << 30 ? (unsigned)added : 0,
		.gap = sqlite3_column_int(stmt, 5) != 0,
		.empty = sqlite3_column_int(stmt, 5) != 0 && sqlite3_column_int(stmt, 6) != 0,
	};
}

static int
prepare_get(sqlite3 *db, struct kind_ticks *k, enum place place)
{
	const char *keys = place == PLACE_HIST ? "id" : place == PLACE_MAIN ? "object, ns" : "object";
	sqlite3_str *s = sqlite3_str_new(db);
	char *text;
	int rc;

	sqlite3_str_appendf(s, "SELECT %s", keys);
	for (uint64_t mask = k->masks[place]; mask != 0; mask &= mask - 1)
		sqlite3_str_appendf(s, ", \"%w\"", k->kind->metrics[__builtin_ctzll(mask)].key);
	sqlite3_str_appendf(s, " FROM \"%w%s\" WHERE %s", k->kind->key, schema_suffix[place],
	    place == PLACE_HIST ? "id BETWEEN ?1 AND ?2 ORDER BY id" : "tick = ?1 ORDER BY object");
	text = sqlite3_str_finish(s);
	rc = sql_prepare(db, &k->get[place], "%s", text);
	sqlite3_free(text);
	return rc;
}

static int
prepare_kind(sqlite3 *db, const struct layout *layout, struct kind_ticks *k)
{
	int rc = SQLITE_OK;

	for (enum place place = PLACE_MAIN; place < PLACE_COUNT && rc == SQLITE_OK; place++) {
		bool times = place == PLACE_MAIN && layout_has(layout, k->kind->key, "ns");

		k->masks[place] = schema_columns(layout, k->kind, place);
		k->missing |= schema_mask(k->kind, place) & ~k->masks[place];
		if (times || k->masks[place] != 0)
			rc = prepare_get(db, k, place);
	}
	return rc;
}

static int
prepare_all(struct ticks *l, const struct layout *layout)
{
	int rc = sql_prepare(l->db, &l->get_samples, "SELECT kind, ns FROM sample WHERE tick = ?");

	if (rc == SQLITE_OK)
		rc = sql_prepare(l->db, &l->get_events, "SELECT type, object, text FROM event WHERE tick = ?"
		    " AND type NOT IN ('stall', 'resume') ORDER BY id");
	for (size_t i = 0; i < l->n && rc == SQLITE_OK; i++)
		rc = prepare_kind(l->db, layout, &l->kinds[i]);
	return rc;
}

int
ticks_new(sqlite3 *db, const struct layout *layout, const struct kind *const *kinds, struct ticks **out)
{
	struct ticks *l = xcalloc(1, sizeof(*l));
	int rc;

	l->db = db;
	l->presence = presence_new(db, kinds);
	for (size_t i = 0; kinds[i] != NULL; i++) {
		if (!schema_stored(kinds[i]))
			continue;
		l->kinds = xreallocarray(l->kinds, l->n + 1, sizeof(*l->kinds));
		l->kinds[l->n++] = (struct kind_ticks){ .kind = kinds[i] };
	}
	rc = prepare_all(l, layout);
	if (rc != SQLITE_OK) {
		ticks_free(l);
		l = NULL;
	}
	*out = l;
	return rc;
}

void
ticks_free(struct ticks *l)
{
	if (l == NULL)
		return;
	presence_free(l->presence);
	for (size_t i = 0; i < l->n; i++)
		for (enum place place = PLACE_MAIN; place < PLACE_COUNT; place++)
			sqlite3_finalize(l->kinds[i].get[place]);
	sqlite3_finalize(l->get_samples);
	sqlite3_finalize(l->get_events);
	free(l->kinds);
	free(l);
}

static struct kind_ticks *
find_kind(struct ticks *l, const char *key)
{
	for (size_t i = 0; key != NULL && i < l->n; i++)
		if (strcmp(l->kinds[i].kind->key, key) == 0)
			return &l->kinds[i];
	return NULL;
}

static const char *
column_text(sqlite3_stmt *stmt, int i)
{
	const char *text = (const char *)sqlite3_column_text(stmt, i);

	return text != NULL ? text : "";
}

int
ticks_span(struct ticks *l, int64_t recording, int64_t first, int64_t last)
{
	return presence_read(l->presence, recording, first, last);
}

static void
fill_idle(const struct kind_ticks *k, const struct presence_span *here, struct interval_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct row *row = &t->rows[i];
		uint64_t known = (schema_mask(k->kind, PLACE_MAIN) | schema_mask(k->kind, PLACE_RARE)) &
		    ~here[i].lacks & ~k->missing;

		row->object = object_ref(here[i].object);
		for (; known != 0; known &= known - 1)
			row->cells[__builtin_ctzll(known)] = 0;
	}
}

/* Nothing that is counted is below zero. */
static double
cell_of(sqlite3_stmt *stmt, int i)
{
	int type = sqlite3_column_type(stmt, i);
	double value = type == SQLITE_INTEGER || type == SQLITE_FLOAT ? sqlite3_column_double(stmt, i) : NAN;

	return value >= 0 && isfinite(value) ? value : NAN;
}

static void
fill_row(const struct kind_ticks *k, enum place place, sqlite3_stmt *stmt, struct row *row)
{
	int at = 1;

	if (place == PLACE_MAIN) {
		int64_t ns = sqlite3_column_int64(stmt, at++);

		row->ns = ns > 0 ? (uint64_t)ns : row->ns;
	}
	for (uint64_t mask = k->masks[place]; mask != 0; mask &= mask - 1, at++) {
		unsigned m = (unsigned)__builtin_ctzll(mask);

		if (place != PLACE_HIST) {
			row->cells[m] = cell_of(stmt, at);
			continue;
		}
		hist_free(row->hists[m]);
		row->hists[m] = hist_decode(sqlite3_column_blob(stmt, at), (size_t)sqlite3_column_bytes(stmt, at));
		if (row->hists[m] != NULL && row->hists[m]->bits != k->kind->metrics[m].hist_bits) {
			hist_free(row->hists[m]);
			row->hists[m] = NULL;
		}
	}
}

/* Rows and objects are both in the order of ids; rows of objects that are not there are left out. */
static int
fill_place(const struct kind_ticks *k, enum place place, int64_t tick, const struct presence_span *here,
    struct interval_table *t)
{
	sqlite3_stmt *stmt = k->get[place];
	size_t i = 0;
	int rc;

	if (stmt == NULL || t->n == 0)
		return SQLITE_OK;
	sqlite3_bind_int64(stmt, 1, place == PLACE_HIST ? schema_hist_id(tick, 0) : tick);
	if (place == PLACE_HIST)
		sqlite3_bind_int64(stmt, 2, schema_hist_id(tick, SCHEMA_HIST_OBJECT));
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		int64_t id = sqlite3_column_int64(stmt, 0);

		if (place == PLACE_HIST)
			id &= SCHEMA_HIST_OBJECT;
		while (i < t->n && here[i].id < id)
			i++;
		if (i < t->n && here[i].id == id)
			fill_row(k, place, stmt, &t->rows[i]);
	}
	sqlite3_reset(stmt);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int
load_table(struct ticks *l, struct kind_ticks *k, const struct tick *tick, int64_t ns, struct interval *v)
{
	const struct presence_span *here = NULL;
	struct interval_table *t;
	size_t n;
	int rc = SQLITE_OK;

	if (interval_table(v, k->kind) != NULL)
		return SQLITE_OK;
	n = presence_at(l->presence, k->kind, tick->tick, &here);
	t = interval_make_table(v, k->kind, n, ns > 0 ? (uint64_t)ns : tick->ns);
	fill_idle(k, here, t);
	for (enum place place = PLACE_MAIN; place < PLACE_COUNT && rc == SQLITE_OK; place++)
		rc = fill_place(k, place, tick->tick, here, t);
	return rc;
}

static void
load_event(const struct ticks *l, sqlite3_stmt *stmt, struct interval *v)
{
	const char *name = column_text(stmt, 0);
	struct object *o = presence_object(l->presence, sqlite3_column_int64(stmt, 1));

	for (int type = 0; type < EVENT_COUNT; type++)
		if (strcmp(event_name[type], name) == 0)
			interval_event(v, (enum event_type)type, o, "%s", column_text(stmt, 2));
}

static int
load_all(struct ticks *l, const struct tick *tick, struct interval *v)
{
	int rc;

	sqlite3_bind_int64(l->get_samples, 1, tick->tick);
	while ((rc = sqlite3_step(l->get_samples)) == SQLITE_ROW) {
		struct kind_ticks *k = find_kind(l, column_text(l->get_samples, 0));

		if (k == NULL)
			continue;
		rc = load_table(l, k, tick, sqlite3_column_int64(l->get_samples, 1), v);
		if (rc != SQLITE_OK)
			break;
	}
	sqlite3_reset(l->get_samples);
	if (rc != SQLITE_DONE)
		return rc;
	sqlite3_bind_int64(l->get_events, 1, tick->tick);
	while ((rc = sqlite3_step(l->get_events)) == SQLITE_ROW)
		load_event(l, l->get_events, v);
	sqlite3_reset(l->get_events);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int
ticks_load(struct ticks *l, const struct tick *tick, struct interval **out)
{
	struct stamp end = { .wall_ms = tick->wall_ms };
	int rc;

	/* The clock of the recording machine is gone; a clock of the same length serves. */
	l->mono_ns += tick->ns;
	end.mono_ns = end.boot_ns = l->mono_ns;
	*out = interval_new(&end, tick->ns);
	rc = load_all(l, tick, *out);
	if (rc == SQLITE_OK) {
		interval_rollup(*out);
		return SQLITE_OK;
	}
	interval_unref(*out);
	*out = NULL;
	return rc;
}

const struct presence *
ticks_presence(const struct ticks *l)
{
	return l->presence;
}
