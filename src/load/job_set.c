/*
 * Setters of the simple types, and those of the options that say how a job runs.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "load/job_number.h"
#include "load/job_option.h"
#include "load/pool.h"

bool
job_problem(struct job_setting *s, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(s->problem, sizeof(s->problem), format, ap);
	va_end(ap);
	return false;
}

char *
job_cut(char *text, const char *separators)
{
	int depth = 0;

	for (; *text != '\0'; text++) {
		if (*text == '(')
			depth++;
		else if (*text == ')' && depth > 0)
			depth--;
		else if (depth == 0 && strchr(separators, *text) != NULL) {
			*text = '\0';
			return text + 1;
		}
	}
	return NULL;
}

char *
job_trim(char *text)
{
	size_t len;

	while (isspace((unsigned char)*text))
		text++;
	len = strlen(text);
	while (len > 0 && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	return text;
}

size_t
job_ways(struct job_setting *s, char *ways[static 3])
{
	char *rest = pool_strdup(s->pool, s->value);
	size_t n = 0;

	while (rest != NULL && n < 3) {
		ways[n] = rest;
		rest = job_cut(rest, ",");
		ways[n] = job_trim(ways[n]);
		n++;
	}
	if (rest == NULL)
		return n;
	job_problem(s, "%s: at most three values: for reads, writes and trims", s->value);
	return 0;
}

static void *
place(struct job_setting *s)
{
	return (char *)s->draft + s->option->at;
}

/* Units are fio's here too: number_ios=1m are 1048576. */
static bool
take_count(struct job_setting *s, uint64_t *value)
{
	const struct job_option *o = s->option;

	if (number_bytes(s->value, s->draft->kb_base, value) && *value >= o->min && *value <= o->max)
		return true;
	return job_problem(s, "%s: not a whole number from %llu to %llu", s->value, (unsigned long long)o->min,
	    (unsigned long long)o->max);
}

bool
set_u64(struct job_setting *s)
{
	return take_count(s, place(s));
}

bool
set_u32(struct job_setting *s)
{
	uint64_t value = 0;

	if (!take_count(s, &value))
		return false;
	*(unsigned *)place(s) = (unsigned)value;
	return true;
}

static bool
take_bool(struct job_setting *s, bool *value)
{
	uint64_t number;

	if (!number_count(s->value, &number) || number > 1)
		return job_problem(s, "%s: must be 0 or 1", s->value);
	*value = number == 1;
	return true;
}

bool
set_bool(struct job_setting *s)
{
	return take_bool(s, place(s));
}

bool
set_not(struct job_setting *s)
{
	bool value = false;

	if (!take_bool(s, &value))
		return false;
	*(bool *)place(s) = !value;
	return true;
}

bool
set_size(struct job_setting *s)
{
	struct job_size *size = place(s);
	size_t len = strlen(s->value);
	uint64_t value;

	if (len == 0 || s->value[len - 1] != '%') {
		if (!number_bytes(s->value, s->draft->kb_base, &value))
			return job_problem(s, "%s: not a size like 4096, 8k, 1g or 20%%", s->value);
		*size = (struct job_size){ .bytes = value };
		return true;
	}
	if (!number_count(pool_strndup(s->pool, s->value, len - 1), &value) || value > s->option->max)
		return job_problem(s, "%s: not a whole number of per cent from 0 to %llu", s->value, (unsigned long long)s->option->max);
	*size = (struct job_size){ .pct = (double)value };
	return true;
}

bool
set_time(struct job_setting *s)
{
	if (number_time(s->value, s->option->min, place(s)))
		return true;
	return job_problem(s, "%s: not a time like 90, 500ms, 5m or 2h", s->value);
}

/* Of the others fio refuses to guess what is meant. */
bool
job_option_may_be_bare(const struct job_option *o)
{
	return o->set == NULL || o->set == set_bool || o->set == set_not || o->set == set_only || o->set == set_zero_buffers;
}

bool
set_text(struct job_setting *s)
{
	*(const char **)place(s) = pool_strdup(s->pool, s->value);
	return true;
}

bool
set_only(struct job_setting *s)
{
	char *words = pool_strndup(s->pool, s->option->text, strcspn(s->option->text, ":")), *word;
	const char *why = strchr(s->option->text, ':');

	while ((word = strsep(&words, " ")) != NULL)
		if (strcmp(word, s->value) == 0)
			return true;
	return job_problem(s, "%s: not supported: %s", s->value, why != NULL ? job_trim(pool_strdup(s->pool, why + 1)) : "");
}

bool
set_startdelay(struct job_setting *s)
{
	char *from = pool_strdup(s->pool, s->value), *to = job_cut(from, "-:");
	struct job *job = &s->draft->job;

	s->draft->delay = s->line;
	if (!number_time(job_trim(from), 1000000000, &job->delay_min_ns))
		return job_problem(s, "%s: not a time like 90, 500ms or 5-10", s->value);
	job->delay_max_ns = job->delay_min_ns;
	if (to == NULL)
		return true;
	if (!number_time(job_trim(to), 1000000000, &job->delay_max_ns) || job->delay_max_ns < job->delay_min_ns)
		return job_problem(s, "%s: not a range of times like 5-10", s->value);
	return true;
}

bool
set_engine(struct job_setting *s)
{
	static const struct {
		const char *name;
		enum job_engine engine;
		bool synchronous;
	} engines[] = {
		{ "io_uring", ENGINE_URING, false }, { "libaio", ENGINE_AIO, false }, { "null", ENGINE_NULL, false },
		{ "psync", ENGINE_PSYNC, true }, { "sync", ENGINE_PSYNC, true }, { "vsync", ENGINE_PSYNC, true },
		{ "pvsync", ENGINE_PSYNC, true }, { "pvsync2", ENGINE_PSYNC, true },
	};

	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++)
		if (strcmp(s->value, engines[i].name) == 0) {
			s->draft->job.engine = engines[i].engine;
			s->draft->depth_stays_one = engines[i].synchronous;
			return true;
		}
	return job_problem(s, "%s: not supported: io_uring, libaio, psync (sync, vsync, pvsync, pvsync2) or null", s->value);
}

bool
set_depth(struct job_setting *s)
{
	s->draft->depth = s->line;
	return set_u32(s);
}

/* The sections that it names may stand below. */
bool
set_phases(struct job_setting *s)
{
	s->draft->phases = s->line;
	return true;
}

bool
set_sync(struct job_setting *s)
{
	if (strcmp(s->value, "none") == 0 || strcmp(s->value, "0") == 0)
		s->draft->job.sync = false;
	else if (strcmp(s->value, "sync") == 0 || strcmp(s->value, "1") == 0)
		s->draft->job.sync = true;
	else
		return job_problem(s, "%s: not supported: 0, none, 1 or sync", s->value);
	return true;
}

bool
set_kb_base(struct job_setting *s)
{
	if (strcmp(s->value, "1024") != 0 && strcmp(s->value, "1000") != 0)
		return job_problem(s, "%s: must be 1024 or 1000", s->value);
	s->draft->kb_base = s->value[2] == '2' ? 1024 : 1000;
	return true;
}

/* Nothing is left of such a buffer when it is compressed. */
bool
set_zero_buffers(struct job_setting *s)
{
	bool value = false;

	if (!take_bool(s, &value))
		return false;
	if (value)
		s->draft->job.compress_pct = 100;
	return true;
}
