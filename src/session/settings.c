#include "session/settings.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/xalloc.h"
#include "db/store.h"

#define SECOND UINT64_C(1000000000)

void
settings_init(struct settings *s)
{
	static const struct store_options store = { STORE_RETENTION_DEFAULTS };

	*s = (struct settings) {
		.charts = "auto",
		.background = "auto",
		.mouse = true,
		.full_rate_s = store.full_rate_s,
		.minute_s = store.minute_s,
		.cap_bytes = store.cap_bytes,
	};
	memcpy(s->limits, thresholds_default.rows, sizeof(s->limits));
	s->thresholds = thresholds_default;
	s->thresholds.rows = s->limits;
}

void
settings_clear(struct settings *s)
{
	for (size_t i = 0; i < s->n_views; i++) {
		free(s->views[i].name);
		free(s->views[i].fields);
		free(s->views[i].sort);
	}
	free(s->views);
	s->views = NULL;
	s->n_views = 0;
}

/* A number with a unit of one letter from `units`, each with its factor; no unit: times 1. *rest: what follows the unit. */
static bool
with_unit(const char *text, const char *units, const double *factors, double *value, const char **rest)
{
	char *end;
	const char *unit;

	*value = strtod(text, &end);
	*rest = end;
	if (end == text || !isfinite(*value))
		return false;
	if (*end == '\0')
		return true;
	unit = strchr(units, tolower((unsigned char)*end));
	if (unit == NULL)
		return false;
	*value *= factors[unit - units];
	*rest = end + 1;
	return true;
}

bool
settings_duration(const char *text, uint64_t *ns)
{
	static const double factors[] = { 1, 60, 3600, 86400 };
	const char *rest;
	double s;

	if (!with_unit(text, "smhd", factors, &s, &rest) || *rest != '\0' || !(s > 0) || s > 1e9)
		return false;
	*ns = (uint64_t)llround(s * 1e9);
	return true;
}

bool
settings_size(const char *text, uint64_t *bytes)
{
	static const double factors[] = { 0x1p10, 0x1p20, 0x1p30, 0x1p40, 0x1p50 };
	const char *rest;
	double value;

	if (!with_unit(text, "kmgtp", factors, &value, &rest) || value < 0 || value > 1e18)
		return false;
	if (*rest != '\0' && strcasecmp(rest, "b") != 0 && strcasecmp(rest, "ib") != 0)
		return false;
	*bytes = (uint64_t)llround(value);
	return true;
}

/* One of the words, copied; false where it is none of them. */
static bool
one_of(const char *value, const char *const *words, char *out, size_t size)
{
	for (; *words != NULL; words++) {
		if (strcmp(value, *words) == 0) {
			snprintf(out, size, "%s", value);
			return true;
		}
	}
	return false;
}

static bool
take_interval(struct settings *s, const char *value)
{
	uint64_t ns;

	if (!settings_duration(value, &ns) || ns < SECOND / 10)
		return false;
	s->interval_ns = ns;
	return true;
}

static bool
take_view(struct settings *s, const char *value)
{
	snprintf(s->view, sizeof(s->view), "%s", value);
	return strlen(value) < sizeof(s->view);
}

static bool
take_charts(struct settings *s, const char *value)
{
	static const char *const words[] = { "auto", "braille", "blocks", "ascii", NULL };

	return one_of(value, words, s->charts, sizeof(s->charts));
}

static bool
take_background(struct settings *s, const char *value)
{
	static const char *const words[] = { "auto", "dark", "light", NULL };

	return one_of(value, words, s->background, sizeof(s->background));
}

static bool
take_mouse(struct settings *s, const char *value)
{
	s->mouse = strcmp(value, "yes") == 0;
	return s->mouse || strcmp(value, "no") == 0;
}

static bool
take_names(struct settings *s, const char *value)
{
	static const char *const words[] = { "kernel", "mapper", "wwn", NULL };
	char word[8];

	if (!one_of(value, words, word, sizeof(word)))
		return false;
	s->naming = word[0] == 'k' ? NAMING_KERNEL : word[0] == 'm' ? NAMING_MAPPER : NAMING_WWN;
	return true;
}

static bool
take_seconds(uint64_t *seconds, const char *value)
{
	uint64_t ns;

	if (!settings_duration(value, &ns) || ns < SECOND)
		return false;
	*seconds = ns / SECOND;
	return true;
}

static bool
take_full_rate(struct settings *s, const char *value)
{
	return take_seconds(&s->full_rate_s, value);
}

static bool
take_minutes(struct settings *s, const char *value)
{
	return take_seconds(&s->minute_s, value);
}

static bool
take_cap(struct settings *s, const char *value)
{
	return settings_size(value, &s->cap_bytes);
}

static bool
take_least_ios(struct settings *s, const char *value)
{
	char *end;
	long n = strtol(value, &end, 10);

	if (end == value || *end != '\0' || n < 1 || n > 1000000)
		return false;
	s->thresholds.min_ios = (uint64_t)n;
	return true;
}

static bool
take_intervals(struct settings *s, const char *value)
{
	char *end;
	long n = strtol(value, &end, 10);

	if (end == value || *end != '\0' || n < 1 || n > 1000)
		return false;
	s->thresholds.min_intervals = (unsigned)n;
	return true;
}

static const struct key {
	const char *section, *key;
	bool (*take)(struct settings *, const char *value);
	const char *wanted;
} keys[] = {
	{ "stortop", "interval", take_interval, "a time from 0.1 s" },
	{ "stortop", "view", take_view, "the name of a screen" },
	{ "stortop", "names", take_names, "kernel, mapper or wwn" },
	{ "stortop", "charts", take_charts, "auto, braille, blocks or ascii" },
	{ "stortop", "background", take_background, "auto, dark or light" },
	{ "stortop", "mouse", take_mouse, "yes or no" },
	{ "thresholds", "least_ios", take_least_ios, "a number from 1" },
	{ "thresholds", "intervals", take_intervals, "a number from 1" },
	{ "retention", "full_rate", take_full_rate, "a time such as 48h" },
	{ "retention", "minutes", take_minutes, "a time such as 30d" },
	{ "retention", "cap", take_cap, "a size such as 2g, 0 for no limit" },
};

/* "25 50": warning and critical, in milliseconds. */
static bool
take_limit(struct threshold *limit, const char *value)
{
	double warn, crit;
	int n = 0;

	if (sscanf(value, "%lf %lf %n", &warn, &crit, &n) != 2 || value[n] != '\0')
		return false;
	if (!(warn > 0) || !(crit >= warn) || !isfinite(crit))
		return false;
	limit->warn_ms = warn;
	limit->crit_ms = crit;
	return true;
}

static struct threshold *
find_limit(struct settings *s, const char *class_key)
{
	for (size_t i = 0; i < VERDICT_CLASSES; i++)
		if (strcmp(s->limits[i].class_key, class_key) == 0)
			return &s->limits[i];
	return NULL;
}

static struct settings_view *
view_of(struct settings *s, const char *name)
{
	for (size_t i = 0; i < s->n_views; i++)
		if (strcmp(s->views[i].name, name) == 0)
			return &s->views[i];
	s->views = xreallocarray(s->views, s->n_views + 1, sizeof(*s->views));
	s->views[s->n_views] = (struct settings_view) { .name = xstrdup(name) };
	return &s->views[s->n_views++];
}

static bool
take_view_entry(struct settings *s, const struct config_entry *e)
{
	struct settings_view *view;
	char **text;

	if (strcmp(e->key, "fields") != 0 && strcmp(e->key, "sort") != 0)
		return false;
	view = view_of(s, e->section);
	text = e->key[0] == 'f' ? &view->fields : &view->sort;
	free(*text);
	*text = xstrdup(e->value);
	return true;
}

/* NULL where all is well, else what was wanted instead. */
static const char *
take_entry(struct settings *s, const struct config_entry *e)
{
	struct threshold *limit;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(keys[i].section, e->section) == 0 && strcmp(keys[i].key, e->key) == 0)
			return keys[i].take(s, e->value) ? NULL : keys[i].wanted;
	limit = strcmp(e->section, "thresholds") == 0 ? find_limit(s, e->key) : NULL;
	if (limit != NULL)
		return take_limit(limit, e->value) ? NULL : "two times in ms, warning and critical";
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(keys[i].section, e->section) == 0)
			return "no such key";
	return take_view_entry(s, e) ? NULL : "no such key";
}

size_t
settings_take(struct settings *s, const struct config *config, char *why, size_t size)
{
	size_t bad = 0;

	if (config->bad_line > 0) {
		snprintf(why, size, "line %d cannot be understood", config->bad_line);
		bad = 1;
	}
	for (size_t i = 0; i < config->n; i++) {
		const struct config_entry *e = &config->entries[i];
		const char *wanted = take_entry(s, e);

		if (wanted != NULL && bad++ == 0)
			snprintf(why, size, "[%s] %s = %.40s: %s", e->section, e->key, e->value, wanted);
	}
	return bad;
}
