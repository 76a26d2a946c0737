/*
 * Devices and adapters as objects of the model: what the labels say.
 */
#include <stdio.h>
#include <string.h>

#include "core/kinds/kinds.h"
#include "probes/block_table.h"

static const char *
either(const char *a, const char *b)
{
	return a != NULL && a[0] != '\0' ? a : b;
}

/* Puts the new object in place of the old one, unless it says the same. */
static void
publish(struct object **place, struct object *fresh)
{
	if (*place != NULL && (*place)->uid == fresh->uid && object_same(*place, fresh)) {
		object_unref(fresh);
		return;
	}
	object_unref(*place);
	*place = fresh;
}

/* esxtop's words for paths; an NVMe path says more than failed or active. */
static const char *
path_state(const struct block_device *d)
{
	if (strcmp(d->state, "running") == 0 || strcmp(d->state, "live") == 0)
		return "active";
	return d->facts.bus == BUS_SCSI && d->state[0] != '\0' ? "failed" : d->state;
}

static void
label_paths(struct object *o, const struct block_device *d)
{
	char text[32];

	if (d->role != ROLE_HEAD || d->paths == 0 || d->paths_unknown > 0)
		return;
	snprintf(text, sizeof(text), "%u/%u", d->paths_usable, d->paths);
	object_label_both(o, LABEL_PATHS, text, d->paths_usable);
}

static void
label_place(struct object *o, const struct block_device *d)
{
	/* A head is reached as its paths are. */
	const struct block_device *via = d->first_path != NULL ? d->first_path : d;
	const struct topology_adapter *a = via->adapter != NULL ? &via->adapter->detail : NULL;

	if (d->major != 0 || d->minor != 0)
		object_labelf(o, LABEL_MAJMIN, "%u:%u", d->major, d->minor);
	if (d->facts.size_bytes != UINT64_MAX)
		object_labelf(o, LABEL_SIZE_BYTES, "%llu", (unsigned long long)d->facts.size_bytes);
	if (d->partition) {
		object_labelf(o, LABEL_PARTNO, "%u", d->number);
		return;
	}
	if (a == NULL)
		return;
	object_label(o, LABEL_TRANSPORT, either(via->facts.transport, a->transport));
	object_label(o, LABEL_SESSION, d->facts.session);
	if (via == d)
		object_label(o, LABEL_ADDRESS, either(d->facts.address, a->address));
}

static void
label_detail(struct object *o, const struct block_device *d)
{
	const struct topology_detail *t = &d->detail;
	const struct topology_detail *via = d->first_path != NULL ? &d->first_path->detail : t;

	object_label(o, LABEL_VENDOR, either(t->vendor, via->vendor));
	object_label(o, LABEL_MODEL, either(t->model, via->model));
	object_label(o, LABEL_SERIAL, t->serial[0] != '\0' ? t->serial : d->facts.serial);
	if (t->level[0] != '\0')
		object_label(o, LABEL_LEVEL, t->level);
	if (d->detailed && t->queue_depth >= 0)
		object_labelf(o, LABEL_QUEUE_DEPTH, "%ld", t->queue_depth);
	if (d->detailed && t->rotational >= 0)
		object_labelf(o, LABEL_ROTATIONAL, "%d", t->rotational);
}

static void
label_stack(struct object *o, const struct block_device *d)
{
	object_label(o, LABEL_WWN, d->facts.wwn);
	object_label(o, LABEL_MAPPER, either(d->facts.mapper, d->detail.name));
	object_label(o, LABEL_SLAVES, d->facts.slaves);
	object_label(o, LABEL_BACKING, d->facts.backing);
	object_label(o, LABEL_STATE, d->role == ROLE_PATH ? path_state(d) : d->state);
	label_paths(o, d);
}

static uint64_t
parent_of(const struct block_device *d)
{
	const struct block_device *parent = d->whole != NULL ? d->whole : d->head != NULL ? d->head : d->below;

	return parent != NULL ? parent->uid : 0;
}

void
block_device_build(struct block_device *d)
{
	struct object *o = object_new(d->partition ? &kind_partition : &kind_disk, d->uid, d->name, d->identity);

	o->parent = parent_of(d);
	o->counts_in = d->counts ? d->adapter->uid : 0;
	o->role = d->role;
	o->hidden = d->hidden;
	if (d->role != ROLE_BASE)
		object_label(o, LABEL_ROLE, object_role_text(d->role));
	object_label(o, LABEL_CLASS, d->class_key);
	object_label(o, LABEL_MOUNT, d->mounts);
	label_place(o, d);
	if (!d->partition) {
		label_detail(o, d);
		label_stack(o, d);
	}
	if (d->role == ROLE_UNCOUNTED || (d->whole != NULL && d->whole->role == ROLE_UNCOUNTED))
		object_label(o, LABEL_NOTE, "stats off");
	else if (d->silent)
		object_label(o, LABEL_NOTE, "not responding");
	publish(&d->object, o);
	d->relabel = false;
}

static void
label_adapter(struct object *o, const struct topology_adapter *t)
{
	char ports[32];

	object_label(o, LABEL_DRIVER, t->driver);
	object_label(o, LABEL_TRANSPORT, t->transport);
	object_label(o, LABEL_ADDRESS, t->address);
	object_label(o, LABEL_STATE, t->state);
	object_label(o, LABEL_PORT_NAME, t->port_name);
	if (t->speed[0] != '\0')
		object_label_both(o, LABEL_SPEED, t->speed, t->speed_bits);
	if (t->queue_depth >= 0)
		object_labelf(o, LABEL_QUEUE_DEPTH, "%ld", t->queue_depth);
	if (t->ports == 0)
		return;
	snprintf(ports, sizeof(ports), "%d/%d", t->ports_online, t->ports);
	object_label_both(o, LABEL_PORTS, ports, t->ports_online);
}

/* A SCSI host's number says little about which one it is; the PCI function does. */
void
block_adapter_build(struct block_adapter *a)
{
	const char *pci = a->device != NULL ? a->device->facts.pci : "";
	char identity[TOPOLOGY_NAME_MAX * 2 + 1];
	struct object *o;

	snprintf(identity, sizeof(identity), "%s%s%s", a->name, pci[0] != '\0' ? " " : "", pci);
	o = object_new(&kind_adapter, a->uid, a->name, a->object != NULL ? a->object->identity : identity);
	o->hidden = a->hidden;
	if (a->detailed)
		label_adapter(o, &a->detail);
	else if (a->device != NULL)
		object_label(o, LABEL_DRIVER, a->device->facts.family->driver);
	publish(&a->object, o);
}
