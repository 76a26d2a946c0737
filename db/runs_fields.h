/*
 * How a result lies in the tables run, run_worker and run_series: one row here is a column there, for the schema, for writing and
 * for reading. Const data; functions: the thread of the statement.
 */
#ifndef DB_RUNS_FIELDS_H
#define DB_RUNS_FIELDS_H

#include <sqlite3.h>
#include <stddef.h>

enum field_type {
	FIELD_TEXT,	/* an array of characters; NULL where empty */
	FIELD_STRING,	/* malloc'd or NULL */
	FIELD_REAL,	/* NULL where NaN */
	FIELD_INT64,
	FIELD_UINT64,
	FIELD_UINT32,
	FIELD_BOOL,
};

struct field {
	const char *name;
	enum field_type type;
	size_t offset, size;
};

struct fields {
	const struct field *fields;
	size_t n;
};

extern const struct fields fields_result;	/* struct result */
extern const struct fields fields_row;		/* struct result_row, histograms apart */
extern const struct fields fields_point;	/* struct result_point */

/* "INTEGER", "REAL", "TEXT" */
const char *field_sql_type(const struct field *);
/* Binds all of them to the parameters from `first` on. SQLite's result code. The struct must outlive the step. */
int fields_bind(const struct fields *, sqlite3_stmt *, int first, const void *from);
/* Takes the columns from `first` on; what a hostile file says is cut to what fits. */
void fields_take(const struct fields *, sqlite3_stmt *, int first, void *to);

#endif
