#include "db/open.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/xalloc.h"
#include "db/schema.h"
#include "db/sql.h"

#define BUSY_MS 2000
#define MAX_VALUE_BYTES (16 << 20)	/* no honest text or histogram is as long */

static int
open_as(sqlite3 **db, const char *name, int flags)
{
	int rc = sqlite3_open_v2(name, db, flags | SQLITE_OPEN_NOMUTEX, NULL);

	if (rc != SQLITE_OK)
		return rc;
	sqlite3_busy_timeout(*db, BUSY_MS);
	sqlite3_db_config(*db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(*db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_limit(*db, SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES);
	rc = sql_exec(*db, "PRAGMA query_only = ON; PRAGMA cell_size_check = ON");
	return rc == SQLITE_OK ? sql_exec(*db, "SELECT count(*) FROM sqlite_schema") : rc;
}

/* "file:" with what means something in a URI made harmless. */
static char *
as_uri(const char *path, const char *query)
{
	char *uri = xmalloc(3 * strlen(path) + strlen(query) + 8), *at = uri + sprintf(uri, "file:");

	for (; *path != '\0'; path++)
		at += sprintf(at, strchr("%?#", *path) != NULL ? "%%%02X" : "%c", (unsigned char)*path);
	strcpy(at, query);
	return uri;
}

static bool
has_log(const char *path)
{
	char *name = xasprintf("%s-wal", path);
	struct stat st;
	bool has = stat(name, &st) == 0 && st.st_size > 0;

	free(name);
	return has;
}

/*
 * A writable descriptor, where we may have one, lets SQLite recover the log that a killed recorder left. Where the
 * directory is not ours to write and nobody records, the file is as good as unchangeable.
 */
static int
open_file(const char *path, sqlite3 **db)
{
	int rc = open_as(db, path, SQLITE_OPEN_READWRITE);
	char *uri;

	if (rc == SQLITE_OK || ((rc & 0xff) != SQLITE_CANTOPEN && (rc & 0xff) != SQLITE_READONLY) || has_log(path))
		return rc;
	uri = as_uri(path, "?immutable=1");
	sqlite3_close(*db);
	rc = open_as(db, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
	free(uri);
	return rc;
}

int
open_failed(sqlite3 *db, int rc, const char *path, char *why, size_t size)
{
	snprintf(why, size, "%.160s: %.90s", path, sql_words(db, rc));
	return rc == SQLITE_NOTADB || rc == SQLITE_CORRUPT ? -EBADMSG : -EIO;
}

int
open_read(const char *path, sqlite3 **out, struct layout **layout, char *why, size_t size)
{
	struct layout *has = NULL;
	char reason[200];
	struct stat st;
	int rc;

	*out = NULL;
	*layout = NULL;
	if (stat(path, &st) != 0) {
		rc = -errno;
		snprintf(why, size, "%.160s: %.90s", path, sql_system_words(-rc));
		return rc;
	}
	rc = open_file(path, out);
	if (rc == SQLITE_OK)
		rc = layout_read(*out, &has);
	if (rc != SQLITE_OK)
		return open_failed(*out, rc, path, why, size);
	rc = schema_check(*out, reason, sizeof(reason));
	if (rc == 0)
		rc = schema_readable(*out, has, reason, sizeof(reason));
	if (rc != 0)
		snprintf(why, size, "%.160s: %.90s", path, reason);
	if (rc == 0)
		*layout = has;
	else
		layout_free(has);
	return rc;
}
