#include "tape.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../core/fixture.h"
#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "db/schema.h"
#include "db/sql.h"
#include "db/ticks.h"

const struct kind *const *
tape_kinds(void)
{
	static const struct kind *kinds[32];
	size_t n = 0;

	for (; kind_table[n] != NULL; n++)
		kinds[n] = kind_table[n];
	kinds[n++] = &kind_test;
	kinds[n] = NULL;
	return kinds;
}

struct interval *
tape_interval(double at_s, double length_s)
{
	struct stamp end = {
		.mono_ns = (uint64_t)(at_s * 1e9), .boot_ns = (uint64_t)(at_s * 1e9),
		.wall_ms = TAPE_START + (int64_t)(at_s * 1000),
	};

	return interval_new(&end, (uint64_t)(length_s * 1e9));
}

struct interval_table *
tape_table(struct interval *v, const struct kind *kind, size_t n, struct object *const *objects)
{
	struct interval_table *t = interval_make_table(v, kind, n, v->ns);

	for (size_t i = 0; i < n; i++) {
		t->rows[i].object = object_ref(objects[i]);
		for (size_t m = 0; m < kind->n_metrics; m++)
			if (kind->metrics[m].nature != METRIC_HIST && !kind->metrics[m].derived && kind->rollup == NULL)
				t->rows[i].cells[m] = 0;
	}
	return t;
}

struct object *
tape_disk(const char *name)
{
	return object_new(&kind_disk, 0, name, name);
}

struct cast {
	unsigned dice;
	struct object *adapters[2], *disks[6], *partition, *things[2];
};

/* 0 .. n - 1 */
static unsigned
roll(struct cast *c, unsigned n)
{
	c->dice = c->dice * 1103515245u + 12345u;
	return (c->dice >> 16) % n;
}

static void
make_cast(struct cast *c)
{
	char name[32];

	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "host%d", i);
		c->adapters[i] = object_new(&kind_adapter, 0, name, name);
		snprintf(name, sizeof(name), "thing%d", i);
		c->things[i] = object_new(&kind_test, 0, name, name);
	}
	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "sd%c", 'a' + i);
		c->disks[i] = tape_disk(name);
		c->disks[i]->counts_in = c->adapters[i % 2]->uid;
		c->disks[i]->parent = c->adapters[i % 2]->uid;
		object_labelf(c->disks[i], LABEL_QUEUE_DEPTH, "%d", 32 + i);
	}
	c->partition = object_new(&kind_partition, 0, "sda1", "sda1");
	c->partition->parent = c->disks[0]->uid;
}

static void
random_cell(struct cast *c, const struct row *row, size_t m)
{
	const struct metric *metric = &row->object->kind->metrics[m];
	/* Each object lacks one metric always; others come and go. */
	bool absent = m == row->object->uid % row->object->kind->n_metrics || roll(c, 60) == 0;

	if (metric->derived || metric->nature == METRIC_HIST)
		return;
	row->cells[m] = absent ? NAN : metric->rare && roll(c, 4) != 0 ? 0 : roll(c, 3) == 0 ? 0 : roll(c, 100000);
}

static void
random_row(struct cast *c, struct row *row)
{
	const struct kind *kind = row->object->kind;
	bool idle = roll(c, 3) == 0;

	for (size_t m = 0; m < kind->n_metrics; m++) {
		random_cell(c, row, m);
		if (idle && row->cells[m] > 0)
			row->cells[m] = 0;
		if (kind->metrics[m].nature == METRIC_HIST && !idle && roll(c, 2) == 0) {
			row->hists[m] = hist_new(kind->metrics[m].hist_bits);
			for (int i = 0; i < 5; i++)
				hist_add_value(row->hists[m], 1 + roll(c, 30000) * roll(c, 30000), 1 + roll(c, 9));
		}
	}
	if (roll(c, 10) == 0)
		row->ns /= 2;
}

static void
random_table(struct cast *c, struct interval *v, const struct kind *kind, struct object *const *all, size_t n)
{
	struct object *here[8] = { 0 };
	struct interval_table *t;
	size_t k = 0;

	if (roll(c, 12) == 0)
		return;		/* the probe failed */
	for (size_t i = 0; i < n; i++)
		if (roll(c, 7) != 0)
			here[k++] = all[i];
	/* Rows change places too. */
	if (k > 1 && roll(c, 5) == 0) {
		struct object *swap = here[0];

		here[0] = here[k - 1];
		here[k - 1] = swap;
	}
	t = tape_table(v, kind, k, here);
	for (size_t i = 0; i < k && kind->rollup == NULL; i++)
		random_row(c, &t->rows[i]);
}

void
tape_random(unsigned seed, double step_s, struct interval **out, size_t n)
{
	struct cast c = { .dice = seed };

	make_cast(&c);
	for (size_t i = 0; i < n; i++) {
		out[i] = tape_interval((double)(i + 1) * step_s, step_s);
		random_table(&c, out[i], &kind_disk, c.disks, 6);
		random_table(&c, out[i], &kind_partition, &c.partition, 1);
		random_table(&c, out[i], &kind_adapter, c.adapters, 2);
		random_table(&c, out[i], &kind_test, c.things, 2);
		interval_rollup(out[i]);
	}
	for (int i = 0; i < 2; i++) {
		object_unref(c.adapters[i]);
		object_unref(c.things[i]);
	}
	for (int i = 0; i < 6; i++)
		object_unref(c.disks[i]);
	object_unref(c.partition);
}

sqlite3 *
tape_database(const char *path)
{
	char why[200] = "";
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(schema_make(db, tape_kinds(), why, sizeof(why)), 0);
	assert_string_equal(why, "");
	return db;
}

void
tape_record(sqlite3 *db, struct interval *const *intervals, size_t n)
{
	const struct record_info info = { .source = "live", .host = "box", .boot_id = "b" };
	struct record *r;

	assert_int_equal(record_new(db, tape_kinds(), &info, &r), SQLITE_OK);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(record_put(r, intervals[i], 0), SQLITE_OK);
	assert_int_equal(record_end(r), SQLITE_OK);
	record_free(r);
}

size_t
tape_read(sqlite3 *db, struct interval **out, size_t max)
{
	struct layout *layout;
	struct ticks *ticks;
	sqlite3_stmt *stmt;
	int64_t recording = 0;
	size_t n = 0;

	assert_int_equal(layout_read(db, &layout), SQLITE_OK);
	assert_int_equal(ticks_new(db, layout, tape_kinds(), &ticks), SQLITE_OK);
	layout_free(layout);
	assert_int_equal(sql_prepare(db, &stmt, "SELECT " TICK_COLUMNS " FROM tick AS t ORDER BY t.tick"), SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		struct tick t;

		ticks_row(stmt, &t);
		if (t.recording != recording)
			assert_int_equal(ticks_span(ticks, t.recording, t.tick, INT64_MAX), SQLITE_OK);
		recording = t.recording;
		assert_true(n < max);
		assert_int_equal(ticks_load(ticks, &t, &out[n++]), SQLITE_OK);
	}
	sqlite3_finalize(stmt);
	ticks_free(ticks);
	return n;
}

void
tape_unref(struct interval **intervals, size_t n)
{
	for (size_t i = 0; i < n; i++)
		interval_unref(intervals[i]);
}

static const struct row *
row_like(const struct interval *v, const struct kind *kind, const char *identity)
{
	const struct interval_table *t = interval_table(v, kind);

	for (size_t i = 0; t != NULL && i < t->n; i++)
		if (strcmp(t->rows[i].object->identity, identity) == 0)
			return &t->rows[i];
	return NULL;
}

/* The identity behind a uid, "" where the interval does not have it. */
static const char *
identity_of(const struct interval *v, uint64_t uid)
{
	for (size_t i = 0; i < v->n_tables; i++)
		for (size_t j = 0; j < v->tables[i].n; j++)
			if (v->tables[i].rows[j].object->uid == uid)
				return v->tables[i].rows[j].object->identity;
	return "";
}

static bool
same_hist(const struct hist *a, const struct hist *b)
{
	size_t na, nb;
	unsigned char *x = hist_encode(a, &na), *y = hist_encode(b, &nb);
	bool same = na == nb && (na == 0 || memcmp(x, y, na) == 0);

	free(x);
	free(y);
	return same;
}

static void
same_row(const struct row *a, const struct row *b)
{
	const struct kind *kind = a->object->kind;

	if (a->ns != b->ns)
		fail_msg("%s %s: %llu ns, not %llu", kind->key, a->object->name, (unsigned long long)b->ns,
		    (unsigned long long)a->ns);
	for (size_t m = 0; m < kind->n_metrics; m++) {
		double x = a->cells[m], y = b->cells[m];

		if (kind->metrics[m].nature == METRIC_HIST && !same_hist(a->hists[m], b->hists[m]))
			fail_msg("%s %s: another histogram", kind->key, a->object->name);
		if (x != y && !(isnan(x) && isnan(y)))
			fail_msg("%s %s.%s: %g, not %g", kind->key, a->object->name, kind->metrics[m].key, y, x);
	}
}

void
tape_same(const struct interval *expected, const struct interval *got)
{
	assert_int_equal(got->ns, expected->ns);
	assert_int_equal(got->end.wall_ms, expected->end.wall_ms);
	for (size_t i = 0; i < expected->n_tables; i++) {
		const struct interval_table *a = &expected->tables[i], *b = interval_table(got, a->kind);

		if (b == NULL)
			fail_msg("no table %s", a->kind->key);
		if (a->n != b->n)
			fail_msg("%s: %zu rows, not %zu", a->kind->key, b->n, a->n);
		assert_int_equal(b->ns, a->ns);
		for (size_t j = 0; j < a->n; j++) {
			const struct object *o = a->rows[j].object;
			const struct row *row = row_like(got, a->kind, o->identity);

			if (row == NULL)
				fail_msg("%s %s: no row", a->kind->key, o->name);
			same_row(&a->rows[j], row);
			if (*identity_of(expected, o->parent) != '\0')
				assert_string_equal(identity_of(got, row->object->parent), identity_of(expected, o->parent));
			if (*identity_of(expected, o->counts_in) != '\0')
				assert_string_equal(identity_of(got, row->object->counts_in),
				    identity_of(expected, o->counts_in));
		}
	}
	assert_int_equal(got->n_tables, expected->n_tables);
}

void
tape_sound(sqlite3 *db)
{
	assert_int_equal(sql_int(db, -1, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
	assert_int_equal(sql_int(db, -1, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"), 0);
}

char *
tape_dir(void)
{
	char *dir = xstrdup("/tmp/stortop-test-XXXXXX");

	assert_non_null(mkdtemp(dir));
	return dir;
}

void
tape_remove_dir(char *dir)
{
	char *command = xasprintf("rm -rf '%s'", dir);

	assert_int_equal(system(command), 0);
	free(command);
	free(dir);
}
