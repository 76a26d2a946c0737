#include "probes/flow_book.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/kinds/kinds.h"
#include "core/uidmap.h"
#include "core/xalloc.h"

/* RFC 1813 and RFC 7530: procedure 0 of every version is NULL, procedure 1 of version 4 COMPOUND; the rest are inside one. */
#define NFS4_COMPOUND 1

struct flow_op {
	struct object *object;
	uint64_t missed;		/* before it was there */
};

struct flow_entry {
	uint64_t uid;			/* the decoder's */
	struct object *flow;
	const char *name, *initiator;	/* that the object was made with; the decoder's */
	size_t n_ops;
	struct flow_op *ops;		/* in the order of the flow's, to which some are appended now and then */
};

struct flow_tables
flow_tables_of(struct snapshot *s)
{
	return (struct flow_tables){ snapshot_table(s, &kind_nfs_flow), snapshot_table(s, &kind_nfs_flow_op),
		snapshot_table(s, &kind_iscsi_flow), snapshot_table(s, &kind_iscsi_flow_op) };
}

static void
forget(struct flow_entry *e)
{
	for (size_t i = 0; i < e->n_ops; i++)
		object_unref(e->ops[i].object);
	free(e->ops);
	object_unref(e->flow);
}

/* Names come from packets: what is not text is not shown. */
static char *
clean(char *text)
{
	for (char *p = text; *p != '\0'; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	return text;
}

/* Says all that tells a flow from others: it is the key in exports. */
static char *
name_of(const struct wire_flow *f, const char *client, const char *server)
{
	const char *protocol = wire_protocol_name(f->protocol);

	if (f->others)
		return xasprintf("all others %s", protocol);
	if (f->protocol == WIRE_ISCSI)
		return clean(xasprintf("%s > %s %s%sLUN %u", client, server, f->name, f->name[0] != '\0' ? " " : "", f->lun));
	if (f->name[0] == '\0' && f->export_id != 0)
		return xasprintf("%s > %s:#%llx %s", client, server, (unsigned long long)f->export_id, protocol);
	return clean(xasprintf("%s > %s%s%s %s", client, server, f->name[0] != '\0' ? ":" : "", f->name, protocol));
}

static void
label_ends(struct object *o, const struct wire_flow *f, const char *client, const char *server)
{
	char *name = clean(xstrdup(f->name)), *initiator = clean(xstrdup(f->initiator));

	object_label(o, LABEL_CLIENT, client);
	object_label(o, LABEL_SERVER, server);
	if (f->protocol == WIRE_ISCSI) {
		object_label(o, LABEL_TARGET, name);
		object_label(o, LABEL_INITIATOR, initiator);
		object_labelf(o, LABEL_LUN, "%u", f->lun);
	} else {
		object_label(o, LABEL_EXPORT, name);
	}
	free(initiator);
	free(name);
}

static void
build_flow(struct flow_entry *e, const struct wire_flow *f, const char *interface)
{
	bool iscsi = f->protocol == WIRE_ISCSI;
	char client[WIRE_ADDR_TEXT], server[WIRE_SERVER_TEXT], *name, *identity;
	struct object *o;

	wire_addr_text(&f->client, client);
	wire_server_text(f, server);
	name = name_of(f, client, server);
	identity = xasprintf("%s on %s", name, interface);
	o = object_new(iscsi ? &kind_iscsi_flow : &kind_nfs_flow, e->flow != NULL ? e->flow->uid : 0, name, identity);
	/* The thresholds of what is reached over a network. */
	object_label(o, LABEL_CLASS, iscsi ? "san" : "nfs");
	if (!f->others)
		label_ends(o, f, client, server);
	if (!iscsi)
		object_label(o, LABEL_VERSION, wire_protocol_name(f->protocol) + strlen("nfs"));
	object_label(o, LABEL_INTERFACE, interface);
	object_unref(e->flow);
	e->flow = o;
	free(identity);
	free(name);
	e->name = f->name;
	e->initiator = f->initiator;
}

static void
build_op(struct flow_entry *e, const struct wire_flow *f, size_t i, uint64_t missed)
{
	char made[WIRE_OP_TEXT];
	const char *name = wire_op_name(f->protocol, f->ops[i].op, made);
	char *identity = xasprintf("%s of %s", name, e->flow->identity);
	struct object *o;

	o = object_new(f->protocol == WIRE_ISCSI ? &kind_iscsi_flow_op : &kind_nfs_flow_op, 0, name, identity);
	o->parent = o->counts_in = e->flow->uid;
	e->ops[i] = (struct flow_op){ o, missed };
	free(identity);
}

/* Names are learnt as time goes by: a new version of the same thing, and its operations with it. */
static void
describe(struct flow_entry *e, const struct wire_flow *f, const char *interface, uint64_t missed)
{
	if (e->flow == NULL || strcmp(e->name, f->name) != 0 || strcmp(e->initiator, f->initiator) != 0)
		build_flow(e, f, interface);
	if (e->n_ops == f->n_ops)
		return;
	e->ops = xreallocarray(e->ops, f->n_ops, sizeof(*e->ops));
	while (e->n_ops < f->n_ops)
		build_op(e, f, e->n_ops++, missed);
}

static bool
is_inner(const struct wire_flow *f, uint8_t op)
{
	return f->protocol >= WIRE_NFS4 && f->protocol <= WIRE_NFS42 && op > NFS4_COMPOUND;
}

static void
put_data(uint64_t *cells, char direction, const struct wire_op *op)
{
	uint64_t timed = op->hist != NULL ? op->hist->count : 0, ns = op->hist != NULL ? op->hist->sum_ns : 0;
	int base = direction == 'r' ? FLOW_READS : FLOW_WRITES, other = direction == 'r' ? FLOW_WRITES : FLOW_READS;

	/* All there is of the other is known as well: nothing. What is encrypted may be either. */
	for (int i = 0; i < FLOW_WRITES - FLOW_READS; i++)
		cells[base + i] = cells[other + i] = direction == ' ' && op->sealed ? ABSENT : 0;
	if (direction == ' ')
		return;
	cells[base] = op->replies;
	cells[base + FLOW_READS_TIMED - FLOW_READS] = timed;
	cells[base + FLOW_READ_NS - FLOW_READS] = ns;
	cells[base + FLOW_READ_BYTES - FLOW_READS] = op->sealed ? ABSENT : op->bytes;
}

/* Whose time a write's was. */
static void
put_phases(uint64_t *cells, const struct wire_op *op)
{
	cells[FLOW_R2T] = op->r2t_count;
	cells[FLOW_R2T_NS] = op->r2t_sum_ns;
	cells[FLOW_DATA] = op->data_count;
	cells[FLOW_DATA_NS] = op->data_sum_ns;
}

static void
put_op(struct snapshot_table *table, const struct flow_op *known, const struct wire_flow *f, const struct wire_op *op, uint64_t missed)
{
	char direction = wire_op_direction(f->protocol, op->op);
	int kind_of = direction == 'r' ? 0 : direction == 'w' ? 1 : 2;
	bool inner = is_inner(f, op->op);
	uint64_t *cells = snapshot_add(table, known->object);
	uint64_t timed = op->hist != NULL ? op->hist->count : 0, ns = op->hist != NULL ? op->hist->sum_ns : 0;

	for (size_t i = 0; i < table->kind->n_metrics; i++)
		cells[i] = 0;
	put_data(cells, direction, op);
	cells[FLOW_MISSED] = missed - known->missed;
	if (inner) {
		cells[FLOW_INNER] = op->replies;
		cells[FLOW_INNER_TIMED] = timed;
		cells[FLOW_INNER_NS] = ns;
		cells[FLOW_INNER_ERRORS] = op->errors;
	} else {
		cells[FLOW_COMMANDS] = op->replies;
		cells[FLOW_TIMED] = timed;
		cells[FLOW_NS] = ns;
		cells[FLOW_LAST_NS] = op->last_sum_ns;
		cells[FLOW_ERRORS] = op->errors;
		cells[FLOW_RETRANSMITTED] = op->retransmitted;
		cells[FLOW_UNANSWERED] = op->unanswered;
		cells[FLOW_IN_FLIGHT] = op->in_flight;
	}
	if (f->protocol == WIRE_ISCSI)
		put_phases(cells, op);
	if (op->hist != NULL)
		snapshot_hist(table, (inner ? FLOW_INNER_READ_HIST : FLOW_READ_HIST) + kind_of, hist_copy(op->hist));
}

static void
put_flow(const struct flow_entry *e, const struct wire_flow *f, uint64_t missed, const struct flow_tables *to)
{
	bool iscsi = f->protocol == WIRE_ISCSI;

	snapshot_add(iscsi ? to->iscsi : to->nfs, e->flow);
	for (size_t i = 0; i < f->n_ops; i++)
		put_op(iscsi ? to->iscsi_ops : to->nfs_ops, &e->ops[i], f, &f->ops[i], missed);
}

void
flow_book_put(struct flow_book *book, const struct wire_flow *flows, size_t n, uint64_t missed, const struct flow_tables *to)
{
	struct flow_entry *old = book->entries, *fresh = xcalloc(n + 1, sizeof(*fresh));
	struct uidmap map;

	uidmap_init(&map, book->n);
	for (size_t i = 0; i < book->n; i++)
		uidmap_put(&map, old[i].uid, i);
	for (size_t i = 0; i < n; i++) {
		size_t was = uidmap_get(&map, flows[i].uid);

		if (was != SIZE_MAX) {
			fresh[i] = old[was];
			old[was] = (struct flow_entry){ 0 };
		}
		fresh[i].uid = flows[i].uid;
		describe(&fresh[i], &flows[i], book->interface, missed);
		put_flow(&fresh[i], &flows[i], missed, to);
	}
	uidmap_clear(&map);
	for (size_t i = 0; i < book->n; i++)
		forget(&old[i]);
	free(old);
	book->entries = fresh;
	book->n = n;
}

void
flow_book_clear(struct flow_book *book)
{
	for (size_t i = 0; i < book->n; i++)
		forget(&book->entries[i]);
	free(book->entries);
	book->entries = NULL;
	book->n = 0;
}
