#include "db/layout.h"

#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "db/sql.h"

struct layout {
	size_t n, cap;
	struct cell {
		char *table, *column;
	} *cells;	/* in the order of tables */
};

static void
add(struct layout *l, const char *table, const char *column)
{
	if (table == NULL || column == NULL)
		return;
	if (l->n == l->cap) {
		l->cap = l->cap > 0 ? 2 * l->cap : 256;
		l->cells = xreallocarray(l->cells, l->cap, sizeof(*l->cells));
	}
	l->cells[l->n++] = (struct cell){ .table = xstrdup(table), .column = xstrdup(column) };
}

static int
by_table(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	return strcmp(x->table, y->table);
}

int
layout_read(sqlite3 *db, struct layout **out)
{
	struct layout *l = xcalloc(1, sizeof(*l));
	sqlite3_stmt *stmt;
	int rc = sql_prepare(db, &stmt, "SELECT m.name, c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c"
	    " WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%%'");

	if (rc == SQLITE_OK) {
		while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
			add(l, (const char *)sqlite3_column_text(stmt, 0), (const char *)sqlite3_column_text(stmt, 1));
		sqlite3_finalize(stmt);
	}
	if (rc == SQLITE_DONE) {
		if (l->n > 0)
			qsort(l->cells, l->n, sizeof(*l->cells), by_table);
		*out = l;
		return SQLITE_OK;
	}
	layout_free(l);
	*out = NULL;
	return rc;
}

void
layout_free(struct layout *l)
{
	if (l == NULL)
		return;
	for (size_t i = 0; i < l->n; i++) {
		free(l->cells[i].table);
		free(l->cells[i].column);
	}
	free(l->cells);
	free(l);
}

const char *
layout_column(const struct layout *l, const char *table, size_t i)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(l->cells[middle].table, table) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (i >= l->n - low || strcmp(l->cells[low + i].table, table) != 0)
		return NULL;
	return l->cells[low + i].column;
}

bool
layout_has_table(const struct layout *l, const char *table)
{
	return layout_column(l, table, 0) != NULL;
}

bool
layout_has(const struct layout *l, const char *table, const char *column)
{
	const char *name;

	for (size_t i = 0; (name = layout_column(l, table, i)) != NULL; i++)
		if (strcmp(name, column) == 0)
			return true;
	return false;
}
