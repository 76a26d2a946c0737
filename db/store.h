/*
 * The store as a sink: SQLite, one file, written by a thread of its own through a bounded queue, so
 * that neither a slow nor a dead disk is ever waited for. Main thread, except as said.
 */
#ifndef DB_STORE_H
#define DB_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/flow.h"

struct store_options {
	const char *path;	/* NULL: the default place (XDG_STATE_HOME or ~/.local/state; not known: said) */
	const char *source;	/* "live", or the --root directory */
	const char *host;	/* host name recorded */
	const char *boot_id;	/* "" where not known */
	uint64_t full_rate_s;	/* retention: full rate this long (48 h) */
	uint64_t minute_s;	/* then one minute, this long (30 days) */
	uint64_t cap_bytes;	/* at most this much file (2 GiB); 0: no cap */
};
#define STORE_RETENTION_DEFAULTS \
	.full_rate_s = 48 * 3600, .minute_s = 30 * 86400, .cap_bytes = UINT64_C(2) << 30

enum store_state {
	STORE_OPENING,
	STORE_RECORDING,
	STORE_STOPPED,		/* gave up, with a reason: disk full, read-only, another recorder ... */
};

struct store_status {
	enum store_state state;
	char path[512];
	bool results;		/* STORE_STOPPED, as another program records to the file: results are added to its recording */
	char reason[256];	/* of STORE_STOPPED, and of a fallback ("network file system: recording to ...") */
	uint64_t ticks;		/* written */
	uint64_t dropped;	/* intervals that the full queue refused */
	uint64_t bytes;		/* size of the file */
};

/*
 * Starts the writer thread (the options are copied); the file is opened there (a home directory may be dead). put() never waits:
 * a full queue drops the interval, counts it, and leaves an EVENT_DROP in the store when there is room
 * again. close() waits for the queue, but leaves the thread behind when it gives no sign of life for 2 s (a dead
 * disk), or has not ended after 5 s (a slow one).
 */
struct sink *store_sink(const struct store_options *);
/* A copy of the present state. Any thread. */
void store_status(struct sink *, struct store_status *out);
/* Beneath runs_put() and runs_hold(). The item is taken over. */
struct run_item;
void store_put_run(struct sink *, struct run_item *);
void store_hold(struct sink *, int64_t from_ms);

/*
 * The file that would be used for reading when none is named: the user's own if it exists, else the
 * service's (/var/lib/stortop/stortop.db). malloc'd, or NULL where there is neither.
 */
char *store_default_read_path(void);
/* Where recording goes by default; malloc'd. NULL where neither XDG_STATE_HOME nor HOME is set. */
char *store_default_write_path(void);

#endif
