/*
 * How the devices of a table stand to each other. Pure: works on what was read.
 */
#include <stdlib.h>
#include <string.h>

#include "core/snapshot.h"
#include "core/xalloc.h"
#include "probes/block_table.h"
#include "sys/text.h"

/* Takes the next of names separated by spaces; NULL at the end. */
static struct block_device *
next_named(const struct block_table *table, const char **names)
{
	struct block_device *d = NULL;

	while (d == NULL && **names != '\0') {
		size_t len = strcspn(*names, " ");

		d = block_table_find(table, *names, len);
		*names += len + strspn(*names + len, " ");
	}
	return d;
}

static void
reset(struct block_table *table, struct block_device *d)
{
	unsigned number;
	char disk[TOPOLOGY_NAME_MAX];

	d->head = d->below = d->first_path = d->whole = NULL;
	d->adapter = NULL;
	d->counts = d->in_memory = false;
	d->role = ROLE_BASE;
	d->paths = d->paths_usable = d->paths_unknown = 0;
	d->class_key = NULL;
	free(d->mounts);
	d->mounts = NULL;
	if (d->partition && topology_whole_of(d->name, disk, &number))
		d->whole = block_table_find(table, disk, strlen(disk));
}

static void
add_path(struct block_device *head, struct block_device *path)
{
	if (path == head || path->partition || path->head != NULL)
		return;
	path->head = head;
	path->role = ROLE_PATH;
	if (head->first_path == NULL)
		head->first_path = path;
	head->role = ROLE_HEAD;
}

/* nvme0c1n2 is a path of nvme0n2, whatever sysfs says of it. */
static void
link_nvme_path(struct block_table *table, struct block_device *d)
{
	const char *controller, *rest;
	char head[BLOCK_NAME_MAX];
	struct block_device *found;

	if (strncmp(d->name, "nvme", 4) != 0)
		return;
	controller = d->name + 4 + strspn(d->name + 4, "0123456789");
	if (*controller != 'c')
		return;
	rest = controller + 1 + strspn(controller + 1, "0123456789");
	if (*rest != 'n')
		return;
	memcpy(head, d->name, (size_t)(controller - d->name));
	strcpy(head + (controller - d->name), rest);
	found = block_table_find(table, head, strlen(head));
	if (found != NULL)
		add_path(found, d);
}

static bool
same_wwn(const struct block_device *a, const struct block_device *b)
{
	return a->facts.wwn != NULL && b->facts.wwn != NULL && strcmp(a->facts.wwn, b->facts.wwn) == 0;
}

/*
 * A map whose paths cannot be told apart from other disks is only a layer, or they would be counted twice.
 */
static void
link_multipath(struct block_table *table, struct block_device *map)
{
	if (map->facts.uuid == NULL || strncmp(map->facts.uuid, "mpath-", 6) != 0)
		return;
	if (map->facts.slaves != NULL) {
		const char *names = map->facts.slaves;
		struct block_device *path;

		map->role = ROLE_HEAD;
		while ((path = next_named(table, &names)) != NULL)
			add_path(map, path);
		return;
	}
	for (size_t i = 0; i < table->n; i++)
		if (table->devices[i]->facts.bus == BUS_SCSI && same_wwn(map, table->devices[i]))
			add_path(map, table->devices[i]);
}

static void
link_stack(struct block_table *table, struct block_device *d)
{
	const char *names = d->facts.slaves;

	if (d->role == ROLE_HEAD || d->partition || (d->facts.family->flags & (FAMILY_STACK | FAMILY_LAYER)) == 0)
		return;
	if (names != NULL)
		d->below = next_named(table, &names);
	if (d->below != NULL || (names == NULL && d->facts.family->flags & FAMILY_LAYER))
		d->role = ROLE_LAYER;
}

static struct block_device *
one_down(const struct block_device *d)
{
	return d->whole != NULL ? d->whole : d->below;
}

/* The kernel builds no rings, but a recorded tree may hold anything, and others follow the links. */
static void
break_ring(struct block_table *table, struct block_device *d)
{
	const struct block_device *p = one_down(d);

	for (size_t steps = 0; p != NULL && p != d && steps < table->n; steps++)
		p = one_down(p);
	if (p != NULL)
		d->below = NULL;
}

static struct block_device *
by_number(const struct block_table *table, unsigned major, unsigned minor)
{
	for (size_t i = 0; major != 0 && i < table->n; i++)
		if (table->devices[i]->major == major && table->devices[i]->minor == minor)
			return table->devices[i];
	return NULL;
}

static struct block_device *
by_mapper(const struct block_table *table, const char *name)
{
	for (size_t i = 0; i < table->n; i++)
		if (table->devices[i]->facts.mapper != NULL && strcmp(table->devices[i]->facts.mapper, name) == 0)
			return table->devices[i];
	return NULL;
}

/* btrfs and its like have a number of their own and name a device as their source. */
static struct block_device *
mounted_device(const struct block_table *table, const struct mount *m)
{
	const char *name = m->source;

	if (m->major != 0)
		return by_number(table, m->major, m->minor);
	if (strncmp(name, "/dev/", 5) != 0)
		return NULL;
	name += 5;
	if (strncmp(name, "mapper/", 7) == 0)
		return by_mapper(table, name + 7);
	return block_table_find(table, name, strlen(name));
}

/* A loop device is a layer where its file is on something measured, even if we cannot say on what. */
static void
link_loop(struct block_table *table, struct block_device *d, const struct mounts *mounts)
{
	static const char *const local[] = { "btrfs", "zfs", "bcachefs", "overlay", NULL };
	const struct mount *m;

	if (d->facts.backing == NULL || mounts == NULL)
		return;
	m = mounts_holding(mounts, d->facts.backing);
	if (m == NULL)
		return;
	d->below = mounted_device(table, m);
	if (d->below != NULL || text_is_one_of(m->fstype, local))
		d->role = ROLE_LAYER;
	else if (strcmp(m->fstype, "tmpfs") == 0 || strcmp(m->fstype, "ramfs") == 0)
		d->in_memory = true;
}

static void
walk(struct block_table *table, struct block_device *d, block_visit *fn, void *arg)
{
	if (d->visited == table->visit)
		return;
	d->visited = table->visit;
	fn(d, arg);
	if (d->whole != NULL)
		walk(table, d->whole, fn, arg);
	if (d->role != ROLE_LAYER)
		return;
	if (d->facts.slaves != NULL) {
		const char *names = d->facts.slaves;
		struct block_device *below;

		while ((below = next_named(table, &names)) != NULL)
			walk(table, below, fn, arg);
	} else if (d->below != NULL) {
		walk(table, d->below, fn, arg);
	}
}

void
block_walk_down(struct block_device *d, block_visit *fn, void *arg)
{
	d->table->visit++;
	walk(d->table, d, fn, arg);
}

struct twice {
	const struct block_device *self;
	bool found;
};

static void
find_same_adapter(struct block_device *d, void *arg)
{
	struct twice *twice = arg;

	if (d != twice->self && d->adapter == twice->self->adapter)
		twice->found = true;
}

/* Nothing counts twice in one adapter: a volume on an encrypted device on a disk is two layers of one I/O. */
static void
link_adapter(struct block_table *table, struct block_device *d)
{
	struct twice twice = { .self = d };

	(void)table;
	if (d->partition)
		return;
	if (d->role == ROLE_LAYER)
		block_walk_down(d, find_same_adapter, &twice);
	d->counts = !twice.found;
}

static void
find_adapter(struct block_table *table, struct block_device *d)
{
	if (d->partition)
		return;
	d->adapter = block_table_adapter(table, d->facts.adapter);
	if (d->adapter->device == NULL || d->facts.adapter_dir != NULL)
		d->adapter->device = d;
}

/* Adapters without devices go, but for FC hosts. */
static void
drop_unused_adapters(struct block_table *table)
{
	size_t n = 0;

	for (size_t i = 0; i < table->n_adapters; i++) {
		struct block_adapter *a = table->adapters[i];

		if (a->device != NULL || a->fc_host) {
			table->adapters[n++] = a;
			continue;
		}
		object_unref(a->object);
		free(a);
	}
	table->n_adapters = n;
}

/* Nothing was ever done with it. */
static bool
is_unused(const struct block_device *d)
{
	return (d->cells[DISK_READS] == 0 || d->cells[DISK_READS] == ABSENT) &&
	    (d->cells[DISK_WRITES] == 0 || d->cells[DISK_WRITES] == ABSENT);
}

static bool
is_hidden(const struct block_device *d)
{
	unsigned flags = d->partition ? 0 : d->facts.family->flags;

	if (flags & FAMILY_HIDE_EMPTY && d->facts.size_bytes != UINT64_MAX)
		return d->facts.size_bytes == 0;
	return flags & (FAMILY_HIDE_EMPTY | FAMILY_HIDE_UNUSED) && is_unused(d);
}

static void
count_paths(struct block_device *path)
{
	struct block_device *head = path->head;

	if (head == NULL)
		return;
	head->paths++;
	head->paths_unknown += path->state[0] == '\0';
	head->paths_usable += topology_state_usable(path->state);
}

/* Appends a mount point to the device's, once. */
static void
add_mount(struct block_device *d, void *arg)
{
	const char *point = arg, *p = d->mounts;
	size_t len = strlen(point);
	char *joined;

	while (p != NULL && *p != '\0') {
		size_t n = strcspn(p, " ");

		if (n == len && memcmp(p, point, len) == 0)
			return;
		p += n + strspn(p + n, " ");
	}
	if (d->mounts != NULL && strlen(d->mounts) > 200)
		return;
	joined = d->mounts != NULL ? xasprintf("%s %s", d->mounts, point) : xstrdup(point);
	free(d->mounts);
	d->mounts = joined;
}

/*
 * Mount points, carried down to what they stand on. Of bind mounts and subvolumes (a container host has
 * hundreds of one device) the first is enough, and only where the whole is mounted nowhere.
 */
static void
link_mounts(struct block_table *table, const struct mounts *mounts, bool whole)
{
	for (size_t i = 0; i < mounts->n; i++) {
		const struct mount *m = &mounts->list[i];
		struct block_device *d;

		if ((strcmp(m->root, "/") == 0) != whole)
			continue;
		d = mounted_device(table, m);
		if (d == NULL || (!whole && d->mounts != NULL))
			continue;
		block_walk_down(d, add_mount, m->point);
	}
}

static char *
make_identity(const struct block_device *d)
{
	const struct topology_facts *f = &d->facts;

	if (d->whole != NULL)
		return xasprintf("%s of %s", d->name, d->whole->identity);
	if (f->uuid != NULL)
		return xasprintf("%s %s", d->name, f->uuid);
	if (f->wwn != NULL)
		return xasprintf("%s %s", d->name, f->wwn);
	if (f->serial != NULL)
		return xasprintf("%s %s", d->name, f->serial);
	if (f->diskseq != 0 && d->table->boot_id[0] != '\0')
		return xasprintf("%s boot %s disk %llu", d->name, d->table->boot_id, (unsigned long long)f->diskseq);
	return xasprintf("%s generation %llu", d->name, (unsigned long long)d->generation);
}

/*
 * Another role or another adapter makes it another thing, or sums over time would not agree with sums
 * over devices.
 */
static void
name_thing(struct block_device *d)
{
	uint64_t counts_in = d->counts ? d->adapter->uid : 0;

	if (d->identity == NULL)
		d->identity = make_identity(d);
	if (d->uid != 0 && d->object != NULL && (d->object->role != d->role || d->object->counts_in != counts_in))
		d->uid = 0;
	if (d->uid == 0)
		d->uid = object_next_uid();
}

static void
each(struct block_table *table, void (*fn)(struct block_table *, struct block_device *))
{
	for (size_t i = 0; i < table->n; i++)
		fn(table, table->devices[i]);
}

/* A device that is not counted would make every sum it is in unknown. */
static void
take_out_uncounted(struct block_table *table, struct block_device *d)
{
	(void)table;
	if (d->partition || !d->detailed || d->detail.iostats != 0)
		return;
	d->role = ROLE_UNCOUNTED;
	d->counts = false;
}

static void
link_state(struct block_table *table, struct block_device *d)
{
	(void)table;
	count_paths(d);
	d->hidden = is_hidden(d);
	if (d->adapter != NULL && !d->hidden)
		d->adapter->hidden = false;
	d->class_key = block_class(d);
}

void
block_link(struct block_table *table, const struct mounts *mounts)
{
	for (size_t i = 0; i < table->n_adapters; i++)
		table->adapters[i]->device = NULL;
	each(table, reset);
	each(table, link_nvme_path);
	each(table, link_multipath);
	each(table, link_stack);
	for (size_t i = 0; i < table->n; i++)
		link_loop(table, table->devices[i], mounts);
	each(table, break_ring);
	each(table, find_adapter);
	drop_unused_adapters(table);
	each(table, link_adapter);
	for (size_t i = 0; i < table->n_adapters; i++)
		table->adapters[i]->hidden = !table->adapters[i]->fc_host;
	if (mounts != NULL) {
		link_mounts(table, mounts, true);
		link_mounts(table, mounts, false);
	}
	each(table, link_state);
	each(table, take_out_uncounted);
	/* Disks before their partitions, whose identity is theirs and a name. */
	for (int partitions = 0; partitions <= 1; partitions++)
		for (size_t i = 0; i < table->n; i++)
			if (table->devices[i]->partition == (partitions == 1))
				name_thing(table->devices[i]);
}
