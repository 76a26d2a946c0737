/*
 * The objects of a recording as they were, and which of them are there at a tick. Tolerates whatever a damaged
 * or hostile file says. One thread. Functions return SQLite's result codes.
 */
#ifndef DB_PRESENCE_H
#define DB_PRESENCE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/object.h"

struct presence;

/* An object that is there from tick first to tick last, lacking some metrics. */
struct presence_span {
	int64_t id;		/* in the file */
	struct object *object;	/* the presence's reference */
	int64_t first, last;
	uint64_t lacks;
};

struct presence *presence_new(sqlite3 *, const struct kind *const *kinds);
void presence_free(struct presence *);	/* NULL is fine */
/* Reads the objects that a recording has between two ticks, both included. Those known keep their uid. */
int presence_read(struct presence *, int64_t recording, int64_t first, int64_t last);
/*
 * The objects of a kind at a tick, in the order of ids, each once; valid until the next call for that kind. Ticks
 * go upwards after each presence_read().
 */
size_t presence_at(struct presence *, const struct kind *, int64_t tick, const struct presence_span **out);

struct object *presence_object(const struct presence *, int64_t id);	/* NULL where there is none */
int64_t presence_id(const struct presence *, const struct object *);	/* 0 where it is not in the file (totals) */
/* Is the object there from tick first to tick last, lacking just these metrics? */
bool presence_covers(const struct presence *, const struct object *, int64_t first, int64_t last, uint64_t lacks);

#endif
