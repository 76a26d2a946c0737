#include "views/chart.h"

#include <math.h>

#define BRAILLE 0x2800
#define BLOCK 0x2580	/* + 1 .. 8: an eighth .. full */

const char *const charset_name[CHARSET_COUNT] = { "auto", "braille", "blocks", "ascii" };

enum charset
charset_for(enum charset wanted, bool utf8)
{
	if (!utf8)
		return CHARSET_ASCII;
	return wanted == CHARSET_AUTO ? CHARSET_BRAILLE : wanted;
}

static int
samples_per_column(enum charset set)
{
	return set == CHARSET_BRAILLE ? 2 : 1;
}

/* ASCII has signs for heights in a chart of one row; in a higher one only half and full look like a surface. */
static const char ascii_line[] = " .:-=+*#", ascii_area[] = " .:";

static int
steps_per_row(enum charset set, int rows)
{
	if (set == CHARSET_ASCII)
		return (int)(rows == 1 ? sizeof(ascii_line) : sizeof(ascii_area)) - 2;
	return set == CHARSET_BRAILLE ? 4 : 8;
}

size_t
chart_samples(enum charset set, int columns)
{
	return columns > 0 ? (size_t)columns * (size_t)samples_per_column(set) : 0;
}

double
chart_nice_max(double peak)
{
	static const double step[] = { 1, 2, 5 };
	double base;

	if (!(peak > 0) || isinf(peak))
		return 1;
	base = pow(10, floor(log10(peak)));
	for (int i = 0; i < 3; i++)
		if (peak <= step[i] * base * (1 + 1e-9))
			return step[i] * base;
	return 10 * base;
}

/* The two heights of sample i: of a alone, and of the whole; a series that is unknown counts as nothing. */
static bool
sample(const struct chart *c, size_t i, double *a, double *b)
{
	double va = c->a[i], vb = c->b != NULL ? (double)c->b[i] : NAN;

	*a = isnan(va) ? 0 : va;
	*b = isnan(vb) ? 0 : vb;
	if (c->stacked)
		*b += *a;
	return !isnan(va) || !isnan(vb);
}

double
chart_peak(const struct chart *c)
{
	double peak = NAN, a, b;

	for (size_t i = 0; i < c->n; i++)
		if (sample(c, i, &a, &b))
			peak = fmax(peak, fmax(a, b));
	return peak;
}

static double
smallest(const struct chart *c)
{
	double low = NAN, a, b;

	for (size_t i = 0; i < c->n; i++) {
		if (!sample(c, i, &a, &b))
			continue;
		low = a > 0 ? fmin(low, a) : low;
		low = b > 0 ? fmin(low, b) : low;
	}
	return low;
}

/*
 * A logarithmic scale spans whole decades, two at least, and its ground lies below the smallest value, so
 * that a steady fast device still has some height.
 */
void
chart_scale(struct chart *c)
{
	double peak = fmax(chart_peak(c), c->peak), low;

	if (!c->logarithmic) {
		c->min = 0;
		c->max = chart_nice_max(peak);
		return;
	}
	low = smallest(c);
	c->max = peak > 0 ? pow(10, ceil(log10(peak) - 1e-9)) : 10;
	c->min = low > 0 ? pow(10, floor(log10(low) + 1e-9)) : c->max / 100;
	if (c->min > c->max / 100)
		c->min = c->max / 100;
}

double
chart_fraction(const struct chart *c, double value)
{
	double f;

	if (!(value > 0))
		return 0;
	if (c->logarithmic)
		f = log(value / c->min) / log(c->max / c->min);
	else
		f = value / c->max;
	return f < 0 ? 0 : f > 1 ? 1 : f;
}

/* Height in steps; what is above 0 has at least one, so that a trickle is seen. */
static int
height(const struct chart *c, double value, int steps)
{
	int h = (int)lround(chart_fraction(c, value) * steps);

	return value > 0 && h < 1 ? 1 : h;
}

/* How much of a cell whose ground is at `ground` a column of height h fills: 0 .. steps. */
static int
filled(int h, int ground, int steps)
{
	int f = h - ground;

	return f < 0 ? 0 : f > steps ? steps : f;
}

static uint32_t
braille_cell(const int fill[2])
{
	/* dots of the left and right half from the ground up */
	static const unsigned left[5] = { 0, 0x40, 0x44, 0x46, 0x47 };
	static const unsigned right[5] = { 0, 0x80, 0xA0, 0xB0, 0xB8 };
	unsigned dots = left[fill[0]] | right[fill[1]];

	return dots != 0 ? BRAILLE + dots : ' ';
}

static uint32_t
fill_char(enum charset set, int rows, const int fill[2])
{
	if (set == CHARSET_BRAILLE)
		return braille_cell(fill);
	if (set == CHARSET_BLOCKS)
		return fill[0] > 0 ? BLOCK + (uint32_t)fill[0] : ' ';
	return (uint32_t)(rows == 1 ? ascii_line : ascii_area)[fill[0]];
}

struct column_heights {
	int whole[2];	/* of each sample, in steps */
	int lower[2];	/* the part of the series that stands in front */
	bool a_lower[2];
};

static void
measure(const struct chart *c, size_t i, int steps, int k, struct column_heights *h)
{
	double a, b;
	int ha, hb;

	if (i >= c->n || !sample(c, i, &a, &b))
		return;
	ha = height(c, a, steps);
	hb = height(c, b, steps);
	h->whole[k] = ha > hb ? ha : hb;
	h->a_lower[k] = c->stacked || ha <= hb;
	h->lower[k] = h->a_lower[k] ? ha : hb;
}

/* The hue of a cell: of the series that fills more of it. */
static unsigned
hue(const struct chart *c, const struct column_heights *h, int per, int ground, int steps)
{
	int in_a = 0, in_b = 0;

	for (int k = 0; k < per; k++) {
		int all = filled(h->whole[k], ground, steps), low = filled(h->lower[k], ground, steps);

		in_a += h->a_lower[k] ? low : all - low;
		in_b += h->a_lower[k] ? all - low : low;
	}
	return in_b > in_a ? c->style_b : c->style_a;
}

static void
draw_column(struct surface *s, int y, int x, int rows, enum charset set, const struct chart *c,
	const struct column_heights *h)
{
	int steps = steps_per_row(set, rows), per = samples_per_column(set);

	for (int r = 0; r < rows; r++) {
		int ground = (rows - 1 - r) * steps;
		int fill[2] = { filled(h->whole[0], ground, steps), filled(h->whole[1], ground, steps) };
		uint32_t ch = fill_char(set, rows, fill);

		if (ch != ' ')
			surface_char(s, y + r, x, hue(c, h, per, ground, steps), ch);
	}
}

void
chart_area(struct surface *s, int y, int x, int rows, int columns, enum charset set, const struct chart *c)
{
	int per = samples_per_column(set), steps = rows * steps_per_row(set, rows);
	size_t shown = chart_samples(set, columns);

	for (int col = 0; col < columns; col++) {
		struct column_heights h = { .whole = { 0 } };

		for (int k = 0; k < per; k++) {
			size_t slot = (size_t)col * (size_t)per + (size_t)k;

			/* the newest sample stands at the right edge */
			if (slot + c->n >= shown)
				measure(c, slot + c->n - shown, steps, k, &h);
		}
		draw_column(s, y, x + col, rows, set, c, &h);
	}
}

void
chart_spark(struct surface *s, int y, int x, int columns, enum charset set, unsigned style,
	const float *values, size_t n, double max)
{
	struct chart c = { .a = values, .n = n, .style_a = style, .style_b = style, .max = max };

	if (!(max > 0))
		c.max = chart_peak(&c);
	if (c.max > 0)
		chart_area(s, y, x, 1, columns, set, &c);
}

