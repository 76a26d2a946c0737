#include "db/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/xalloc.h"
#include "db/place.h"
#include "db/record.h"
#include "db/retain.h"
#include "db/runs_write.h"
#include "db/schema.h"
#include "db/sql.h"

#define BUSY_MS 250	/* then the queue is looked at again */
#define BESIDE_BUSY_MS 1500	/* no queue waits; the one that records gets on in less */
#define SETTLE_S 600	/* a clock that was wrong at boot is set right by then */

struct writer {
	const struct writer_options *options;
	char *path;
	char why[256];
	int lock;
	char *lock_name;
	sqlite3 *db;
	struct stat st;		/* of the file that was opened */
	struct record *record;
	struct retain *retain;
	sqlite3_stmt *page_count;
	uint64_t page_size, bytes;
};

void
writer_options_copy(struct writer_options *to, const struct store_options *from)
{
	*to = (struct writer_options){
		.path = from->path != NULL ? xstrdup(from->path) : store_default_write_path(),
		.source = xstrdup(from->source != NULL ? from->source : "live"),
		.host = xstrdup(from->host != NULL ? from->host : ""),
		.boot_id = xstrdup(from->boot_id != NULL ? from->boot_id : ""),
		.full_rate_s = from->full_rate_s,
		.minute_s = from->minute_s,
		.cap_bytes = from->cap_bytes,
	};
}

void
writer_options_clear(struct writer_options *o)
{
	free(o->path);
	free(o->source);
	free(o->host);
	free(o->boot_id);
}

struct writer *
writer_new(const struct writer_options *options)
{
	struct writer *w = xcalloc(1, sizeof(*w));

	w->options = options;
	w->lock = -1;
	w->path = xstrdup(options->path != NULL ? options->path : "");
	return w;
}

void
writer_free(struct writer *w)
{
	sqlite3_finalize(w->page_count);
	retain_free(w->retain);
	record_free(w->record);
	/* Folds the log into the file where it can. */
	sqlite3_close(w->db);
	place_unlock(w->lock, w->lock_name);
	free(w->path);
	free(w);
}

const char *
writer_path(const struct writer *w)
{
	return w->path;
}

const char *
writer_why(const struct writer *w)
{
	return w->why;
}

uint64_t
writer_bytes(const struct writer *w)
{
	return w->bytes;
}

static int
say(struct writer *w, int error, const char *reason)
{
	snprintf(w->why, sizeof(w->why), "%.160s: %.90s", w->path, reason);
	return error;
}

static int
say_sql(struct writer *w, int rc)
{
	return rc == SQLITE_OK ? 0 : say(w, sql_errno(rc), sql_words(w->db, rc));
}

/* A log shared by mapping memory does not work across a network, and may ruin the file. */
static int
leave_network(struct writer *w)
{
	const char *network = place_on_network(w->path);
	char reason[160], *path;
	int error;

	if (network == NULL)
		return 0;
	error = place_fallback("/var/tmp", w->path, &path, reason, sizeof(reason));
	if (error != 0)
		return say(w, error, reason);
	snprintf(w->why, sizeof(w->why), "%.90s is on a network file system (%s): recording to %.90s", w->path,
	    network, path);
	free(w->path);
	w->path = path;
	return 0;
}

static int
find_place(struct writer *w)
{
	char reason[200];
	int error;

	if (w->options->path == NULL) {
		snprintf(w->why, sizeof(w->why),
		    "no place to record to: neither XDG_STATE_HOME nor HOME is set; use --db FILE");
		return -ENOENT;
	}
	error = place_make_parents(w->path, reason, sizeof(reason));
	if (error != 0)
		return say(w, error, reason);
	error = leave_network(w);
	if (error != 0)
		return error;
	w->lock = place_lock(w->path, &w->lock_name, reason, sizeof(reason));
	return w->lock < 0 ? say(w, w->lock, reason) : 0;
}

static int
open_database(struct writer *w)
{
	int error = place_make_file(w->path), rc;

	if (error != 0)
		return say(w, error, sql_system_words(-error));
	rc = sqlite3_open_v2(w->path, &w->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	if (rc != SQLITE_OK)
		return say_sql(w, rc);
	sqlite3_extended_result_codes(w->db, 1);
	sqlite3_busy_timeout(w->db, BUSY_MS);
	/* A file from elsewhere must not run what it brings along. */
	sqlite3_db_config(w->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(w->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(w->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	if (stat(w->path, &w->st) != 0)
		return say(w, -errno, sql_system_words(errno));
	return 0;
}

static int
prepare_all(struct writer *w)
{
	const struct record_info info = {
		.source = w->options->source, .host = w->options->host, .boot_id = w->options->boot_id,
	};
	const struct retain_options retain = {
		.full_rate_s = w->options->full_rate_s, .minute_s = w->options->minute_s,
		.cap_bytes = w->options->cap_bytes, .settle_s = SETTLE_S,
	};
	int rc = sql_prepare(w->db, &w->page_count, "PRAGMA page_count");

	w->page_size = (uint64_t)sql_int(w->db, 0, "PRAGMA page_size");
	if (rc == SQLITE_OK)
		rc = record_new(w->db, kind_table, &info, &w->record);
	if (rc == SQLITE_OK)
		rc = retain_new(w->db, kind_table, record_rows(w->record), &retain, &w->retain);
	return say_sql(w, rc);
}

int
writer_open(struct writer *w)
{
	char reason[200];
	int error = find_place(w);

	if (error == 0)
		error = open_database(w);
	if (error != 0)
		return error;
	error = schema_make(w->db, kind_table, reason, sizeof(reason));
	if (error != 0)
		return say(w, error, reason);
	return prepare_all(w);
}

int
writer_open_beside(struct writer *w)
{
	char was[sizeof(w->why)];
	sqlite3_stmt *tables = NULL;
	int error;

	/* Who records is what is said, not why a result cannot go there. */
	memcpy(was, w->why, sizeof(was));
	error = open_database(w);
	if (error == 0 && sqlite3_db_readonly(w->db, "main") != 0)
		error = -EACCES;
	if (error == 0 && sql_prepare(w->db, &tables, "SELECT 1 FROM run, run_worker, run_hist, run_series, tick LIMIT 0") != SQLITE_OK)
		error = -ENOENT;
	sqlite3_finalize(tables);
	if (error == 0)
		sqlite3_busy_timeout(w->db, BESIDE_BUSY_MS);
	memcpy(w->why, was, sizeof(was));
	return error;
}

/* That the ticks are of: our own, or that of the program beside which we are. */
static int64_t
recording(const struct writer *w)
{
	if (w->record != NULL)
		return record_recording(w->record);
	return sql_int(w->db, 0, "SELECT recording FROM tick ORDER BY tick DESC LIMIT 1");
}

/* SQLite would go on writing to a file that nobody finds any more. */
static bool
has_moved(const struct writer *w)
{
	struct stat st;

	return stat(w->path, &st) != 0 || st.st_ino != w->st.st_ino || st.st_dev != w->st.st_dev;
}

int
writer_put(struct writer *w, const struct interval *v, uint64_t dropped)
{
	int rc;

	if (has_moved(w))
		return say(w, -ENOENT, "moved or deleted");
	rc = record_put(w->record, v, dropped);
	if ((rc & 0xff) == SQLITE_BUSY)
		return -EBUSY;
	if (rc != SQLITE_OK) {
		int error = say_sql(w, rc);

		/* Not to be taken for a file that is busy. */
		return error == -EBUSY ? -EIO : error;
	}
	if (sqlite3_step(w->page_count) == SQLITE_ROW)
		w->bytes = (uint64_t)sqlite3_column_int64(w->page_count, 0) * w->page_size;
	sqlite3_reset(w->page_count);
	return 0;
}

int
writer_put_run(struct writer *w, const struct run_item *run, int64_t *id)
{
	int rc;

	if (has_moved(w))
		return say(w, -ENOENT, "moved or deleted");
	rc = runs_write(w->db, run, recording(w), id);
	return (rc & 0xff) == SQLITE_BUSY ? -EBUSY : say_sql(w, rc);
}

int
writer_retain(struct writer *w, int64_t hold_ms, bool *tidy)
{
	int rc = retain_step(w->retain, record_wall_ms(w->record), hold_ms, tidy);

	/* Another program writes: next time. */
	if ((rc & 0xff) == SQLITE_BUSY) {
		*tidy = true;
		return 0;
	}
	return say_sql(w, rc);
}

int
writer_end(struct writer *w)
{
	int rc = record_end(w->record);

	/* The spans left open are closed when the file is opened again. */
	return (rc & 0xff) == SQLITE_BUSY ? 0 : say_sql(w, rc);
}
