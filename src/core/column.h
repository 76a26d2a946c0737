/*
 * Columns: figures from a row of an interval, computed last. Pure; any thread.
 */
#ifndef CORE_COLUMN_H
#define CORE_COLUMN_H

#include "core/interval.h"
#include "core/kind.h"

/* The figure, or NaN: absent. NaN for VALUE_LABEL_TEXT. */
double column_value(const struct column *, const struct row *);
/* The figure of column `i` of the kind; NaN for i < 0. */
double column_at(const struct kind *, int i, const struct row *);
/* The figure of the column with this key; NaN where the row's kind has none. */
double column_figure(const struct row *, const char *key);
/* The text of a VALUE_LABEL_TEXT column, or NULL. */
const char *column_text(const struct column *, const struct row *);
/* Does any row of the table have a figure here? Columns that no source fills are not drawn. */
bool column_filled(const struct column *, const struct interval_table *);

/* seconds of a row; NaN for a row without time */
double row_seconds(const struct row *);

#endif
