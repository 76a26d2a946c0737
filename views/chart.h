/*
 * Sparklines and area charts from the last figures of a row: braille (two samples a column, four steps a
 * row), blocks (one sample, eight steps) or ASCII. A scale never cuts the visible peak. Pure but for
 * the surface.
 */
#ifndef VIEWS_CHART_H
#define VIEWS_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "views/surface.h"

enum charset { CHARSET_AUTO, CHARSET_BRAILLE, CHARSET_BLOCKS, CHARSET_ASCII, CHARSET_COUNT };

extern const char *const charset_name[CHARSET_COUNT];	/* "auto" ... as in the configuration */

/* The charset that is drawn: AUTO is braille on a UTF-8 surface; without UTF-8 always ASCII. */
enum charset charset_for(enum charset wanted, bool utf8);
/* Samples that fit in so many columns. */
size_t chart_samples(enum charset, int columns);

/* The smallest 1, 2 or 5 times a power of ten that is not below the peak; 1 for nothing and for zero. */
double chart_nice_max(double peak);

/*
 * Two series drawn on each other, newest last, NaN where unknown (a gap). Stacked: b stands on a, the
 * top is their sum. Otherwise both stand on the ground, and the higher shows behind the lower.
 */
struct chart {
	const float *a, *b;	/* b may be NULL */
	size_t n;
	unsigned style_a, style_b;
	bool stacked;
	double peak;		/* the scale reaches at least this high; 0: as high as the series */
	double min, max;	/* set by chart_scale(); min counts for logarithmic scales only */
	bool logarithmic;
};

/* The highest point that would be drawn; NaN where there is none. */
double chart_peak(const struct chart *);
/* Sets min and max of a chart to a nice scale for what it shows. */
void chart_scale(struct chart *);
/* Height of a value as a fraction of the scale, 0 to 1; a value above 0 never reads as 0. */
double chart_fraction(const struct chart *, double value);

void chart_area(struct surface *, int y, int x, int rows, int columns, enum charset, const struct chart *);
/* One row, scaled to `max`, or to its own peak where that is 0; blanks where all are 0 or unknown. */
void chart_spark(struct surface *, int y, int x, int columns, enum charset, unsigned style,
	const float *values, size_t n, double max);

#endif
