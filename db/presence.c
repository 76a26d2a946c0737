#include "db/presence.h"

#include <stdlib.h>
#include <string.h>

#include "core/uidmap.h"
#include "core/xalloc.h"
#include "db/labels.h"
#include "db/rows.h"
#include "db/sql.h"

struct entry {
	int64_t id;
	struct object *object;
	int64_t parent, counts_in;	/* ids */
};

struct book {
	const struct kind *kind;
	size_t n, cap;
	struct presence_span *spans;	/* in the order of their first ticks */
	size_t next;			/* the first one that is not there yet */
	size_t n_here;
	struct presence_span *here;	/* those that are there, in the order of ids */
};

struct presence {
	sqlite3 *db;
	size_t n_books;
	struct book *books;
	int64_t recording;		/* 0: none yet */
	size_t n, cap;
	struct entry *entries;		/* in the order of ids */
	struct uidmap by_uid;
};

struct presence *
presence_new(sqlite3 *db, const struct kind *const *kinds)
{
	struct presence *r = xcalloc(1, sizeof(*r));

	r->db = db;
	for (size_t i = 0; kinds[i] != NULL; i++) {
		r->books = xreallocarray(r->books, i + 1, sizeof(*r->books));
		r->books[r->n_books++] = (struct book){ .kind = kinds[i] };
	}
	return r;
}

static void
forget_objects(struct presence *r)
{
	for (size_t i = 0; i < r->n; i++)
		object_unref(r->entries[i].object);
	r->n = 0;
	r->recording = 0;
	uidmap_clear(&r->by_uid);
}

void
presence_free(struct presence *r)
{
	if (r == NULL)
		return;
	forget_objects(r);
	for (size_t i = 0; i < r->n_books; i++) {
		free(r->books[i].spans);
		free(r->books[i].here);
	}
	free(r->entries);
	free(r->books);
	free(r);
}

static struct book *
book_of(const struct presence *r, const char *kind)
{
	for (size_t i = 0; i < r->n_books; i++)
		if (strcmp(r->books[i].kind->key, kind) == 0)
			return &r->books[i];
	return NULL;
}

static struct entry *
entry_of(const struct entry *entries, size_t n, int64_t id)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (entries[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && entries[low].id == id ? (struct entry *)(uintptr_t)&entries[low] : NULL;
}

struct object *
presence_object(const struct presence *r, int64_t id)
{
	const struct entry *e = entry_of(r->entries, r->n, id);

	return e != NULL ? e->object : NULL;
}

int64_t
presence_id(const struct presence *r, const struct object *o)
{
	size_t i = uidmap_get(&r->by_uid, o->uid);

	return i != SIZE_MAX ? r->entries[i].id : 0;
}

static const char *
column_text(sqlite3_stmt *stmt, int i)
{
	const char *text = (const char *)sqlite3_column_text(stmt, i);

	return text != NULL ? text : "";
}

/* `old` are the entries of the same recording as they were read before. */
static void
add_entry(struct presence *r, sqlite3_stmt *stmt, const struct entry *old, size_t n_old)
{
	int64_t id = sqlite3_column_int64(stmt, 0);
	const struct book *b = book_of(r, column_text(stmt, 1));
	const struct entry *was = entry_of(old, n_old, id);
	const char *labels = column_text(stmt, 7);
	struct object *o;

	if (b == NULL)
		return;
	if (r->n == r->cap) {
		r->cap = r->cap > 0 ? 2 * r->cap : 64;
		r->entries = xreallocarray(r->entries, r->cap, sizeof(*r->entries));
	}
	o = object_new(b->kind, was != NULL ? was->object->uid : 0, column_text(stmt, 2), column_text(stmt, 3));
	o->hidden = sqlite3_column_int(stmt, 6) != 0;
	labels_decode(o, labels, strlen(labels));
	r->entries[r->n++] = (struct entry){
		.id = id, .object = o,
		.parent = sqlite3_column_int64(stmt, 4), .counts_in = sqlite3_column_int64(stmt, 5),
	};
}

static uint64_t
uid_of(const struct presence *r, int64_t id)
{
	const struct object *o = presence_object(r, id);

	return o != NULL ? o->uid : 0;
}

static void
link_entries(struct presence *r)
{
	uidmap_init(&r->by_uid, r->n);
	for (size_t i = 0; i < r->n; i++) {
		struct entry *e = &r->entries[i];

		e->object->parent = uid_of(r, e->parent);
		e->object->counts_in = uid_of(r, e->counts_in);
		uidmap_put(&r->by_uid, e->object->uid, i);
	}
}

static int
read_objects(struct presence *r, int64_t recording)
{
	struct presence old = *r;
	sqlite3_stmt *stmt;
	int rc = sql_prepare(r->db, &stmt, "SELECT id, kind, name, identity, parent, counts_in, hidden, labels"
	    " FROM object WHERE recording = ? ORDER BY id");

	if (rc != SQLITE_OK)
		return rc;
	r->entries = NULL;
	r->n = r->cap = 0;
	r->by_uid = (struct uidmap){ 0 };
	sqlite3_bind_int64(stmt, 1, recording);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
		add_entry(r, stmt, old.entries, old.recording == recording ? old.n : 0);
	sqlite3_finalize(stmt);
	forget_objects(&old);
	free(old.entries);
	link_entries(r);
	r->recording = recording;
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static void
add_span(struct presence *r, sqlite3_stmt *stmt)
{
	struct book *b = book_of(r, column_text(stmt, 0));
	int64_t id = sqlite3_column_int64(stmt, 1);
	struct object *o = presence_object(r, id);
	bool open = sqlite3_column_type(stmt, 3) == SQLITE_NULL;

	if (b == NULL || o == NULL || o->kind != b->kind)
		return;
	if (b->n == b->cap) {
		b->cap = b->cap > 0 ? 2 * b->cap : 64;
		b->spans = xreallocarray(b->spans, b->cap, sizeof(*b->spans));
		b->here = xreallocarray(b->here, b->cap, sizeof(*b->here));
	}
	b->spans[b->n++] = (struct presence_span){
		.id = id, .object = o,
		.first = sqlite3_column_int64(stmt, 2),
		.last = open ? INT64_MAX : sqlite3_column_int64(stmt, 3),
		.lacks = rows_lacks_of(b->kind, column_text(stmt, 4)),
	};
}

int
presence_read(struct presence *r, int64_t recording, int64_t first, int64_t last)
{
	sqlite3_stmt *stmt;
	int rc = read_objects(r, recording);

	for (size_t i = 0; i < r->n_books; i++)
		r->books[i].n = r->books[i].next = r->books[i].n_here = 0;
	if (rc == SQLITE_OK)
		rc = sql_prepare(r->db, &stmt, "SELECT p.kind, p.object, p.first, p.last, p.lacks FROM presence AS p"
		    " JOIN object AS o ON o.id = p.object WHERE o.recording = ?1 AND p.first <= ?3"
		    " AND (p.last IS NULL OR p.last >= ?2) ORDER BY p.first, p.object");
	if (rc != SQLITE_OK)
		return rc;
	sqlite3_bind_int64(stmt, 1, recording);
	sqlite3_bind_int64(stmt, 2, first);
	sqlite3_bind_int64(stmt, 3, last);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
		add_span(r, stmt);
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int
by_id(const void *a, const void *b)
{
	const struct presence_span *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

/* An object is there once, whatever a damaged file says. */
static void
sort_here(struct book *b)
{
	size_t n = 0;

	qsort(b->here, b->n_here, sizeof(*b->here), by_id);
	for (size_t i = 0; i < b->n_here; i++)
		if (n == 0 || b->here[n - 1].id != b->here[i].id)
			b->here[n++] = b->here[i];
	b->n_here = n;
}

size_t
presence_at(struct presence *r, const struct kind *kind, int64_t tick, const struct presence_span **out)
{
	struct book *b = book_of(r, kind->key);
	size_t n = 0, before;

	if (b == NULL || b->n == 0)
		return 0;
	for (size_t i = 0; i < b->n_here; i++)
		if (b->here[i].last >= tick)
			b->here[n++] = b->here[i];
	before = n;
	for (; b->next < b->n && b->spans[b->next].first <= tick; b->next++)
		if (b->spans[b->next].last >= tick)
			b->here[n++] = b->spans[b->next];
	b->n_here = n;
	if (n > before)
		sort_here(b);
	*out = b->here;
	return b->n_here;
}

bool
presence_covers(const struct presence *r, const struct object *o, int64_t first, int64_t last, uint64_t lacks)
{
	const struct book *b = book_of(r, o->kind->key);

	for (size_t i = 0; b != NULL && i < b->n; i++)
		if (b->spans[i].object->uid == o->uid && b->spans[i].first <= first && b->spans[i].last >= last)
			return b->spans[i].lacks == lacks;
	return false;
}
