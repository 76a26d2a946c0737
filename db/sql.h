/*
 * A little help with SQLite. Result codes are SQLite's own within db/ (SQLITE_OK is 0), -errno at its border.
 * A connection belongs to one thread.
 */
#ifndef DB_SQL_H
#define DB_SQL_H

#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>

/* Formats as sqlite3_mprintf (%w within double quotes, %Q for text) and runs it; rows are ignored. */
int sql_exec(sqlite3 *, const char *format, ...);
/* The same, prepared for many uses. *out is NULL on failure. */
int sql_prepare(sqlite3 *, sqlite3_stmt **out, const char *format, ...);
/* The first column of the first row; `missing` where there is no row, it is NULL, or on failure. */
int64_t sql_int(sqlite3 *, int64_t missing, const char *format, ...);
/* Runs a prepared statement that gives no rows, and resets it. */
int sql_run(sqlite3_stmt *);

/*
 * Why the last call on this connection failed, in words for people: "disk full", "read-only",
 * "permission denied", "not a stortop database" ... db NULL: the code alone. Valid until the next call.
 */
const char *sql_words(sqlite3 *db, int rc);
/* The same words for an errno. */
const char *sql_system_words(int error);
/* The -errno that fits a result code best; 0 for SQLITE_OK. */
int sql_errno(int rc);

#endif
