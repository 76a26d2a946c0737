/*
 * What calls and replies of NFS say, and of MOUNT and portmap, which know the names.
 */
#include <stdio.h>
#include <string.h>

#include "probes/wire/decoder.h"

#define OP_COMPOUND 1
#define OP_PRIVATE 2

static const struct wire_addr *
server_of(const struct wire_conn *c, const struct wire_pending *p)
{
	return &c->addr[!p->side];
}

/* Its operations are known: counts the call in a flow. */
static void
count_call(struct wire_decoder *d, struct wire_conn *c, struct wire_pending *p, uint64_t export_id)
{
	const struct wire_flow_key key = { .protocol = p->protocol, .export_id = export_id };

	c->client = p->side;
	p->flow = wire_flow_find(d, c, &key);
	wire_flow_call(d, p);
}

static bool
is_private(const struct rpc_msg *m)
{
	return m->gss_service == RPC_GSS_PRIVACY && m->gss_proc == RPC_GSS_DATA;
}

/* --- version 4 --- */

static enum wire_protocol
protocol_of_minor(uint32_t minor)
{
	return minor <= 2 ? (enum wire_protocol)(WIRE_NFS40 + minor) : WIRE_NFS4;
}

/* Is this file system where names are looked up on the way to an export? */
static bool
leads_to_exports(const struct wire_decoder *d, const struct wire_addr *server, uint64_t export_id)
{
	const char *path = wire_export_find(d, server, export_id);

	return path != NULL && strcmp(path, "/") == 0;
}

/* What the handle will be called that this compound asks for; NULL where that is not known, or of no interest. */
static const char *
path_of(struct wire_decoder *d, const struct wire_addr *server, const struct nfs4_call *call)
{
	char path[2 * NFS4_PATH_MAX];
	const char *base = "";

	if (!call->getfh || (!call->root && call->fh.p == NULL))
		return NULL;
	if (!call->root) {
		if (call->path[0] == '\0' || !leads_to_exports(d, server, wire_export_id(&call->fh)))
			return NULL;
		base = wire_export_find(d, server, wire_handle_key(&call->fh));
		if (base == NULL)
			return NULL;
	}
	snprintf(path, sizeof(path), "%s%s", strcmp(base, "/") == 0 ? "" : base, call->path);
	return path[0] == '\0' ? "/" : wire_name_keep(d, path, strlen(path));
}

static void
call_v4(struct wire_decoder *d, struct wire_conn *c, struct wire_pending *p, const struct rpc_msg *m, struct wire_bytes *b)
{
	struct nfs4_call call = { .minor = NFS_UNKNOWN };

	p->protocol = (uint8_t)protocol_of_minor(c->minor);
	p->ops[p->n_ops++] = (uint8_t)m->proc;
	if (m->proc != OP_COMPOUND) {
		count_call(d, c, p, 0);
		return;
	}
	if (is_private(m)) {
		p->ops[p->n_ops++] = OP_PRIVATE;
		d->health.private_calls++;
		count_call(d, c, p, 0);
		return;
	}
	if (nfs4_call(b, &call)) {
		c->minor = (uint8_t)call.minor;
		p->protocol = (uint8_t)protocol_of_minor(call.minor);
	}
	for (unsigned i = 0; i < call.known && p->n_ops < NFS4_OPS_MAX; i++)
		p->ops[p->n_ops++] = call.ops[i];
	p->write_bytes = call.write_bytes;
	p->asked = call.read_bytes;
	if (b->cut)
		d->health.truncated++;
	p->path = path_of(d, server_of(c, p), &call);
	count_call(d, c, p, wire_export_id(&call.fh));
}

static void
reply_v4(struct wire_decoder *d, struct wire_conn *c, struct wire_pending *p, struct wire_bytes *b)
{
	const struct wire_addr *server = server_of(c, p);
	struct nfs4_reply reply;

	if (p->proc != OP_COMPOUND || p->gss_service == RPC_GSS_PRIVACY) {
		p->status = 0;
		return;
	}
	if (!nfs4_reply(b, &reply)) {
		d->health.truncated += b->cut;
		return;
	}
	p->status = reply.status;
	p->reply_ops = (uint8_t)reply.n_ops;
	/* Cut before the count: what was asked for is not known to have come, and is not counted. */
	p->read_bytes = reply.read_bytes;
	if (p->asked > 0 && reply.status == 0 && reply.read_bytes == 0 && b->cut)
		d->health.truncated++;
	if (p->path == NULL || reply.fh.p == NULL)
		return;
	wire_export_name(d, server, wire_handle_key(&reply.fh), p->path);
	if (wire_export_find(d, server, wire_export_id(&reply.fh)) == NULL)
		wire_export_name(d, server, wire_export_id(&reply.fh), p->path);
}

/* --- versions 2 and 3 --- */

static void
call_v3(struct wire_decoder *d, struct wire_conn *c, struct wire_pending *p, const struct rpc_msg *m, struct wire_bytes *b)
{
	struct nfs_call call = { .count = 0 };

	p->protocol = m->vers == 2 ? WIRE_NFS2 : WIRE_NFS3;
	p->ops[p->n_ops++] = (uint8_t)m->proc;
	if (is_private(m))
		d->health.private_calls++;
	else if (m->vers == 2)
		nfs2_call(b, m->proc, &call);
	else
		nfs3_call(b, m->proc, &call);
	if (call.count == NFS_UNKNOWN) {
		d->health.truncated++;
		call.count = 0;
	}
	p->asked = p->write_bytes = call.count;
	count_call(d, c, p, wire_export_id(&call.fh));
}

static void
reply_v3(struct wire_decoder *d, struct wire_pending *p, struct wire_bytes *b)
{
	struct nfs_reply reply = { .status = 0, .count = NFS_UNKNOWN };
	bool private = p->gss_service == RPC_GSS_PRIVACY;

	if (!private && p->vers == 2)
		nfs2_reply(b, p->proc, &reply);
	else if (!private)
		nfs3_reply(b, p->proc, &reply);
	p->status = reply.status;
	p->read_bytes = reply.count != NFS_UNKNOWN ? reply.count : 0;
	if (b->cut && reply.count == NFS_UNKNOWN && wire_op_direction(p->protocol, p->ops[0]) == 'r')
		d->health.truncated++;
}

/* --- the others --- */

void
wire_nfs_call(struct wire_decoder *d, struct wire_conn *c, struct wire_pending *p, const struct rpc_msg *m, struct wire_bytes *b)
{
	const uint8_t *path;
	uint32_t len;

	p->protocol = WIRE_PROTOCOLS;
	if (m->prog == RPC_NFS && m->vers == 4 && m->proc <= OP_COMPOUND)
		call_v4(d, c, p, m, b);
	else if (m->prog == RPC_NFS && ((m->vers == 3 && nfs3_name(m->proc) != NULL) || (m->vers == 2 && nfs2_name(m->proc) != NULL)))
		call_v3(d, c, p, m, b);
	else if (m->prog == RPC_NFS)
		d->health.malformed++;
	else if (m->prog == RPC_MOUNT && m->proc == 1 && mount_call(b, &path, &len))
		p->path = wire_name_keep(d, (const char *)path, len);
	else if (m->prog == RPC_PORTMAP && m->proc == 3)
		p->asked = portmap_call(b);
}

/* The root of an export, which names the file system. */
static void
mount_reply_names(struct wire_decoder *d, struct wire_conn *c, const struct wire_pending *p, struct wire_bytes *b)
{
	struct nfs_handle fh;

	if (p->path == NULL || !mount_reply(b, p->vers, &fh))
		return;
	wire_export_name(d, server_of(c, p), wire_export_id(&fh), p->path);
}

void
wire_nfs_reply(struct wire_decoder *d, struct wire_conn *c, struct wire_pending *p, const struct rpc_msg *m, struct wire_bytes *b)
{
	uint32_t port;

	p->status = NFS_UNKNOWN;
	if (m->denied || m->accept != 0) {
		/* Not NFS's own numbers: its errors begin at 1, those of RPC are kept apart above them. */
		p->status = UINT32_C(0x80000000) | (m->denied ? 0x100u : m->accept);
		p->reply_ops = 1;
		return;
	}
	if (p->protocol == WIRE_NFS2 || p->protocol == WIRE_NFS3)
		reply_v3(d, p, b);
	else if (p->protocol < WIRE_PROTOCOLS)
		reply_v4(d, c, p, b);
	else if (p->prog == RPC_MOUNT)
		mount_reply_names(d, c, p, b);
	else if (p->prog == RPC_PORTMAP && (p->asked == RPC_NFS || p->asked == RPC_MOUNT)) {
		port = portmap_reply(b, p->vers);
		wire_service_add(d, server_of(c, p), (uint16_t)port);
	}
}
