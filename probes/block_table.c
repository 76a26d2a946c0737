#include "probes/block_table.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/xalloc.h"
#include "sys/helper.h"
#include "sys/text.h"

static size_t
hash(const char *name, size_t len)
{
	uint64_t h = UINT64_C(14695981039346656037);	/* FNV-1a */

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)name[i]) * UINT64_C(1099511628211);
	return (size_t)(h ^ h >> 32);
}

void
block_table_init(struct block_table *table, const struct env *env)
{
	*table = (struct block_table){ .env = env };
	if (env_attr(env, table->boot_id, sizeof(table->boot_id), "/proc/sys/kernel/random/boot_id") < 0)
		table->boot_id[0] = '\0';
}

static void
close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void
device_free(struct block_device *d)
{
	if (d->table->env->helper != NULL && d->asked)
		helper_forget(d->table->env->helper, d);
	close_fd(d->error_fd);
	close_fd(d->timeout_fd);
	topology_facts_clear(&d->facts);
	object_unref(d->object);
	free(d->identity);
	free(d->mounts);
	free(d);
}

static void
adapter_free(struct block_adapter *a)
{
	object_unref(a->object);
	free(a);
}

void
block_table_clear(struct block_table *table)
{
	for (size_t i = 0; i < table->n; i++)
		device_free(table->devices[i]);
	for (size_t i = 0; i < table->n_adapters; i++)
		adapter_free(table->adapters[i]);
	free(table->devices);
	free(table->adapters);
	free(table->slots);
	*table = (struct block_table){ .env = table->env };
}

static bool
is_named(const struct block_device *d, const char *name, size_t len)
{
	return strncmp(d->name, name, len) == 0 && d->name[len] == '\0';
}

struct block_device *
block_table_find(const struct block_table *table, const char *name, size_t len)
{
	size_t mask = table->n_slots - 1;

	if (table->n_slots == 0 || len >= BLOCK_NAME_MAX)
		return NULL;
	for (size_t at = hash(name, len) & mask; table->slots[at] != NULL; at = (at + 1) & mask)
		if (is_named(table->slots[at], name, len))
			return table->slots[at];
	return NULL;
}

static void
slot_put(struct block_table *table, struct block_device *d)
{
	size_t mask = table->n_slots - 1, at = hash(d->name, strlen(d->name)) & mask;

	while (table->slots[at] != NULL)
		at = (at + 1) & mask;
	table->slots[at] = d;
	table->n_used++;
}

/* At most half full. */
static void
slots_rebuild(struct block_table *table, size_t room)
{
	struct block_device **old = table->slots;
	size_t n_old = table->n_slots;

	table->n_slots = 64;
	while (table->n_slots < room * 2)
		table->n_slots *= 2;
	table->n_used = 0;
	table->slots = xcalloc(table->n_slots, sizeof(struct block_device *));
	for (size_t i = 0; i < n_old; i++)
		if (old[i] != NULL)
			slot_put(table, old[i]);
	free(old);
}

struct block_device *
block_table_add(struct block_table *table, const char *name, size_t len)
{
	struct block_device *d = xcalloc(1, sizeof(*d));

	if ((table->n_used + 1) * 2 > table->n_slots)
		slots_rebuild(table, (table->n_used + 1) * 2);
	d->table = table;
	memcpy(d->name, name, len);
	d->dirty = true;
	d->facts.size_bytes = UINT64_MAX;
	d->generation = table->generation;
	d->error_fd = d->timeout_fd = -1;
	slot_put(table, d);
	return d;
}

/* A hole in an open-addressed table would hide what comes after it: all are put anew. */
static void
slots_drop_unseen(struct block_table *table, uint64_t seen)
{
	for (size_t i = 0; i < table->n_slots; i++)
		if (table->slots[i] != NULL && table->slots[i]->seen != seen) {
			device_free(table->slots[i]);
			table->slots[i] = NULL;
		}
	slots_rebuild(table, table->n);
}

bool
block_table_replace(struct block_table *table, struct block_device **list, size_t n, size_t cap, uint64_t seen)
{
	size_t gone = 0;

	for (size_t i = 0; i < table->n; i++)
		gone += table->devices[i]->seen != seen;
	free(table->devices);
	table->devices = list;
	table->n = n;
	table->cap = cap;
	table->generation += gone;
	if (gone > 0)
		slots_drop_unseen(table, seen);
	return gone > 0;
}

struct block_adapter *
block_table_adapter(struct block_table *table, const char *name)
{
	struct block_adapter *a;

	for (size_t i = 0; i < table->n_adapters; i++)
		if (strcmp(table->adapters[i]->name, name) == 0)
			return table->adapters[i];
	table->adapters = xreallocarray(table->adapters, table->n_adapters + 1, sizeof(struct block_adapter *));
	table->adapters[table->n_adapters++] = a = xcalloc(1, sizeof(*a));
	text_copy(a->name, sizeof(a->name), name);
	a->uid = object_next_uid();
	return a;
}

/* The disk whose partition it would be by the kernel's naming rule; NULL where there is none. */
static struct block_device *
disk_by_name(const struct block_table *table, const struct block_device *d, unsigned *number)
{
	char disk[TOPOLOGY_NAME_MAX];
	struct block_device *whole;

	if (!topology_whole_of(d->name, disk, number))
		return NULL;
	whole = block_table_find(table, disk, strlen(disk));
	return whole != d ? whole : NULL;
}

static void
find_whole(const struct block_table *table, struct block_device *d)
{
	bool was = d->partition;

	d->whole = disk_by_name(table, d, &d->number);
	if (d->whole != NULL && topology_is_disk(table->env, d->name))
		d->whole = NULL;
	d->partition = d->whole != NULL;
	if (d->uid != 0 && d->partition != was)
		d->uid = 0;
}

/* New facts; if they tell of another thing, it gets another uid. */
static void
take_facts(struct block_device *d, struct topology_facts *fresh)
{
	if (d->uid != 0 && !topology_same_thing(&d->facts, fresh)) {
		d->uid = 0;
		d->generation = ++d->table->generation;
	}
	if (d->uid == 0) {
		d->detail = (struct topology_detail){ .queue_depth = -1 };
		d->state[0] = '\0';
		d->serial_known = false;
		free(d->identity);
		d->identity = NULL;
	}
	topology_facts_clear(&d->facts);
	d->facts = *fresh;
	/* Partitions have no details of their own. */
	d->detailed = d->partition;
	d->dirty = false;
}

static void
read_disk(struct block_table *table, struct block_device *d)
{
	struct topology_facts fresh;

	topology_read(table->env, d->name, d->major, d->minor, &fresh);
	take_facts(d, &fresh);
}

static void
read_partition(struct block_table *table, struct block_device *d, const struct block_device *whole)
{
	struct topology_facts fresh;

	/* On another disk it is another partition, however alike they are. */
	if (whole->uid == 0)
		d->uid = 0;
	topology_read_partition(table->env, d->name, &whole->facts, &fresh);
	take_facts(d, &fresh);
}

/* A partition of a disk that has changed has changed with it. */
static bool
mark_partitions(struct block_table *table)
{
	bool any = false;
	unsigned number;

	for (size_t i = 0; i < table->n; i++)
		any = any || table->devices[i]->dirty;
	for (size_t i = 0; any && i < table->n; i++) {
		struct block_device *d = table->devices[i];
		const struct block_device *whole = d->partition ? disk_by_name(table, d, &number) : NULL;

		d->dirty = d->dirty || (whole != NULL && whole->dirty);
	}
	return any;
}

bool
block_table_read_facts(struct block_table *table)
{
	if (!mark_partitions(table))
		return false;
	for (size_t i = 0; i < table->n; i++) {
		struct block_device *d = table->devices[i];

		if (!d->dirty)
			continue;
		find_whole(table, d);
		if (!d->partition)
			read_disk(table, d);
	}
	/* What is dirty still are partitions, and their disks have been read. */
	for (size_t i = 0; i < table->n; i++) {
		struct block_device *d = table->devices[i];

		if (d->dirty)
			read_partition(table, d, d->whole);
	}
	return true;
}
