#include "views/table.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"

void
table_init(struct table *t, const struct view *view)
{
	*t = (struct table) { .view = view };
	fields_init(&t->fields, view);
	t->sort = table_sort_first(view);
}

int
table_sort_first(const struct view *view)
{
	return view->by_name ? SORT_NAME : kind_column_flagged(view->kind, COLUMN_IOPS);
}

void
table_clear(struct table *t)
{
	char why[1];

	fields_clear(&t->fields);
	table_filter(t, NULL, why, sizeof(why));
	table_search(t, NULL);
	keyset_clear(&t->open);
	keyset_clear(&t->away);
	for (size_t i = 0; i < TABLE_MAPS; i++)
		free(t->maps[i].columns);
	free(t->lines);
	free(t->columns);
}

static struct column_map *
make_map(struct table *t, struct column_map *m, const struct kind *kind)
{
	const struct kind *own = t->view->kind;

	m->kind = kind;
	m->columns = xreallocarray(m->columns, own->n_columns, sizeof(*m->columns));
	for (size_t i = 0; i < own->n_columns; i++)
		m->columns[i] = kind_column(kind, own->columns[i].key);
	return m;
}

int
table_column_in(struct table *t, const struct kind *kind, int column)
{
	struct column_map *m = NULL;

	if (kind == t->view->kind || column < 0)
		return column;
	for (size_t i = 0; i < TABLE_MAPS && m == NULL; i++) {
		if (t->maps[i].kind == kind)
			m = &t->maps[i];
		else if (t->maps[i].kind == NULL || i + 1 == TABLE_MAPS)
			m = make_map(t, &t->maps[i], kind);
	}
	return m->columns[column];
}

const struct row *
table_selected(const struct table *t)
{
	return t->selected < t->n ? t->lines[t->selected].row : NULL;
}

void
table_select(struct table *t, size_t line)
{
	if (t->n == 0)
		return;
	t->selected = line < t->n ? line : t->n - 1;
	t->selected_key = t->lines[t->selected].key;
}

void
table_move(struct table *t, int by)
{
	size_t back = by < 0 ? (size_t)-by : 0;

	if (by >= 0)
		table_select(t, t->selected + (size_t)by);
	else
		table_select(t, t->selected > back ? t->selected - back : 0);
}

void
table_home(struct table *t)
{
	/* at the top the selection stays with the place: whatever is busiest */
	t->selected = 0;
	t->selected_key = 0;
	t->top = 0;
}

void
table_end(struct table *t)
{
	table_select(t, t->n);
}

bool
table_select_object(struct table *t, uint64_t uid)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->lines[i].row->object->uid == uid) {
			table_select(t, i);
			return true;
		}
	}
	return false;
}

/* The same object may stand at several places of a tree, each opened on its own. */
uint64_t
table_line_key(uint64_t above, uint64_t uid)
{
	uint64_t key = (above ^ uid * UINT64_C(0x9E3779B97F4A7C15)) * UINT64_C(0xD6E8FEB86659FD93);

	return key != 0 ? key : 1;
}

void
table_open_object(struct table *t, uint64_t uid)
{
	keyset_add(&t->open, table_line_key(0, uid));
}

bool
table_toggle(struct table *t)
{
	const struct line *line = t->selected < t->n ? &t->lines[t->selected] : NULL;

	if (line == NULL || !line->parent)
		return false;
	if (line->open)
		keyset_remove(&t->open, line->key);
	else
		keyset_add(&t->open, line->key);
	/* what was opened must not run away with the next interval */
	t->selected_key = line->key;
	return true;
}

void
table_take_away(struct table *t)
{
	if (t->selected < t->n)
		keyset_add(&t->away, t->lines[t->selected].key);
	t->selected_key = 0;
}

void
table_sort(struct table *t, int column)
{
	t->sort = column;
	t->reverse = false;
}

void
table_sort_next(struct table *t, int by)
{
	/* place 0 is the name */
	int at = 0, n = (int)t->n_columns;

	for (int i = 0; i < n; i++)
		if (t->columns[i] == t->sort)
			at = i + 1;
	at = (at + by + n + 1) % (n + 1);
	table_sort(t, at == 0 ? SORT_NAME : t->columns[at - 1]);
}

bool
table_sort_parse(struct table *t, const char *text)
{
	size_t len = strcspn(text, " \t");
	char *key = xstrndup(text, len);
	const char *rest = text + len + strspn(text + len, " \t");
	int column = strcmp(key, "name") == 0 ? SORT_NAME : kind_column(t->view->kind, key);
	bool ok = (column != -1 || strcmp(key, "name") == 0) && (*rest == '\0' || strcmp(rest, "reverse") == 0);

	if (ok) {
		table_sort(t, column);
		t->reverse = *rest != '\0';
	}
	free(key);
	return ok;
}

char *
table_sort_format(const struct table *t)
{
	const char *key = t->sort >= 0 ? t->view->kind->columns[t->sort].key : "name";

	return xasprintf("%s%s", key, t->reverse ? " reverse" : "");
}

int
table_filter(struct table *t, const char *regex, char *why, size_t size)
{
	regex_t compiled;
	int error = 0;

	if (regex != NULL && regex[0] != '\0')
		error = regcomp(&compiled, regex, REG_EXTENDED | REG_ICASE | REG_NOSUB);
	if (error != 0) {
		regerror(error, &compiled, why, size);
		return -EINVAL;
	}
	if (t->filter_text != NULL) {
		regfree(&t->filter);
		free(t->filter_text);
		t->filter_text = NULL;
	}
	if (regex != NULL && regex[0] != '\0') {
		t->filter = compiled;
		t->filter_text = xstrdup(regex);
	}
	return 0;
}

void
table_search(struct table *t, const char *text)
{
	char *copy = text != NULL && text[0] != '\0' ? xstrdup(text) : NULL;

	free(t->search);
	t->search = copy;
}

static bool
line_matches(const struct table *t, const struct line *line)
{
	char what[512];

	view_what(t->view, line->row->object, line->name, NULL, what, sizeof(what));
	return strcasestr(line->name, t->search) != NULL || strcasestr(line->row->object->name, t->search) != NULL ||
	    strcasestr(what, t->search) != NULL;
}

bool
table_find(struct table *t, bool again)
{
	for (size_t i = 0; t->search != NULL && i < t->n; i++) {
		size_t at = (t->selected + i + (again ? 1 : 0)) % t->n;

		if (line_matches(t, &t->lines[at])) {
			table_select(t, at);
			return true;
		}
	}
	return false;
}
