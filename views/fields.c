#include "views/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/column.h"
#include "core/xalloc.h"

void
fields_init(struct fields *f, const struct view *view)
{
	*f = (struct fields) { .view = view, .kind = view->kind, .n = view->kind->n_columns };
	f->order = xcalloc(f->n, sizeof(*f->order));
	f->chosen = xcalloc(f->n, sizeof(*f->chosen));
	f->filled = xcalloc(f->n, sizeof(*f->filled));
	f->asked = xcalloc(f->n, sizeof(*f->asked));
	f->alarmed = xcalloc(f->n, sizeof(*f->alarmed));
	fields_reset(f);
}

void
fields_clear(struct fields *f)
{
	free(f->order);
	free(f->chosen);
	free(f->filled);
	free(f->asked);
	free(f->alarmed);
}

/* Puts these columns first, chosen; the others follow in the catalogue's order, not chosen. */
static void
choose(struct fields *f, const int *columns, size_t n)
{
	size_t at = 0;

	memset(f->chosen, 0, f->n * sizeof(*f->chosen));
	memset(f->asked, 0, f->n * sizeof(*f->asked));
	for (size_t i = 0; i < n; i++) {
		if (f->chosen[columns[i]])
			continue;
		f->order[at++] = columns[i];
		f->chosen[columns[i]] = true;
	}
	for (size_t i = 0; i < f->n; i++)
		if (!f->chosen[i])
			f->order[at++] = (int)i;
}

void
fields_reset(struct fields *f)
{
	int *columns = xcalloc(f->n, sizeof(*columns));
	size_t n = 0;

	f->by_user = false;
	for (size_t i = 0; f->view->fields != NULL && f->view->fields[i] != NULL && n < f->n; i++) {
		int column = kind_column(f->kind, f->view->fields[i]);

		if (column >= 0)
			columns[n++] = column;
	}
	choose(f, columns, n);
	if (f->view->fields == NULL) {
		/* the catalogue's choice keeps its own order, chosen or not */
		for (size_t i = 0; i < f->n; i++) {
			f->order[i] = (int)i;
			f->chosen[i] = !(f->kind->columns[i].flags & COLUMN_EXTRA);
		}
	}
	free(columns);
}

static int
find_key(const struct kind *kind, const char *key, size_t len)
{
	for (size_t i = 0; i < kind->n_columns; i++)
		if (strlen(kind->columns[i].key) == len && memcmp(kind->columns[i].key, key, len) == 0)
			return (int)i;
	return -1;
}

bool
fields_parse(struct fields *f, const char *keys, const char **unknown)
{
	int *columns = xcalloc(f->n, sizeof(*columns));
	size_t n = 0;
	bool ok = true;

	for (keys += strspn(keys, " \t,"); *keys != '\0'; keys += strspn(keys, " \t,")) {
		size_t len = strcspn(keys, " \t,");
		int column = find_key(f->kind, keys, len);

		if (column >= 0 && n < f->n) {
			columns[n++] = column;
		} else if (column < 0 && ok) {
			*unknown = keys;
			ok = false;
		}
		keys += len;
	}
	if (n > 0) {
		choose(f, columns, n);
		f->by_user = true;
	}
	free(columns);
	return ok;
}

char *
fields_format(const struct fields *f)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < f->n; i++) {
		char *more;

		if (!f->chosen[f->order[i]])
			continue;
		more = xasprintf("%s%s%s", text, text[0] != '\0' ? " " : "", f->kind->columns[f->order[i]].key);
		free(text);
		text = more;
	}
	return text;
}

void
fields_toggle(struct fields *f, int column)
{
	f->chosen[column] = !f->chosen[column];
	f->asked[column] = f->chosen[column];
	f->by_user = true;
}

size_t
fields_move(struct fields *f, size_t at, int by)
{
	size_t to = at + (size_t)by;
	int column = f->order[at];

	if ((by < 0 && at == 0) || to >= f->n)
		return at;
	f->order[at] = f->order[to];
	f->order[to] = column;
	f->by_user = true;
	return to;
}

bool
fields_lost(const struct column *c, const char *text, unsigned *usable)
{
	unsigned all;

	return text != NULL && (c->value.label == LABEL_PATHS || c->value.label == LABEL_PORTS) &&
	    sscanf(text, "%u/%u", usable, &all) == 2 && *usable < all;
}

static bool
alarms(const struct column *c, const struct interval_table *table)
{
	unsigned usable;

	for (size_t i = 0; i < table->n; i++) {
		if ((c->flags & COLUMN_WARN_ABOVE_0) && column_value(c, &table->rows[i]) > 0)
			return true;
		if (c->value.per == VALUE_LABEL_TEXT && fields_lost(c, column_text(c, &table->rows[i]), &usable))
			return true;
	}
	return false;
}

void
fields_note(struct fields *f, const struct interval_table *table)
{
	if (table == NULL || table->n == 0)
		return;
	f->noted = true;
	for (size_t i = 0; i < f->n; i++) {
		const struct column *c = &f->kind->columns[i];

		if (!f->filled[i] && column_filled(c, table))
			f->filled[i] = true;
		if (f->chosen[i] && !f->alarmed[i] && alarms(c, table))
			f->alarmed[i] = true;
	}
}

bool
fields_drawn(const struct fields *f, int column)
{
	const struct column *c = &f->kind->columns[column];
	bool rests = c->value.per == PER_SUM || c->value.per == VALUE_PERCENTILE;

	if (!f->chosen[column])
		return false;
	return f->filled[column] || f->asked[column] || ((rests || !f->noted) && !(c->flags & COLUMN_OR_GAVG));
}
