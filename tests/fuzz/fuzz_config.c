#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "session/settings.h"
#include "sys/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static const struct config_change changes[] = {
	{ "stortop", "interval", "5" },
	{ "devices", "fields", "cmds_s reads_s" },
};

static const char *
value_of(const struct config *c, const char *section, const char *key)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->entries[i].section, section) == 0 && strcmp(c->entries[i].key, key) == 0)
			return c->entries[i].value;
	return NULL;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config *c = config_parse((const char *)data, size);
	char *text = strndup((const char *)data, size), *once, *twice;
	struct settings settings;
	char why[64];

	settings_init(&settings);
	settings_take(&settings, c, why, sizeof(why));
	settings_clear(&settings);
	config_free(c);
	/* writing the same again changes nothing */
	once = config_rewrite(text, changes, 2);
	twice = config_rewrite(once, changes, 2);
	if (strcmp(once, twice) != 0)
		abort();
	/* what was written into a file that made sense is read back from it */
	c = config_parse(text, strlen(text));
	if (c->bad_line == 0 && strpbrk(text, "\r\v\f") == NULL) {
		struct config *again = config_parse(once, strlen(once));
		const char *value = value_of(again, "devices", "fields");

		if (again->bad_line == 0 && (value == NULL || strncmp(value, "cmds_s reads_s", 14) != 0))
			abort();
		config_free(again);
	}
	config_free(c);
	free(once);
	free(twice);
	free(text);
	return 0;
}
