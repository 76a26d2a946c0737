/*
 * The latencies of the selected row: how many I/Os took how long, as bars for each power of two, and over time. For
 * rows of any kind whose percentiles come from histograms. Main thread.
 */
#ifndef VIEWS_HISTOGRAM_H
#define VIEWS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "core/interval.h"
#include "views/surface.h"

#define HISTOGRAM_TICKS 40

/* The intervals shown; held only while a histogram is on the screen, since they are large. */
struct histogram {
	bool on;
	size_t n;
	struct interval *ticks[HISTOGRAM_TICKS];	/* references, oldest first */
};

/* Do rows of this kind have latencies counted one by one? */
bool histogram_for(const struct kind *);
void histogram_open(struct histogram *, struct interval *now);
void histogram_feed(struct histogram *, struct interval *);
void histogram_close(struct histogram *);

/*
 * Draws that of the row with this uid into `rows` lines: a line of figures, a bar for each power of two of
 * nanoseconds, and beside them the same over time where there is room.
 */
void histogram_draw(const struct histogram *, const struct kind *, uint64_t uid, struct surface *, int y, int rows);
/* Seconds they span. */
double histogram_seconds(const struct histogram *);

#endif
