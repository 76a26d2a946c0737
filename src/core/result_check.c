/*
 * When a benchmark lies: what the figures of a result say against each other.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/format.h"
#include "core/result.h"

#define LITTLE_SHARE 0.05
#define LITTLE_LEAST 0.02	/* I/Os in flight; below it clocks decide */
#define SERVED_BY_CACHE 0.9
#define AMPLIFIED 1.2
#define LATE_SHARE 0.01
#define MIB_WORTH_JUDGING 1	/* moved in all: a journal's own block outweighs less */
#define WINDOWS 5
#define WINDOW_S 1
#define RANGE_SHARE 0.2
#define SLOPE_SHARE 0.1

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

/* Mean number in flight as IOPS and latency want it. */
static double
wanted_in_flight(const struct result *r)
{
	return result_iops(&r->total, RESULT_BOTH) * result_mean_ms(&r->total, RESULT_BOTH) / 1000;
}

bool
result_littles_law(const struct result *r)
{
	double measured = r->total.in_flight, wanted = wanted_in_flight(r);

	if (isnan(measured) || isnan(wanted))
		return true;
	return fabs(measured - wanted) <= LITTLE_SHARE * fmax(measured, wanted) + LITTLE_LEAST;
}

/* I/Os between two moments of the series, each tick's spread evenly over its length. */
static double
ios_between(const struct result *r, double from_s, double to_s)
{
	double ios = 0;

	for (size_t i = 0; i < r->n_series; i++) {
		const struct result_point *p = &r->series[i];
		double begin = fmax(p->at_s - p->seconds, from_s), end = fmin(p->at_s, to_s);

		if (end > begin)
			ios += (p->read_iops + p->write_iops) * (end - begin);
	}
	return ios;
}

/* Slope of the straight line through y at 0, 1 .. n - 1 (least squares). */
static double
slope_of(const double *y, size_t n, double mean)
{
	double middle = (double)(n - 1) / 2, above = 0, below = 0;

	for (size_t i = 0; i < n; i++) {
		above += ((double)i - middle) * (y[i] - mean);
		below += ((double)i - middle) * ((double)i - middle);
	}
	return above / below;
}

enum steady
result_steady(const struct result *r)
{
	double length, iops[WINDOWS], mean = 0, least = INFINITY, most = 0;

	if (r->n_series < WINDOWS)
		return STEADY_UNKNOWN;
	length = r->series[r->n_series - 1].at_s / WINDOWS;
	/* A timer is late by a little: what was to be 5 s may be 4.99. */
	if (!(length >= WINDOW_S * 0.95))
		return STEADY_UNKNOWN;
	for (int i = 0; i < WINDOWS; i++) {
		iops[i] = ios_between(r, i * length, (i + 1) * length) / length;
		mean += iops[i] / WINDOWS;
		least = fmin(least, iops[i]);
		most = fmax(most, iops[i]);
	}
	if (!(mean > 0))
		return STEADY_UNKNOWN;
	if (most - least > RANGE_SHARE * mean)
		return STEADY_NO;
	return fabs(slope_of(iops, WINDOWS, mean)) * (WINDOWS - 1) > SLOPE_SHARE * mean ? STEADY_NO : STEADY_YES;
}

/* What the device moved for each byte of the application; NaN where too little was to say. */
static double
device_share(const struct result *r, enum result_dir dir)
{
	double below = dir == RESULT_READ ? r->device.read_mib_s : r->device.write_mib_s;
	double mib_s = result_mib_s(&r->total, dir);

	if (r->device.name[0] == '\0' || !(mib_s * r->total.seconds >= MIB_WORTH_JUDGING))
		return NAN;
	return below / mib_s;
}

static bool
is_cache_sized(const struct result *r)
{
	if (strcmp(r->target.kind, "null") == 0)
		return false;
	return (r->buffered && r->working_set_bytes < r->host_memory_bytes) || r->working_set_bytes < r->array_cache_bytes;
}

static bool
is_warned(const struct result *r, enum result_warning w)
{
	double ios = (double)(r->total.reads + r->total.writes);

	switch (w) {
	case WARN_CACHE_SIZED:
		return is_cache_sized(r);
	case WARN_UNWRITTEN:
		return r->unwritten && r->total.reads > 0;
	case WARN_NOT_STEADY:
		return r->steady == STEADY_NO;
	case WARN_QUICK:
		return r->quick;
	case WARN_LITTLE:
		return !result_littles_law(r);
	case WARN_RATE_NOT_KEPT:
		return (double)r->total.late > LATE_SHARE * ios;
	case WARN_CACHE_SEEN:
		return device_share(r, RESULT_READ) < SERVED_BY_CACHE || device_share(r, RESULT_WRITE) < SERVED_BY_CACHE;
	case WARN_AMPLIFIED:
		return device_share(r, RESULT_READ) > AMPLIFIED || device_share(r, RESULT_WRITE) > AMPLIFIED;
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
		r->steady = result_steady(r);
	for (enum result_warning w = 0; w < WARN_COUNT; w++)
		if (is_warned(r, w))
			warnings |= UINT32_C(1) << w;
	r->warnings = warnings;
}

/* Of the two directions the one that the warning is about. */
static int
device_text(const struct result *r, enum result_warning w, char *out, size_t size)
{
	double read = device_share(r, RESULT_READ), write = device_share(r, RESULT_WRITE);
	bool seen = w == WARN_CACHE_SEEN, of_read = seen ? read < SERVED_BY_CACHE : read > AMPLIFIED;
	const char *did = of_read ? "read" : "wrote";

	if (seen)
		return snprintf(out, size, "%s %s %.2f of the bytes the application %s: %s", r->device.name, did,
		    of_read ? read : write, did, of_read ? "served by a cache" : "the rest is in a cache, or was made less");
	return snprintf(out, size, "%s %s %.2f times the bytes the application %s: %s, or other load", r->device.name, did,
	    of_read ? read : write, did, of_read ? "read-ahead" : "journal, metadata or RAID");
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
	double ios = (double)(r->total.reads + r->total.writes);

	switch (w) {
	case WARN_CACHE_SIZED:
		return cache_text(r, out, size);
	case WARN_UNWRITTEN:
		return snprintf(out, size, "blocks were read that were never written: many devices answer without looking");
	case WARN_NOT_STEADY:
		return snprintf(out, size, "IOPS still changed by more than 20 %%, or drifted by more than 10 %%, over five windows");
	case WARN_QUICK:
		return snprintf(out, size, "%.0f s, not the length that its source ran: --full does", r->runtime_s);
	case WARN_LITTLE:
		return snprintf(out, size, "%.2f in flight were measured, IOPS x latency want %.2f", r->total.in_flight,
		    wanted_in_flight(r));
	case WARN_RATE_NOT_KEPT:
		return snprintf(out, size, "%.1f %% of the I/Os started after their time: the pace asked for is not kept",
		    ios > 0 ? 100 * (double)r->total.late / ios : 0);
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
