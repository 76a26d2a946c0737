/*
 * Flows: who asks whom for what, and the figures of each operation.
 */
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "probes/wire/decoder.h"

struct wire_flow_entry *
wire_flow_at(const struct wire_decoder *d, uint32_t flow)
{
	return wire_table_at(&d->flows, flow);
}

static uint32_t
make_flow(struct wire_decoder *d, uint64_t key)
{
	uint32_t entry = wire_table_take(&d->flows, (uint32_t)key);
	struct wire_flow_entry *f = wire_flow_at(d, entry);

	f->key = key;
	f->flow.uid = ++d->flow_uid;
	f->flow.name = f->flow.initiator = "";
	return entry;
}

/* Where all goes for which there is no room: the figures of a protocol still add up. */
static uint32_t
others(struct wire_decoder *d, enum wire_protocol protocol)
{
	d->health.crowded++;
	if (d->others[protocol] == 0) {
		d->others[protocol] = make_flow(d, protocol + 1);
		wire_flow_at(d, d->others[protocol])->flow.others = true;
		wire_flow_at(d, d->others[protocol])->flow.protocol = protocol;
	}
	return d->others[protocol];
}

static uint64_t
full_key(const struct wire_conn *c, uint64_t small)
{
	const struct wire_addr *client = &c->addr[c->client], *server = &c->addr[!c->client];
	uint64_t h = wire_mix(wire_mix(small, client->w[0]), client->w[1]);

	h = wire_mix(wire_mix(wire_mix(h, server->w[0]), server->w[1]), c->port[!c->client]);
	/* Names are kept once each: their place is their identity. */
	h = wire_mix(wire_mix(h, (uintptr_t)c->initiator), (uintptr_t)c->target);
	return h > WIRE_PROTOCOLS ? h : h + WIRE_PROTOCOLS + 1;
}

static bool
crowded(const struct wire_decoder *d)
{
	/* Room for one "others" of each protocol is kept. */
	return d->flows.used >= d->options.flows || d->op_bytes > d->options.op_bytes;
}

static uint32_t
new_flow(struct wire_decoder *d, const struct wire_conn *c, const struct wire_flow_key *k, uint64_t key)
{
	struct wire_flow_entry *f;
	uint32_t entry;

	if (crowded(d))
		return others(d, k->protocol);
	entry = make_flow(d, key);
	f = wire_flow_at(d, entry);
	f->flow.protocol = k->protocol;
	f->flow.client = c->addr[c->client];
	f->flow.server = c->addr[!c->client];
	f->flow.server_port = c->port[!c->client];
	f->flow.export_id = k->export_id;
	f->flow.lun = k->lun;
	if (k->protocol == WIRE_ISCSI) {
		f->flow.name = c->target != NULL ? c->target : "";
		f->flow.initiator = c->initiator != NULL ? c->initiator : "";
	}
	return entry;
}

uint32_t
wire_flow_find(struct wire_decoder *d, struct wire_conn *c, const struct wire_flow_key *k)
{
	uint64_t small = wire_mix(k->export_id, (uint64_t)k->protocol << 32 | (uint64_t)k->lun << 1 | c->client), key;
	uint32_t entry;

	if (c->flow != 0 && c->flow_key == small && wire_flow_at(d, c->flow)->flow.uid == c->flow_uid)
		return c->flow;
	key = full_key(c, small);
	for (entry = wire_table_first(&d->flows, (uint32_t)key); entry != 0; entry = wire_flow_at(d, entry)->link.next)
		if (wire_flow_at(d, entry)->key == key)
			break;
	if (entry == 0)
		entry = new_flow(d, c, k, key);
	/* Among the others only until there is room. */
	c->flow = wire_flow_at(d, entry)->flow.others ? 0 : entry;
	c->flow_key = small;
	c->flow_uid = wire_flow_at(d, entry)->flow.uid;
	return entry;
}

struct wire_op *
wire_flow_op(struct wire_decoder *d, uint32_t flow, uint8_t op)
{
	struct wire_flow_entry *f = wire_flow_at(d, flow);

	if (f->slot[op] != 0)
		return &f->ops[f->slot[op] - 1];
	/* 255 is more than any protocol has; a sender that makes up commands fills the last. */
	if (f->flow.n_ops == UINT8_MAX)
		return &f->ops[UINT8_MAX - 1];
	if (f->flow.n_ops == f->ops_room) {
		d->op_bytes -= f->ops_room * sizeof(*f->ops);
		f->ops_room = f->ops_room == 0 ? 4 : 2 * f->ops_room;
		d->op_bytes += f->ops_room * sizeof(*f->ops);
		f->ops = xreallocarray(f->ops, f->ops_room, sizeof(*f->ops));
		f->flow.ops = f->ops;
	}
	f->ops[f->flow.n_ops] = (struct wire_op){ .op = op };
	f->slot[op] = (uint8_t)++f->flow.n_ops;
	return &f->ops[f->slot[op] - 1];
}

static void
count_error(struct wire_flow_entry *f, uint32_t code)
{
	for (size_t i = 0; i < f->flow.n_errors; i++)
		if (f->errors[i].code == code) {
			f->errors[i].count++;
			return;
		}
	if (f->flow.n_errors == WIRE_ERRORS) {
		f->flow.more_errors++;
		return;
	}
	f->errors[f->flow.n_errors++] = (struct wire_error){ .code = code, .count = 1 };
	f->flow.errors = f->errors;
}

static size_t
hist_bytes(const struct hist *h)
{
	return h != NULL ? sizeof(*h) + h->n * sizeof(*h->buckets) : 0;
}

static bool
fits(const struct wire_decoder *d, const struct hist *h, uint64_t ns)
{
	return d->op_bytes <= d->options.op_bytes + d->options.op_bytes / 4 ||
	    (h != NULL && hist_bucket(h->bits, ns) - h->first < h->n);
}

static void
count_time(struct wire_decoder *d, struct wire_op *op, uint64_t ns, uint64_t last_ns)
{
	if (!fits(d, op->hist, ns)) {
		d->health.untimed++;
		return;
	}
	d->op_bytes -= hist_bytes(op->hist);
	if (op->hist == NULL)
		op->hist = hist_new(d->options.hist_bits);
	hist_add_value(op->hist, ns, 1);
	op->last_sum_ns += last_ns;
	d->op_bytes += hist_bytes(op->hist);
}

/* Of a compound it is not even known what is in it, of others only how much they move. */
static bool
is_sealed(const struct wire_pending *p, unsigned i)
{
	return p->gss_service == RPC_GSS_PRIVACY && (wire_op_direction(p->protocol, p->ops[i]) != ' ' || i > 0);
}

static bool
has_operations(const struct wire_flow_entry *f, const struct wire_pending *p)
{
	for (unsigned i = 0; i < p->n_ops; i++)
		if (f->slot[p->ops[i]] == 0)
			return false;
	return true;
}

void
wire_flow_call(struct wire_decoder *d, struct wire_pending *p)
{
	struct wire_flow_entry *f = wire_flow_at(d, p->flow);

	if (!f->flow.others && d->op_bytes > d->options.op_bytes && !has_operations(f, p)) {
		p->flow = others(d, f->flow.protocol);
		f = wire_flow_at(d, p->flow);
	}
	p->flow_uid = f->flow.uid;
	f->flow.last_ns = d->now_ns;
	f->in_flight++;
	for (unsigned i = 0; i < p->n_ops; i++) {
		struct wire_op *op = wire_flow_op(d, p->flow, p->ops[i]);

		op->calls++;
		op->sealed = op->sealed || is_sealed(p, i);
		op->in_flight++;
	}
}

void
wire_flow_again(struct wire_decoder *d, const struct wire_pending *p)
{
	if (p->flow == 0 || wire_flow_at(d, p->flow)->flow.uid != p->flow_uid)
		return;
	for (unsigned i = 0; i < p->n_ops; i++)
		wire_flow_op(d, p->flow, p->ops[i])->retransmitted++;
}

/* How far an iSCSI write got, and whose time it was. */
static void
count_phases(struct wire_op *op, const struct wire_pending *p)
{
	if (p->r2t_ns == 0)
		return;
	op->r2t_count++;
	op->r2t_sum_ns += wire_since(p->last_ns, p->r2t_ns);
	if (p->data_ns == 0)
		return;
	op->data_count++;
	op->data_sum_ns += wire_since(p->r2t_ns, p->data_ns);
}

/* In a compound the first operation that fails is the last that was done. */
static bool
op_failed(const struct wire_pending *p, unsigned i)
{
	return p->status != 0 && p->status != NFS_UNKNOWN && (i == 0 || i == p->reply_ops);
}

static bool
op_done(const struct wire_pending *p, unsigned i)
{
	return p->status == 0 || p->status == NFS_UNKNOWN || i <= p->reply_ops;
}

void
wire_flow_reply(struct wire_decoder *d, struct wire_pending *p, uint64_t last_ns)
{
	struct wire_flow_entry *f = wire_flow_at(d, p->flow);
	bool good = p->status == 0;

	f->flow.last_ns = d->now_ns;
	f->in_flight--;
	/* A message that was lost in the middle ends when its stream last moved, which may be before its own segment. */
	if (last_ns < p->reply_ns)
		last_ns = p->reply_ns;
	for (unsigned i = 0; i < p->n_ops; i++) {
		struct wire_op *op = wire_flow_op(d, p->flow, p->ops[i]);
		char direction = wire_op_direction(p->protocol, p->ops[i]);

		op->replies++;
		op->in_flight -= !p->doubtful;
		op->errors += op_failed(p, i);
		if (op_done(p, i))
			count_time(d, op, wire_since(p->last_ns, p->reply_ns), wire_since(p->last_ns, last_ns));
		if (good && direction != ' ') {
			uint32_t *bytes = direction == 'r' ? &p->read_bytes : &p->write_bytes;

			op->bytes += *bytes;
			*bytes = 0;
		}
		if (p->protocol == WIRE_ISCSI)
			count_phases(op, p);
	}
	if (!good && p->status != NFS_UNKNOWN)
		count_error(f, p->status);
}

void
wire_flow_give_up(struct wire_decoder *d, const struct wire_pending *p)
{
	wire_flow_at(d, p->flow)->in_flight--;
	for (unsigned i = 0; i < p->n_ops; i++) {
		struct wire_op *op = wire_flow_op(d, p->flow, p->ops[i]);

		op->unanswered++;
		op->in_flight -= !p->doubtful;
	}
}

static void
free_flow(struct wire_decoder *d, struct wire_flow_entry *f)
{
	d->op_bytes -= f->ops_room * sizeof(*f->ops);
	for (size_t i = 0; i < f->flow.n_ops; i++) {
		d->op_bytes -= hist_bytes(f->ops[i].hist);
		hist_free(f->ops[i].hist);
	}
	free(f->ops);
	f->ops = NULL;
	f->flow.n_ops = 0;
	f->flow.uid = 0;
}

/* Entries that were ever used lie together at the start; those that are free have no uid. */
static uint32_t
last_used(const struct wire_decoder *d)
{
	return d->flow_uid < d->flows.size ? (uint32_t)d->flow_uid : d->flows.size;
}

/* Where there is no room, those without traffic make it for those with. */
void
wire_flow_expire(struct wire_decoder *d, uint64_t now_ns)
{
	const uint64_t idle_ns = crowded(d) ? WIRE_CROWD_IDLE_NS : WIRE_IDLE_NS;

	for (uint32_t i = 1; i <= last_used(d); i++) {
		struct wire_flow_entry *f = wire_flow_at(d, i);

		if (f->flow.uid == 0 || f->flow.others || f->in_flight > 0 || !f->seen || f->visited_ns != f->flow.last_ns ||
		    wire_since(f->flow.last_ns, now_ns) < idle_ns)
			continue;
		free_flow(d, f);
		wire_table_drop(&d->flows, i);
	}
}

void
wire_flow_free_all(struct wire_decoder *d)
{
	for (uint32_t i = 1; i <= last_used(d); i++)
		if (wire_flow_at(d, i)->flow.uid != 0)
			free_flow(d, wire_flow_at(d, i));
}

void
wire_decoder_visit(struct wire_decoder *d, void (*visit)(void *arg, const struct wire_flow *), void *arg)
{
	for (uint32_t i = 1; i <= last_used(d); i++) {
		struct wire_flow_entry *f = wire_flow_at(d, i);
		const char *path;

		if (f->flow.uid == 0)
			continue;
		/* Its name may have become known since it began. */
		if (f->flow.protocol != WIRE_ISCSI && f->flow.name[0] == '\0') {
			path = wire_export_find(d, &f->flow.server, f->flow.export_id);
			f->flow.name = path != NULL ? path : "";
		}
		f->seen = true;
		f->visited_ns = f->flow.last_ns;
		visit(arg, &f->flow);
	}
}
