/*
 * A damaged or hostile database: read as a source, then recorded to and thinned. An even first byte patches bytes of a
 * small sound file (offset of three bytes, value); an odd one puts values of any type where they do not belong
 * (table, column, which rows, value), which goes deeper, as SQLite finds the file itself sound.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/interval.h"
#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "db/read.h"
#include "db/record.h"
#include "db/retain.h"
#include "db/schema.h"
#include "db/sql.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned char *base;
static sqlite3_int64 base_len;
static char path[64];

static void
forget_file(void)
{
	unlink(path);
}

static void
must(int rc)
{
	if (rc != SQLITE_OK)
		abort();
}

static struct interval *
small_interval(struct object *disk, struct object *adapter, int i)
{
	struct stamp end = { .wall_ms = 1700000000000 + 7000 * i };
	struct interval *v = interval_new(&end, UINT64_C(7000000000));
	struct interval_table *t = interval_make_table(v, &kind_disk, i != 3, v->ns);

	for (size_t m = 0; t->n > 0 && m < DISK_DIRECT; m++)
		t->cells[m] = i == 2 ? 0 : (double)(i + 1) * (double)m;
	if (t->n > 0)
		t->rows[0].object = object_ref(disk);
	t = interval_make_table(v, &kind_adapter, 1, v->ns);
	t->rows[0].object = object_ref(adapter);
	interval_rollup(v);
	interval_event(v, i == 4 ? EVENT_GAP : EVENT_RESET, disk, "something");
	return v;
}

static void
record_some(sqlite3 *db, int n)
{
	const struct record_info info = { .source = "live", .host = "h", .boot_id = "b" };
	struct object *adapter = object_new(&kind_adapter, 0, "host0", "host0");
	struct object *disk = object_new(&kind_disk, 0, "sda", "sda");
	struct record *r;

	disk->parent = disk->counts_in = adapter->uid;
	object_label(disk, LABEL_MODEL, "M");
	if (record_new(db, kind_table, &info, &r) == SQLITE_OK) {
		for (int i = 0; i < n; i++) {
			struct interval *v = small_interval(disk, adapter, i);

			record_put(r, v, i == 5);
			interval_unref(v);
		}
		record_end(r);
		record_free(r);
	}
	object_unref(disk);
	object_unref(adapter);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char why[200];
	sqlite3 *db;

	(void)argc;
	(void)argv;
	snprintf(path, sizeof(path), "/tmp/stortop-fuzz-%ld.db", (long)getpid());
	atexit(forget_file);
	must(sqlite3_open(":memory:", &db));
	must(sql_exec(db, "PRAGMA page_size = 512"));
	if (schema_make(db, kind_table, why, sizeof(why)) != 0)
		abort();
	record_some(db, 12);
	base = sqlite3_serialize(db, "main", &base_len, 0);
	if (base == NULL)
		abort();
	sqlite3_close(db);
	return 0;
}

/* A database in memory with these bytes, which it takes over. */
static sqlite3 *
open_bytes(unsigned char *bytes, sqlite3_int64 len)
{
	sqlite3 *db;

	must(sqlite3_open(":memory:", &db));
	must(sqlite3_deserialize(db, "main", bytes, len, len, SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE));
	return db;
}

static unsigned char *
copy_of_base(void)
{
	unsigned char *copy = sqlite3_malloc64((sqlite3_uint64)base_len);

	memcpy(copy, base, (size_t)base_len);
	return copy;
}

static sqlite3 *
patched(const uint8_t *data, size_t size)
{
	unsigned char *bytes = copy_of_base();

	for (; size >= 4; data += 4, size -= 4)
		bytes[(size_t)(data[0] << 16 | data[1] << 8 | data[2]) % (size_t)base_len] = data[3];
	return open_bytes(bytes, base_len);
}

static void
bind_value(sqlite3_stmt *stmt, const uint8_t *p)
{
	int64_t number;
	double real;

	memcpy(&number, p + 1, sizeof(number));
	memcpy(&real, p + 1, sizeof(real));
	switch (p[0] % 6) {
	case 0:
		sqlite3_bind_null(stmt, 1);
		break;
	case 1:
		sqlite3_bind_int64(stmt, 1, number);
		break;
	case 2:
		sqlite3_bind_int64(stmt, 1, (int8_t)p[1]);
		break;
	case 3:
		sqlite3_bind_double(stmt, 1, real);
		break;
	case 4:
		sqlite3_bind_text(stmt, 1, (const char *)p + 1, 8, SQLITE_TRANSIENT);
		break;
	default:
		sqlite3_bind_blob(stmt, 1, p + 1, 8, SQLITE_TRANSIENT);
	}
}

/* Twelve bytes: table, column, rows, type and value. */
static void
change(sqlite3 *db, const uint8_t *p)
{
	static const char *const tables[] = {
		"recording", "object", "tick", "sample", "presence", "event", "disk", "disk_rare", "disk_peak", "adapter",
	};
	const char *table = tables[p[0] % (sizeof(tables) / sizeof(tables[0]))];
	sqlite3_stmt *name, *update;
	int64_t columns = sql_int(db, 1, "SELECT count(*) FROM pragma_table_info(%Q)", table);

	if (sql_prepare(db, &name, "SELECT name FROM pragma_table_info(%Q) WHERE cid = %d", table, p[1] % (int)columns) == SQLITE_OK &&
	    sqlite3_step(name) == SQLITE_ROW &&
	    sql_prepare(db, &update, "UPDATE OR REPLACE \"%w\" SET \"%w\" = ?1 WHERE \"%w\" IS NOT NULL AND (\"%w\" %% 3 = %d OR %d)",
	    table, sqlite3_column_text(name, 0), sqlite3_column_text(name, 0), sqlite3_column_text(name, 0), p[2] % 3,
	    p[2] > 127) == SQLITE_OK) {
		bind_value(update, p + 3);
		sql_run(update);
		sqlite3_finalize(update);
	}
	sqlite3_finalize(name);
}

static void
write_file(sqlite3 *db)
{
	sqlite3_int64 len;
	unsigned char *bytes = sqlite3_serialize(db, "main", &len, 0);
	FILE *f = fopen(path, "wb");

	if (bytes != NULL && f != NULL)
		fwrite(bytes, 1, (size_t)len, f);
	if (f != NULL)
		fclose(f);
	sqlite3_free(bytes);
}

static void
read_file(uint64_t every_ns)
{
	const struct read_options options = {
		.path = path, .from_ms = INT64_MIN, .to_ms = INT64_MAX, .every_ns = every_ns,
	};
	char why[300];
	struct source *s = read_source(&options, why, sizeof(why));
	struct interval *v;

	if (s == NULL)
		return;
	while (source_next(s, &v) == 1) {
		if (read_host(s) == NULL)
			abort();
		interval_unref(v);
	}
	source_close(s);
}

static void
retain_some(sqlite3 *db)
{
	const struct retain_options options = { .full_rate_s = 10, .minute_s = 60, .cap_bytes = 1 << 20 };
	struct rows *rows = rows_new(db, kind_table);
	struct retain *r;
	bool done = false;

	if (rows != NULL && retain_new(db, kind_table, rows, &options, &r) == SQLITE_OK) {
		for (int i = 0; i < 100 && !done; i++)
			if (retain_step(r, 1700000000000 + 200000, INT64_MAX, &done) != SQLITE_OK)
				break;
		retain_free(r);
	}
	rows_free(rows);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char why[200];
	sqlite3 *db;

	if (size < 2)
		return 0;
	if (data[0] & 1) {
		db = open_bytes(copy_of_base(), base_len);
		for (size_t at = 2; at + 12 <= size && at < 200; at += 12)
			change(db, data + at);
	} else {
		db = patched(data + 2, size - 2);
	}
	if (data[1] & 1) {
		write_file(db);
		read_file((uint64_t)(data[1] % 8 / 2) * UINT64_C(20000000000));
	} else if (schema_make(db, kind_table, why, sizeof(why)) == 0) {
		record_some(db, 2);
		retain_some(db);
	}
	sqlite3_close(db);
	return 0;
}
