/*
 * What must hold of every decoder, whatever it was fed.
 */
#ifndef TESTS_WIRE_AUDIT_H
#define TESTS_WIRE_AUDIT_H

#include <stdlib.h>
#include <string.h>

#include "probes/wire/wire.h"

static inline void
require(bool holds)
{
	if (!holds)
		abort();
}

static inline void
audit_op(const struct wire_flow *f, const struct wire_op *op)
{
	char text[WIRE_OP_TEXT];

	/* Nothing is in flight when all is over: what was asked was answered, or was not. */
	require(op->in_flight == 0);
	require(op->calls == op->replies + op->unanswered);
	require(op->errors <= op->replies);
	require(op->hist == NULL || op->hist->count <= op->replies);
	require(op->hist == NULL || op->last_sum_ns >= op->hist->sum_ns);
	require(op->data_count <= op->r2t_count && op->r2t_count <= op->replies);
	require(op->bytes == 0 || wire_op_direction(f->protocol, op->op) != ' ');
	require(strlen(wire_op_name(f->protocol, op->op, text)) > 0);
}

static inline void
audit_flow(void *arg, const struct wire_flow *f)
{
	char text[WIRE_ERROR_TEXT];

	(void)arg;
	require(f->uid != 0 && f->protocol < WIRE_PROTOCOLS);
	require(strlen(f->name) < 4096 && strlen(f->initiator) < 4096);
	for (size_t i = 0; i < f->n_ops; i++)
		audit_op(f, &f->ops[i]);
	for (size_t i = 0; i < f->n_errors; i++) {
		require(f->errors[i].count > 0);
		wire_error_text(f->protocol, f->errors[i].code, text);
	}
}

/* Finishes it, looks at every flow, and frees it; aborts where the figures contradict each other. */
static inline void
audit_and_free(struct wire_decoder *d)
{
	wire_decoder_finish(d);
	wire_decoder_visit(d, audit_flow, NULL);
	wire_decoder_free(d);
}

#endif
