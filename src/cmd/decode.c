/*
 * decode: what NFS and iSCSI did in a capture file.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "core/xalloc.h"
#include "out/decode_out.h"
#include "probes/wire/file.h"
#include "probes/wire/wire.h"
#include "sys/text.h"

/* Flows as they come, and their room. */
struct gathering {
	struct decode_report report;
	size_t flows_room, ops_room;
};

static void
fill_op(struct decode_op *out, enum wire_protocol protocol, const struct wire_op *op)
{
	char made[WIRE_OP_TEXT];

	*out = (struct decode_op){
		.protocol = wire_protocol_name(protocol), .calls = op->calls, .replies = op->replies,
		.bytes = op->sealed ? DECODE_UNKNOWN : op->bytes,
		.errors = op->errors, .retransmitted = op->retransmitted, .unanswered = op->unanswered,
		.hist = hist_copy(op->hist), .last_sum_ns = op->last_sum_ns, .r2t_count = op->r2t_count,
		.r2t_sum_ns = op->r2t_sum_ns, .data_count = op->data_count, .data_sum_ns = op->data_sum_ns,
	};
	text_copy(out->name, sizeof(out->name), wire_op_name(protocol, op->op, made));
}

static void
add_op(struct decode_op *into, const struct decode_op *from)
{
	into->calls += from->calls;
	into->replies += from->replies;
	into->bytes = into->bytes == DECODE_UNKNOWN || from->bytes == DECODE_UNKNOWN ? DECODE_UNKNOWN : into->bytes + from->bytes;
	into->errors += from->errors;
	into->retransmitted += from->retransmitted;
	into->unanswered += from->unanswered;
	into->last_sum_ns += from->last_sum_ns;
	into->r2t_count += from->r2t_count;
	into->r2t_sum_ns += from->r2t_sum_ns;
	into->data_count += from->data_count;
	into->data_sum_ns += from->data_sum_ns;
	hist_merge(&into->hist, from->hist);
}

/* The operation's row over all flows. */
static struct decode_op *
total_of(struct gathering *g, const struct decode_op *op)
{
	struct decode_report *r = &g->report;

	for (size_t i = 0; i < r->n_ops; i++)
		if (strcmp(r->ops[i].protocol, op->protocol) == 0 && strcmp(r->ops[i].name, op->name) == 0)
			return &r->ops[i];
	if (r->n_ops == g->ops_room) {
		g->ops_room = g->ops_room == 0 ? 32 : 2 * g->ops_room;
		r->ops = xreallocarray(r->ops, g->ops_room, sizeof(*r->ops));
	}
	r->ops[r->n_ops] = (struct decode_op){ .protocol = op->protocol };
	memcpy(r->ops[r->n_ops].name, op->name, sizeof(op->name));
	return &r->ops[r->n_ops++];
}

static void
fill_errors(struct decode_flow *out, const struct wire_flow *f)
{
	out->errors = xcalloc(f->n_errors + 1, sizeof(*out->errors));
	for (size_t i = 0; i < f->n_errors; i++) {
		struct decode_error *e = &out->errors[out->n_errors++];
		char text[WIRE_ERROR_TEXT];

		wire_error_text(f->protocol, f->errors[i].code, text);
		text_copy(e->text, sizeof(e->text), text);
		e->count = f->errors[i].count;
	}
	if (f->more_errors > 0)
		out->errors[out->n_errors++] = (struct decode_error){ "others", f->more_errors };
}

static void
take_flow(void *arg, const struct wire_flow *f)
{
	struct gathering *g = arg;
	struct decode_report *r = &g->report;
	struct decode_flow *out;

	if (r->n_flows == g->flows_room) {
		g->flows_room = g->flows_room == 0 ? 16 : 2 * g->flows_room;
		r->flows = xreallocarray(r->flows, g->flows_room, sizeof(*r->flows));
	}
	out = &r->flows[r->n_flows++];
	*out = (struct decode_flow){ .protocol = wire_protocol_name(f->protocol), .lun = f->protocol == WIRE_ISCSI ? f->lun : -1 };
	if (!f->others) {
		wire_addr_text(&f->client, out->client);
		wire_server_text(f, out->server);
	}
	text_copy(out->name, sizeof(out->name), f->name);
	text_copy(out->initiator, sizeof(out->initiator), f->initiator);
	out->ops = xcalloc(f->n_ops + 1, sizeof(*out->ops));
	for (size_t i = 0; i < f->n_ops; i++) {
		fill_op(&out->ops[i], f->protocol, &f->ops[i]);
		add_op(total_of(g, &out->ops[i]), &out->ops[i]);
	}
	out->n_ops = f->n_ops;
	fill_errors(out, f);
}

static uint64_t
calls_of(const struct decode_flow *f)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < f->n_ops; i++)
		sum += f->ops[i].calls;
	return sum;
}

/* The busiest first, operations of one protocol together. */
static int
by_calls(const void *a, const void *b)
{
	const struct decode_op *x = a, *y = b;
	int order = strcmp(x->protocol, y->protocol);

	if (order != 0)
		return order;
	return x->calls != y->calls ? (x->calls < y->calls) - (x->calls > y->calls) : strcmp(x->name, y->name);
}

static int
by_traffic(const void *a, const void *b)
{
	uint64_t x = calls_of(a), y = calls_of(b);

	return (x < y) - (x > y);
}

static void
sort(struct decode_report *r)
{
	for (size_t i = 0; i < r->n_flows; i++)
		qsort(r->flows[i].ops, r->flows[i].n_ops, sizeof(*r->flows[i].ops), by_calls);
	if (r->n_flows > 0) {
		qsort(r->flows, r->n_flows, sizeof(*r->flows), by_traffic);
		qsort(r->ops, r->n_ops, sizeof(*r->ops), by_calls);
	}
}

static void
free_report(struct decode_report *r)
{
	for (size_t i = 0; i < r->n_flows; i++) {
		for (size_t k = 0; k < r->flows[i].n_ops; k++)
			hist_free(r->flows[i].ops[k].hist);
		free(r->flows[i].ops);
		free(r->flows[i].errors);
	}
	for (size_t i = 0; i < r->n_ops; i++)
		hist_free(r->ops[i].hist);
	free(r->flows);
	free(r->ops);
}

static void
print(const struct options *o, struct wire_decoder *d)
{
	const struct wire_health *h = wire_decoder_health(d);
	struct decode_count health[] = {
		{ "gaps", "gaps: segments or fragments that the capture misses", h->gaps, true },
		{ "resyncs", "times the next message was found again", h->resyncs, false },
		{ "orphan_replies", "replies to requests that the capture misses", h->orphan_replies, true },
		{ "unanswered", "requests without a reply in the capture", h->unanswered, false },
		{ "truncated", "messages captured too short to be read whole", h->truncated, true },
		{ "malformed", "messages or packets that are damaged", h->malformed, true },
		{ "retransmitted", "segments or requests sent again", h->retransmitted, false },
		{ "reordered", "segments captured out of order", h->reordered, false },
		{ "duplicates", "packets captured twice", h->duplicates, false },
		{ "private_calls", "calls encrypted by Kerberos (krb5p): counted, not read", h->private_calls, true },
		{ "tls_connections", "connections encrypted by TLS: nothing in them can be read", h->tls_connections, true },
		{ "rdma_packets", "packets of RDMA: nothing in them can be read", h->rdma_packets, true },
		{ "dropped_connections", "connections given up for want of room", h->dropped_connections, true },
		{ "crowded", "calls counted under \"all others\" for want of room", h->crowded, false },
		{ "untimed", "replies counted without their time for want of room", h->untimed, true },
	};
	struct gathering g = { .report = { .file = o->args[0], .packets = h->packets, .bytes = h->bytes, .health = health,
		.n_health = sizeof(health) / sizeof(health[0]) } };

	g.report.seconds = h->packets > 1 ? (double)(h->last_ns - h->first_ns) / 1e9 : NAN;
	wire_decoder_visit(d, take_flow, &g);
	sort(&g.report);
	if (o->json)
		decode_print_json(stdout, &g.report);
	else
		decode_print_table(stdout, &g.report);
	free_report(&g.report);
}

int
cmd_decode(const struct options *o, struct env *env)
{
	char why[512];
	struct wire_decoder *d = wire_file_decode(o->args[0], &cmd_stop, why, sizeof(why));

	(void)env;
	if (d != NULL)
		print(o, d);
	if (why[0] != '\0')
		cmd_warn("%s", why);
	wire_decoder_free(d);
	return cmd_stop != 0 ? 130 : why[0] != '\0' ? 1 : 0;
}
