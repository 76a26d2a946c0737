#include "sys/config.h"

#include <ini.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"

static struct config_entry *
find(struct config *c, const char *section, const char *key)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->entries[i].section, section) == 0 && strcmp(c->entries[i].key, key) == 0)
			return &c->entries[i];
	return NULL;
}

/* inih hands out each line of a long value with the same key. */
static int
on_pair(void *arg, const char *section, const char *key, const char *value)
{
	struct config *c = arg;
	struct config_entry *e = find(c, section, key);
	char *joined;

	if (e != NULL) {
		joined = xasprintf("%s %s", e->value, value);
		free(e->value);
		e->value = joined;
		return 1;
	}
	c->entries = xreallocarray(c->entries, c->n + 1, sizeof(*c->entries));
	c->entries[c->n++] = (struct config_entry) { xstrdup(section), xstrdup(key), xstrdup(value) };
	return 1;
}

struct config *
config_parse(const char *text, size_t len)
{
	struct config *c = xcalloc(1, sizeof(*c));
	char *copy = xstrndup(text, len);

	c->bad_line = ini_parse_string(copy, on_pair, c);
	free(copy);
	return c;
}

void
config_free(struct config *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->n; i++) {
		free(c->entries[i].section);
		free(c->entries[i].key);
		free(c->entries[i].value);
	}
	free(c->entries);
	free(c);
}
