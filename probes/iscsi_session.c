/*
 * iSCSI: the sessions of this host to targets, and this host as a target. What a session is and where it leads is read every few
 * seconds and when the kernel tells of a change; its figures are those of its disks, which bear its name as a label.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "probes/iscsi_target.h"
#include "probes/probe.h"
#include "probes/tcp_view.h"
#include "sys/dirlist.h"
#include "sys/iscsi.h"
#include "sys/text.h"

#define EVERY_NS UINT64_C(5000000000)

struct session {
	char name[32];		/* "session1" */
	bool found;		/* by the last listing */
	struct iscsi_session_facts facts;
	struct object *object;
	struct object *conn;
	struct tcp_count tcp;
};

struct iscsi_probe {
	struct probe probe;
	size_t n;
	struct session **sessions;
	struct iscsi_targets targets;
	struct tcp_view tcp;
	uint64_t listed_ns;	/* 0: list now */
	bool ever;		/* there was one: without any the kinds are not sampled at all */
};

static void
session_free(struct session *s)
{
	object_unref(s->object);
	object_unref(s->conn);
	free(s);
}

static struct session *
session_named(struct iscsi_probe *p, const char *name)
{
	struct session *s;

	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->sessions[i]->name, name) == 0)
			return p->sessions[i];
	p->sessions = xreallocarray(p->sessions, p->n + 1, sizeof(struct session *));
	p->sessions[p->n++] = s = xcalloc(1, sizeof(*s));
	text_copy(s->name, sizeof(s->name), name);
	return s;
}

static void
list_sessions(struct iscsi_probe *p)
{
	const struct env *env = p->probe.env;
	struct dirlist list;
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		p->sessions[i]->found = false;
	if (dirlist_read(env, &list, "/sys/class/iscsi_session") == 0) {
		for (size_t i = 0; i < list.n; i++) {
			struct iscsi_session_facts facts;

			if (strlen(list.names[i]) >= sizeof(p->sessions[0]->name) || !iscsi_session_read(env, list.names[i], &facts))
				continue;
			session_named(p, list.names[i])->facts = facts;
			session_named(p, list.names[i])->found = true;
		}
		dirlist_free(&list);
	}
	for (size_t i = 0; i < p->n; i++) {
		if (p->sessions[i]->found)
			p->sessions[n++] = p->sessions[i];
		else
			session_free(p->sessions[i]);
	}
	p->n = n;
}

/* Several sessions to one target are paths to it. */
static void
label_paths(const struct iscsi_probe *p, const struct session *s, struct object *o)
{
	unsigned all = 0, usable = 0;
	char text[32];

	for (size_t i = 0; i < p->n; i++) {
		if (strcmp(p->sessions[i]->facts.target, s->facts.target) != 0)
			continue;
		all++;
		usable += strcmp(p->sessions[i]->facts.state, "LOGGED_IN") == 0;
	}
	if (s->facts.state[0] == '\0')
		return;
	snprintf(text, sizeof(text), "%u/%u", usable, all);
	object_label_both(o, LABEL_PATHS, text, usable);
}

/* Logged in to another target under the same name, it is another session. */
static void
build(const struct iscsi_probe *p, struct session *s, uint64_t adapter)
{
	const struct iscsi_session_facts *f = &s->facts;
	char *identity = xasprintf("%s %s @ %s", s->name, f->target, f->portal);
	bool same = s->object != NULL && strcmp(s->object->identity, identity) == 0;
	struct object *o = object_new(&kind_iscsi_session, same ? s->object->uid : 0, s->name, identity);

	o->parent = adapter;
	object_label(o, LABEL_CLASS, "san");
	object_label(o, LABEL_TARGET, f->target);
	object_label(o, LABEL_PORTAL, f->portal);
	object_label(o, LABEL_INITIATOR, f->initiator);
	object_label(o, LABEL_STATE, f->state);
	if (f->connection[0] != '\0' && strcmp(f->connection, "up") != 0)
		object_labelf(o, LABEL_NOTE, "connection %s", f->connection);
	object_label(o, LABEL_DIGESTS, f->digests);
	object_label(o, LABEL_TRANSPORT, "iscsi");
	object_label(o, LABEL_DRIVER, f->driver);
	object_label(o, LABEL_HOST, f->host);
	label_paths(p, s, o);
	free(identity);
	if (same && object_same(s->object, o)) {
		object_unref(o);
		return;
	}
	if (!same) {
		object_unref(s->conn);
		s->conn = NULL;
	}
	object_unref(s->object);
	s->object = o;
}

/* In hardware TCP is not the host's. */
static void
put_connection(struct iscsi_probe *p, struct session *s, struct snapshot_table *into)
{
	uint64_t *cells;

	if (strcmp(s->facts.driver, "iscsi_tcp") != 0 || p->tcp.fd < 0)
		return;
	if (s->conn == NULL) {
		char *identity = xasprintf("connection of %s", s->object->identity);

		s->conn = object_new(&kind_iscsi_conn, 0, s->facts.portal, identity);
		s->conn->parent = s->conn->counts_in = s->object->uid;
		free(identity);
	}
	cells = snapshot_add(into, s->conn);
	tcp_view_cells(&p->tcp, s->facts.address, (uint16_t)s->facts.port, (uint16_t)s->facts.local_port, &s->tcp,
	    cells + ISCSI_CONN_TCP);
}

static int
iscsi_open(struct probe *probe)
{
	tcp_view_open(&((struct iscsi_probe *)probe)->tcp, probe->env);
	return 0;
}

static int
iscsi_sample(struct probe *probe, struct snapshot *snapshot)
{
	struct iscsi_probe *p = (struct iscsi_probe *)probe;
	uint64_t now_ns = snapshot->stamp.mono_ns;
	struct snapshot_table *sessions, *luns, *conns;

	if (p->listed_ns == 0 || now_ns - p->listed_ns >= EVERY_NS) {
		p->listed_ns = now_ns;
		list_sessions(p);
		iscsi_targets_list(&p->targets, probe->env);
		for (size_t i = 0; i < p->n; i++)
			build(p, p->sessions[i], probe_adapter(snapshot, p->sessions[i]->facts.host));
	}
	p->ever = p->ever || p->n > 0 || p->targets.n > 0;
	snprintf(probe->note, sizeof(probe->note), "%s", p->n > 0 || p->targets.n > 0 ? "" : "no iSCSI session, no LIO target");
	if (!p->ever)
		return 0;
	sessions = snapshot_table(snapshot, &kind_iscsi_session);
	luns = snapshot_table(snapshot, &kind_iscsi_lun);
	conns = snapshot_table(snapshot, &kind_iscsi_conn);
	tcp_view_begin(&p->tcp);
	for (size_t i = 0; i < p->n; i++) {
		snapshot_add(sessions, p->sessions[i]->object);
		put_connection(p, p->sessions[i], conns);
	}
	iscsi_targets_put(&p->targets, probe->env, sessions, luns);
	return 0;
}

static void
iscsi_changed(struct probe *probe, const char *subsystem, const char *device)
{
	(void)device;
	if (subsystem == NULL || strncmp(subsystem, "iscsi", 5) == 0 || strcmp(subsystem, "scsi_host") == 0)
		((struct iscsi_probe *)probe)->listed_ns = 0;
}

static void
iscsi_close(struct probe *probe)
{
	struct iscsi_probe *p = (struct iscsi_probe *)probe;

	for (size_t i = 0; i < p->n; i++)
		session_free(p->sessions[i]);
	free(p->sessions);
	p->sessions = NULL;
	p->n = 0;
	iscsi_targets_clear(&p->targets);
	tcp_view_close(&p->tcp);
}

static const struct kind *const kinds[] = { &kind_iscsi_session, &kind_iscsi_lun, &kind_iscsi_conn, NULL };

const struct probe_ops probe_iscsi = {
	.name = "iscsi",
	.what = "iSCSI sessions, and this host's own targets: /sys/class/iscsi_session, configfs, sock_diag",
	.kinds = kinds,
	.size = sizeof(struct iscsi_probe),
	.open = iscsi_open,
	.sample = iscsi_sample,
	.changed = iscsi_changed,
	.close = iscsi_close,
};
