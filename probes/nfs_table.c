#include "probes/nfs_table.h"

#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/xalloc.h"
#include "sys/scan.h"

#define NFS_PORT 2049
#define ALSO_MOST 200		/* bytes of other mount points that are named */

static bool
text_is(const struct nfs_text *t, const char *text)
{
	return strncmp(text, t->p, t->len) == 0 && text[t->len] == '\0';
}

static void
text_take(char *out, size_t size, struct nfs_text t)
{
	size_t n = t.len < size - 1 ? t.len : size - 1;

	memcpy(out, t.p, n);
	out[n] = '\0';
}

static void
drop_ops(struct nfs_mount *m)
{
	for (size_t i = 0; i < m->n_ops; i++) {
		free(m->ops[i].name);
		object_unref(m->ops[i].object);
	}
	free(m->ops);
	m->ops = NULL;
	m->n_ops = 0;
}

static void
drop_conns(struct nfs_mount *m)
{
	for (size_t i = 0; i < m->n_conns; i++)
		object_unref(m->conns[i].object);
	free(m->conns);
	m->conns = NULL;
	m->n_conns = 0;
}

static void
mount_free(struct nfs_mount *m)
{
	drop_ops(m);
	drop_conns(m);
	object_unref(m->object);
	free(m->source);
	free(m->point);
	free(m->opts);
	free(m->also);
	free(m->also_before);
	free(m);
}

static struct nfs_mount *
find(struct nfs_table *t, const struct nfs_mount_text *text)
{
	for (size_t i = 0; i < t->n; i++)
		if (text_is(&text->point, t->mounts[i]->point) && text_is(&text->source, t->mounts[i]->source))
			return t->mounts[i];
	return NULL;
}

static struct nfs_mount *
add(struct nfs_table *t, const struct nfs_mount_text *text)
{
	struct nfs_mount *m = xcalloc(1, sizeof(*m));

	m->source = xstrndup(text->source.p, text->source.len);
	m->point = xstrndup(text->point.p, text->point.len);
	m->opts = xstrdup("");
	m->uid = object_next_uid();
	m->age_s = ABSENT;
	t->mounts = xreallocarray(t->mounts, t->n + 1, sizeof(struct nfs_mount *));
	t->mounts[t->n++] = m;
	return m;
}

/* What is mounted there: of several mounts on one point the last. */
static const struct mount *
mounted_at(const struct mounts *nfs, const struct nfs_mount_text *text)
{
	const struct mount *found = NULL;
	char *point;

	if (nfs->n == 0)
		return NULL;
	point = mount_unescape(xstrndup(text->point.p, text->point.len));
	for (size_t i = 0; i < nfs->n; i++)
		if (strcmp(nfs->list[i].point, point) == 0)
			found = &nfs->list[i];
	free(point);
	return found;
}

static bool
same_counts(const struct nfs_mount *m, const struct nfs_mount_text *text)
{
	if (m->age_s != text->age_s || m->n_ops != text->n_ops || !text_is(&text->source, m->source) || !text_is(&text->opts, m->opts))
		return false;
	for (size_t i = 0; i < m->n_ops; i++)
		if (memcmp(m->ops[i].cells, text->ops[i].cells, sizeof(text->ops[i].cells)) != 0)
			return false;
	return true;
}

/*
 * The mount of this reading that has the same superblock: a bind mount, or the same export mounted twice. Where mountinfo
 * does not tell, that of the same source and options which has counted the same.
 */
static struct nfs_mount *
same_superblock(struct nfs_table *t, const struct mount *at, const struct nfs_mount_text *text)
{
	for (size_t i = 0; i < t->n; i++) {
		struct nfs_mount *m = t->mounts[i];

		if (!m->seen)
			continue;
		if (at != NULL && (m->major != 0 || m->minor != 0)) {
			if (m->major == at->major && m->minor == at->minor)
				return m;
		} else if (same_counts(m, text)) {
			return m;
		}
	}
	return NULL;
}

static void
note_point(struct nfs_mount *m, const struct nfs_mount_text *text)
{
	char *joined;

	if (text_is(&text->point, m->point) || (m->also != NULL && strlen(m->also) > ALSO_MOST))
		return;
	joined = xasprintf("%s%s%.*s", m->also != NULL ? m->also : "", m->also != NULL ? " " : "", (int)text->point.len,
	    text->point.p);
	free(m->also);
	m->also = joined;
}

/* "vers=4.1", or, before 3.x, "vers=4,minorversion=1"; without either the version of the RPC program. */
static void
take_version(struct nfs_mount *m, const struct nfs_mount_text *text)
{
	struct nfs_text version, minor;
	char number[8];

	if (!nfs_mount_option(text->opts, "vers", &version)) {
		m->version[0] = text->program_version > 0 && text->program_version < 10 ? (char)('0' + text->program_version) : '\0';
		m->version[1] = '\0';
		return;
	}
	text_take(m->version, sizeof(m->version), version);
	if (!nfs_mount_option(text->opts, "minorversion", &minor) || strchr(m->version, '.') != NULL)
		return;
	text_take(number, sizeof(number), minor);
	if (strlen(m->version) + strlen(number) + 2 <= sizeof(m->version)) {
		strcat(m->version, ".");
		strcat(m->version, number);
	}
}

static void
forget_objects(struct nfs_mount *m)
{
	object_unref(m->object);
	m->object = NULL;
	for (size_t i = 0; i < m->n_conns; i++) {
		object_unref(m->conns[i].object);
		m->conns[i].object = NULL;
	}
}

/* The option is left out, or 0, for the port that NFS has. */
static uint16_t
server_port(const struct nfs_mount_text *text)
{
	struct nfs_text value;
	uint64_t port;

	if (!nfs_mount_option(text->opts, "port", &value) || scan_u64(value.p, value.p + value.len, &port) == NULL ||
	    port == 0 || port > UINT16_MAX)
		return NFS_PORT;
	return (uint16_t)port;
}

/* What the labels are made of; when it has changed the objects are made anew. */
static void
take_facts(struct nfs_mount *m, const struct nfs_mount_text *text)
{
	struct nfs_text value;

	if (m->object != NULL && text_is(&text->opts, m->opts) && m->program_version == text->program_version)
		return;
	free(m->opts);
	m->opts = xstrndup(text->opts.p, text->opts.len);
	m->program_version = text->program_version;
	take_version(m, text);
	m->transport[0] = m->address[0] = '\0';
	m->server_port = server_port(text);
	if (nfs_mount_option(text->opts, "proto", &value))
		text_take(m->transport, sizeof(m->transport), value);
	else if (text->n_xprts > 0)
		text_take(m->transport, sizeof(m->transport), text->xprts[0].type);
	if (nfs_mount_option(text->opts, "addr", &value))
		text_take(m->address, sizeof(m->address), value);
	forget_objects(m);
}

static bool
same_ops(const struct nfs_mount *m, const struct nfs_mount_text *text)
{
	if (m->n_ops != text->n_ops)
		return false;
	for (size_t i = 0; i < m->n_ops; i++)
		if (!text_is(&text->ops[i].name, m->ops[i].name))
			return false;
	return true;
}

static void
name_ops(struct nfs_mount *m, const struct nfs_mount_text *text)
{
	drop_ops(m);
	m->n_ops = text->n_ops;
	m->ops = xcalloc(m->n_ops, sizeof(*m->ops));
	for (size_t i = 0; i < m->n_ops; i++)
		m->ops[i].name = xstrndup(text->ops[i].name.p, text->ops[i].name.len);
}

/* Data of files is counted by the mount; READ_PLUS reads too, and shares the count with READ. */
static uint64_t
data_bytes(const char *op, const struct nfs_mount_text *text)
{
	if (strcmp(op, "READ") == 0)
		return text->read_bytes;
	return strcmp(op, "WRITE") == 0 ? text->written_bytes : 0;
}

static void
take_ops(struct nfs_mount *m, const struct nfs_mount_text *text, bool known_past)
{
	bool fresh = !same_ops(m, text);

	if (fresh)
		name_ops(m, text);
	for (size_t i = 0; i < m->n_ops; i++) {
		struct nfs_op *op = &m->ops[i];

		memcpy(op->cells, text->ops[i].cells, sizeof(text->ops[i].cells));
		op->cells[NFS_DATA_BYTES] = data_bytes(op->name, text);
		if (fresh && !known_past)
			memcpy(op->base, op->cells, sizeof(op->base));
	}
}

/* Operations that have ended, and requests of theirs that were sent again, since the last reading. */
static void
count_ends(struct nfs_mount *m, uint64_t *ended, uint64_t *again)
{
	uint64_t ops = 0, sent = 0;

	for (size_t i = 0; i < m->n_ops; i++) {
		const uint64_t *c = m->ops[i].cells;

		ops += c[NFS_OPS] != ABSENT ? c[NFS_OPS] : 0;
		sent += c[NFS_TRANSMISSIONS] != ABSENT && c[NFS_OPS] != ABSENT && c[NFS_TRANSMISSIONS] > c[NFS_OPS]
		    ? c[NFS_TRANSMISSIONS] - c[NFS_OPS] : 0;
	}
	*ended = ops > m->ops_ended ? ops - m->ops_ended : 0;
	*again = sent > m->ops_again ? sent - m->ops_again : 0;
	m->ops_ended = ops;
	m->ops_again = sent;
}

static void
take_conn(struct nfs_conn *conn, const struct nfs_xprt_text *x, uint64_t ended, uint64_t again)
{
	text_take(conn->type, sizeof(conn->type), x->type);
	conn->port = x->port;
	conn->cells[NFS_CONN_IN_FLIGHT] = nfs_flight_next(&conn->flight, x, ended, again);
	conn->cells[NFS_CONN_SENDS] = x->sends;
	conn->cells[NFS_CONN_REPLIES] = x->replies;
	conn->cells[NFS_CONN_BAD_XIDS] = x->bad_xids;
	conn->cells[NFS_CONN_CONNECTS] = x->connects;
	conn->cells[NFS_CONN_BACKLOG_SUM] = x->backlog_sum;
}

/* Of several connections nobody knows which one an operation took: losses are told of by the sums alone. */
static void
take_conns(struct nfs_mount *m, const struct nfs_mount_text *text)
{
	uint64_t ended, again;

	count_ends(m, &ended, &again);
	if (m->n_conns != text->n_xprts) {
		drop_conns(m);
		m->n_conns = text->n_xprts;
		m->conns = xcalloc(m->n_conns, sizeof(*m->conns));
		forget_objects(m);
	}
	for (size_t i = 0; i < m->n_conns; i++)
		take_conn(&m->conns[i], &text->xprts[i], m->n_conns == 1 ? ended : 0, again);
}

void
nfs_table_begin(struct nfs_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		t->mounts[i]->seen = false;
		free(t->mounts[i]->also_before);
		t->mounts[i]->also_before = t->mounts[i]->also;
		t->mounts[i]->also = NULL;
	}
}

/* A mount that is younger than the last reading began from zero; of any other that comes the past is not known. */
static bool
past_known(const struct nfs_table *t, const struct nfs_mount_text *text, uint64_t now_ns)
{
	if (t->read_ns == 0)
		return true;
	return text->age_s != ABSENT && text->age_s <= (now_ns - t->read_ns) / NS_PER_S + 1;
}

void
nfs_table_take(struct nfs_table *t, const struct nfs_mount_text *text, const struct mounts *nfs, uint64_t now_ns)
{
	const struct mount *at = mounted_at(nfs, text);
	struct nfs_mount *m = same_superblock(t, at, text);

	if (m != NULL) {
		note_point(m, text);
		return;
	}
	m = find(t, text);
	if (m != NULL && m->seen)
		return;
	/* mounted again since the last reading: another thing */
	if (m != NULL && m->age_s != ABSENT && text->age_s < m->age_s) {
		drop_ops(m);
		drop_conns(m);
		m->uid = object_next_uid();
		forget_objects(m);
	}
	if (m == NULL)
		m = add(t, text);
	m->seen = true;
	m->age_s = text->age_s;
	m->major = at != NULL ? at->major : 0;
	m->minor = at != NULL ? at->minor : 0;
	take_facts(m, text);
	take_ops(m, text, past_known(t, text, now_ns));
	take_conns(m, text);
}

/* Is it a connection of a mount before this one? They go to the same server from the same port. */
static bool
is_shared(const struct nfs_table *t, size_t mount, const struct nfs_conn *conn)
{
	const char *to = t->mounts[mount]->address;

	for (size_t i = 0; i < mount && to[0] != '\0' && conn->port != 0 && conn->port != ABSENT; i++) {
		const struct nfs_mount *m = t->mounts[i];

		for (size_t c = 0; c < m->n_conns && strcmp(m->address, to) == 0; c++)
			if (m->conns[c].port == conn->port)
				return true;
	}
	return false;
}

/* Counting in the total or not makes it another thing. */
static void
settle_shares(struct nfs_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		for (size_t c = 0; c < t->mounts[i]->n_conns; c++) {
			struct nfs_conn *conn = &t->mounts[i]->conns[c];
			bool shared = is_shared(t, i, conn);

			if (shared == conn->shared)
				continue;
			conn->shared = shared;
			object_unref(conn->object);
			conn->object = NULL;
		}
	}
}

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

void
nfs_table_end(struct nfs_table *t, uint64_t now_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct nfs_mount *m = t->mounts[i];

		if (!m->seen) {
			mount_free(m);
			continue;
		}
		if (!same_text(m->also, m->also_before)) {
			object_unref(m->object);
			m->object = NULL;
		}
		t->mounts[n++] = m;
	}
	t->n = n;
	t->read_ns = now_ns;
	settle_shares(t);
}

/* Of a mount that was never used its READs are known to be none, and so are its sums. */
static bool
ever_used(const struct nfs_op *op)
{
	for (int i = 0; i < NFS_OP_DIRECT; i++)
		if (op->cells[i] != 0 && op->cells[i] != ABSENT)
			return true;
	return strcmp(op->name, "READ") == 0;
}

static void
put_ops(struct nfs_mount *m, struct snapshot_table *into)
{
	for (size_t i = 0; i < m->n_ops; i++) {
		struct nfs_op *op = &m->ops[i];
		uint64_t *cells;

		if (op->object == NULL && !ever_used(op))
			continue;
		if (op->object == NULL)
			nfs_op_build(m, op);
		cells = snapshot_add(into, op->object);
		for (int c = 0; c < NFS_OP_DIRECT; c++)
			if (op->cells[c] != ABSENT)
				cells[c] = op->base[c] != ABSENT && op->cells[c] >= op->base[c] ? op->cells[c] - op->base[c] : op->cells[c];
	}
}

static void
put_conns(struct nfs_mount *m, struct snapshot_table *into, struct tcp_view *tcp)
{
	for (size_t i = 0; i < m->n_conns; i++) {
		struct nfs_conn *conn = &m->conns[i];
		uint64_t *cells;

		if (conn->object == NULL)
			nfs_conn_build(m, conn, i);
		cells = snapshot_add(into, conn->object);
		memcpy(cells, conn->cells, sizeof(conn->cells));
		if (strcmp(conn->type, "tcp") == 0 && conn->port != 0 && conn->port <= UINT16_MAX)
			tcp_view_cells(tcp, m->address, m->server_port, (uint16_t)conn->port, &conn->tcp, cells + NFS_CONN_TCP);
	}
}

void
nfs_table_put(struct nfs_table *t, struct snapshot *snapshot, struct tcp_view *tcp)
{
	struct snapshot_table *mounts = snapshot_table(snapshot, &kind_nfs_mount);
	struct snapshot_table *ops = snapshot_table(snapshot, &kind_nfs_op);
	struct snapshot_table *conns = snapshot_table(snapshot, &kind_nfs_conn);

	for (size_t i = 0; i < t->n; i++) {
		if (t->mounts[i]->object == NULL)
			nfs_mount_build(t->mounts[i]);
		snapshot_add(mounts, t->mounts[i]->object);
		put_ops(t->mounts[i], ops);
		put_conns(t->mounts[i], conns, tcp);
	}
}

void
nfs_table_clear(struct nfs_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		mount_free(t->mounts[i]);
	free(t->mounts);
	*t = (struct nfs_table) { .n = 0 };
}
