#include "core/result_section.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LITTLE_SHARE 0.05
#define LITTLE_LEAST 0.02	/* I/Os in flight; below it clocks decide */
#define MIB_WORTH_JUDGING 1	/* moved in all: a journal's own block outweighs less */
#define WINDOWS 5
#define WINDOW_S 1

unsigned
result_sections(const struct result *r)
{
	unsigned most = 0;

	for (size_t i = 0; i < r->n_rows; i++)
		if (r->rows[i].section > most)
			most = r->rows[i].section;
	return most < r->n_rows ? most + 1 : 1;
}

void
section_name(const struct result *r, unsigned section, char *out, size_t size)
{
	const char *name = "", *number;

	for (size_t i = r->n_rows; i-- > 0 && result_sections(r) > 1;)
		if (r->rows[i].section == section)
			name = r->rows[i].name;
	number = strstr(name, " #");
	snprintf(out, size, "%.*s", number != NULL ? (int)(number - name) : (int)strlen(name), name);
}

/* ---- steady ---- */

struct span {	/* of the series */
	const struct result_point *points;
	size_t n;
	double begin_s;
};

static struct span
span_of(const struct result *r, unsigned section)
{
	struct span s = { .n = 0 };

	for (size_t i = 0; i < r->n_series; i++) {
		const struct result_point *p = &r->series[i];

		if (p->section != section)
			continue;
		if (s.n == 0)
			s = (struct span){ .points = p, .begin_s = p->at_s - p->seconds };
		s.n = (size_t)(p - s.points) + 1;
	}
	return s;
}

/* I/Os between two moments, each tick's spread evenly over its length. */
static double
ios_between(const struct span *s, double from_s, double to_s)
{
	double ios = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct result_point *p = &s->points[i];
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

/* SNIA's two rules. */
static struct steady_runs
judge(const double iops[static WINDOWS])
{
	double mean = 0, least = INFINITY, most = 0, range, drift;

	for (int i = 0; i < WINDOWS; i++) {
		mean += iops[i] / WINDOWS;
		least = fmin(least, iops[i]);
		most = fmax(most, iops[i]);
	}
	if (!(mean > 0))
		return (struct steady_runs){ .steady = STEADY_UNKNOWN };
	range = (most - least) / mean;
	drift = fabs(slope_of(iops, WINDOWS, mean)) * (WINDOWS - 1) / mean;
	return (struct steady_runs){ range > STEADY_RANGE || drift > STEADY_DRIFT ? STEADY_NO : STEADY_YES, mean, range, drift };
}

enum steady
section_steady(const struct result *r, unsigned section)
{
	struct span s = span_of(r, section);
	double length, iops[WINDOWS];

	if (s.n < WINDOWS)
		return STEADY_UNKNOWN;
	length = (s.points[s.n - 1].at_s - s.begin_s) / WINDOWS;
	/* A timer is late by a little: what was to be 5 s may be 4.99. */
	if (!(length >= WINDOW_S * 0.95))
		return STEADY_UNKNOWN;
	for (int i = 0; i < WINDOWS; i++)
		iops[i] = ios_between(&s, s.begin_s + i * length, s.begin_s + (i + 1) * length) / length;
	return judge(iops).steady;
}

struct steady_runs
result_steady_runs(const struct result *const *r, size_t n)
{
	double iops[WINDOWS];

	if (n < WINDOWS)
		return (struct steady_runs){ .steady = STEADY_UNKNOWN };
	for (size_t i = 0; i < WINDOWS; i++)
		iops[i] = result_iops(&r[n - WINDOWS + i]->total, RESULT_BOTH);
	return judge(iops);
}

enum steady
result_steady(const struct result *r)
{
	enum steady all = STEADY_YES;

	for (unsigned i = 0; i < result_sections(r); i++) {
		enum steady one = section_steady(r, i);

		if (one == STEADY_NO)
			return STEADY_NO;
		if (one == STEADY_UNKNOWN)
			all = STEADY_UNKNOWN;
	}
	return all;
}

/* ---- Little's law ---- */

static double
wanted_of(const struct result_row *row)
{
	return result_iops(row, RESULT_BOTH) * result_mean_ms(row, RESULT_BOTH) / 1000;
}

double
section_in_flight(const struct result *r, unsigned section)
{
	double sum = 0;

	if (result_sections(r) == 1)
		return r->total.in_flight;
	for (size_t i = 0; i < r->n_rows; i++)
		if (r->rows[i].section == section)
			sum += r->rows[i].in_flight;
	return sum;
}

double
section_wanted_in_flight(const struct result *r, unsigned section)
{
	double sum = 0;

	if (result_sections(r) == 1)
		return wanted_of(&r->total);
	for (size_t i = 0; i < r->n_rows; i++)
		if (r->rows[i].section == section)
			sum += wanted_of(&r->rows[i]);
	return sum;
}

bool
section_littles_law(const struct result *r, unsigned section)
{
	double measured = section_in_flight(r, section), wanted = section_wanted_in_flight(r, section);

	if (isnan(measured) || isnan(wanted))
		return true;
	return fabs(measured - wanted) <= LITTLE_SHARE * fmax(measured, wanted) + LITTLE_LEAST;
}

bool
result_littles_law(const struct result *r)
{
	for (unsigned i = 0; i < result_sections(r); i++)
		if (!section_littles_law(r, i))
			return false;
	return true;
}

double
result_in_flight(const struct result *r)
{
	double most = NAN;

	for (unsigned i = 0; i < result_sections(r); i++)
		most = fmax(most, section_in_flight(r, i));
	return most;
}

/* ---- the device below ---- */

static double
share_of(double below_mib, double mib)
{
	return mib >= MIB_WORTH_JUDGING ? below_mib / mib : NAN;
}

double
section_device_share(const struct result *r, unsigned section, enum result_dir dir)
{
	struct span s = span_of(r, section);
	double below = 0, mib = 0;

	if (r->device.name[0] == '\0')
		return NAN;
	if (result_sections(r) == 1)
		return share_of((dir == RESULT_READ ? r->device.read_mib_s : r->device.write_mib_s) * r->total.seconds,
		    result_mib_s(&r->total, dir) * r->total.seconds);
	for (size_t i = 0; i < s.n; i++) {
		const struct result_point *p = &s.points[i];

		below += p->seconds * (dir == RESULT_READ ? p->device_read_mib_s : p->device_write_mib_s);
		mib += p->seconds * (dir == RESULT_READ ? p->read_mib_s : p->write_mib_s);
	}
	return share_of(below, mib);
}
