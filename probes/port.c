/*
 * FC ports: link state and error counters. Reading a statistic may make the driver ask its firmware, so on
 * the machine itself that is for the helper, and only every few seconds.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "probes/hex_parse.h"
#include "probes/probe.h"
#include "sys/dirlist.h"
#include "sys/helper.h"
#include "sys/text.h"
#include "sys/topology.h"

#define EVERY_NS (5 * NS_PER_S)
#define STALE_NS (10 * NS_PER_S)	/* older readings are not repeated */

static const char *const files[PORT_METRICS] = {
	[PORT_LINK_FAILURES] = "link_failure_count",
	[PORT_LOSS_OF_SYNC] = "loss_of_sync_count",
	[PORT_LOSS_OF_SIGNAL] = "loss_of_signal_count",
	[PORT_INVALID_TX_WORDS] = "invalid_tx_word_count",
	[PORT_INVALID_CRC] = "invalid_crc_count",
	[PORT_ERROR_FRAMES] = "error_frames",
	[PORT_DUMPED_FRAMES] = "dumped_frames",
};

struct port;

/* One question to the helper. */
struct question {
	struct port *port;
	int metric;
};

struct port {
	char name[TOPOLOGY_NAME_MAX];	/* "host3" */
	bool found;			/* by the last listing */
	struct object *object;
	struct topology_adapter detail;
	uint64_t cells[PORT_METRICS];	/* of the last whole reading */
	uint64_t read_ns;		/* when that was begun; 0: never */
	uint64_t fresh[PORT_METRICS];	/* of the reading that goes on */
	uint64_t asked_ns;		/* when it was begun; 0: none was */
	unsigned open;			/* questions without an answer */
	struct question questions[PORT_METRICS];
};

struct port_probe {
	struct probe probe;
	size_t n;
	struct port **ports;
	uint64_t listed_ns;	/* 0: list now */
};

static int
port_open(struct probe *probe)
{
	(void)probe;
	return 0;
}

static void
port_free(const struct env *env, struct port *port)
{
	for (int m = 0; m < PORT_METRICS && env->helper != NULL; m++)
		helper_forget(env->helper, &port->questions[m]);
	object_unref(port->object);
	free(port);
}

static void
port_close(struct probe *probe)
{
	struct port_probe *p = (struct port_probe *)probe;

	for (size_t i = 0; i < p->n; i++)
		port_free(probe->env, p->ports[i]);
	free(p->ports);
	p->ports = NULL;
	p->n = 0;
}

static void
port_changed(struct probe *probe, const char *subsystem, const char *device)
{
	struct port_probe *p = (struct port_probe *)probe;

	(void)device;
	if (subsystem == NULL || strncmp(subsystem, "fc_", 3) == 0 || strcmp(subsystem, "scsi_host") == 0)
		p->listed_ns = 0;
}

static struct port *
port_named(struct port_probe *p, const char *name)
{
	struct port *port;

	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->ports[i]->name, name) == 0)
			return p->ports[i];
	p->ports = xreallocarray(p->ports, p->n + 1, sizeof(struct port *));
	p->ports[p->n++] = port = xcalloc(1, sizeof(*port));
	text_copy(port->name, sizeof(port->name), name);
	for (int m = 0; m < PORT_METRICS; m++)
		port->questions[m] = (struct question){ port, m };
	return port;
}

static void
list_ports(struct port_probe *p, uint64_t now_ns)
{
	const struct env *env = p->probe.env;
	struct dirlist list;
	size_t n = 0;

	p->listed_ns = now_ns;
	for (size_t i = 0; i < p->n; i++)
		p->ports[i]->found = false;
	if (dirlist_read(env, &list, "/sys/class/fc_host") == 0) {
		for (size_t i = 0; i < list.n; i++)
			if (strncmp(list.names[i], "host", 4) == 0 && strlen(list.names[i]) < TOPOLOGY_NAME_MAX)
				port_named(p, list.names[i])->found = true;
		dirlist_free(&list);
	}
	for (size_t i = 0; i < p->n; i++) {
		struct port *port = p->ports[i];

		if (!port->found) {
			port_free(env, port);
			continue;
		}
		topology_fc_host(env, port->name, &port->detail);
		p->ports[n++] = port;
	}
	p->n = n;
}

static void
reply(void *arg, const char *data, long len)
{
	struct question *q = arg;
	struct port *port = q->port;

	port->fresh[q->metric] = len > 0 ? hex_parse(data, (size_t)len) : ABSENT;
	if (--port->open > 0)
		return;
	memcpy(port->cells, port->fresh, sizeof(port->cells));
	port->read_ns = port->asked_ns;
}

static void
ask(const struct env *env, struct port *port, uint64_t now_ns)
{
	char path[PATH_MAX];

	port->asked_ns = now_ns;
	for (int m = 0; m < PORT_METRICS; m++) {
		snprintf(path, sizeof(path), "%s/sys/class/fc_host/%s/statistics/%s", env->root, port->name, files[m]);
		port->fresh[m] = ABSENT;
		if (helper_ask(env->helper, HELPER_READ, path, reply, &port->questions[m]) == 0)
			port->open++;
	}
}

static void
read_plain(const struct env *env, struct port *port, uint64_t now_ns)
{
	char text[64];

	for (int m = 0; m < PORT_METRICS; m++) {
		long len = env_attr(env, text, sizeof(text), "/sys/class/fc_host/%s/statistics/%s", port->name, files[m]);

		port->cells[m] = len > 0 ? hex_parse(text, (size_t)len) : ABSENT;
	}
	port->asked_ns = port->read_ns = now_ns;
}

/* The next reading waits until all questions of the last were answered, or given up by the helper. */
static void
read_counters(const struct env *env, struct port *port, uint64_t now_ns)
{
	if (port->open > 0 || (port->asked_ns != 0 && now_ns - port->asked_ns < EVERY_NS))
		return;
	if (env->foreign)
		read_plain(env, port, now_ns);
	else if (env->helper != NULL)
		ask(env, port, now_ns);
}

/* Counting in another adapter makes it another thing. */
static void
build(struct port *port, uint64_t adapter)
{
	const struct topology_adapter *t = &port->detail;
	uint64_t uid = port->object != NULL && port->object->counts_in == adapter ? port->object->uid : 0;
	char identity[TOPOLOGY_NAME_MAX * 2 + 1];
	struct object *o;

	snprintf(identity, sizeof(identity), "%s%s%s", port->name, t->port_name[0] != '\0' ? " " : "", t->port_name);
	o = object_new(&kind_port, uid, port->name, identity);
	o->parent = o->counts_in = adapter;
	object_label(o, LABEL_DRIVER, t->driver);
	object_label(o, LABEL_TRANSPORT, t->transport);
	object_label(o, LABEL_STATE, t->state);
	object_label(o, LABEL_PORT_NAME, t->port_name);
	if (t->speed[0] != '\0')
		object_label_both(o, LABEL_SPEED, t->speed, t->speed_bits);
	if (port->object != NULL && object_same(port->object, o)) {
		object_unref(o);
		return;
	}
	object_unref(port->object);
	port->object = o;
}

static int
port_sample(struct probe *probe, struct snapshot *snapshot)
{
	struct port_probe *p = (struct port_probe *)probe;
	uint64_t now_ns = snapshot->stamp.mono_ns;
	struct snapshot_table *table = snapshot_table(snapshot, &kind_port);

	if (p->listed_ns == 0 || now_ns - p->listed_ns >= EVERY_NS)
		list_ports(p, now_ns);
	for (size_t i = 0; i < p->n; i++) {
		struct port *port = p->ports[i];
		uint64_t *cells;

		read_counters(probe->env, port, now_ns);
		build(port, probe_adapter(snapshot, port->name));
		cells = snapshot_add(table, port->object);
		if (port->read_ns != 0 && now_ns - port->read_ns < STALE_NS)
			memcpy(cells, port->cells, sizeof(port->cells));
	}
	return 0;
}

static const struct kind *const kinds[] = { &kind_port, NULL };

const struct probe_ops probe_port = {
	.name = "port",
	.what = "FC ports and their link errors: /sys/class/fc_host",
	.kinds = kinds,
	.size = sizeof(struct port_probe),
	.open = port_open,
	.sample = port_sample,
	.changed = port_changed,
	.close = port_close,
};
