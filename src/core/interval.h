/*
 * The interval: what each object did between two instants. Differences of counters and histograms,
 * gauges at its end, and its measured length. Everything downstream (screen, store, CSV) computes its
 * figures from one, last. Intervals add; addition is associative.
 *
 * Counted by references and read-only once shared, so any thread may hold one.
 */
#ifndef CORE_INTERVAL_H
#define CORE_INTERVAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/hist.h"
#include "core/object.h"
#include "core/snapshot.h"

enum event_type {
	EVENT_BIRTH,	/* an object came (hot-plug) */
	EVENT_DEATH,	/* an object went */
	EVENT_RESET,	/* a counter went back; the row was dropped */
	EVENT_GAP,	/* the machine was suspended */
	EVENT_STALL,	/* in flight and nothing completed for two intervals */
	EVENT_RESUME,	/* a stalled object completed again */
	EVENT_DROP,	/* the store's queue was full and an interval was not recorded */
	EVENT_TEST,	/* a test began, was measured, ended */
	EVENT_COUNT
};
extern const char *const event_name[EVENT_COUNT];	/* "birth" ... as in the store */

struct event {
	enum event_type type;
	struct object *object;	/* a reference, or NULL */
	char *text;		/* for people; never NULL */
};

struct row {
	struct object *object;	/* a reference: the version at the interval's end */
	uint64_t ns;		/* the time the object was seen in */
	/*
	 * Since when nothing completes although something is in flight, at the interval's end; 0: not
	 * stalled. Set by stall_watch(), not by addition of counters.
	 */
	uint64_t stalled_ns;
	double *cells;		/* kind->n_metrics: differences and gauges, NaN where absent */
	struct hist **hists;	/* kind->n_metrics or NULL where the kind has no histograms */
};

struct interval_table {
	const struct kind *kind;
	uint64_t ns;		/* length, from the samples that were taken */
	size_t n;
	struct row *rows;
	double *cells;		/* the block row.cells point into */
	struct hist **hists;	/* the block row.hists point into; owns the histograms */
};

struct interval {
	atomic_uint refs;
	struct stamp end;
	uint64_t ns;		/* its whole length */
	size_t n_tables;
	struct interval_table *tables;	/* in the order of kind_table for kinds from there */
	size_t n_events;
	struct event *events;
};

/*
 * later - earlier. Objects are matched by uid. Not in the result: an object first seen now (unless
 * its kind starts from zero), one whose counter went back (an event says so), a kind missing in either
 * snapshot. Rows of roll-up kinds come out with NaN cells: interval_rollup() fills them. When the
 * clocks tell of a suspend, the result has no rows and an EVENT_GAP. One reference.
 */
struct interval *interval_diff(const struct snapshot *earlier, const struct snapshot *later);

/*
 * a + b, b being the later neighbour: counters, histograms and times add, gauges and object versions
 * are b's; a gauge of an object not in b is absent. Roll-ups are computed again. One reference.
 */
struct interval *interval_add(const struct interval *a, const struct interval *b);

/*
 * Computes the cells of all roll-up kinds and all derived metrics from the leaves, adding the tables of
 * totals where they are missing. Pure. A counter of a roll-up is the sum of its members', absent where one
 * of them is; a gauge is the sum of those there are (a member gone before the end has none). interval_diff()
 * and interval_add() have called it already.
 */
void interval_rollup(struct interval *);

struct interval *interval_ref(struct interval *);
void interval_unref(struct interval *);		/* NULL is fine */

/* NULL where the kind was not sampled. */
const struct interval_table *interval_table(const struct interval *, const struct kind *);
/* NULL where the object has no row. */
const struct row *interval_row(const struct interval *, const struct kind *, uint64_t uid);

/*
 * Building one by hand (the store's reader, tests): tables first with their number of rows, then rows
 * filled in place; object references are taken over. Cells start as NaN.
 */
struct interval *interval_new(const struct stamp *end, uint64_t ns);
struct interval_table *interval_make_table(struct interval *, const struct kind *, size_t rows, uint64_t ns);
/* Formats the text; takes a reference to the object (may be NULL). */
__attribute__((format(printf, 4, 5)))
void interval_event(struct interval *, enum event_type, struct object *, const char *format, ...);

#endif
