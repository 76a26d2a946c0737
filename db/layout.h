/*
 * The tables of a file and their columns, as they are: read once when it is opened. Views and virtual tables, which
 * run what somebody else wrote, are not in it.
 */
#ifndef DB_LAYOUT_H
#define DB_LAYOUT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

struct layout;

int layout_read(sqlite3 *, struct layout **out);	/* SQLite's result code; *out is NULL on failure */
void layout_free(struct layout *);			/* NULL is fine */
bool layout_has_table(const struct layout *, const char *table);
bool layout_has(const struct layout *, const char *table, const char *column);
/* The i-th column of a table, NULL behind the last. */
const char *layout_column(const struct layout *, const char *table, size_t i);

#endif
