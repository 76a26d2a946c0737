#include "views/apply.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/format.h"
#include "core/xalloc.h"

static void
complain(size_t *bad, char *why, size_t size, const char *section, const char *key, const char *value)
{
	if ((*bad)++ == 0)
		snprintf(why, size, "[%s] %s: there is no %.*s", section, key, (int)strcspn(value, " \t"), value);
}

static struct table *
table_named(struct screen *s, const char *name, size_t *index)
{
	for (size_t i = 0; i < SCREEN_VIEWS; i++) {
		if (strcmp(view_table[i]->name, name) == 0) {
			*index = i;
			return &s->tables[i];
		}
	}
	return NULL;
}

static void
apply_view(struct screen *s, const struct settings_view *v, size_t *bad, char *why, size_t size)
{
	size_t index;
	struct table *t = table_named(s, v->name, &index);
	const char *unknown;

	if (t == NULL) {
		if ((*bad)++ == 0)
			snprintf(why, size, "[%s]: there is no such screen", v->name);
		return;
	}
	t->in_file = true;
	if (v->fields != NULL && !fields_parse(&t->fields, v->fields, &unknown))
		complain(bad, why, size, v->name, "fields", unknown);
	if (v->sort != NULL && !table_sort_parse(t, v->sort))
		complain(bad, why, size, v->name, "sort", v->sort);
}

static enum charset
charset_named(const char *name)
{
	for (int i = 0; i < CHARSET_COUNT; i++)
		if (strcmp(charset_name[i], name) == 0)
			return (enum charset)i;
	return CHARSET_AUTO;
}

size_t
screen_apply(struct screen *s, const struct settings *settings, char *why, size_t size)
{
	size_t bad = 0, index = 0;

	s->charts = charset_named(settings->charts);
	s->naming = settings->naming;
	if (settings->view[0] != '\0') {
		if (table_named(s, settings->view, &index) != NULL)
			s->view = index;
		else
			complain(&bad, why, size, "stortop", "view", settings->view);
	}
	for (size_t i = 0; i < settings->n_views; i++)
		apply_view(s, &settings->views[i], &bad, why, size);
	screen_rebuild(s);
	return bad;
}

struct changes {
	size_t n;
	struct config_change *list;
};

/* Takes the value over. */
static void
add(struct changes *c, const char *section, const char *key, char *value)
{
	c->list = xreallocarray(c->list, c->n + 1, sizeof(*c->list));
	c->list[c->n++] = (struct config_change) { section, key, value };
}

/* A view that is as it was made, and of which the file says nothing, is left out. */
static void
add_view(struct changes *c, const struct table *t)
{
	int first = table_sort_first(t->view);

	if (t->fields.by_user || t->in_file)
		add(c, t->view->name, "fields", t->fields.by_user ? fields_format(&t->fields) : xstrdup(""));
	if (t->sort != first || t->reverse || t->in_file)
		add(c, t->view->name, "sort", table_sort_format(t));
}

struct config_change *
screen_changes(struct screen *s, size_t *n)
{
	static const char *const names[] = { "kernel", "mapper", "wwn" };
	struct changes c = { .n = 0 };
	char number[FORMAT_MAX];

	format_number(number, (double)s->interval_ns / 1e9);
	add(&c, "stortop", "interval", xstrdup(number));
	add(&c, "stortop", "view", xstrdup(view_table[view_tab(s->view)]->name));
	add(&c, "stortop", "names", xstrdup(names[s->naming]));
	add(&c, "stortop", "charts", xstrdup(charset_name[s->charts]));
	for (size_t i = 0; i < SCREEN_VIEWS; i++)
		add_view(&c, &s->tables[i]);
	*n = c.n;
	return c.list;
}

void
changes_free(struct config_change *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free((void *)(uintptr_t)list[i].value);
	free(list);
}
