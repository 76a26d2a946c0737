/*
 * A snapshot: the raw counters of all objects at one instant, as the probes read them. Built by the
 * sampler's thread through snapshot_table() and snapshot_add(), then read-only, then freed whole.
 */
#ifndef CORE_SNAPSHOT_H
#define CORE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/hist.h"
#include "core/kind.h"
#include "core/object.h"

#define ABSENT UINT64_MAX	/* a counter that was not read */

/* The clocks, taken once, just before the first read. */
struct stamp {
	uint64_t mono_ns;	/* CLOCK_MONOTONIC: divides all rates */
	uint64_t boot_ns;	/* CLOCK_BOOTTIME: runs on through a suspend */
	int64_t wall_ms;	/* CLOCK_REALTIME: a label only */
};

struct snapshot_table {
	const struct kind *kind;
	size_t n, cap;
	struct object **objects;	/* one reference each */
	uint64_t *cells;		/* n x kind->n_metrics; ABSENT where not read; histograms' cells unused */
	struct hist **hists;		/* n x kind->n_metrics, or NULL where the kind has none; owned */
};

struct snapshot {
	struct stamp stamp;
	size_t n_tables;
	struct snapshot_table **tables;
};

struct snapshot *snapshot_new(const struct stamp *);
void snapshot_free(struct snapshot *);	/* NULL is fine */
/*
 * The table of a kind, made when first asked for. A kind without a table was not sampled (its
 * probe failed), which is not the same as an empty one.
 */
struct snapshot_table *snapshot_table(struct snapshot *, const struct kind *);
/* NULL where the kind was not sampled. */
const struct snapshot_table *snapshot_find(const struct snapshot *, const struct kind *);
/* Forgets a kind again: its probe failed half-way. */
void snapshot_drop(struct snapshot *, const struct kind *);
/*
 * Appends an object (takes a reference of its own) and returns its cells, all ABSENT, valid until
 * the next call on this table.
 */
uint64_t *snapshot_add(struct snapshot_table *, struct object *);
/* The cells of the row added last. */
uint64_t *snapshot_last(struct snapshot_table *);
/* Gives a histogram metric of the row added last its cumulative histogram; takes it over. */
void snapshot_hist(struct snapshot_table *, int metric, struct hist *);

#endif
