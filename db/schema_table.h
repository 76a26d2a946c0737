/*
 * A table of the file, and those that are there whatever kinds there are. Within db/schema*.c only.
 */
#ifndef DB_SCHEMA_TABLE_H
#define DB_SCHEMA_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/kind.h"

#define MAX_COLUMNS (KIND_MAX_METRICS + 4)

struct table {
	char name[64];
	const char *kind;	/* of which kind's metrics, or NULL */
	size_t n;
	struct table_column {
		const char *name, *type;
		bool metric;
	} columns[MAX_COLUMNS];
	const char *key;	/* the end of the definition: the key, ")", WITHOUT ROWID */
};

#define KEYED_BY_TICK ", PRIMARY KEY (tick, object)) WITHOUT ROWID"
#define TO_TICK "INTEGER NOT NULL REFERENCES tick(tick)"
#define TO_OBJECT "INTEGER NOT NULL REFERENCES object(id)"

/* What no recording is readable without. */
extern const struct table schema_fixed[];
extern const size_t schema_n_fixed;

/* The tables of results; a file of before them is readable. */
#define SCHEMA_RUN_TABLES 4
void schema_run_table(struct table *, size_t i);

static inline void
table_add(struct table *t, const char *name, const char *type, bool metric)
{
	t->columns[t->n++] = (struct table_column){ .name = name, .type = type, .metric = metric };
}

#endif
