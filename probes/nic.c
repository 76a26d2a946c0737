/* Network interfaces: counters each tick, labels when an interface is new or its link has changed. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "probes/nic_parse.h"
#include "probes/probe.h"
#include "probes/lineup.h"
#include "sys/link.h"

struct nic_probe {
	struct probe probe;
	struct kept_file dev;
	struct lineup lineup;
	int links;		/* tells of links that go up and down; -1: none */
	uint64_t began_ns;	/* with the labels of this tick; 0: not yet */
	bool spent;		/* the budget for them */
};

static int
nic_open(struct probe *probe)
{
	struct nic_probe *nic = (struct nic_probe *)probe;

	nic->dev = (struct kept_file)KEPT_SEQ_FILE("/proc/net/dev");
	nic->links = probe->env->foreign ? -1 : link_open();
	return 0;
}

/* The hardware address makes eth0 the same eth0 at another time. */
static struct object *
interface_new(const struct env *env, const struct nic_line *line)
{
	char *name = xstrndup(line->name, line->name_len), address[64], *identity;
	struct object *o;

	if (env_attr(env, address, sizeof(address), "/sys/class/net/%s/address", name) > 0)
		identity = xasprintf("%s %s", name, address);
	else
		identity = xstrdup(name);
	o = object_new(&kind_nic, 0, name, identity);
	free(identity);
	free(name);
	return o;
}

/* operstate is "unknown" where the driver does not keep it (lo, tun): then the carrier counts. */
static void
describe_state(const struct env *env, struct object *o)
{
	char state[32], carrier[8];
	bool up;

	object_label(o, LABEL_STATE, NULL);
	if (env_attr(env, state, sizeof(state), "/sys/class/net/%s/operstate", o->name) <= 0)
		return;
	/* an interface that is switched off has no carrier to ask for: EINVAL */
	up = env_attr(env, carrier, sizeof(carrier), "/sys/class/net/%s/carrier", o->name) > 0
	    && strcmp(carrier, "1") == 0;
	if (strcmp(state, "unknown") == 0)
		object_label_both(o, LABEL_STATE, up ? "up" : "down", up);
	else
		object_label_both(o, LABEL_STATE, state, strcmp(state, "up") == 0);
}

/* Without a link, and on virtual interfaces, these are EINVAL, -1 or "unknown": absent. */
static void
describe_speed(const struct env *env, struct object *o)
{
	char attr[32], text[32];
	double speed;

	object_label(o, LABEL_SPEED, NULL);
	object_label(o, LABEL_DUPLEX, NULL);
	if (env_attr(env, attr, sizeof(attr), "/sys/class/net/%s/speed", o->name) <= 0
	    || !nic_speed(attr, text, sizeof(text), &speed))
		return;
	object_label_both(o, LABEL_SPEED, text, speed);
	if (env_attr(env, attr, sizeof(attr), "/sys/class/net/%s/duplex", o->name) <= 0)
		return;
	if (strcmp(attr, "full") == 0 || strcmp(attr, "half") == 0)
		object_label_both(o, LABEL_DUPLEX, attr, strcmp(attr, "full") == 0);
}

static void
describe_driver(const struct env *env, struct object *o)
{
	char link[256];
	const char *slash;

	if (env_link(env, link, sizeof(link), "/sys/class/net/%s/device/driver", o->name) < 0)
		return;
	slash = strrchr(link, '/');
	object_label(o, LABEL_DRIVER, slash != NULL ? slash + 1 : link);
}

/* A new version of the object where something has changed. */
static void
describe(const struct env *env, struct lineup_entry *entry)
{
	struct object *o = object_clone(entry->object);

	entry->described = true;
	describe_state(env, o);
	describe_speed(env, o);
	describe_driver(env, o);
	if (object_same(o, entry->object)) {
		object_unref(o);
		return;
	}
	object_unref(entry->object);
	entry->object = o;
}

/* As many a tick as the budget allows, and one at least. */
static void
describe_within_budget(struct nic_probe *nic, struct lineup_entry *entry)
{
	if (nic->spent)
		return;
	if (nic->began_ns == 0)
		nic->began_ns = clock_ns();
	describe(nic->probe.env, entry);
	nic->spent = clock_ns() - nic->began_ns > nic->probe.env->detail_budget_ns;
}

static void
undescribe(void *arg, const char *name)
{
	struct nic_probe *nic = arg;
	struct lineup_entry *entry;

	if (name == NULL) {
		for (size_t i = 0; i < nic->lineup.n; i++)
			nic->lineup.entries[i].described = false;
		return;
	}
	entry = lineup_find(&nic->lineup, name, strlen(name));
	if (entry != NULL)
		entry->described = false;
}

static void
add(struct nic_probe *nic, struct snapshot_table *table, const struct nic_line *line)
{
	struct lineup_entry *entry = lineup_take(&nic->lineup, line->name, line->name_len);

	if (entry == NULL)
		return;
	if (entry->object == NULL)
		entry->object = interface_new(nic->probe.env, line);
	if (!entry->described)
		describe_within_budget(nic, entry);
	memcpy(snapshot_add(table, entry->object), line->cells, sizeof(line->cells));
}

static int
nic_sample(struct probe *probe, struct snapshot *snapshot)
{
	struct nic_probe *nic = (struct nic_probe *)probe;
	struct nic_cursor cursor = { 0 };
	struct snapshot_table *table;
	struct nic_line line;
	int rc = kept_file_read(probe->env, &nic->dev);

	if (rc < 0)
		return probe_cannot(probe, nic->dev.path, rc);
	probe->why[0] = '\0';
	if (nic->links >= 0)
		link_read(nic->links, undescribe, nic);
	nic->began_ns = 0;
	nic->spent = false;
	table = snapshot_table(snapshot, &kind_nic);
	cursor.p = nic->dev.buf;
	cursor.end = cursor.p + nic->dev.len;
	lineup_begin(&nic->lineup);
	while (nic_next(&cursor, &line))
		add(nic, table, &line);
	lineup_end(&nic->lineup);
	if (cursor.skipped > 0)
		probe_why(probe, "%s: %zu lines not understood", nic->dev.path, cursor.skipped);
	return 0;
}

static void
nic_changed(struct probe *probe, const char *subsystem, const char *device)
{
	if (subsystem == NULL || strcmp(subsystem, "net") == 0)
		undescribe(probe, device);
}

static void
nic_close(struct probe *probe)
{
	struct nic_probe *nic = (struct nic_probe *)probe;

	kept_file_close(&nic->dev);
	lineup_clear(&nic->lineup);
	if (nic->links >= 0)
		close(nic->links);
}

static const struct kind *const nic_kinds[] = { &kind_nic, NULL };

const struct probe_ops probe_nic = {
	.name = "nic",
	.what = "network interfaces, from /proc/net/dev and /sys/class/net",
	.kinds = nic_kinds,
	.size = sizeof(struct nic_probe),
	.open = nic_open,
	.sample = nic_sample,
	.changed = nic_changed,
	.close = nic_close,
};
