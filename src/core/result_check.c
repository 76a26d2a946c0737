/*
 * When a benchmark lies: what the figures of a result say against each other.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/format.h"
#include "core/result_section.h"

#define SERVED_BY_CACHE 0.9
#define AMPLIFIED 1.2
#define LATE_SHARE 0.01
#define NONE UINT_MAX
#define SECTION_TEXT 80

const char *const result_warning_word[WARN_COUNT] = {
	[WARN_CACHE_SIZED] = "CACHE-SIZED",
	[WARN_UNWRITTEN] = "UNWRITTEN",
	[WARN_NOT_STEADY] = "NOT STEADY",
	[WARN_QUICK] = "quick",
	[WARN_LITTLE] = "LITTLE'S LAW",
	[WARN_RATE_NOT_KEPT] = "RATE NOT KEPT",
	[WARN_CACHE_SEEN] = "CACHE SEEN",
	[WARN_AMPLIFIED] = "AMPLIFIED",
	[WARN_BELOW_SECTOR] = "BELOW SECTOR",
	[WARN_STORE_ON_TARGET] = "STORE ON TARGET",
	[WARN_ENGINE] = "ENGINE",
	[WARN_ERRORS] = "ERRORS",
	[WARN_PARTIAL] = "PARTIAL",
};

void
result_warning_words(uint32_t warnings, char *out, size_t size)
{
	size_t n = 0;

	out[0] = '\0';
	for (enum result_warning w = 0; w < WARN_COUNT && n < size; w++)
		if (warnings & (UINT32_C(1) << w))
			n += (size_t)snprintf(out + n, size - n, "%s%s", n > 0 ? ", " : "", result_warning_word[w]);
}

static unsigned
first_unlawful(const struct result *r)
{
	for (unsigned i = 0; i < result_sections(r); i++)
		if (!section_littles_law(r, i))
			return i;
	return NONE;
}

static unsigned
first_unsteady(const struct result *r)
{
	for (unsigned i = 0; i < result_sections(r); i++)
		if (section_steady(r, i) == STEADY_NO)
			return i;
	return NONE;
}

static bool
is_off(double share, enum result_warning w)
{
	return w == WARN_CACHE_SEEN ? share < SERVED_BY_CACHE : share > AMPLIFIED;
}

/* The first section, and its direction, in which the device did less or more than it was asked for. */
static unsigned
first_off(const struct result *r, enum result_warning w, enum result_dir *dir)
{
	for (unsigned i = 0; i < result_sections(r); i++)
		for (*dir = RESULT_READ; *dir <= RESULT_WRITE; ++*dir)
			if (is_off(section_device_share(r, i, *dir), w))
				return i;
	return NONE;
}

static double
late_share(const struct result_row *row)
{
	double ios = (double)(row->reads + row->writes);

	return ios > 0 ? (double)row->late / ios : 0;
}

/* The worker that is the farthest behind its pace; the total where there is none. */
static const struct result_row *
latest(const struct result *r)
{
	const struct result_row *worst = &r->total;

	for (size_t i = 0; i < r->n_rows; i++)
		if (late_share(&r->rows[i]) > late_share(worst))
			worst = &r->rows[i];
	return worst;
}

static bool
is_cache_sized(const struct result *r)
{
	if (strcmp(r->target.kind, "null") == 0)
		return false;
	return (r->buffered && r->working_set_bytes < r->host_memory_bytes) || r->working_set_bytes < r->array_cache_bytes;
}

static void
count_section(const struct result *r, unsigned section, uint64_t *reads, uint64_t *write_bytes)
{
	for (size_t i = 0; i < r->n_rows; i++)
		if (r->rows[i].section == section) {
			*reads += r->rows[i].reads;
			*write_bytes += r->rows[i].write_bytes;
		}
}

/* What sections before it wrote, as much as there is, is there to be read. */
static bool
reads_unwritten(const struct result *r)
{
	uint64_t written = 0;

	if (result_sections(r) == 1)
		return r->total.reads > 0;
	for (unsigned i = 0; i < result_sections(r) && !((double)written >= r->working_set_bytes); i++) {
		uint64_t reads = 0;

		count_section(r, i, &reads, &written);
		if (reads > 0)
			return true;
	}
	return false;
}

static bool
is_warned(const struct result *r, enum result_warning w)
{
	enum result_dir dir;

	switch (w) {
	case WARN_CACHE_SIZED:
		return is_cache_sized(r);
	case WARN_UNWRITTEN:
		return r->unwritten && reads_unwritten(r);
	case WARN_NOT_STEADY:
		return r->steady == STEADY_NO;
	case WARN_QUICK:
		return r->quick && !isnan(r->runtime_s);
	case WARN_LITTLE:
		return !result_littles_law(r);
	case WARN_RATE_NOT_KEPT:
		return late_share(latest(r)) > LATE_SHARE;
	case WARN_CACHE_SEEN:
	case WARN_AMPLIFIED:
		return first_off(r, w, &dir) != NONE;
	case WARN_BELOW_SECTOR:
		return r->below_sector || (r->block_bytes > 0 && r->block_bytes < r->sector_bytes);
	case WARN_STORE_ON_TARGET:
		return r->warnings & (UINT32_C(1) << WARN_STORE_ON_TARGET);
	case WARN_ENGINE:
		return r->engine_why[0] != '\0';
	case WARN_ERRORS:
		return r->total.errors > 0;
	case WARN_PARTIAL:
		return strcmp(r->state, "stopped") == 0 || strcmp(r->state, "failed") == 0;
	case WARN_COUNT:
		break;
	}
	return false;
}

void
result_check(struct result *r)
{
	uint32_t warnings = 0;

	/* Of a result whose series is gone, what was found once still holds. */
	if (r->n_series > 0)
		r->steady = r->phased ? STEADY_UNKNOWN : result_steady(r);
	for (enum result_warning w = 0; w < WARN_COUNT; w++)
		if (is_warned(r, w))
			warnings |= UINT32_C(1) << w;
	r->warnings = warnings;
}

/* " in seq-read", where there are others. */
static const char *
in_section(const struct result *r, unsigned section, char out[static SECTION_TEXT])
{
	char name[sizeof(r->rows->name)];

	section_name(r, section, name, sizeof(name));
	snprintf(out, SECTION_TEXT, "%s%s", name[0] != '\0' ? " in " : "", name);
	return out;
}

static int
device_text(const struct result *r, enum result_warning w, char *out, size_t size)
{
	enum result_dir dir;
	unsigned section = first_off(r, w, &dir);
	const char *did;
	char where[SECTION_TEXT];
	double share;

	/* Found once, and not to be seen in what is left of it. */
	if (section == NONE) {
		section = 0;
		dir = isnan(section_device_share(r, 0, RESULT_READ)) ? RESULT_WRITE : RESULT_READ;
	}
	share = section_device_share(r, section, dir);
	did = dir == RESULT_READ ? "read" : "wrote";
	in_section(r, section, where);
	if (w == WARN_CACHE_SEEN)
		return snprintf(out, size, "%s %s %.2f of the bytes the application %s%s: %s", r->device.name, did, share, did, where,
		    dir == RESULT_READ ? "served by a cache" : "the rest is in a cache, or was made less");
	return snprintf(out, size, "%s %s %.2f times the bytes the application %s%s: %s, or other load", r->device.name, did, share,
	    did, where, dir == RESULT_READ ? "read-ahead" : "journal, metadata or RAID");
}

/* A result whose series is gone does not say where. */
static int
steady_text(const struct result *r, char *out, size_t size)
{
	unsigned section = first_unsteady(r);
	char where[SECTION_TEXT] = "";

	if (section != NONE)
		in_section(r, section, where);
	return snprintf(out, size, "IOPS still changed by more than 20 %%, or drifted by more than 10 %%, over five windows%s", where);
}

static int
little_text(const struct result *r, char *out, size_t size)
{
	unsigned section = first_unlawful(r);
	char where[SECTION_TEXT] = "";

	if (section == NONE)
		section = 0;
	return snprintf(out, size, "%.2f in flight were measured, IOPS x latency want %.2f%s%s", section_in_flight(r, section),
	    section_wanted_in_flight(r, section), in_section(r, section, where),
	    r->total.errors > 0 ? ": those that failed were in flight too" : "");
}

static int
late_text(const struct result *r, char *out, size_t size)
{
	const struct result_row *row = latest(r);
	bool one = row != &r->total && r->n_rows > 1;

	return snprintf(out, size, "%.1f %% of the I/Os%s%s started after their time: the pace asked for is not kept",
	    100 * late_share(row), one ? " of " : "", one ? row->name : "");
}

static int
cache_text(const struct result *r, char *out, size_t size)
{
	char set[FORMAT_MAX], cache[FORMAT_MAX];
	bool of_array = r->working_set_bytes < r->array_cache_bytes;

	format_bytes(set, r->working_set_bytes);
	format_bytes(cache, of_array ? r->array_cache_bytes : r->host_memory_bytes);
	return snprintf(out, size, "a working set of %s fits into the %s %s: this measures a cache", set, cache,
	    of_array ? "cache of the array" : "memory of this host, and the page cache is in use");
}

int
result_warning_text(const struct result *r, enum result_warning w, char *out, size_t size)
{
	switch (w) {
	case WARN_CACHE_SIZED:
		return cache_text(r, out, size);
	case WARN_UNWRITTEN:
		return snprintf(out, size, "blocks were read that were never written: many devices answer without looking");
	case WARN_NOT_STEADY:
		return steady_text(r, out, size);
	case WARN_QUICK:
		return snprintf(out, size, "%.0f s, not the length that its source ran: --full does", r->runtime_s);
	case WARN_LITTLE:
		return little_text(r, out, size);
	case WARN_RATE_NOT_KEPT:
		return late_text(r, out, size);
	case WARN_CACHE_SEEN:
	case WARN_AMPLIFIED:
		return device_text(r, w, out, size);
	case WARN_BELOW_SECTOR:
		return snprintf(out, size, "blocks of %u bytes on sectors of %u: each write reads first", r->block_bytes,
		    r->sector_bytes);
	case WARN_STORE_ON_TARGET:
		return snprintf(out, size, "the recording lies on the device under test");
	case WARN_ENGINE:
		return snprintf(out, size, "%s: %s", r->engine, r->engine_why);
	case WARN_ERRORS:
		return snprintf(out, size, "%llu I/Os failed%s%s", (unsigned long long)r->total.errors, r->why[0] ? ": " : "", r->why);
	case WARN_PARTIAL:
		return snprintf(out, size, "%s before its end%s%s", r->state, r->why[0] ? ": " : "", r->why);
	case WARN_COUNT:
		break;
	}
	if (size > 0)
		out[0] = '\0';
	return 0;
}
