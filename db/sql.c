#include "db/sql.h"

#include <errno.h>
#include <string.h>

static int
prepare(sqlite3 *db, sqlite3_stmt **out, const char *format, va_list ap)
{
	char *text = sqlite3_vmprintf(format, ap);
	int rc;

	*out = NULL;
	if (text == NULL)
		return SQLITE_NOMEM;
	rc = sqlite3_prepare_v3(db, text, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
	sqlite3_free(text);
	return rc;
}

int
sql_prepare(sqlite3 *db, sqlite3_stmt **out, const char *format, ...)
{
	va_list ap;
	int rc;

	va_start(ap, format);
	rc = prepare(db, out, format, ap);
	va_end(ap);
	return rc;
}

int
sql_exec(sqlite3 *db, const char *format, ...)
{
	va_list ap;
	char *text;
	int rc;

	va_start(ap, format);
	text = sqlite3_vmprintf(format, ap);
	va_end(ap);
	if (text == NULL)
		return SQLITE_NOMEM;
	rc = sqlite3_exec(db, text, NULL, NULL, NULL);
	sqlite3_free(text);
	return rc;
}

int64_t
sql_int(sqlite3 *db, int64_t missing, const char *format, ...)
{
	sqlite3_stmt *stmt;
	int64_t value = missing;
	va_list ap;
	int rc;

	va_start(ap, format);
	rc = prepare(db, &stmt, format, ap);
	va_end(ap);
	if (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW &&
	    sqlite3_column_type(stmt, 0) != SQLITE_NULL)
		value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

int
sql_run(sqlite3_stmt *stmt)
{
	int rc = sqlite3_step(stmt);

	while (rc == SQLITE_ROW)
		rc = sqlite3_step(stmt);
	/* The reason stays readable in the connection after a reset. */
	sqlite3_reset(stmt);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

const char *
sql_system_words(int error)
{
	switch (error) {
	case ENOSPC:
	case EDQUOT:
		return "disk full";
	case EROFS:
		return "read-only file system";
	case EACCES:
	case EPERM:
		return "permission denied";
	case EISDIR:
		return "is a directory";
	case EIO:
		return "I/O error";
	default:
		return strerror(error);
	}
}

const char *
sql_words(sqlite3 *db, int rc)
{
	/* What the system said, where it did and SQLite keeps it to itself. */
	int error = db != NULL ? sqlite3_system_errno(db) : 0;

	switch (rc & 0xff) {
	case SQLITE_FULL:
		return "disk full";
	case SQLITE_READONLY:
		return rc == SQLITE_READONLY_DBMOVED ? "moved or deleted" : "read-only";
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return "permission denied";
	case SQLITE_CANTOPEN:
		return error != 0 ? sql_system_words(error) : "unable to open";
	case SQLITE_IOERR:
		return error != 0 ? sql_system_words(error) : "I/O error";
	case SQLITE_NOTADB:
		return "not a stortop database";
	case SQLITE_CORRUPT:
		return "damaged (database disk image is malformed)";
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return "locked by another program";
	case SQLITE_NOMEM:
		return "out of memory";
	default:
		/* A roll-back in between has taken the message away. */
		return db != NULL && sqlite3_errcode(db) == rc ? sqlite3_errmsg(db) : sqlite3_errstr(rc);
	}
}

int
sql_errno(int rc)
{
	switch (rc & 0xff) {
	case SQLITE_OK:
	case SQLITE_DONE:
		return 0;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_READONLY:
		return -EROFS;
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return -EACCES;
	case SQLITE_CANTOPEN:
		return -ENOENT;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		return -EBADMSG;
	default:
		return -EIO;
	}
}
