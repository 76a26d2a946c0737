/*
 * The values of options: each setter says what is wrong in one line and takes nothing by default.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/when.h"
#include "core/xalloc.h"
#include "session/settings.h"

#define SHORTEST_NS UINT64_C(100000000)
#define LONGEST_NS (UINT64_C(86400) * 1000000000)

static int
set_interval(struct options *o, const char *text)
{
	if (span_parse(text, &o->interval_ns) < 0 || o->interval_ns < SHORTEST_NS || o->interval_ns > LONGEST_NS) {
		cmd_warn("-d %s: not a number of seconds from 0.1 to 86400", text);
		return -EINVAL;
	}
	o->interval_given = true;
	return 0;
}

static int
set_rows(struct options *o, const char *text)
{
	char *end;

	errno = 0;
	o->rows = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || *end != '\0' || errno != 0 || o->rows == 0) {
		cmd_warn("-n %s: not a whole number of 1 or more", text);
		return -EINVAL;
	}
	return 0;
}

static int
set_every(struct options *o, const char *text)
{
	if (span_parse(text, &o->every_ns) < 0 || o->every_ns < SHORTEST_NS) {
		cmd_warn("--every %s: not a span of 0.1 s or more, like 10, 90s, 5m, 2h", text);
		return -EINVAL;
	}
	return 0;
}

static int
set_when(const char *option, int64_t *ms, const char *text)
{
	if (when_parse(text, (int64_t)time(NULL) * 1000, ms) < 0) {
		cmd_warn("%s %s: not a time like 5m (ago), 14:30, 2026-11-30 or 2026-11-30T14:30:00Z", option, text);
		return -EINVAL;
	}
	return 0;
}

/* Index of the word among n, or -1 with a message. */
int
options_choose(const char *option, const char *text, const char *const *words, size_t n)
{
	char all[160] = "";

	for (size_t i = 0; i < n; i++) {
		if (strcmp(text, words[i]) == 0)
			return (int)i;
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i > 0 ? ", " : "", words[i]);
	}
	cmd_warn("%s %s: must be one of %s", option, text, all);
	return -1;
}

static int
set_format(struct options *o, const char *text)
{
	static const char *const words[] = { "pdh", "tidy", "json" };
	int i = options_choose("--format", text, words, 3);

	o->format = (enum out_format)i;
	return i < 0 ? -EINVAL : 0;
}

static int
set_names(struct options *o, const char *text)
{
	static const char *const words[] = { "kernel", "mapper", "wwn" };
	int i = options_choose("--names", text, words, 3);

	o->naming = (enum naming)i;
	return i < 0 ? -EINVAL : 0;
}

static int
add_kind(struct options *o, const char *text)
{
	const struct kind *kind = kind_find(text);

	if (kind == NULL) {
		cmd_warn("--kind %s: there is no such kind; stortop --help lists them", text);
		return -EINVAL;
	}
	o->kinds = xreallocarray(o->kinds, o->n_kinds + 1, sizeof(*o->kinds));
	o->kinds[o->n_kinds++] = kind;
	return 0;
}

static int
set_filter(struct options *o, const char *text)
{
	char why[120];
	int rc;

	if (o->filter_text != NULL) {
		cmd_warn("--filter %s: given twice; use one expression with |", text);
		return -EINVAL;
	}
	rc = regcomp(&o->filter, text, REG_EXTENDED | REG_NOSUB);
	if (rc != 0) {
		regerror(rc, &o->filter, why, sizeof(why));
		cmd_warn("--filter %s: %s", text, why);
		return -EINVAL;
	}
	o->filter_text = text;
	return 0;
}

static int
set_path(const char *option, const char **place, const char *text)
{
	if (text[0] == '\0') {
		cmd_warn("%s: the name is empty", option);
		return -EINVAL;
	}
	*place = text;
	return 0;
}

static int
set_bytes(const char *option, uint64_t *bytes, const char *text)
{
	if (!settings_size(text, bytes) || *bytes == 0) {
		cmd_warn("%s %s: not a size like 512m, 10g or 1073741824", option, text);
		return -EINVAL;
	}
	return 0;
}

static int
set_span(const char *option, uint64_t *ns, const char *text)
{
	if (span_parse(text, ns) < 0) {
		cmd_warn("%s %s: not a span like 30, 90s, 5m, 2h", option, text);
		return -EINVAL;
	}
	return 0;
}

static int
set_runtime(struct options *o, const char *text)
{
	if (set_span("--runtime", &o->run.runtime_ns, text) < 0)
		return -EINVAL;
	if (o->run.runtime_ns < SHORTEST_NS) {
		cmd_warn("--runtime %s: 0.1 s or more", text);
		return -EINVAL;
	}
	return 0;
}

static int
set_repeat(struct options *o, const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (!isdigit((unsigned char)text[0]) || *end != '\0' || n < 1 || n > 1000) {
		cmd_warn("--repeat %s: not a whole number from 1 to 1000", text);
		return -EINVAL;
	}
	o->run.repeat = (unsigned)n;
	return 0;
}

static int
set_start(struct options *o, const char *text)
{
	if (when_next_parse(text, (int64_t)time(NULL) * 1000, &o->run.start_at_ms) < 0) {
		cmd_warn("--start-at %s: not a time to come, like 14:30, 14:30:05, 2026-11-30T14:30:00Z or 90s (from now)", text);
		return -EINVAL;
	}
	return 0;
}

/* What goes with run, report, compare and export --run. */
static int
apply_run(struct options *o, int id, const char *arg)
{
	uint64_t bytes;

	switch (id) {
	case OPT_RUNTIME:
		return set_runtime(o, arg);
	case OPT_RAMP:
		return set_span("--ramp", &o->run.ramp_ns, arg);
	case OPT_FULL:
		o->run.full = true;
		return 0;
	case OPT_SIZE:
		return set_bytes("--size", &o->run.size_bytes, arg);
	case OPT_REPEAT:
		return set_repeat(o, arg);
	case OPT_NAME:
		return set_path("--name", &o->run.name, arg);
	case OPT_START_AT:
		return set_start(o, arg);
	case OPT_DESTROY:
		o->run.destroy = arg;
		return 0;
	case OPT_IN_USE:
		o->run.in_use = true;
		return 0;
	case OPT_ARRAY_CACHE:
		if (set_bytes("--array-cache", &bytes, arg) < 0)
			return -EINVAL;
		o->run.array_cache_bytes = (double)bytes;
		return 0;
	case OPT_KEEP:
		o->run.keep = true;
		return 0;
	case OPT_SUM:
		o->sum = true;
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_RUN:
		return set_path("--run", &o->export_run, arg);
	case OPT_ELAPSED:
		o->elapsed = true;
		return 0;
	default:
		return -EINVAL;
	}
}

static int
add_capture(struct options *o, const char *text)
{
	int rc = captures_add(&o->captures, text);

	if (rc == -EINVAL)
		cmd_warn("--capture %s: not the name of an interface; `ip link` lists them", text);
	else if (rc < 0)
		cmd_warn("--capture %s: at most %d interfaces", text, CAPTURES_MOST);
	return rc;
}

int
options_apply(struct options *o, int id, const char *arg)
{
	switch (id) {
	case 'a':
		o->all = true;
		return 0;
	case 'b':
		return 0;
	case 'd':
		return set_interval(o, arg);
	case 'n':
		return set_rows(o, arg);
	case OPT_DB:
		return set_path("--db", &o->db, arg);
	case OPT_NO_RECORD:
		o->no_record = true;
		return 0;
	case OPT_ROOT:
		return set_path("--root", &o->root, arg);
	case OPT_CONFIG:
		return set_path("--config", &o->config, arg);
	case OPT_CAPTURE:
		return add_capture(o, arg);
	case OPT_FORMAT:
		return set_format(o, arg);
	case OPT_KIND:
		return add_kind(o, arg);
	case OPT_FILTER:
		return set_filter(o, arg);
	case OPT_NAMES:
		return set_names(o, arg);
	case OPT_FROM:
		return set_when("--from", &o->from_ms, arg);
	case OPT_TO:
		return set_when("--to", &o->to_ms, arg);
	case OPT_EVERY:
		return set_every(o, arg);
	default:
		return apply_run(o, id, arg);
	}
}

