/* NFS mounts, their operations and connections as objects of the model: names and labels. */
#include <stdio.h>
#include <stdlib.h>

#include "core/xalloc.h"
#include "probes/nfs_table.h"

static char *
unescaped(const char *text)
{
	return mount_unescape(xstrdup(text));
}

void
nfs_mount_build(struct nfs_mount *m)
{
	char *name = unescaped(m->point), *source = unescaped(m->source);
	char *identity = xasprintf("%s on %s", source, name);

	object_unref(m->object);
	m->object = object_new(&kind_nfs_mount, m->uid, name, identity);
	object_label(m->object, LABEL_CLASS, "nfs");
	object_label(m->object, LABEL_EXPORT, source);
	object_label(m->object, LABEL_VERSION, m->version);
	object_label(m->object, LABEL_TRANSPORT, m->transport);
	object_label(m->object, LABEL_ADDRESS, m->address);
	if (m->n_conns > 1) {
		char count[32];

		snprintf(count, sizeof(count), "x%zu", m->n_conns);
		object_label_both(m->object, LABEL_NCONNECT, count, (double)m->n_conns);
	}
	if (m->also != NULL) {
		char *also = unescaped(m->also), *note = xasprintf("also on %s", also);

		object_label(m->object, LABEL_NOTE, note);
		free(note);
		free(also);
	}
	free(identity);
	free(source);
	free(name);
}

void
nfs_op_build(const struct nfs_mount *m, struct nfs_op *op)
{
	char *identity = xasprintf("%s of %s", op->name, m->object->identity);

	op->object = object_new(&kind_nfs_op, 0, op->name, identity);
	op->object->parent = op->object->counts_in = m->uid;
	free(identity);
}

/* Of several mounts over one connection the first one counts it in the total. */
void
nfs_conn_build(const struct nfs_mount *m, struct nfs_conn *conn, size_t i)
{
	const char *to = m->address[0] != '\0' ? m->address : "server";
	char *name = m->n_conns > 1 ? xasprintf("%s %s #%zu", conn->type, to, i + 1) : xasprintf("%s %s", conn->type, to);
	char *identity = xasprintf("%s of %s", name, m->object->identity);

	object_unref(conn->object);
	conn->object = object_new(&kind_nfs_conn, 0, name, identity);
	conn->object->parent = conn->object->counts_in = m->uid;
	if (conn->shared) {
		conn->object->role = ROLE_UNCOUNTED;
		object_label(conn->object, LABEL_ROLE, object_role_text(ROLE_UNCOUNTED));
	}
	object_label(conn->object, LABEL_TRANSPORT, conn->type);
	free(identity);
	free(name);
}
