#include "load/job.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "load/job_number.h"
#include "load/job_option.h"
#include "load/job_text.h"
#include "load/pool.h"

#define MOST_WORKERS 4096
#define MOST_PHASES 256
#define MOST_NOTES 200

/* A file and what it points into. */
struct owner {
	struct job_file file;	/* first: job_free() finds the rest by it */
	struct pool pool;
};

struct parser {
	struct owner *owner;
	struct job_text text;
	struct job_draft *drafts;	/* of the sections that are jobs, in their order */
	size_t n_drafts;
	const char **notes;
	size_t n_notes;
	char *why;
	size_t size;
};

__attribute__((format(printf, 4, 5))) static int
refuse(struct parser *p, const char *file, unsigned line, const char *format, ...)
{
	va_list ap;
	int n = snprintf(p->why, p->size, "%s:%u: ", file, line);

	if (n >= 0 && (size_t)n < p->size) {
		va_start(ap, format);
		vsnprintf(p->why + n, p->size - (size_t)n, format, ap);
		va_end(ap);
	}
	return -EINVAL;
}

static void
note(struct parser *p, const struct job_line *line, const char *before, const char *text)
{
	if (p->n_notes < MOST_NOTES)
		p->notes[p->n_notes++] =
		    pool_printf(&p->owner->pool, "%s:%u: %s: %s%s", line->file, line->line, line->key, before, text);
}

/* fio's defaults. */
static void
draft_init(struct job_draft *d)
{
	*d = (struct job_draft){
		.kb_base = 1024,
		.mix_read = 50,
		.job = {
			.nrfiles = 1, .iodepth = 1, .numjobs = 1, .loops = 1, .randrepeat = true,
			.pattern = {
				.random_pct = { 100, 100 }, .bs = { 4096, 4096 }, .bs_max = { 4096, 4096 }, .repeat = 1,
				.centre = -1, .random_map = true, .think_blocks = 1, .burst = 1,
			},
		},
	};
}

static int
apply(struct parser *p, struct job_draft *d, const struct job_line *line, const struct job_option *option)
{
	struct job_setting setting = { .draft = d, .option = option, .line = line, .pool = &p->owner->pool,
		.value = line->value != NULL ? line->value : "1" };

	if (option->set == NULL && !option->ignored)
		return refuse(p, line->file, line->line, "%s: not supported: %s", line->key, option->text);
	if (line->unset != NULL && *setting.value == '\0')
		return refuse(p, line->file, line->line, "%s: needs a value: %s is not set in the environment", line->key, line->unset);
	if (!job_option_may_be_bare(option) && (line->value == NULL || (*line->value == '\0' && option->set != set_text)))
		return refuse(p, line->file, line->line, "%s: needs a value: %s", line->key, option->text);
	if (option->set != NULL && !option->set(&setting))
		return refuse(p, line->file, line->line, "%s: %s", line->key, setting.problem);
	if (option->ignored)
		note(p, line, "ignored: ", option->text);
	return 0;
}

/* fio loses the unit of a number that has a blank before it: "bs = 8k" are 8 bytes to it, which nobody means. */
static void
note_blanks(struct parser *p, const struct job_line *line)
{
	size_t len = line->value != NULL ? strlen(line->value) : 0;

	if (line->spaced && len > 1 && isdigit((unsigned char)line->value[0]) && isalpha((unsigned char)line->value[len - 1]))
		note(p, line, line->value, " with its unit, which fio does not read behind a blank");
}

static int
apply_section(struct parser *p, struct job_draft *d, const struct job_section *section)
{
	int rc = 0;

	for (int first = 1; first >= 0; first--)
		for (size_t i = 0; i < section->n_lines && rc == 0; i++) {
			const struct job_line *line = &section->lines[i];
			const struct job_option *option = job_option_find(line->key);

			if (option == NULL && first == 0)
				rc = refuse(p, line->file, line->line, "%s: not a known option", line->key);
			else if (option != NULL && option->first == (first == 1))
				rc = apply(p, d, line, option);
			if (first == 0)
				note_blanks(p, line);
		}
	return rc;
}

/* With filesize the area is that of nrfiles such files, and size is the amount only. */
static int
finish_size(struct parser *p, const struct job_section *section, struct job *job)
{
	uint64_t total, amount = job->size.bytes;

	if (job->filesize.bytes == 0)
		return 0;
	if (__builtin_mul_overflow(job->filesize.bytes, job->nrfiles, &total))
		return refuse(p, section->file, section->line, "filesize: %u files of that size are too large", job->nrfiles);
	if (job->size.pct > 0)
		amount = (uint64_t)((double)total * job->size.pct / 100);
	if (amount > 0 && amount < total && job->io_size.bytes == 0 && job->io_size.pct == 0)
		job->io_size = (struct job_size){ .bytes = amount };
	job->size = (struct job_size){ .bytes = total };
	return 0;
}

static void
finish_delay(struct parser *p, struct job_draft *d)
{
	if (d->delay != NULL && d->job.stonewall && d->job.delay_max_ns > 0 && p->n_drafts > 1)
		note(p, d->delay, "", "counts from the end of the sections above; fio counts from the start of the run");
}

static void
finish_depth(struct parser *p, struct job_draft *d)
{
	if (d->depth == NULL || d->job.iodepth == 1)
		return;
	if (d->depth_stays_one) {
		d->job.iodepth = 1;
		note(p, d->depth, "", "1, as a synchronous ioengine has it; numjobs makes more workers");
	} else if (d->job.engine == ENGINE_AUTO) {
		note(p, d->depth, "", "kept by an asynchronous engine; fio without ioengine would do one I/O at a time");
	}
}

/* Places that are not the blocks' own: which blocks had their turn says nothing then, and fio drops its map too. */
static bool
places_apart(const struct job_pattern *pattern)
{
	for (int dir = 0; dir < JOB_DIRS; dir++)
		if (pattern->align[dir] != 0 && pattern->align[dir] != pattern->bs[dir])
			return true;
	return false;
}

static int
finish(struct parser *p, const struct job_section *section, struct job_draft *d)
{
	struct job *job = &d->job;

	if (job->name == NULL)
		job->name = section->name;
	job->line = section->line;
	job->pattern.read_pct = d->rw == RW_READ ? 100 : d->rw == RW_WRITE ? 0 : d->mix_read;
	if (job->pattern.distribution != DIST_RANDOM || !job->pattern.random || places_apart(&job->pattern))
		job->pattern.random_map = false;
	if (job->time_based)
		job->number_ios = 0;	/* fio begins anew, as it does at the end of the area */
	if (d->idle)
		job->numjobs = 0;
	finish_depth(p, d);
	finish_delay(p, d);
	return finish_size(p, section, job);
}

/* Defaults hold for the sections below them, so that one pass is enough. */
static int
make_drafts(struct parser *p)
{
	struct job_draft defaults;
	int rc = 0;

	p->drafts = xcalloc(p->text.n_sections + 1, sizeof(*p->drafts));
	draft_init(&defaults);
	for (size_t i = 0; i < p->text.n_sections && rc == 0; i++) {
		const struct job_section *section = &p->text.sections[i];
		struct job_draft *d = &p->drafts[p->n_drafts];

		if (section->global) {
			rc = apply_section(p, &defaults, section);
			continue;
		}
		*d = defaults;
		p->n_drafts++;
		rc = apply_section(p, d, section);
		if (rc == 0)
			rc = finish(p, section, d);
	}
	return rc;
}

static struct job_draft *
find_draft(struct parser *p, const char *name)
{
	for (size_t i = 0; i < p->n_drafts; i++)
		if (strcmp(p->drafts[i].job.name, name) == 0)
			return &p->drafts[i];
	return NULL;
}

/* "NAME/TIME": the section is a pattern from now on, and no worker of its own. */
static int
make_phase(struct parser *p, const struct job_line *line, char *text, struct job_phase *phase, bool *pattern_only)
{
	char *slash = strrchr(text, '/');
	struct job_draft *d;

	if (slash == NULL || !number_time(job_trim(slash + 1), UINT64_C(1000000000), &phase->ns) || phase->ns == 0)
		return refuse(p, line->file, line->line, "%s: %s: not a section and its time, like reads/60", line->key, text);
	*slash = '\0';
	phase->name = job_trim(text);
	d = find_draft(p, phase->name);
	if (d == NULL)
		return refuse(p, line->file, line->line, "%s: there is no section [%s]", line->key, phase->name);
	if (d->phases != NULL || d->idle)
		return refuse(p, line->file, line->line, "%s: [%s] has no pattern of its own", line->key, phase->name);
	phase->pattern = d->job.pattern;
	pattern_only[d - p->drafts] = true;
	return 0;
}

static int
make_phases(struct parser *p, struct job_draft *d, bool *pattern_only)
{
	const struct job_line *line = d->phases;
	char *rest = pool_strdup(&p->owner->pool, line->value != NULL ? line->value : ""), *text;
	struct job_phase *phases = pool_alloc(&p->owner->pool, MOST_PHASES, sizeof(*phases));
	size_t n = 0;
	int rc = 0;

	while (rc == 0 && rest != NULL) {
		text = rest;
		rest = job_cut(rest, ":");
		if (n == MOST_PHASES)
			return refuse(p, line->file, line->line, "%s: more than %d phases", line->key, MOST_PHASES);
		rc = make_phase(p, line, text, &phases[n++], pattern_only);
	}
	d->job.phases = phases;
	d->job.n_phases = n;
	return rc;
}

/* What is a pattern only goes; what is left are the jobs. */
static int
make_jobs(struct parser *p)
{
	bool *pattern_only = xcalloc(p->n_drafts + 1, sizeof(*pattern_only));
	struct job *jobs = pool_alloc(&p->owner->pool, p->n_drafts + 1, sizeof(*jobs));
	size_t workers = 0, n = 0;
	int rc = 0;

	for (size_t i = 0; i < p->n_drafts && rc == 0; i++)
		if (p->drafts[i].phases != NULL)
			rc = make_phases(p, &p->drafts[i], pattern_only);
	for (size_t i = 0; i < p->n_drafts && rc == 0; i++) {
		if (pattern_only[i])
			continue;
		jobs[n] = p->drafts[i].job;
		workers += jobs[n].numjobs;
		if (workers > MOST_WORKERS)
			rc = refuse(p, p->owner->file.name, jobs[n].line, "numjobs: more than %d workers in all", MOST_WORKERS);
		n++;
	}
	p->owner->file.jobs = jobs;
	p->owner->file.n_jobs = n;
	free(pattern_only);
	if (rc == 0 && n == 0)
		rc = refuse(p, p->owner->file.name, 1, "no section that could be run");
	return rc;
}

/* A target is opened once, for all: what goes past the page cache beside what goes through it is not to be had. */
static int
all_direct_or_none(struct parser *p)
{
	const struct job *first = NULL;

	for (size_t i = 0; i < p->owner->file.n_jobs; i++) {
		const struct job *job = &p->owner->file.jobs[i];

		if (job->numjobs == 0)
			continue;
		if (first == NULL)
			first = job;
		if (job->direct != first->direct)
			return refuse(p, p->owner->file.name, job->line, "direct: [%s] goes %s the page cache, [%s] %s it: one run does "
			    "either", job->name, job->direct ? "past" : "through", first->name, first->direct ? "past" : "through");
	}
	return 0;
}

struct job_file *
job_parse(const char *name, const char *text, size_t len, char *why, size_t size)
{
	struct owner *owner = xcalloc(1, sizeof(*owner));
	struct parser p = { .owner = owner, .why = why, .size = size };
	int rc;

	owner->file.name = pool_strdup(&owner->pool, name);
	owner->file.text = pool_strndup(&owner->pool, text, len);
	p.notes = pool_alloc(&owner->pool, MOST_NOTES, sizeof(*p.notes));
	rc = job_text_parse(&p.text, &owner->pool, name, text, len, why, size);
	if (rc == 0)
		rc = make_drafts(&p);
	if (rc == 0)
		rc = make_jobs(&p);
	if (rc == 0)
		rc = all_direct_or_none(&p);
	owner->file.notes = p.notes;
	owner->file.n_notes = p.n_notes;
	free(p.drafts);
	job_text_free(&p.text);
	if (rc == 0)
		return &owner->file;
	job_free(&owner->file);
	return NULL;
}

struct job_file *
job_load(const char *path, char *why, size_t size)
{
	struct job_file *file;
	char *text;
	size_t len;
	int rc = job_text_read(path, false, &text, &len);

	if (rc < 0) {
		snprintf(why, size, "%s: %s", path, rc == -EFBIG ? "too large for a job file" : strerror(-rc));
		return NULL;
	}
	file = job_parse(path, text, len, why, size);
	free(text);
	return file;
}

void
job_free(struct job_file *file)
{
	struct owner *owner = (struct owner *)file;

	if (file == NULL)
		return;
	pool_free(&owner->pool);
	free(owner);
}

static bool
pattern_writes(const struct job_pattern *pattern)
{
	return pattern->read_pct < 100;
}

bool
job_one_writes(const struct job *job)
{
	bool writes = job->n_phases == 0 && pattern_writes(&job->pattern);

	for (size_t i = 0; i < job->n_phases; i++)
		writes = writes || pattern_writes(&job->phases[i].pattern);
	return writes && job->numjobs > 0;
}

bool
job_writes(const struct job_file *file)
{
	bool writes = false;

	for (size_t i = 0; i < file->n_jobs; i++)
		writes = writes || job_one_writes(&file->jobs[i]);
	return writes;
}

static uint32_t
pattern_largest(const struct job_pattern *pattern)
{
	uint32_t read = pattern->read_pct > 0 ? pattern->bs_max[IO_READ] : 0;
	uint32_t write = pattern->read_pct < 100 ? pattern->bs_max[IO_WRITE] : 0;

	return read > write ? read : write;
}

uint32_t
job_largest_block(const struct job *job)
{
	uint32_t largest = job->n_phases == 0 ? pattern_largest(&job->pattern) : 0;

	for (size_t i = 0; i < job->n_phases; i++)
		if (pattern_largest(&job->phases[i].pattern) > largest)
			largest = pattern_largest(&job->phases[i].pattern);
	return largest;
}

static uint32_t
pattern_smallest(const struct job_pattern *pattern)
{
	uint32_t read = pattern->read_pct > 0 ? pattern->bs[IO_READ] : UINT32_MAX;
	uint32_t write = pattern->read_pct < 100 ? pattern->bs[IO_WRITE] : UINT32_MAX;

	return read < write ? read : write;
}

uint32_t
job_smallest_block(const struct job *job)
{
	uint32_t smallest = job->n_phases == 0 ? pattern_smallest(&job->pattern) : UINT32_MAX;

	for (size_t i = 0; i < job->n_phases; i++)
		if (pattern_smallest(&job->phases[i].pattern) < smallest)
			smallest = pattern_smallest(&job->phases[i].pattern);
	return smallest;
}

static uint32_t
pattern_smallest_io(const struct job_pattern *p)
{
	uint32_t smallest = UINT32_MAX;

	for (int dir = 0; dir < JOB_DIRS; dir++) {
		bool used = dir == IO_READ ? p->read_pct > 0 : p->read_pct < 100;

		if (used && p->n_split[dir] == 0 && p->bs[dir] > 0 && p->bs[dir] < smallest)
			smallest = p->bs[dir];
		if (used && p->align[dir] > 0 && p->align[dir] < smallest)
			smallest = p->align[dir];
		for (size_t i = 0; used && i < p->n_split[dir]; i++)
			if (p->split[dir][i].pct > 0 && p->split[dir][i].bytes < smallest)
				smallest = p->split[dir][i].bytes;
	}
	return smallest;
}

uint32_t
job_smallest_io(const struct job *job)
{
	uint32_t smallest = UINT32_MAX;

	if (job->numjobs == 0)
		return UINT32_MAX;
	if (job->n_phases == 0)
		return pattern_smallest_io(&job->pattern);
	for (size_t i = 0; i < job->n_phases; i++)
		if (pattern_smallest_io(&job->phases[i].pattern) < smallest)
			smallest = pattern_smallest_io(&job->phases[i].pattern);
	return smallest;
}
