#include "views/histogram.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/column.h"
#include "core/format.h"
#include "views/text.h"

#define OCTAVES 64
#define LABEL 9		/* columns of "< 128 us" */
#define SHARE 8		/* of " 37.1 %" */

/* I/Os by power of two, of the first histogram metric (reads) and of the others. */
struct octaves {
	double first[OCTAVES], rest[OCTAVES];
};

/* The histograms that the percentiles are taken from, as a mask of metrics; 0: none. */
static uint64_t
metrics_of(const struct kind *kind)
{
	int column = kind_column(kind, "p99");

	return column >= 0 && kind->columns[column].value.per == VALUE_PERCENTILE ? kind->columns[column].value.plus : 0;
}

bool
histogram_for(const struct kind *kind)
{
	return metrics_of(kind) != 0;
}

void
histogram_open(struct histogram *h, struct interval *now)
{
	h->on = true;
	if (now != NULL)
		histogram_feed(h, now);
}

void
histogram_feed(struct histogram *h, struct interval *v)
{
	if (!h->on)
		return;
	if (h->n == HISTOGRAM_TICKS) {
		interval_unref(h->ticks[0]);
		memmove(h->ticks, h->ticks + 1, (HISTOGRAM_TICKS - 1) * sizeof(h->ticks[0]));
		h->n--;
	}
	h->ticks[h->n++] = interval_ref(v);
}

void
histogram_close(struct histogram *h)
{
	for (size_t i = 0; i < h->n; i++)
		interval_unref(h->ticks[i]);
	*h = (struct histogram) { .on = false };
}

double
histogram_seconds(const struct histogram *h)
{
	double seconds = 0;

	for (size_t i = 0; i < h->n; i++)
		seconds += (double)h->ticks[i]->ns / 1e9;
	return seconds;
}

/* Adds a row's latencies to the octaves and, where not NULL, to the sum. */
static void
add_row(struct octaves *o, struct hist *sum, const struct row *row)
{
	uint64_t metrics = row != NULL && row->hists != NULL ? metrics_of(row->object->kind) : 0;
	double *into = o->first;

	for (size_t m = 0; metrics >> m != 0; m++) {
		const struct hist *h = row->hists[m];

		if (!(metrics >> m & 1))
			continue;
		for (uint32_t b = 0; h != NULL && b < h->n; b++) {
			uint64_t low = hist_low_ns(h->bits, h->first + b);

			into[low > 0 ? 63 - __builtin_clzll(low) : 0] += (double)h->buckets[b];
		}
		if (sum != NULL)
			hist_add(sum, h);
		into = o->rest;
	}
}

/* What is below the lowest octave that is drawn counts in it. */
static void
merge_below(struct octaves *o, int lowest)
{
	for (int k = 0; k < lowest; k++) {
		o->first[lowest] += o->first[k];
		o->rest[lowest] += o->rest[k];
	}
}

static double
at(const struct octaves *o, int k)
{
	return o->first[k] + o->rest[k];
}

/* "32 us": the lower end, or of the lowest line, that holds all below too, the upper end. */
static void
label_text(char out[static FORMAT_MAX], int k, bool below, bool utf8)
{
	static const char *const units[] = { "ns", "µs", "ms", "s" };
	int e = below ? k + 1 : k, unit = e / 10 < 3 ? e / 10 : 3;

	snprintf(out, FORMAT_MAX, "%s%llu %s", below ? "< " : "", 1ULL << (e - 10 * unit),
	    unit == 1 && !utf8 ? "us" : units[unit]);
}

static void
draw_figures(struct surface *s, int y, const struct hist *sum)
{
	static const struct {
		const char *name;
		double q;
	} quantiles[] = { { "p50", 0.5 }, { "p95", 0.95 }, { "p99", 0.99 }, { "p99.9", 0.999 }, { "max", 1 } };
	char value[FORMAT_MAX];
	int x = 1;

	format_cell(value, (double)sum->count, 8, 0);
	x += surface_print(s, y, x, STYLE_NORMAL, "n %s", value) + 2;
	format_cell(value, hist_mean_ns(sum) / 1e6, 6, 2);
	x += surface_print(s, y, x, STYLE_STRONG, "mean %s", value) + 2;
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
		format_cell(value, hist_quantile_ns(sum, quantiles[i].q) / 1e6, 6, 2);
		if (x + text_columns(quantiles[i].name) + text_columns(value) + 4 > s->cols)
			return;
		x += surface_print(s, y, x, STYLE_NORMAL, "%s %s", quantiles[i].name, value) + 2;
	}
	surface_text(s, y, x, STYLE_DIM, "ms");
}

static void
draw_bar(struct surface *s, int y, int width, const struct octaves *o, int k, bool below, double most, double all)
{
	uint32_t full = s->utf8 ? 0x2588 : '#';
	int first = (int)round(o->first[k] / most * width), both = (int)round(at(o, k) / most * width);
	char label[FORMAT_MAX];

	label_text(label, k, below, s->utf8);
	surface_fit(s, y, 1, LABEL, true, STYLE_DIM, label);
	/* few are not none */
	both = both == 0 && at(o, k) > 0 ? 1 : both;
	first = o->rest[k] > 0 ? first : both;
	surface_fill(s, y, LABEL + 2, both, STYLE_WRITE, full);
	surface_fill(s, y, LABEL + 2, first < both ? first : both, STYLE_READ, full);
	surface_print(s, y, LABEL + 3 + width, STYLE_DIM, "%5.1f %%", at(o, k) / all * 100);
}

/* A column a tick, newest at the right; dark is the share of that tick's I/Os. */
static void
draw_tick(struct surface *s, int y, int x, const struct octaves *o, int lowest, int rows)
{
	static const uint32_t shades[] = { 0x2591, 0x2592, 0x2593, 0x2588 };
	double all = 0;

	for (int k = 0; k < rows; k++)
		all += at(o, lowest + k);
	for (int k = 0; k < rows; k++) {
		double share = all > 0 ? at(o, lowest + k) / all : 0;
		int shade = share >= 0.5 ? 3 : share >= 0.2 ? 2 : share >= 0.05 ? 1 : 0;

		if (share > 0)
			surface_char(s, y + k, x, STYLE_GRAPH, s->utf8 ? shades[shade] : (uint32_t)".:+#"[shade]);
	}
}

static void
draw_time(const struct histogram *h, const struct kind *kind, uint64_t uid, struct surface *s, int y, int lowest, int rows,
	int ticks)
{
	for (int i = 0; i < ticks && i < (int)h->n; i++) {
		struct octaves o = { 0 };

		add_row(&o, NULL, interval_row(h->ticks[h->n - 1 - (size_t)i], kind, uid));
		merge_below(&o, lowest);
		draw_tick(s, y, s->cols - 2 - i, &o, lowest, rows);
	}
}

static void
draw_octaves(const struct histogram *h, const struct kind *kind, uint64_t uid, struct surface *s, int y, int rows, struct octaves *o)
{
	int low = 0, high = OCTAVES - 1, ticks = s->cols >= 72 ? HISTOGRAM_TICKS * s->cols / 120 : 0, width;
	double most = 0, all = 0;
	bool below;

	while (low < high && at(o, low) == 0)
		low++;
	while (high > low && at(o, high) == 0)
		high--;
	/* the slow ones are what is looked for */
	below = high - low + 1 > rows;
	low = below ? high - rows + 1 : low;
	merge_below(o, low);
	for (int k = low; k <= high; k++) {
		most = fmax(most, at(o, k));
		all += at(o, k);
	}
	ticks = ticks < HISTOGRAM_TICKS ? ticks : HISTOGRAM_TICKS;
	width = s->cols - LABEL - SHARE - 5 - (ticks > 0 ? ticks + 2 : 0);
	for (int k = low; k <= high && width > 0; k++)
		draw_bar(s, y + k - low, width, o, k, below && k == low, most, all);
	draw_time(h, kind, uid, s, y, low, high - low + 1, ticks);
}

void
histogram_draw(const struct histogram *h, const struct kind *kind, uint64_t uid, struct surface *s, int y, int rows)
{
	struct hist *sum = hist_new(3);
	struct octaves o = { 0 };

	for (size_t i = 0; i < h->n; i++) {
		const struct row *row = interval_row(h->ticks[i], kind, uid);

		if (sum->count == 0 && row != NULL && row->hists != NULL) {
			hist_free(sum);
			sum = hist_new(kind->metrics[__builtin_ctzll(metrics_of(kind))].hist_bits);
		}
		add_row(&o, sum, row);
	}
	if (sum->count == 0)
		surface_text(s, y, 1, STYLE_DIM, "no I/O was completed");
	else
		draw_figures(s, y, sum);
	if (sum->count > 0 && rows > 1)
		draw_octaves(h, kind, uid, s, y + 1, rows - 1, &o);
	hist_free(sum);
}
