#include "desk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "db/sql.h"

int
desk_set_up(void **state)
{
	struct desk *p = xcalloc(1, sizeof(*p));

	fault_install();
	p->dir = tape_dir();
	p->path = xasprintf("%s/s.db", p->dir);
	*state = p;
	return 0;
}

int
desk_tear_down(void **state)
{
	struct desk *p = *state;

	fault_set(FAULT_NONE);
	free(p->path);
	tape_remove_dir(p->dir);
	free(p);
	return 0;
}

struct sink *
desk_open(const char *path)
{
	const struct store_options options = {
		.path = path, .source = "live", .host = "box", .boot_id = "boot-1", STORE_RETENTION_DEFAULTS,
	};

	return store_sink(&options);
}

uint64_t
desk_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void
desk_nap(void)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	nanosleep(&ms, NULL);
}

struct store_status
desk_wait(struct sink *sink, enum store_state state, uint64_t ticks)
{
	struct store_status s;

	for (uint64_t end = desk_now_ms() + 20000;; desk_nap()) {
		store_status(sink, &s);
		if (s.state == state && s.ticks >= ticks)
			return s;
		if (desk_now_ms() > end)
			fail_msg("state %d, %llu ticks, reason '%s'", (int)s.state, (unsigned long long)s.ticks, s.reason);
	}
}

static void
put_reads(struct sink *sink, struct object *disk, int tick)
{
	struct interval *v = tape_interval(tick, 1);
	struct interval_table *t = tape_table(v, &kind_disk, 1, &disk);

	t->rows[0].cells[DISK_READS] = 100 + tick;
	interval_rollup(v);
	assert_int_equal(sink_put(sink, v), 0);
	interval_unref(v);
}

void
desk_put(struct sink *sink, struct object *disk, int first, int n)
{
	for (int i = first; i < first + n; i++)
		put_reads(sink, disk, i);
}

sqlite3 *
desk_reopen(const char *path)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	tape_sound(db);
	return db;
}

bool
desk_exists(const char *path, const char *suffix)
{
	char *name = xasprintf("%s%s", path, suffix);
	bool is = access(name, F_OK) == 0;

	free(name);
	return is;
}

void
desk_stops(const char *path, const char *reason)
{
	struct object *disk = tape_disk("sda");
	struct sink *sink = desk_open(path);
	struct store_status s = desk_wait(sink, STORE_STOPPED, 0);
	char *expected = xasprintf("%s: %s", path, reason);

	assert_string_equal(s.reason, expected);
	/* The program goes on, and nothing piles up. */
	desk_put(sink, disk, 1, 1000);
	store_status(sink, &s);
	assert_int_equal(s.dropped, 0);
	assert_int_equal(sink_close(sink), 0);
	free(expected);
	object_unref(disk);
}
