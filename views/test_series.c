/*
 * How a test went from its begin to its end: IOPS, throughput and latency of all its steps, one behind the other.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/format.h"
#include "views/screen.h"
#include "views/text.h"

#define SAMPLES_MOST 640
#define GAP 2
#define NARROWEST 18	/* columns of a chart that can be read */

enum series { IOPS, MIB_S, LATENCY, SERIES };

/* The two curves of a chart: reads and writes; mean and p99. */
static double
value_of(const struct result_point *p, enum series what, bool second)
{
	switch (what) {
	case IOPS:
		return second ? p->write_iops : p->read_iops;
	case MIB_S:
		return second ? p->write_mib_s : p->read_mib_s;
	default:
		return second ? p->p99_ms : p->mean_ms;
	}
}

static const struct result_point *
point_at(const struct test_page *t, size_t i)
{
	for (size_t k = 0; k < t->n_results; k++) {
		if (i < t->results[k]->n_series)
			return &t->results[k]->series[i];
		i -= t->results[k]->n_series;
	}
	return NULL;
}

size_t
test_series_points(const struct test_page *t)
{
	size_t n = 0;

	for (size_t k = 0; k < t->n_results; k++)
		n += t->results[k]->n_series;
	return n;
}

/* Of a mean its I/Os, of a rate its seconds. */
static double
weight_of(const struct result_point *p, enum series what)
{
	return what == LATENCY ? (p->read_iops + p->write_iops) * p->seconds : p->seconds;
}

/* Where several points fall on a sample it is what they come to together; percentiles do not add: of p99 the highest. */
static float
sample(const struct test_page *t, enum series what, bool second, size_t first, size_t end)
{
	double sum = 0, weight = 0, most = NAN;

	for (size_t i = first; i < end; i++) {
		const struct result_point *p = point_at(t, i);
		double value = value_of(p, what, second);

		if (isnan(value))
			continue;
		sum += value * weight_of(p, what);
		weight += weight_of(p, what);
		most = fmax(most, value);
	}
	if (what == LATENCY && second)
		return (float)most;
	return weight > 0 ? (float)(sum / weight) : NAN;
}

/* The whole test across the chart, however long it took. */
static void
fetch(const struct test_page *t, enum series what, bool second, float *out, size_t n)
{
	size_t points = test_series_points(t);

	for (size_t i = 0; i < n; i++) {
		size_t first = i * points / n, end = (i + 1) * points / n;

		out[i] = sample(t, what, second, first, end > first ? end : first + 1);
	}
}

/* Figures of one result only: those of several steps have their own table. */
static void
figures(const struct test_page *t, enum series what, double *whole, double part[2])
{
	const struct result_row *row = &t->results[0]->total;

	*whole = part[0] = part[1] = NAN;
	if (t->n_results != 1)
		return;
	switch (what) {
	case IOPS:
		*whole = result_iops(row, RESULT_BOTH);
		part[0] = result_iops(row, RESULT_READ);
		part[1] = result_iops(row, RESULT_WRITE);
		break;
	case MIB_S:
		*whole = result_mib_s(row, RESULT_BOTH);
		part[0] = result_mib_s(row, RESULT_READ);
		part[1] = result_mib_s(row, RESULT_WRITE);
		break;
	default:
		*whole = part[0] = result_mean_ms(row, RESULT_BOTH);
		part[1] = result_quantile_ms(row, RESULT_BOTH, 0.99);
		break;
	}
}

static void
draw_legend(struct surface *s, int y, int x, int end, enum series what, const double part[2])
{
	static const char *const names[2][2] = { { "read", "write" }, { "mean", "p99" } };

	for (int i = 0; i < 2; i++) {
		const char *name = names[what == LATENCY][i];
		char value[FORMAT_MAX] = "";

		if (!isnan(part[i]))
			format_cell(value, part[i], 5, what == LATENCY ? 2 : what == MIB_S && part[i] < 100 ? 1 : 0);
		if (x + text_columns(name) + 1 + text_columns(value) > end)
			return;
		x += surface_text(s, y, x, i == 0 ? STYLE_READ : STYLE_WRITE, name) + 1;
		x += surface_text(s, y, x, STYLE_NORMAL, value) + 3;
	}
}

static void
draw_chart(const struct test_page *t, struct surface *s, int y, int x, int rows, int width, enum charset charset, enum series what)
{
	static const char *const titles[] = { [IOPS] = "IOPS", [MIB_S] = "MiB/s", [LATENCY] = "latency ms" };
	float a[SAMPLES_MOST], b[SAMPLES_MOST];
	size_t n = chart_samples(charset, width);
	struct chart c = { .a = a, .b = b, .n = n < SAMPLES_MOST ? n : SAMPLES_MOST, .style_a = STYLE_READ,
		.style_b = STYLE_WRITE, .stacked = what != LATENCY, .logarithmic = what == LATENCY };
	double whole, part[2];
	char value[FORMAT_MAX];
	int at = x;

	fetch(t, what, false, a, c.n);
	fetch(t, what, true, b, c.n);
	chart_scale(&c);
	figures(t, what, &whole, part);
	at += surface_text(s, y, at, STYLE_TITLE, titles[what]) + 1;
	if (!isnan(whole)) {
		format_cell(value, whole, 5, what == LATENCY ? 2 : what == MIB_S ? 1 : 0);
		surface_text(s, y, at, STYLE_STRONG, value);
	}
	format_cell(value, c.max, 5, c.max < 1 ? 2 : 0);
	surface_text(s, y, x + width - text_columns(value), STYLE_DIM, value);
	chart_area(s, y + 1, x, rows - 2, width, charset, &c);
	draw_legend(s, y + rows - 1, x, x + width, what, part);
}

void
test_series_draw(const struct screen *s, struct surface *surface, int y, int rows)
{
	int n = SERIES, width;

	while (n > 1 && (surface->cols - 2 - GAP * (n - 1)) / n < NARROWEST)
		n--;
	width = (surface->cols - 2 - GAP * (n - 1)) / n;
	for (int i = 0; i < n && width > 0; i++)
		draw_chart(&s->test, surface, y, 1 + i * (width + GAP), rows, width, charset_for(s->charts, surface->utf8),
		    (enum series)i);
}
