#include "db/ledger.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/uidmap.h"
#include "core/xalloc.h"
#include "db/labels.h"
#include "db/rows.h"
#include "db/schema.h"
#include "db/sql.h"

/* An object that is there now. */
struct span {
	struct object *object;	/* the version that the file has */
	int64_t id;
	uint64_t lacks;
	bool kept;		/* is in the interval at hand too */
	bool unlinked;		/* has links that the file does not have yet */
};

struct book {
	const struct kind *kind;
	size_t n;
	struct span *spans;	/* in the order of the rows */
};

struct ledger {
	sqlite3 *db;
	int64_t recording;
	int64_t tick;		/* at hand */
	size_t n;
	struct book *books;
	size_t cap;
	int64_t *ids;		/* of the table at hand */
	bool changed;		/* an object came, or has new links */
	sqlite3_stmt *find, *insert, *update, *link, *open, *close;
};

static int
prepare_all(struct ledger *l)
{
	const struct {
		sqlite3_stmt **stmt;
		const char *text;
	} all[] = {
		{ &l->find, "SELECT id FROM object WHERE recording = ?1 AND identity = ?2 AND kind = ?3" },
		{ &l->insert, "INSERT INTO object (recording, kind, name, identity, hidden, labels)"
		    " VALUES (?, ?, ?, ?, nullif(?, 0), ?)" },
		{ &l->update, "UPDATE object SET name = ?1, hidden = nullif(?2, 0), labels = ?3 WHERE id = ?4" },
		{ &l->link, "UPDATE object SET parent = CASE ?1 WHEN -1 THEN parent ELSE nullif(?1, 0) END,"
		    " counts_in = CASE ?2 WHEN -1 THEN counts_in ELSE nullif(?2, 0) END WHERE id = ?3" },
		{ &l->open, "INSERT INTO presence (kind, object, first, lacks) VALUES (?, ?, ?, ?)" },
		{ &l->close, "UPDATE presence SET last = ?1 WHERE kind = ?2 AND object = ?3 AND last IS NULL" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int rc = sql_prepare(l->db, all[i].stmt, "%s", all[i].text);

		if (rc != SQLITE_OK)
			return rc;
	}
	return SQLITE_OK;
}

struct ledger *
ledger_new(sqlite3 *db, const struct kind *const *kinds, int64_t recording)
{
	struct ledger *l = xcalloc(1, sizeof(*l));

	l->db = db;
	l->recording = recording;
	for (size_t i = 0; kinds[i] != NULL; i++) {
		if (!schema_stored(kinds[i]))
			continue;
		l->books = xreallocarray(l->books, l->n + 1, sizeof(*l->books));
		l->books[l->n++] = (struct book){ .kind = kinds[i] };
	}
	if (prepare_all(l) == SQLITE_OK)
		return l;
	ledger_free(l);
	return NULL;
}

void
ledger_free(struct ledger *l)
{
	if (l == NULL)
		return;
	for (size_t i = 0; i < l->n; i++) {
		for (size_t j = 0; j < l->books[i].n; j++)
			object_unref(l->books[i].spans[j].object);
		free(l->books[i].spans);
	}
	sqlite3_finalize(l->find);
	sqlite3_finalize(l->insert);
	sqlite3_finalize(l->update);
	sqlite3_finalize(l->link);
	sqlite3_finalize(l->open);
	sqlite3_finalize(l->close);
	free(l->ids);
	free(l->books);
	free(l);
}

static struct book *
book_of(struct ledger *l, const struct kind *kind)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->books[i].kind == kind)
			return &l->books[i];
	return NULL;
}

/* *id is 0 where the recording has no such object. */
static int
find_object(struct ledger *l, const struct object *o, int64_t *id)
{
	int rc;

	sqlite3_bind_int64(l->find, 1, l->recording);
	sqlite3_bind_text(l->find, 2, o->identity, -1, SQLITE_STATIC);
	sqlite3_bind_text(l->find, 3, o->kind->key, -1, SQLITE_STATIC);
	rc = sqlite3_step(l->find);
	*id = rc == SQLITE_ROW ? sqlite3_column_int64(l->find, 0) : 0;
	sqlite3_reset(l->find);
	sqlite3_clear_bindings(l->find);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int
insert_object(struct ledger *l, const struct object *o, int64_t *id)
{
	char *labels = labels_encode(o);
	int rc;

	sqlite3_bind_int64(l->insert, 1, l->recording);
	sqlite3_bind_text(l->insert, 2, o->kind->key, -1, SQLITE_STATIC);
	sqlite3_bind_text(l->insert, 3, o->name, -1, SQLITE_STATIC);
	sqlite3_bind_text(l->insert, 4, o->identity, -1, SQLITE_STATIC);
	sqlite3_bind_int(l->insert, 5, o->hidden);
	sqlite3_bind_text(l->insert, 6, labels, -1, SQLITE_STATIC);
	rc = sql_run(l->insert);
	sqlite3_clear_bindings(l->insert);
	free(labels);
	*id = sqlite3_last_insert_rowid(l->db);
	return rc;
}

static int
update_object(struct ledger *l, const struct object *o, int64_t id)
{
	char *labels = labels_encode(o);
	int rc;

	sqlite3_bind_text(l->update, 1, o->name, -1, SQLITE_STATIC);
	sqlite3_bind_int(l->update, 2, o->hidden);
	sqlite3_bind_text(l->update, 3, labels, -1, SQLITE_STATIC);
	sqlite3_bind_int64(l->update, 4, id);
	rc = sql_run(l->update);
	sqlite3_clear_bindings(l->update);
	free(labels);
	return rc;
}

static int
open_span(struct ledger *l, const struct span *span)
{
	const struct kind *kind = span->object->kind;
	char *lacks = rows_lacks_text(kind, span->lacks);

	sqlite3_bind_text(l->open, 1, kind->key, -1, SQLITE_STATIC);
	sqlite3_bind_int64(l->open, 2, span->id);
	sqlite3_bind_int64(l->open, 3, l->tick);
	sqlite3_bind_text(l->open, 4, lacks, -1, free);
	return sql_run(l->open);
}

/*
 * Up to the tick before this one, also where the kind was not sampled in it: the one it was sampled in last may
 * have been added up into a later one.
 */
static int
close_span(struct ledger *l, int64_t last, const struct span *span)
{
	sqlite3_bind_int64(l->close, 1, last);
	sqlite3_bind_text(l->close, 2, span->object->kind->key, -1, SQLITE_STATIC);
	sqlite3_bind_int64(l->close, 3, span->id);
	return sql_run(l->close);
}

/* Rows mostly keep their order from one interval to the next, so the map is made only when they do not. */
struct matcher {
	struct book *book;
	struct uidmap map;
	size_t expect;
};

static struct span *
match(struct matcher *m, uint64_t uid)
{
	struct book *b = m->book;
	size_t i = m->expect;

	if (i >= b->n || b->spans[i].object->uid != uid) {
		if (m->map.keys == NULL) {
			uidmap_init(&m->map, b->n);
			for (size_t j = 0; j < b->n; j++)
				uidmap_put(&m->map, b->spans[j].object->uid, j);
		}
		i = uidmap_get(&m->map, uid);
	}
	if (i == SIZE_MAX)
		return NULL;
	m->expect = i + 1;
	return &b->spans[i];
}

/* Where each row's object stood at the last sample; NULL: it was not there. Those left over are gone. */
static int
match_rows(struct ledger *l, struct book *b, const struct interval_table *t, struct span **was)
{
	struct matcher m = { .book = b };
	int rc = SQLITE_OK;

	for (size_t i = 0; i < b->n; i++)
		b->spans[i].kept = false;
	for (size_t i = 0; i < t->n; i++) {
		was[i] = match(&m, t->rows[i].object->uid);
		if (was[i] != NULL)
			was[i]->kept = true;
	}
	uidmap_clear(&m.map);
	for (size_t i = 0; i < b->n; i++) {
		if (b->spans[i].kept)
			continue;
		if (rc == SQLITE_OK)
			rc = close_span(l, l->tick - 1, &b->spans[i]);
		object_unref(b->spans[i].object);
		b->spans[i].object = NULL;
	}
	return rc;
}

static bool
links_differ(const struct object *a, const struct object *b)
{
	return a->parent != b->parent || a->counts_in != b->counts_in;
}

/* An object that stays: a new version of it, or other metrics that are absent. */
static int
keep_span(struct ledger *l, struct span *span, const struct row *row)
{
	uint64_t lacks = rows_lacks(row);
	int rc = SQLITE_OK;

	if (span->object != row->object) {
		if (!object_same(span->object, row->object))
			rc = update_object(l, row->object, span->id);
		if (links_differ(span->object, row->object))
			l->changed = span->unlinked = true;
		object_unref(span->object);
		span->object = object_ref(row->object);
	}
	if (rc == SQLITE_OK && lacks != span->lacks) {
		rc = close_span(l, l->tick - 1, span);
		span->lacks = lacks;
		if (rc == SQLITE_OK)
			rc = open_span(l, span);
	}
	return rc;
}

static bool
id_is_taken(const struct book *b, int64_t id)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->spans[i].id == id && b->spans[i].object != NULL)
			return true;
	return false;
}

/* An object that comes, or comes again. Two at once that call themselves the same are two. */
static int
new_span(struct ledger *l, const struct book *before, const struct book *now, struct span *span,
    const struct row *row)
{
	int rc;

	*span = (struct span){ .lacks = rows_lacks(row), .unlinked = true };
	rc = find_object(l, row->object, &span->id);
	if (span->id != 0 && (id_is_taken(before, span->id) || id_is_taken(now, span->id)))
		span->id = 0;
	if (rc == SQLITE_OK)
		rc = span->id == 0 ? insert_object(l, row->object, &span->id) :
		    update_object(l, row->object, span->id);
	span->object = object_ref(row->object);
	l->changed = true;
	return rc == SQLITE_OK ? open_span(l, span) : rc;
}

/* The spans of the table at hand, from those of the one before; rc: whether all is well so far. */
static int
next_spans(struct ledger *l, const struct book *before, struct book *now, const struct interval_table *t,
    struct span *const *was, int rc)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct row *row = &t->rows[i];
		struct span *span = &now->spans[now->n];

		l->ids[i] = 0;
		if (was[i] == NULL && (rc != SQLITE_OK || (row->object->hidden && rows_idle(row))))
			continue;
		if (was[i] == NULL) {
			rc = new_span(l, before, now, span, row);
		} else {
			*span = *was[i];
			if (rc == SQLITE_OK)
				rc = keep_span(l, span, row);
		}
		l->ids[i] = span->id;
		now->n++;
	}
	return rc;
}

static void
make_room_for_ids(struct ledger *l, size_t n)
{
	if (n <= l->cap)
		return;
	l->cap = n + n / 2;
	l->ids = xreallocarray(l->ids, l->cap, sizeof(*l->ids));
}

int
ledger_table(struct ledger *l, int64_t tick, const struct interval_table *t, const int64_t **ids)
{
	struct book *b = book_of(l, t->kind), now = { .kind = t->kind };
	struct span **was;
	int rc;

	l->tick = tick;
	make_room_for_ids(l, t->n);
	*ids = l->ids;
	if (b == NULL) {
		for (size_t i = 0; i < t->n; i++)
			l->ids[i] = 0;
		return SQLITE_OK;
	}
	was = xcalloc(t->n, sizeof(*was));
	now.spans = xcalloc(t->n, sizeof(*now.spans));
	rc = match_rows(l, b, t, was);
	rc = next_spans(l, b, &now, t, was, rc);
	free(was);
	free(b->spans);
	*b = now;
	return rc;
}

static int
link_span(struct ledger *l, const struct uidmap *ids, struct span *span)
{
	const uint64_t links[2] = { span->object->parent, span->object->counts_in };
	bool all = true;

	for (int i = 0; i < 2; i++) {
		size_t id = links[i] != 0 ? uidmap_get(ids, links[i]) : 0;

		all = all && id != SIZE_MAX;
		/* What is not there now may come yet; a link that was known stays. */
		sqlite3_bind_int64(l->link, i + 1, id != SIZE_MAX ? (int64_t)id : -1);
	}
	sqlite3_bind_int64(l->link, 3, span->id);
	span->unlinked = !all;
	return sql_run(l->link);
}

int
ledger_links(struct ledger *l)
{
	struct uidmap ids;
	size_t n = 0;
	int rc = SQLITE_OK;

	if (!l->changed)
		return SQLITE_OK;
	l->changed = false;
	for (size_t i = 0; i < l->n; i++)
		n += l->books[i].n;
	uidmap_init(&ids, n);
	for (size_t i = 0; i < l->n; i++)
		for (size_t j = 0; j < l->books[i].n; j++)
			uidmap_put(&ids, l->books[i].spans[j].object->uid, (size_t)l->books[i].spans[j].id);
	for (size_t i = 0; i < l->n; i++)
		for (size_t j = 0; j < l->books[i].n && rc == SQLITE_OK; j++)
			if (l->books[i].spans[j].unlinked)
				rc = link_span(l, &ids, &l->books[i].spans[j]);
	uidmap_clear(&ids);
	return rc;
}

int
ledger_object(struct ledger *l, struct object *o, int64_t *id)
{
	const struct book *b = book_of(l, o->kind);
	int rc;

	*id = 0;
	if (b == NULL)
		return SQLITE_OK;
	for (size_t i = 0; i < b->n; i++)
		if (b->spans[i].object->uid == o->uid) {
			*id = b->spans[i].id;
			return SQLITE_OK;
		}
	rc = find_object(l, o, id);
	if (rc != SQLITE_OK || *id != 0 || o->hidden)
		return rc;
	return insert_object(l, o, id);
}

int
ledger_end(struct ledger *l, int64_t last)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < l->n; i++)
		for (size_t j = 0; j < l->books[i].n && rc == SQLITE_OK; j++)
			rc = close_span(l, last, &l->books[i].spans[j]);
	return rc;
}
