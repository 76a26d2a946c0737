/*
 * What `decode` found in a capture, as text: a table for people, JSON (design.md section 12) for the rest. Main thread.
 */
#ifndef OUT_DECODE_OUT_H
#define OUT_DECODE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/hist.h"

#define DECODE_UNKNOWN UINT64_MAX

struct decode_op {
	const char *protocol;
	char name[32];
	uint64_t calls, replies, errors, retransmitted, unanswered;
	uint64_t bytes;		/* DECODE_UNKNOWN: encrypted, all or some */
	struct hist *hist;	/* last byte of the request to first byte of the reply; NULL: none */
	uint64_t last_sum_ns;	/* last byte to last byte, of those in hist */
	/* iSCSI writes that waited for the target to ask for their data: to the asking, and from there to the data's end */
	uint64_t r2t_count, r2t_sum_ns, data_count, data_sum_ns;
};

struct decode_error {
	char text[64];
	uint64_t count;
};

struct decode_flow {
	const char *protocol;
	char client[64], server[64];	/* "" where several are counted together */
	char name[256];			/* the export, or the iSCSI target; "" where not seen */
	char initiator[256];		/* iSCSI; "" where not seen */
	int lun;			/* iSCSI; -1: none */
	struct decode_op *ops;
	size_t n_ops;
	struct decode_error *errors;
	size_t n_errors;
};

/* Something that happened so often; `words` say what it means. */
struct decode_count {
	const char *key, *words;
	uint64_t count;
	bool incomplete;	/* figures are too low by it */
};

struct decode_report {
	const char *file;
	uint64_t packets, bytes;
	double seconds;			/* NaN where not known */
	struct decode_op *ops;		/* of all flows */
	size_t n_ops;
	struct decode_flow *flows;
	size_t n_flows;
	struct decode_count *health;
	size_t n_health;
};

void decode_print_table(FILE *, const struct decode_report *);
void decode_print_json(FILE *, const struct decode_report *);

#endif
