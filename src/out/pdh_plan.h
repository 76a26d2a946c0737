/*
 * The columns of an esxtop batch CSV: frozen at the first interval, never reordered afterwards.
 *
 * A counter gets a column for an instance when its figure is measured, or would be if the object were
 * not idle. What no source fills is left out and said; what Linux never issues is a true zero.
 */
#ifndef OUT_PDH_PLAN_H
#define OUT_PDH_PLAN_H

#include "core/interval.h"
#include "out/line.h"
#include "out/out.h"
#include "out/choice.h"

#define PDH_NOWHERE SIZE_MAX

struct pdh_cell {
	const char *name;		/* of the counter */
	const struct column *column;	/* NULL: a true zero */
	double scale;
	bool integer;
};

/* One instance of one object: its columns stand side by side. */
struct pdh_instance {
	const struct pdh_object *object;
	const struct kind *kind;
	uint64_t uid;
	char *identity;		/* finds it again under another uid */
	char *name;		/* safe and unique within the object; NULL where it has none */
	size_t table, row;	/* where it stood in the last interval; row PDH_NOWHERE: not there */
	size_t first, n;	/* cells */
	bool unknown_said;
};

struct pdh_plan {
	size_t n;
	struct pdh_instance *instances;
	size_t n_cells, cap_cells;
	struct pdh_cell *cells;
	struct uidmap seen;	/* what could stand in the file, as of the last interval */
};

/*
 * Makes the columns of the chosen rows; notes of what is left out go to options->note. No columns (n_cells == 0) where nothing is measured.
 */
void pdh_plan_make(struct pdh_plan *, const struct out_options *, const struct choice *, const struct interval *);
/* The rows there are now; what is new in the next interval came later. */
void pdh_plan_remember(struct pdh_plan *, const struct choice *);
/* Finds the instances again among other rows; notes which went and which are too late for a column. */
void pdh_plan_follow(struct pdh_plan *, const struct out_options *, const struct choice *);
void pdh_plan_header(const struct pdh_plan *, const char *host, struct line *);
void pdh_plan_free(struct pdh_plan *);

/*
 * No figure because there was nothing to measure, with all that it is made of known: a latency of no
 * command. Not so when a metric is absent.
 */
bool pdh_idle(const struct column *, const struct row *);

#endif
