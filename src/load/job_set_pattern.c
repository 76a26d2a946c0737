/*
 * Setters of the options that say where, how large, in which direction and when.
 */
#include <math.h>
#include <string.h>

#include "load/job_number.h"
#include "load/job_option.h"
#include "load/pool.h"

#define LARGEST_BLOCK (UINT64_C(1) << 30)
#define MOST_PARTS 64		/* of bssplit, as in fio; of zones */
#define FASTEST_IOPS 1e9
#define LARGEST_HOLE (UINT64_C(1) << 62)	/* ends any pass, and with an offset is a number still */

static struct job_pattern *
pattern(struct job_setting *s)
{
	return &s->draft->job.pattern;
}

/* What stands behind the colon: for random types I/Os at each place, for sequential ones the hole after each block. */
static bool
set_rw_suffix(struct job_setting *s, const char *suffix)
{
	struct job_pattern *p = pattern(s);
	uint64_t value = 1;

	p->repeat = 1;
	p->skip_bytes = 0;
	if (suffix == NULL)
		return true;
	if (!p->random && *suffix == '-')
		return job_problem(s, "%s: not supported: sequential I/O goes forwards", suffix);
	if (!p->random)
		return (number_bytes(suffix, s->draft->kb_base, &p->skip_bytes) && p->skip_bytes <= LARGEST_HOLE) ||
		    job_problem(s, "%s: not a number of bytes to skip", suffix);
	if (!number_count(suffix, &value) || value < 1 || value > UINT32_MAX)
		return job_problem(s, "%s: not a number of I/Os of 1 or more", suffix);
	p->repeat = (unsigned)value;
	return true;
}

bool
set_rw(struct job_setting *s)
{
	static const struct {
		const char *name;
		enum job_rw rw;
		bool random;
	} types[] = {
		{ "read", RW_READ, false }, { "write", RW_WRITE, false }, { "rw", RW_BOTH, false }, { "readwrite", RW_BOTH, false },
		{ "randread", RW_READ, true }, { "randwrite", RW_WRITE, true }, { "randrw", RW_BOTH, true },
	};
	char *name = pool_strdup(s->pool, s->value), *suffix = job_cut(name, ":");

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(job_trim(name), types[i].name) == 0) {
			s->draft->rw = types[i].rw;
			pattern(s)->random = types[i].random;
			return set_rw_suffix(s, suffix);
		}
	if (strstr(name, "trim") != NULL)
		return job_problem(s, "%s: not supported: nothing is discarded", name);
	return job_problem(s, "%s: must be read, write, rw, randread, randwrite or randrw", name);
}

static bool
take_block(struct job_setting *s, const char *text, uint32_t *bytes)
{
	uint64_t value;

	if (!number_bytes(text, s->draft->kb_base, &value) || value == 0 || value > LARGEST_BLOCK)
		return job_problem(s, "%s: not a block size from 1 to 1g", text);
	*bytes = (uint32_t)value;
	return true;
}

/* A later bs, bsrange or bssplit takes the place of an earlier one. */
static void
set_blocks(struct job_setting *s, int dir, uint32_t smallest, uint32_t largest)
{
	pattern(s)->bs[dir] = smallest;
	pattern(s)->bs_max[dir] = largest;
	pattern(s)->split[dir] = NULL;
	pattern(s)->n_split[dir] = 0;
}

/* One value of several: takes the text and puts it where direction `dir` has it. */
typedef bool (*take_way)(struct job_setting *, char *text, int dir);

/* "a" is for both directions, "a,b" for each its own; an empty one changes nothing. */
static bool
each_way(struct job_setting *s, take_way take)
{
	char *ways[3];
	size_t n = job_ways(s, ways);

	for (int dir = 0; dir < JOB_DIRS && n > 0; dir++) {
		const char *text = n == 1 ? ways[0] : ways[dir];

		if (n > 1 && *text == '\0')
			continue;
		if (!take(s, pool_strdup(s->pool, text), dir))
			return false;
	}
	return n > 0;
}

static bool
take_bs(struct job_setting *s, char *text, int dir)
{
	uint32_t bytes = 0;

	if (!take_block(s, text, &bytes))
		return false;
	set_blocks(s, dir, bytes, bytes);
	return true;
}

bool
set_bs(struct job_setting *s)
{
	return each_way(s, take_bs);
}

static bool
take_bsrange(struct job_setting *s, char *text, int dir)
{
	char *to = job_cut(text, "-:");
	uint32_t smallest = 0, largest = 0;

	if (to == NULL)
		return job_problem(s, "%s: not a range like 4k-64k", text);
	if (!take_block(s, job_trim(text), &smallest) || !take_block(s, job_trim(to), &largest))
		return false;
	if (largest < smallest)
		return job_problem(s, "%s-%s: the second is the larger", text, to);
	set_blocks(s, dir, smallest, largest);
	return true;
}

bool
set_bsrange(struct job_setting *s)
{
	return each_way(s, take_bsrange);
}

/* Parts "a/b:c/d:...", each cut at its slash; second NULL or "" where there is none. How many, or 0 with a problem. */
static size_t
cut_parts(struct job_setting *s, char *text, char *first[static MOST_PARTS], char *second[static MOST_PARTS])
{
	size_t n = 0;
	char *next;

	for (; text != NULL; text = next) {
		next = job_cut(text, ":");
		if (*job_trim(text) == '\0')	/* a colon at the end */
			continue;
		if (n == MOST_PARTS) {
			job_problem(s, "more than %d parts", MOST_PARTS);
			return 0;
		}
		second[n] = job_cut(text, "/");
		first[n] = job_trim(text);
		second[n] = second[n] != NULL ? job_trim(second[n]) : NULL;
		n++;
	}
	if (n == 0)
		job_problem(s, "%s: nothing is said", s->value);
	return n;
}

/* Percentages, with -1 where none was said: those share what is left evenly. False: more than 100. */
static bool
share_rest(double *pct, size_t n)
{
	double sum = 0;
	size_t open = 0;

	for (size_t i = 0; i < n; i++) {
		sum += pct[i] >= 0 ? pct[i] : 0;
		open += pct[i] < 0;
	}
	for (size_t i = 0; i < n; i++)
		if (pct[i] < 0)
			pct[i] = (100 - sum) / (double)open;
	return sum <= 100;
}

static bool
take_percent(struct job_setting *s, const char *text, double *pct)
{
	uint64_t value;

	*pct = -1;
	if (text == NULL || *text == '\0')
		return true;
	if (!number_count(text, &value) || value > 100)
		return job_problem(s, "%s: not a whole number of per cent from 0 to 100", text);
	*pct = (double)value;
	return true;
}

/* Whole per cent, and what is left goes to the last one, as fio has it. */
static bool
fill_split(struct job_setting *s, struct job_split *split, double *pct, size_t n)
{
	unsigned left = 100;

	if (!share_rest(pct, n))
		return job_problem(s, "%s: more than 100 per cent", s->value);
	for (size_t i = 0; i < n; i++) {
		split[i].pct = i + 1 < n ? (unsigned)pct[i] : left;
		left -= split[i].pct;
	}
	return true;
}

static bool
take_bssplit(struct job_setting *s, char *text, int dir)
{
	char *sizes[MOST_PARTS], *percents[MOST_PARTS];
	size_t n = cut_parts(s, text, sizes, percents);
	struct job_split *split = pool_alloc(s->pool, n + 1, sizeof(*split));
	uint32_t smallest = UINT32_MAX, largest = 0;
	double pct[MOST_PARTS];

	for (size_t i = 0; i < n; i++) {
		if (!take_block(s, sizes[i], &split[i].bytes) || !take_percent(s, percents[i], &pct[i]))
			return false;
		smallest = split[i].bytes < smallest ? split[i].bytes : smallest;
		largest = split[i].bytes > largest ? split[i].bytes : largest;
	}
	if (n == 0 || !fill_split(s, split, pct, n))
		return false;
	set_blocks(s, dir, smallest, largest);
	pattern(s)->split[dir] = split;
	pattern(s)->n_split[dir] = n;
	return true;
}

bool
set_bssplit(struct job_setting *s)
{
	return each_way(s, take_bssplit);
}

static bool
take_align(struct job_setting *s, char *text, int dir)
{
	return take_block(s, text, &pattern(s)->align[dir]);
}

bool
set_blockalign(struct job_setting *s)
{
	return each_way(s, take_align);
}

static bool
take_random_pct(struct job_setting *s, char *text, int dir)
{
	uint64_t value;

	if (!number_count(text, &value) || value > 100)
		return job_problem(s, "%s: not a whole number from 0 to 100", text);
	pattern(s)->random_pct[dir] = (unsigned)value;
	return true;
}

bool
set_percentage_random(struct job_setting *s)
{
	return each_way(s, take_random_pct);
}

bool
set_mix_write(struct job_setting *s)
{
	uint64_t value;

	if (!number_count(s->value, &value) || value > 100)
		return job_problem(s, "%s: not a whole number from 0 to 100", s->value);
	s->draft->mix_read = 100 - (unsigned)value;
	return true;
}

/* "access/size:access/size:...": sizes in per cent of the area, or in bytes. */
static bool
set_zones(struct job_setting *s, char *text, bool absolute)
{
	char *accesses[MOST_PARTS], *sizes[MOST_PARTS];
	double access[MOST_PARTS], size[MOST_PARTS], access_sum = 0, size_sum = 0;
	size_t n = text != NULL ? cut_parts(s, text, accesses, sizes) : 0;
	struct job_zone *zones = pool_alloc(s->pool, n + 1, sizeof(*zones));

	for (size_t i = 0; i < n; i++) {
		if (!take_percent(s, accesses[i], &access[i]))
			return false;
		if (!absolute && !take_percent(s, sizes[i], &size[i]))
			return false;
		if (absolute && (sizes[i] == NULL || !number_bytes(sizes[i], s->draft->kb_base, &zones[i].bytes) || zones[i].bytes == 0))
			return job_problem(s, "%s: each zone is a percentage, a slash and a size", s->value);
	}
	if (n == 0 || !share_rest(access, n) || (!absolute && !share_rest(size, n)))
		return job_problem(s, "%s: zones are per cent of the I/Os, a slash and a size, a colon between", s->value);
	for (size_t i = 0; i < n; i++) {
		access_sum += zones[i].access_pct = access[i];
		size_sum += zones[i].size_pct = absolute ? 0 : size[i];
	}
	if (fabs(access_sum - 100) > 1e-6 || (!absolute && fabs(size_sum - 100) > 1e-6))
		return job_problem(s, "%s: does not add up to 100 per cent", s->value);
	pattern(s)->zones = zones;
	pattern(s)->n_zones = n;
	return true;
}

/* theta[:centre], within bounds; NULL text: the default. */
static bool
set_shape(struct job_setting *s, char *text, double usual, double above, double up_to)
{
	char *centre = text != NULL ? job_cut(text, ":") : NULL;

	pattern(s)->theta = usual;
	pattern(s)->centre = -1;
	if (text != NULL && (!number_real(job_trim(text), &pattern(s)->theta) || pattern(s)->theta <= above || pattern(s)->theta > up_to))
		return job_problem(s, "%s: the parameter is not above %g and at most %g", text, above, up_to);
	if (centre != NULL && (!number_real(job_trim(centre), &pattern(s)->centre) || pattern(s)->centre < 0 || pattern(s)->centre > 1))
		return job_problem(s, "%s: the centre is not from 0 to 1", centre);
	return true;
}

static bool
set_zipf(struct job_setting *s, char *text)
{
	if (!set_shape(s, text, 1.1, 0, 100))
		return false;
	return pattern(s)->theta != 1 || job_problem(s, "zipf: theta must not be 1");
}

static bool
set_pareto(struct job_setting *s, char *text)
{
	if (!set_shape(s, text, 0.2, 0, 1))
		return false;
	return pattern(s)->theta < 1 || job_problem(s, "pareto: the parameter is below 1");
}

static bool
set_normal(struct job_setting *s, char *text)
{
	return text == NULL ? job_problem(s, "normal: needs a deviation in per cent") : set_shape(s, text, 0, 0, 100);
}

bool
set_distribution(struct job_setting *s)
{
	char *name = pool_strdup(s->pool, s->value), *rest = job_cut(name, ":");

	name = job_trim(name);
	pattern(s)->distribution = DIST_RANDOM;
	pattern(s)->zones = NULL;
	pattern(s)->n_zones = 0;
	if (rest != NULL && strchr(rest, ',') != NULL && strcmp(name, "sequence") != 0)
		return job_problem(s, "%s: not supported: a distribution of its own for each direction", s->value);
	if (strcmp(name, "random") == 0)
		return true;
	if (strcmp(name, "zipf") == 0) {
		pattern(s)->distribution = DIST_ZIPF;
		return set_zipf(s, rest);
	}
	if (strcmp(name, "pareto") == 0) {
		pattern(s)->distribution = DIST_PARETO;
		return set_pareto(s, rest);
	}
	if (strcmp(name, "normal") == 0) {
		pattern(s)->distribution = DIST_NORMAL;
		return set_normal(s, rest);
	}
	if (strcmp(name, "sequence") == 0)
		return job_problem(s, "sequence: not supported: random, zipf, pareto, normal, zoned or zoned_abs");
	if (strcmp(name, "zoned") != 0 && strcmp(name, "zoned_abs") != 0)
		return job_problem(s, "%s: must be random, zipf, pareto, normal, zoned or zoned_abs", name);
	pattern(s)->distribution = name[5] == '_' ? DIST_ZONED_ABS : DIST_ZONED;
	return set_zones(s, rest, name[5] == '_');
}

static bool
take_rate(struct job_setting *s, char *text, int dir)
{
	return number_bytes(text, s->draft->kb_base, &pattern(s)->rate_bytes_s[dir]) ||
	    job_problem(s, "%s: not a number of bytes per second", text);
}

/* What is not said has no limit: rate=1m, limits reads only. */
bool
set_rate(struct job_setting *s)
{
	pattern(s)->rate_bytes_s[IO_READ] = pattern(s)->rate_bytes_s[IO_WRITE] = 0;
	return each_way(s, take_rate);
}

static bool
take_rate_iops(struct job_setting *s, char *text, int dir)
{
	uint64_t value;

	if (!number_bytes(text, s->draft->kb_base, &value) || (double)value > FASTEST_IOPS)
		return job_problem(s, "%s: not a number of I/Os per second up to %g", text, FASTEST_IOPS);
	pattern(s)->rate_iops[dir] = (double)value;
	return true;
}

bool
set_rate_iops(struct job_setting *s)
{
	pattern(s)->rate_iops[IO_READ] = pattern(s)->rate_iops[IO_WRITE] = 0;
	return each_way(s, take_rate_iops);
}

bool
set_rate_process(struct job_setting *s)
{
	pattern(s)->poisson = strcmp(s->value, "poisson") == 0;
	if (!pattern(s)->poisson && strcmp(s->value, "linear") != 0)
		return job_problem(s, "%s: must be linear or poisson", s->value);
	return true;
}

bool
set_think_type(struct job_setting *s)
{
	pattern(s)->think_issue = strcmp(s->value, "issue") == 0;
	if (!pattern(s)->think_issue && strcmp(s->value, "complete") != 0)
		return job_problem(s, "%s: must be complete or issue", s->value);
	return true;
}

bool
set_burst_delay(struct job_setting *s)
{
	double ms;

	if (!number_real(s->value, &ms) || ms < 0 || ms > 86400e3)
		return job_problem(s, "%s: not a number of milliseconds from 0 to 86400000", s->value);
	pattern(s)->delay_ns = (uint64_t)llround(ms * 1e6);
	return true;
}
