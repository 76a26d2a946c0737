/*
 * Requests that wait for their reply, by connection and number; the oldest first, so that each can be given up in its turn.
 */
#include "probes/wire/decoder.h"

static struct wire_pending *
at(const struct wire_decoder *d, uint32_t entry)
{
	return wire_table_at(&d->pendings.table, entry);
}

static uint32_t
hash_of(const struct wire_conn *c, uint32_t xid)
{
	return (uint32_t)wire_mix(c->pair, xid);
}

uint32_t
wire_pending_entry(const struct wire_decoder *d, const struct wire_pending *p)
{
	const struct wire_table *t = &d->pendings.table;

	return (uint32_t)((size_t)((const unsigned char *)p - t->entries) / t->entry_bytes);
}

/* --- the two lists by age: waiting, and done --- */

static void
age_in(struct wire_decoder *d, struct wire_pending *p, uint32_t *oldest, uint32_t *newest)
{
	uint32_t entry = wire_pending_entry(d, p);

	p->age_prev = *newest;
	p->age_next = 0;
	if (*newest != 0)
		at(d, *newest)->age_next = entry;
	else
		*oldest = entry;
	*newest = entry;
}

static void
age_out(struct wire_decoder *d, struct wire_pending *p)
{
	struct wire_pendings *all = &d->pendings;
	uint32_t *oldest = p->done ? &all->oldest_done : &all->oldest, *newest = p->done ? &all->newest_done : &all->newest;

	if (p->age_prev != 0)
		at(d, p->age_prev)->age_next = p->age_next;
	else
		*oldest = p->age_next;
	if (p->age_next != 0)
		at(d, p->age_next)->age_prev = p->age_prev;
	else
		*newest = p->age_prev;
}

/* --- the list of a connection --- */

static void
join(struct wire_decoder *d, struct wire_pending *p, struct wire_conn *c)
{
	uint32_t entry = wire_pending_entry(d, p);

	p->conn = wire_conn_entry(d, c);
	p->conn_prev = 0;
	p->conn_next = c->pendings;
	if (c->pendings != 0)
		at(d, c->pendings)->conn_prev = entry;
	c->pendings = entry;
}

static void
leave(struct wire_decoder *d, struct wire_pending *p)
{
	struct wire_conn *c = wire_table_at(&d->conns, p->conn);

	if (p->conn_prev != 0)
		at(d, p->conn_prev)->conn_next = p->conn_next;
	else
		c->pendings = p->conn_next;
	if (p->conn_next != 0)
		at(d, p->conn_next)->conn_prev = p->conn_prev;
}

static void
forget(struct wire_decoder *d, struct wire_pending *p)
{
	age_out(d, p);
	leave(d, p);
	d->pendings.n_done -= p->done;
	p->uid = 0;
	wire_table_drop(&d->pendings.table, wire_pending_entry(d, p));
}

struct wire_pending *
wire_pending_add(struct wire_decoder *d, struct wire_conn *c, unsigned side, uint32_t xid)
{
	struct wire_pendings *all = &d->pendings;
	struct wire_pending *p;
	uint32_t entry = wire_table_take(&all->table, hash_of(c, xid));

	if (entry == 0) {
		wire_pending_give_up(d, at(d, all->oldest != 0 ? all->oldest : all->oldest_done));
		entry = wire_table_take(&all->table, hash_of(c, xid));
	}
	p = at(d, entry);
	p->uid = ++all->uid != 0 ? all->uid : ++all->uid;
	p->xid = xid;
	p->side = (uint8_t)side;
	p->protocol = WIRE_PROTOCOLS;
	p->first_ns = p->last_ns = d->now_ns;
	join(d, p, c);
	age_in(d, p, &all->oldest, &all->newest);
	return p;
}

struct wire_pending *
wire_pending_find(struct wire_decoder *d, const struct wire_conn *c, unsigned side, uint32_t xid)
{
	uint32_t hash = hash_of(c, xid), conn = wire_conn_entry(d, c);
	struct wire_pending *p;

	for (uint32_t i = wire_table_first(&d->pendings.table, hash); i != 0; i = p->link.next) {
		p = at(d, i);
		if (p->xid == xid && p->conn == conn && p->side == side)
			return p;
	}
	return NULL;
}

/* Clients may number each connection from the same start: of one that goes on beside the other nothing has moved. */
static bool
comes_after(const struct wire_conn *c, const struct wire_conn *old)
{
	return old->closed || old->last_ns < c->since_ns;
}

struct wire_pending *
wire_pending_find_moved(struct wire_decoder *d, const struct wire_conn *c, unsigned side, uint32_t xid)
{
	uint32_t hash = hash_of(c, xid);
	struct wire_pending *p;

	for (uint32_t i = wire_table_first(&d->pendings.table, hash); i != 0; i = p->link.next) {
		const struct wire_conn *old;

		p = at(d, i);
		old = wire_table_at(&d->conns, p->conn);
		if (p->xid == xid && !p->done && old->udp == c->udp && comes_after(c, old) && old->port[!p->side] == c->port[!side] &&
		    memcmp(&old->addr[p->side], &c->addr[side], sizeof(c->addr[0])) == 0 &&
		    memcmp(&old->addr[!p->side], &c->addr[!side], sizeof(c->addr[0])) == 0)
			return p;
	}
	return NULL;
}

void
wire_pending_move(struct wire_decoder *d, struct wire_pending *p, struct wire_conn *c, unsigned side)
{
	leave(d, p);
	p->side = (uint8_t)side;
	join(d, p, c);
}

struct wire_pending *
wire_pending_of(struct wire_decoder *d, const struct wire_stream *s)
{
	struct wire_pending *p;

	if (s->role == WIRE_NOTHING || s->pending == 0)
		return NULL;
	p = at(d, s->pending);
	return p->uid == s->pending_uid ? p : NULL;
}

void
wire_pending_hold(struct wire_decoder *d, struct wire_stream *s, const struct wire_pending *p, enum wire_role role)
{
	s->role = (uint8_t)role;
	s->pending = wire_pending_entry(d, p);
	s->pending_uid = p->uid;
}

void
wire_pending_answer(struct wire_decoder *d, struct wire_pending *p, uint64_t last_ns)
{
	const struct wire_conn *c = wire_table_at(&d->conns, p->conn);

	if (p->flow != 0)
		wire_flow_reply(d, p, last_ns);
	/* Datagrams get lost, and their calls come again when the reply was lost: known for a while. */
	if (!c->udp) {
		forget(d, p);
		return;
	}
	age_out(d, p);
	p->done = true;
	age_in(d, p, &d->pendings.oldest_done, &d->pendings.newest_done);
	if (++d->pendings.n_done > d->options.pendings / 4)
		forget(d, at(d, d->pendings.oldest_done));
}

void
wire_pending_give_up(struct wire_decoder *d, struct wire_pending *p)
{
	if (!p->done && p->protocol != WIRE_PROTOCOLS) {
		d->health.unanswered++;
		if (p->flow != 0)
			wire_flow_give_up(d, p);
	}
	forget(d, p);
}

void
wire_pending_give_up_lun(struct wire_decoder *d, struct wire_conn *c, unsigned side, uint16_t lun, bool all)
{
	for (uint32_t i = c->pendings, next; i != 0; i = next) {
		struct wire_pending *p = at(d, i);

		next = p->conn_next;
		if (p->side == side && p->protocol == WIRE_ISCSI && (all || p->lun == lun))
			wire_pending_give_up(d, p);
	}
}

void
wire_pending_expire(struct wire_decoder *d, uint64_t before_ns)
{
	struct wire_pendings *all = &d->pendings;

	while (all->oldest != 0 && at(d, all->oldest)->first_ns < before_ns)
		wire_pending_give_up(d, at(d, all->oldest));
	while (all->oldest_done != 0 && at(d, all->oldest_done)->first_ns < before_ns)
		forget(d, at(d, all->oldest_done));
}

/* Their replies may have been lost: they are not known to be in flight any more. */
void
wire_pending_doubt(struct wire_decoder *d, struct wire_conn *c, unsigned side)
{
	for (uint32_t i = c->pendings; i != 0; i = at(d, i)->conn_next) {
		struct wire_pending *p = at(d, i);

		if (p->side != side || p->doubtful || p->done)
			continue;
		p->doubtful = true;
		for (unsigned k = 0; p->flow != 0 && k < p->n_ops; k++)
			wire_flow_op(d, p->flow, p->ops[k])->in_flight--;
	}
}

void
wire_pending_revive(struct wire_decoder *d, struct wire_pending *p)
{
	if (!p->doubtful || p->done)
		return;
	p->doubtful = false;
	for (unsigned k = 0; p->flow != 0 && k < p->n_ops; k++)
		wire_flow_op(d, p->flow, p->ops[k])->in_flight++;
}

void
wire_pending_drop_all(struct wire_decoder *d, struct wire_conn *c)
{
	while (c->pendings != 0)
		wire_pending_give_up(d, at(d, c->pendings));
}
