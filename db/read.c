#include "db/read.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/stall.h"
#include "core/xalloc.h"
#include "db/open.h"
#include "db/sql.h"
#include "db/ticks.h"

struct reader {
	struct source source;
	struct read_options options;
	char *path;
	char why[256];
	sqlite3 *db;
	sqlite3_stmt *list;
	struct ticks *ticks;
	struct stall *stall;
	int64_t recording;		/* of the tick read last */
	char **hosts;			/* all met so far: they stay valid */
	size_t n_hosts;
	const char *host, *next_host;	/* of the interval handed out last, and of the tick read last */
	bool ended;			/* a statement that is asked again would begin again */
	bool skipped;			/* ticks were left out, or there was a gap: the next one does not follow */

	struct interval *sum;		/* ticks added up so far */
	struct interval *held;		/* the next tick, where it does not belong to the sum */
	bool held_follows;
	uint64_t elapsed_ns, due_ns;	/* since the last break, and where the sum ends */
};

static int
fail(struct reader *r, int rc)
{
	return open_failed(r->db, rc, r->path, r->why, sizeof(r->why));
}

static const char *
remember_host(struct reader *r, const char *name)
{
	for (size_t i = 0; i < r->n_hosts; i++)
		if (strcmp(r->hosts[i], name) == 0)
			return r->hosts[i];
	r->hosts = xreallocarray(r->hosts, r->n_hosts + 1, sizeof(*r->hosts));
	r->hosts[r->n_hosts] = xstrdup(name);
	return r->hosts[r->n_hosts++];
}

/* "" where the recording does not say. */
static const char *
host_of(struct reader *r, int64_t recording)
{
	const char *text = NULL;
	sqlite3_stmt *stmt;

	if (sql_prepare(r->db, &stmt, "SELECT host FROM recording WHERE id = ?") == SQLITE_OK) {
		sqlite3_bind_int64(stmt, 1, recording);
		if (sqlite3_step(stmt) == SQLITE_ROW)
			text = (const char *)sqlite3_column_text(stmt, 0);
	}
	text = remember_host(r, text != NULL ? text : "");
	sqlite3_finalize(stmt);
	return text;
}

/* Another recording begins: other objects, other clocks. */
static int
enter_recording(struct reader *r, const struct tick *t)
{
	stall_free(r->stall);
	r->stall = stall_new();
	r->recording = t->recording;
	r->next_host = host_of(r, t->recording);
	return ticks_span(r->ticks, t->recording, t->tick, INT64_MAX);
}

/* The next tick within the wanted time. *follows: it belongs to the same recording as the one before, without a gap. */
static int
read_tick(struct reader *r, struct interval **out, bool *follows)
{
	struct tick t;
	bool enters;
	int rc;

	*out = NULL;
	if (r->ended)
		return SQLITE_OK;
	while ((rc = sqlite3_step(r->list)) == SQLITE_ROW) {
		ticks_row(r->list, &t);
		if (t.wall_ms >= r->options.from_ms && t.wall_ms <= r->options.to_ms)
			break;
		r->skipped = true;
	}
	if (rc != SQLITE_ROW) {
		r->ended = true;
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	}
	enters = r->stall == NULL || t.recording != r->recording;
	*follows = !r->skipped && !t.gap && !enters;
	r->skipped = t.empty;
	rc = enters ? enter_recording(r, &t) : SQLITE_OK;
	if (rc == SQLITE_OK)
		rc = ticks_load(r->ticks, &t, out);
	if (rc == SQLITE_OK)
		stall_watch(r->stall, *out);
	return rc;
}

/* What is added up so far; the tick that was read after it waits. */
static int
hand_out_sum(struct reader *r, struct interval **out)
{
	*out = r->sum;
	r->sum = NULL;
	return 1;
}

static void
add_tick(struct reader *r, struct interval *v)
{
	struct interval *sum = r->sum != NULL ? interval_add(r->sum, v) : interval_ref(v);

	r->elapsed_ns += v->ns;
	interval_unref(r->sum);
	interval_unref(v);
	r->sum = sum;
}

/*
 * Steps stand on a grid that begins after each break, so that they do not drift where the ticks are no divisors
 * of the step. A tick belongs to the step that the greater part of it lies in.
 */
static bool
sum_is_due(struct reader *r, uint64_t tick_ns)
{
	uint64_t every = r->options.every_ns, reached = r->elapsed_ns + tick_ns / 2;

	if (reached < r->due_ns)
		return false;
	r->due_ns += ((reached - r->due_ns) / every + 1) * every;
	return true;
}

static int
next_sum(struct reader *r, struct interval **out)
{
	for (;;) {
		uint64_t ns;
		int rc = r->held == NULL ? read_tick(r, &r->held, &r->held_follows) : SQLITE_OK;

		if (rc != SQLITE_OK)
			return fail(r, rc);
		if (r->sum != NULL && (r->held == NULL || !r->held_follows))
			return hand_out_sum(r, out);
		if (r->held == NULL)
			return 0;
		if (!r->held_follows) {
			r->elapsed_ns = 0;
			r->due_ns = r->options.every_ns;
		}
		r->host = r->next_host;
		ns = r->held->ns;
		add_tick(r, r->held);
		r->held = NULL;
		if (sum_is_due(r, ns))
			return hand_out_sum(r, out);
	}
}

static int
read_next(struct source *source, struct interval **out)
{
	struct reader *r = (struct reader *)source;
	bool follows;
	int rc;

	if (r->options.every_ns > 0)
		return next_sum(r, out);
	rc = read_tick(r, out, &follows);
	if (rc != SQLITE_OK)
		return fail(r, rc);
	if (*out == NULL)
		return 0;
	r->host = r->next_host;
	return 1;
}

static const char *
read_error(struct source *source)
{
	return ((struct reader *)source)->why;
}

static void
read_close(struct source *source)
{
	struct reader *r = (struct reader *)source;

	interval_unref(r->sum);
	interval_unref(r->held);
	stall_free(r->stall);
	ticks_free(r->ticks);
	sqlite3_finalize(r->list);
	sqlite3_close(r->db);
	for (size_t i = 0; i < r->n_hosts; i++)
		free(r->hosts[i]);
	free(r->hosts);
	free(r->path);
	free(r);
}

const char *
read_host(struct source *source)
{
	const struct reader *r = (const struct reader *)source;

	return r->host;
}

static const struct source_ops read_ops = {
	.name = "store",
	.next = read_next,
	.error = read_error,
	.close = read_close,
};

static int
prepare_all(struct reader *r, const struct layout *layout)
{
	/* One transaction: what is thinned meanwhile does not change under our hands. */
	int rc = sql_exec(r->db, "BEGIN");

	if (rc == SQLITE_OK)
		rc = ticks_new(r->db, layout, kind_table, &r->ticks);
	if (rc == SQLITE_OK)
		rc = sql_prepare(r->db, &r->list, "SELECT " TICK_COLUMNS " FROM tick AS t ORDER BY t.tick");
	if (rc == SQLITE_OK)
		r->host = host_of(r, sql_int(r->db, 0, "SELECT min(id) FROM recording"));
	return rc;
}

static bool
open_reader(struct reader *r)
{
	struct layout *layout;
	int rc;

	if (open_read(r->path, &r->db, &layout, r->why, sizeof(r->why)) != 0)
		return false;
	rc = prepare_all(r, layout);
	layout_free(layout);
	if (rc == SQLITE_OK)
		return true;
	fail(r, rc);
	return false;
}

struct source *
read_source(const struct read_options *options, char *why, size_t size)
{
	struct reader *r = xcalloc(1, sizeof(*r));

	r->source.ops = &read_ops;
	r->options = *options;
	r->path = xstrdup(options->path);
	r->options.path = r->path;
	if (open_reader(r))
		return &r->source;
	snprintf(why, size, "%s", r->why);
	read_close(&r->source);
	return NULL;
}
