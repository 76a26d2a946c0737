/*
 * What the block probe reads of devices besides their counters, spread over ticks: labels once, states
 * of paths every few seconds, SCSI error counters every second. Main thread.
 */
#ifndef PROBES_BLOCK_DETAIL_H
#define PROBES_BLOCK_DETAIL_H

#include "probes/block_table.h"

struct block_detail {
	size_t cursor;		/* of the round through the states */
	size_t adapter_cursor;
	uint64_t last_ns;	/* when states were last looked at */
	size_t recheck_cursor;	/* of the slow round through what has no state */
	uint64_t recheck_ns;
	bool changed;		/* details were read that others' links and classes hang on */
};

/*
 * Reads details not yet known, adapters first, until env->detail_budget_ns is used up, at least one.
 * now_ns is the tick's CLOCK_MONOTONIC. True: links and classes must be derived again.
 */
bool block_detail_read(struct block_table *, struct block_detail *, uint64_t now_ns);
/* Looks again at some of the states that change without a word. True: as above. */
bool block_detail_states(struct block_table *, struct block_detail *, uint64_t now_ns);

/* Reads the error counters of up to 64 SCSI disks, each at most once a second. */
void block_errors_read(struct block_table *, uint64_t now_ns);
/* Puts them into a row of kind_disk, if they are fresh. */
void block_errors_put(const struct block_device *, uint64_t now_ns, uint64_t *cells);

#endif
