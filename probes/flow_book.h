/*
 * The flows of a tap as objects of the model: names, labels, cells. For probes/wire.c only. Main thread.
 */
#ifndef PROBES_FLOW_BOOK_H
#define PROBES_FLOW_BOOK_H

#include <stddef.h>
#include <stdint.h>

#include "core/snapshot.h"
#include "probes/wire/wire.h"

struct flow_entry;

/* Begins as zero, but for the interface's name, which must outlive it. */
struct flow_book {
	const char *interface;
	size_t n;
	struct flow_entry *entries;
};

/* The tables that flows and operations go into, by protocol. */
struct flow_tables {
	struct snapshot_table *nfs, *nfs_ops, *iscsi, *iscsi_ops;
};
/* Those tables, made: what was not seen yet is known not to have been. */
struct flow_tables flow_tables_of(struct snapshot *);

/*
 * Puts all flows into the tables. Those not among them are forgotten. The others' names must stay until then, as a decoder's do.
 * missed: what the capture missed or could not read so far; it only grows. An operation counts those since it was first put.
 */
void flow_book_put(struct flow_book *, const struct wire_flow *flows, size_t n, uint64_t missed, const struct flow_tables *);
void flow_book_clear(struct flow_book *);

#endif
