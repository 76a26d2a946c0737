/*
 * Block devices, their partitions and their adapters. One read of /proc/diskstats a tick; the topology is read
 * when a name is new, a counter went back, or the kernel says that a device changed.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "probes/block_detail.h"
#include "probes/block_source.h"
#include "probes/block_table.h"
#include "probes/mount_watch.h"
#include "probes/probe.h"
#include "sys/dirlist.h"

struct block_probe {
	struct probe probe;
	struct block_source source;
	struct block_table table;
	struct block_detail detail;
	struct mount_watch mounts;
	uint64_t reads;		/* of diskstats, to tell who was in the last */
	bool hosts_changed;	/* FC hosts, NVMe controllers: look at all adapters again */
};

static int
block_open(struct probe *probe)
{
	struct block_probe *b = (struct block_probe *)probe;

	b->source = (struct block_source)BLOCK_SOURCE;
	mount_watch_init(&b->mounts, probe->env);
	block_table_init(&b->table, probe->env);
	b->hosts_changed = true;
	return 0;
}

static void
block_close(struct probe *probe)
{
	struct block_probe *b = (struct block_probe *)probe;

	block_source_close(&b->source);
	mount_watch_close(&b->mounts);
	block_table_clear(&b->table);
}

static void
mark_all(struct block_probe *b)
{
	for (size_t i = 0; i < b->table.n; i++)
		b->table.devices[i]->dirty = true;
	b->hosts_changed = true;
}

static void
block_changed(struct probe *probe, const char *subsystem, const char *device)
{
	struct block_probe *b = (struct block_probe *)probe;
	struct block_device *d;

	if (subsystem == NULL || device == NULL) {
		mark_all(b);
	} else if (strcmp(subsystem, "block") == 0) {
		d = block_table_find(&b->table, device, strlen(device));
		if (d != NULL)
			d->dirty = true;
	} else if (strncmp(subsystem, "scsi", 4) == 0 || strncmp(subsystem, "fc_", 3) == 0 ||
	    strncmp(subsystem, "nvme", 4) == 0 || strncmp(subsystem, "iscsi", 5) == 0) {
		b->hosts_changed = true;
	}
}

/* The 64-bit counters: they never go back in the life of one device. */
static bool
went_back(const uint64_t *before, const uint64_t *now)
{
	static const int counters[] = {
		DISK_READS, DISK_READS_MERGED, DISK_READ_SECTORS, DISK_WRITES, DISK_WRITES_MERGED, DISK_WRITE_SECTORS,
		DISK_DISCARDS, DISK_DISCARDS_MERGED, DISK_DISCARD_SECTORS, DISK_FLUSHES,
	};

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (before[counters[i]] != ABSENT && now[counters[i]] < before[counters[i]])
			return true;
	return false;
}

/* A hidden device that does I/O is one that was filled without our hearing of it. */
static void
take_line(struct block_device *d, const struct block_line *line)
{
	if (d->major != line->major || d->minor != line->minor || went_back(d->cells, line->cells))
		d->dirty = true;
	if (d->hidden && memcmp(d->cells, line->cells, sizeof(d->cells)) != 0)
		d->dirty = true;
	d->major = line->major;
	d->minor = line->minor;
	memcpy(d->cells, line->cells, sizeof(d->cells));
}

/* Devices mostly keep their place from one read to the next. */
static struct block_device *
device_of(struct block_table *table, size_t expect, const struct block_line *line)
{
	struct block_device *d;

	if (expect < table->n) {
		d = table->devices[expect];
		if (memcmp(d->name, line->name, line->name_len) == 0 && d->name[line->name_len] == '\0')
			return d;
	}
	d = block_table_find(table, line->name, line->name_len);
	return d != NULL ? d : block_table_add(table, line->name, line->name_len);
}

/*
 * Takes all lines. Some may be there twice or have moved when devices came or went between two parts of
 * the read: the first one counts. True: devices have gone or come.
 */
static bool
take_lines(struct block_probe *b)
{
	struct block_table *table = &b->table;
	size_t cap = table->cap > 0 ? table->cap : 32, n = 0, known = table->n;
	struct block_device **list = xreallocarray(NULL, cap, sizeof(struct block_device *));
	struct block_line line;
	bool changed;

	b->reads++;
	while (block_next(&b->source.cursor, &line)) {
		struct block_device *d = device_of(table, n, &line);

		if (d->seen == b->reads)
			continue;
		if (n == cap) {
			cap *= 2;
			list = xreallocarray(list, cap, sizeof(struct block_device *));
		}
		d->seen = b->reads;
		list[n++] = d;
		take_line(d, &line);
	}
	changed = block_table_replace(table, list, n, cap, b->reads);
	return changed || n != known;
}

/* An FC host is worth a row also where its link is down and it has no disk. */
static void
find_fc_hosts(struct block_table *table)
{
	struct dirlist list;

	for (size_t i = 0; i < table->n_adapters; i++)
		table->adapters[i]->fc_host = false;
	if (dirlist_read(table->env, &list, "/sys/class/fc_host") < 0)
		return;
	for (size_t i = 0; i < list.n; i++)
		if (strncmp(list.names[i], "host", 4) == 0 && strlen(list.names[i]) < TOPOLOGY_NAME_MAX)
			block_table_adapter(table, list.names[i])->fc_host = true;
	dirlist_free(&list);
}

static void
forget_adapter_details(struct block_probe *b)
{
	for (size_t i = 0; i < b->table.n_adapters; i++)
		b->table.adapters[i]->detailed = false;
	for (size_t i = 0; i < b->table.n; i++)
		b->table.devices[i]->state_ns = 0;
}

static void
link_and_build(struct block_probe *b)
{
	block_link(&b->table, b->mounts.parsed);
	for (size_t i = 0; i < b->table.n_adapters; i++)
		block_adapter_build(b->table.adapters[i]);
	for (size_t i = 0; i < b->table.n; i++)
		block_device_build(b->table.devices[i]);
}

/* After the lines were taken: what is new about the machine. */
static void
update_topology(struct block_probe *b, bool changed, uint64_t now_ns)
{
	changed = block_table_read_facts(&b->table) || changed;
	if (changed || b->hosts_changed)
		find_fc_hosts(&b->table);
	if (b->hosts_changed)
		forget_adapter_details(b);
	changed = mount_watch_read(&b->mounts, now_ns) || changed || b->hosts_changed;
	b->hosts_changed = false;
	if (changed)
		link_and_build(b);
	changed = block_detail_read(&b->table, &b->detail, now_ns);
	changed = block_detail_states(&b->table, &b->detail, now_ns) || changed;
	if (changed)
		link_and_build(b);
	for (size_t i = 0; i < b->table.n; i++)
		if (b->table.devices[i]->relabel)
			block_device_build(b->table.devices[i]);
	block_errors_read(&b->table, now_ns);
}

static bool
all_zero(const uint64_t *cells)
{
	for (int i = 0; i < DISK_DIRECT; i++)
		if (cells[i] != 0 && cells[i] != ABSENT)
			return false;
	return true;
}

/*
 * Before Linux 6.2 an NVMe head counted nothing: it did what its paths did. How long it was busy cannot be
 * known from how long each of them was.
 */
static void
sum_paths(const struct block_table *table, const struct block_device *head, uint64_t *cells)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct block_device *path = table->devices[i];

		if (path->head != head)
			continue;
		for (int c = 0; c < DISK_DIRECT; c++)
			cells[c] = cells[c] == ABSENT || path->cells[c] == ABSENT ? ABSENT : cells[c] + path->cells[c];
	}
	if (!all_zero(cells))
		cells[DISK_BUSY_MS] = ABSENT;
}

static bool
stats_off(const struct block_device *d)
{
	return (d->whole != NULL ? d->whole->role : d->role) == ROLE_UNCOUNTED;
}

static void
emit(const struct block_probe *b, const struct block_device *d, struct snapshot_table *into, uint64_t now_ns)
{
	uint64_t *cells = snapshot_add(into, d->object);

	if (stats_off(d))
		return;
	memcpy(cells, d->cells, sizeof(d->cells));
	if (d->role == ROLE_HEAD && d->facts.bus == BUS_NVME_HEAD && all_zero(d->cells))
		sum_paths(&b->table, d, cells);
	if (!d->partition)
		block_errors_put(d, now_ns, cells);
}

static int
block_sample(struct probe *probe, struct snapshot *snapshot)
{
	struct block_probe *b = (struct block_probe *)probe;
	struct snapshot_table *disks, *partitions, *adapters;
	uint64_t now_ns = snapshot->stamp.mono_ns;
	int rc = block_source_read(probe->env, &b->source);

	if (rc < 0)
		return probe_cannot(probe, b->source.diskstats.path, rc);
	probe->why[0] = '\0';
	update_topology(b, take_lines(b), now_ns);
	if (b->source.cursor.skipped > 0)
		probe_why(probe, "%s: %zu lines not understood", b->source.diskstats.path, b->source.cursor.skipped);
	disks = snapshot_table(snapshot, &kind_disk);
	partitions = snapshot_table(snapshot, &kind_partition);
	adapters = snapshot_table(snapshot, &kind_adapter);
	for (size_t i = 0; i < b->table.n; i++)
		emit(b, b->table.devices[i], b->table.devices[i]->partition ? partitions : disks, now_ns);
	for (size_t i = 0; i < b->table.n_adapters; i++)
		snapshot_add(adapters, b->table.adapters[i]->object);
	return 0;
}

static const struct kind *const kinds[] = { &kind_disk, &kind_partition, &kind_adapter, NULL };

const struct probe_ops probe_block = {
	.name = "block",
	.what = "block devices, partitions and adapters: /proc/diskstats, /sys/block",
	.kinds = kinds,
	.size = sizeof(struct block_probe),
	.open = block_open,
	.sample = block_sample,
	.changed = block_changed,
	.close = block_close,
};
