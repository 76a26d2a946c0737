/*
 * Charts of one row side by side: IOPS, throughput, latency over the last minutes; of an interface its packets
 * and bits. Used above the overview and for the graph of the selected row. Main thread.
 */
#ifndef VIEWS_PANELS_H
#define VIEWS_PANELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/interval.h"
#include "session/history.h"
#include "session/verdict.h"
#include "views/chart.h"
#include "views/surface.h"

struct panels {
	const struct history *history;
	enum charset charset;
	const struct row *row;		/* figures now */
	const struct row *worst;	/* the row named beside the mean latency, or NULL */
	const struct verdicts *verdicts;
};

/* Do rows of this kind have anything to draw? */
bool panels_for(const struct kind *);
/* Samples each chart of such a row shows side by side on a screen of so many columns. */
size_t panels_samples(const struct kind *, int columns, enum charset);
/* Title, chart and legend: at least 3 rows. */
void panels_draw(const struct panels *, struct surface *, int y, int rows);
/* One row a figure, with a sparkline; returns the rows used, at most `rows`. */
int panels_compact(const struct panels *, struct surface *, int y, int rows);
/* All figures in one row. */
void panels_line(const struct panels *, struct surface *, int y);

#endif
