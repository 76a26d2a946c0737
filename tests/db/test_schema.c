#include "db/schema.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/kinds/kinds.h"
#include "db/sql.h"
#include "tape.h"

/* A kind as an older and as a newer program know it. */
enum { PUMP_STROKES, PUMP_LEAKS, PUMP_LITRES, PUMP_FAULTS, PUMP_METRICS };
static const struct metric pump_metrics[PUMP_METRICS] = {
	[PUMP_STROKES] = { .key = "strokes", .nature = METRIC_COUNTER },
	[PUMP_LEAKS] = { .key = "leaks", .nature = METRIC_COUNTER, .rare = true },
	[PUMP_LITRES] = { .key = "litres", .nature = METRIC_COUNTER },
	[PUMP_FAULTS] = { .key = "faults", .nature = METRIC_COUNTER, .rare = true },
};
static const struct column pump_columns[] = {
	{ .key = "strokes_s", .value = { .scale = 1, .plus = M(PUMP_STROKES), .per = PER_SECOND } },
	/* what is optional counts as 0 beside what is there */
	{ .key = "moves_s", .value = { .scale = 10, .plus = M(PUMP_STROKES) | M(PUMP_LEAKS),
	    .optional = M(PUMP_LEAKS), .per = PER_SECOND } },
	{ .key = "wear", .value = { .scale = 1, .plus = M(PUMP_LEAKS) | M(PUMP_FAULTS),
	    .optional = M(PUMP_LEAKS) | M(PUMP_FAULTS), .per = PER_ONE } },
	{ .key = "litres_stroke", .value = { .scale = 0.5, .plus = M(PUMP_LITRES), .minus = M(PUMP_LEAKS),
	    .per = PER_SUM, .by = M(PUMP_STROKES), .agree_a = M(PUMP_STROKES), .agree_b = M(PUMP_LITRES) } },
};
static const struct kind pump = {
	.key = "pump", .one = "pump", .metrics = pump_metrics, .n_metrics = PUMP_METRICS,
	.columns = pump_columns, .n_columns = 4,
};
static const struct kind old_pump = {
	.key = "pump", .one = "pump", .metrics = pump_metrics, .n_metrics = 2,
};
static const struct kind *const pumps[] = { &pump, NULL };
static const struct kind *const old_pumps[] = { &old_pump, NULL };

static sqlite3 *
database_of(const struct kind *const *kinds)
{
	char why[200];
	sqlite3 *db;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(schema_make(db, kinds, why, sizeof(why)), 0);
	return db;
}

static bool
has(sqlite3 *db, const char *table, const char *column)
{
	struct layout *layout;
	bool yes;

	assert_int_equal(layout_read(db, &layout), SQLITE_OK);
	yes = layout_has(layout, table, column);
	layout_free(layout);
	return yes;
}

static int
readable(sqlite3 *db, char *why, size_t size)
{
	struct layout *layout;
	int error;

	assert_int_equal(layout_read(db, &layout), SQLITE_OK);
	error = schema_readable(db, layout, why, size);
	layout_free(layout);
	return error;
}

static void
exec(sqlite3 *db, const char *text)
{
	char *message = NULL;

	if (sqlite3_exec(db, text, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s: %s", text, message);
}

/* Fails unless the query's first row is this text, columns separated by blanks, NULL as "-". */
static void
gives(sqlite3 *db, const char *query, const char *expected)
{
	sqlite3_stmt *stmt;
	char text[400] = "";

	assert_int_equal(sqlite3_prepare_v2(db, query, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	for (int i = 0; i < sqlite3_column_count(stmt); i++) {
		const char *cell = (const char *)sqlite3_column_text(stmt, i);

		strcat(text, i > 0 ? " " : "");
		strcat(text, cell != NULL ? cell : "-");
	}
	sqlite3_finalize(stmt);
	assert_string_equal(text, expected);
}

static void
test_a_new_file(void **state)
{
	char why[200];
	sqlite3 *db = database_of(kind_table);

	(void)state;
	assert_int_equal(sql_int(db, 0, "PRAGMA application_id"), SCHEMA_APPLICATION_ID);
	assert_int_equal(sql_int(db, 0, "PRAGMA user_version"), SCHEMA_VERSION);
	assert_int_equal(sql_int(db, 0, "PRAGMA auto_vacuum"), 2);
	assert_true(has(db, "disk", "read_sectors"));
	assert_false(has(db, "disk", "errors"));
	assert_true(has(db, "disk_rare", "errors"));
	assert_false(has(db, "disk", "dev_ios"));
	assert_true(has(db, "adapter", "ns"));
	assert_false(has(db, "adapter", "reads"));
	assert_false(has(db, "total", "tick"));
	assert_false(has(db, "cpu_peak", "tick"));
	assert_true(has(db, "disk_peak", "gavg"));
	/* Views are not tables. */
	assert_false(has(db, "disk_all", "reads"));
	assert_int_equal(schema_check(db, why, sizeof(why)), 0);
	assert_int_equal(readable(db, why, sizeof(why)), 0);
	/* A second time changes nothing. */
	assert_int_equal(sql_int(db, 0, "PRAGMA schema_version"),
	    (schema_make(db, kind_table, why, sizeof(why)), sql_int(db, 0, "PRAGMA schema_version")));
	tape_sound(db);
	sqlite3_close(db);
}

/* All views of the catalogue can be queried. */
static void
test_views_of_all_kinds(void **state)
{
	sqlite3 *db = database_of(kind_table);

	(void)state;
	for (size_t i = 0; kind_table[i] != NULL; i++) {
		if (kind_table[i]->rollup != NULL)
			continue;
		assert_int_equal(sql_int(db, -1, "SELECT count(*) FROM \"%w_all\"", kind_table[i]->key), 0);
		assert_int_equal(sql_int(db, -1, "SELECT count(*) FROM \"%w_rate\"", kind_table[i]->key), 0);
	}
	sqlite3_close(db);
}

static void
fill_pumps(sqlite3 *db)
{
	exec(db, "INSERT INTO recording (id, host, source, started) VALUES (1, 'h', 'live', 0);"
	    "INSERT INTO object (id, recording, kind, name, identity) VALUES (5, 1, 'pump', 'left', 'l'),"
	    " (6, 1, 'pump', 'right', 'r');"
	    /* Four ticks of 2 s; pumps were not sampled in the third, and in the fourth for 4 s. */
	    "INSERT INTO tick (tick, recording, wall_ms, ns) VALUES (1, 1, 2000, 2000000000),"
	    " (2, 1, 4000, 2000000000), (3, 1, 6000, 2000000000), (4, 1, 8000, 2000000000);"
	    "INSERT INTO sample (tick, kind, ns) VALUES (1, 'pump', NULL), (2, 'pump', NULL), (4, 'pump', 4000000000);"
	    /* left is there all the time, right from 2 on and does not know its leaks. */
	    "INSERT INTO presence (kind, object, first, last, lacks) VALUES ('pump', 5, 1, NULL, NULL),"
	    " ('pump', 6, 2, 4, ' leaks ')");
}

static void
test_all_view(void **state)
{
	sqlite3 *db = database_of(pumps);

	(void)state;
	fill_pumps(db);
	exec(db, "INSERT INTO pump (tick, object, ns, strokes, litres) VALUES (1, 5, NULL, 30, 60), (4, 6, 3000000000, 12, NULL);"
	    "INSERT INTO pump_rare (tick, object, leaks, faults) VALUES (2, 5, 7, 0)");
	assert_int_equal(sql_int(db, 0, "SELECT count(*) FROM pump_all"), 5);
	gives(db, "SELECT name, wall_ms, seconds, strokes, leaks, litres, faults FROM pump_all WHERE tick = 1", "left 2000 2.0 30 0 60 0");
	gives(db, "SELECT strokes, leaks, litres FROM pump_all WHERE tick = 2 AND name = 'left'", "0 7 0");
	gives(db, "SELECT strokes, leaks, litres, seconds FROM pump_all WHERE tick = 2 AND name = 'right'", "0 - 0 2.0");
	gives(db, "SELECT seconds, strokes, litres FROM pump_all WHERE tick = 4 AND name = 'right'", "3.0 12 -");
	/* 30 strokes in 2 + 2 + 4 seconds; 12 in 2 + 3. */
	gives(db, "SELECT sum(strokes) / sum(seconds) FROM pump_all WHERE name = 'left' GROUP BY name", "3.75");
	gives(db, "SELECT sum(strokes) / sum(seconds) FROM pump_all WHERE name = 'right' GROUP BY name", "2.4");
	gives(db, "SELECT time FROM pump_all WHERE tick = 1", "1970-01-01 00:00:02.000");
	sqlite3_close(db);
}

static void
test_rate_view(void **state)
{
	sqlite3 *db = database_of(pumps);

	(void)state;
	fill_pumps(db);
	exec(db, "INSERT INTO pump (tick, object, ns, strokes, litres) VALUES (1, 5, NULL, 30, 60), (2, 5, NULL, 200, 201),"
	    " (4, 6, 3000000000, 12, NULL); INSERT INTO pump_rare (tick, object, leaks, faults) VALUES (1, 5, 3, NULL)");
	/* 30 / 2; 10 x (30 + 3) / 2; 3 leaks, faults unknown; strokes and litres do not agree */
	gives(db, "SELECT strokes_s, moves_s, wear, litres_stroke FROM pump_rate WHERE tick = 1", "15.0 165.0 3.0 -");
	/* 0.5 x (201 - 0) / 200 */
	gives(db, "SELECT strokes_s, litres_stroke FROM pump_rate WHERE tick = 2 AND name = 'left'", "100.0 0.5025");
	/* right does not know its leaks; it was seen for 3 s */
	gives(db, "SELECT strokes_s, moves_s, wear, litres_stroke FROM pump_rate WHERE tick = 4 AND name = 'right'",
	    "4.0 40.0 0.0 -");
	/* an idle tick: no strokes to divide by */
	gives(db, "SELECT strokes_s, litres_stroke FROM pump_rate WHERE tick = 2 AND name = 'right'", "0.0 -");
	sqlite3_close(db);
}

static void
test_optional_and_all_absent(void **state)
{
	sqlite3 *db = database_of(pumps);

	(void)state;
	fill_pumps(db);
	exec(db, "UPDATE presence SET lacks = ' leaks faults ' WHERE object = 6");
	gives(db, "SELECT wear FROM pump_rate WHERE tick = 2 AND name = 'right'", "-");
	sqlite3_close(db);
}

/* What an older program did not write is not known: neither in its rows nor where it wrote none. */
static void
test_an_older_file_grows(void **state)
{
	char why[200];
	sqlite3 *db = database_of(old_pumps);

	(void)state;
	assert_false(has(db, "pump", "litres"));
	fill_pumps(db);
	exec(db, "INSERT INTO pump (tick, object, strokes) VALUES (1, 5, 30)");
	assert_int_equal(schema_make(db, pumps, why, sizeof(why)), 0);
	assert_true(has(db, "pump", "litres"));
	assert_true(has(db, "pump_rare", "faults"));
	gives(db, "SELECT strokes, litres, faults FROM pump_all WHERE tick = 1", "30 - -");
	gives(db, "SELECT strokes, leaks, litres, faults FROM pump_all WHERE tick = 2 AND name = 'left'", "0 0 - -");
	gives(db, "SELECT strokes, leaks, litres, faults FROM pump_all WHERE tick = 2 AND name = 'right'", "0 - - -");
	/* New spans know them. */
	exec(db, "UPDATE presence SET last = 3 WHERE object = 5;"
	    "INSERT INTO presence (kind, object, first) VALUES ('pump', 5, 4)");
	gives(db, "SELECT litres, faults FROM pump_all WHERE tick = 4 AND name = 'left'", "0 0");
	tape_sound(db);
	sqlite3_close(db);
}

static void
refused(const char *spoil, int error, const char *expected)
{
	char why[200] = "";
	sqlite3 *db = database_of(pumps);
	int64_t version;

	exec(db, spoil);
	version = sql_int(db, 0, "PRAGMA schema_version");
	assert_int_equal(schema_make(db, pumps, why, sizeof(why)), error);
	assert_string_equal(why, expected);
	assert_int_equal(sql_int(db, 0, "PRAGMA schema_version"), version);
	sqlite3_close(db);
}

static void
test_what_is_not_written_to(void **state)
{
	(void)state;
	refused("ALTER TABLE pump ADD COLUMN gallons INTEGER", -EPERM,
	    "made by a newer stortop (column pump.gallons): read, not recorded to");
	refused("ALTER TABLE tick ADD COLUMN weather TEXT", -EPERM,
	    "made by a newer stortop (column tick.weather): read, not recorded to");
	refused("CREATE TABLE valve (tick INTEGER REFERENCES tick(tick), turns INTEGER)", -EPERM,
	    "made by a newer stortop (table valve): read, not recorded to");
	refused("PRAGMA user_version = 2", -EPERM, "made by a newer stortop (format 2): read, not recorded to");
	refused("PRAGMA application_id = 77", -EBADMSG, "not a stortop database");
}

/* Somebody's own tables and indexes do no harm. */
static void
test_foreign_tables_are_left_alone(void **state)
{
	char why[200];
	sqlite3 *db = database_of(pumps);

	(void)state;
	exec(db, "CREATE TABLE notes (text TEXT); CREATE INDEX mine ON pump(strokes)");
	assert_int_equal(schema_make(db, pumps, why, sizeof(why)), 0);
	sqlite3_close(db);
}

static void
test_an_alien_database(void **state)
{
	char why[200];
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	exec(db, "CREATE TABLE bookmarks (url TEXT)");
	assert_int_equal(schema_make(db, pumps, why, sizeof(why)), -EBADMSG);
	assert_string_equal(why, "not a stortop database");
	assert_int_equal(schema_check(db, why, sizeof(why)), -EBADMSG);
	sqlite3_close(db);
}

static void
test_a_file_without_our_tables(void **state)
{
	char why[200];
	sqlite3 *db = database_of(pumps);

	(void)state;
	exec(db, "DROP VIEW pump_rate; DROP VIEW pump_all; ALTER TABLE presence DROP COLUMN lacks");
	assert_int_equal(readable(db, why, sizeof(why)), -EBADMSG);
	assert_string_equal(why, "damaged: no table presence with a column lacks");
	exec(db, "PRAGMA user_version = 9");
	assert_int_equal(readable(db, why, sizeof(why)), -EBADMSG);
	assert_string_equal(why, "made by a newer stortop, not readable by this one: no table presence with a column lacks");
	sqlite3_close(db);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_new_file),
		cmocka_unit_test(test_views_of_all_kinds),
		cmocka_unit_test(test_all_view),
		cmocka_unit_test(test_rate_view),
		cmocka_unit_test(test_optional_and_all_absent),
		cmocka_unit_test(test_an_older_file_grows),
		cmocka_unit_test(test_what_is_not_written_to),
		cmocka_unit_test(test_foreign_tables_are_left_alone),
		cmocka_unit_test(test_an_alien_database),
		cmocka_unit_test(test_a_file_without_our_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
