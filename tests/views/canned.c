#include "canned.h"

#include <stdlib.h>
#include <string.h>

#include "core/kinds/kinds.h"
#include "core/stall.h"
#include "core/xalloc.h"

#define TICK_NS UINT64_C(2000000000)
#define START_MS INT64_C(1796049125000)	/* 2026-11-30 14:32:05 UTC */

/* What a device does in each tick of two seconds. */
struct device {
	const char *name, *adapter, *parent;	/* parent: a name above in this list, or NULL */
	const struct kind *kind;
	enum object_role role;
	bool hidden;
	const char *class_key, *vendor, *model, *mapper, *mount, *transport, *address, *state, *level, *slaves, *paths;
	const char *serial, *wwn;
	int depth;
	unsigned reads, writes, read_kb, write_kb;	/* I/Os a tick, KiB each */
	unsigned read_us, write_us;			/* latency of one */
	unsigned in_flight, errors;
	unsigned sway;		/* per cent by which the load goes up and down */
};

struct adapter {
	const char *name, *driver, *transport, *speed, *state, *ports;
	int depth;
};

static const struct adapter adapters[] = {
	{ "host0", "megaraid_sas", NULL, NULL, NULL, NULL, 928 },
	{ "host3", "lpfc", "fc", "16 Gbit", "Online", "1/1", 3948 },
	{ "host4", "lpfc", "fc", "16 Gbit", "Linkdown", "0/1", 3948 },
	{ "host6", "iscsi_tcp", "iscsi", NULL, NULL, NULL, 113 },
	{ "nvme0", "nvme", "pcie", NULL, "live", NULL, 0 },
	{ "device-mapper", "device-mapper", NULL, NULL, NULL, NULL, 0 },
	{ "loop", "loop", NULL, NULL, NULL, NULL, 0 },
};
#define N_ADAPTERS (sizeof(adapters) / sizeof(adapters[0]))

static const struct device devices[] = {
	{ "sda", "host0", NULL, &kind_disk, ROLE_BASE, .class_key = "flash", .vendor = "SAMSUNG", .model = "MZ7LM480",
	    .mount = "/boot /var/mysql", .depth = 32, .reads = 28500, .read_kb = 1, .read_us = 1250, .in_flight = 18,
	    .sway = 40, .serial = "S2UJNX0K1", .wwn = "naa.5002538c40a1b2c3" },
	{ "sda1", NULL, "sda", &kind_partition, ROLE_BASE, .class_key = NULL, .mount = "/boot" },
	{ "sda2", NULL, "sda", &kind_partition, ROLE_BASE, .mount = "/var/mysql", .reads = 28500, .read_kb = 1,
	    .read_us = 1250, .in_flight = 18, .sway = 40 },
	{ "dm-1", "device-mapper", "sda2", &kind_disk, ROLE_LAYER, .class_key = "flash",
	    .mapper = "vg_data-lv_mysql_binlog_archive01", .level = "linear", .slaves = "sda2", .mount = "/var/mysql",
	    .reads = 28500, .read_kb = 1, .read_us = 1290, .in_flight = 18, .sway = 40 },
	{ "sdc", "host0", NULL, &kind_disk, ROLE_BASE, .class_key = "rotational", .vendor = "ATA", .model = "ST4000NM0035",
	    .depth = 32, .writes = 14, .write_kb = 4, .write_us = 2150, .in_flight = 1, .wwn = "naa.5000c500a1b2c3d4" },
	{ "dm-0", "device-mapper", NULL, &kind_disk, ROLE_HEAD, .class_key = "san", .vendor = "NETAPP", .model = "LUN C-Mode",
	    .mapper = "mpatha", .level = "multipath", .transport = "fc", .mount = "/oracle", .paths = "3/4",
	    .reads = 3600, .writes = 820, .read_kb = 8, .write_kb = 8, .read_us = 400, .write_us = 550, .in_flight = 12,
	    .sway = 20, .wwn = "naa.600a098000b1c2d3" },
	{ "sdk", "host3", "dm-0", &kind_disk, ROLE_PATH, .class_key = "san", .transport = "fc", .address = "3:0:0:1",
	    .state = "active", .depth = 32, .reads = 1200, .writes = 274, .read_kb = 8, .write_kb = 8, .read_us = 390,
	    .write_us = 540, .in_flight = 4, .sway = 20 },
	{ "sdl", "host3", "dm-0", &kind_disk, ROLE_PATH, .class_key = "san", .transport = "fc", .address = "3:0:1:1",
	    .state = "active", .depth = 32, .reads = 1200, .writes = 273, .read_kb = 8, .write_kb = 8, .read_us = 395,
	    .write_us = 545, .in_flight = 4, .sway = 20 },
	{ "sdm", "host3", "dm-0", &kind_disk, ROLE_PATH, .class_key = "san", .transport = "fc", .address = "3:0:2:1",
	    .state = "active", .depth = 32, .reads = 1200, .writes = 273, .read_kb = 8, .write_kb = 8, .read_us = 400,
	    .write_us = 540, .in_flight = 4, .sway = 20 },
	{ "sdn", "host4", "dm-0", &kind_disk, ROLE_PATH, .class_key = "san", .transport = "fc", .address = "4:0:1:1",
	    .state = "failed", .depth = 32, .errors = 28 },
	{ "sdf", "host6", NULL, &kind_disk, ROLE_BASE, .class_key = "san", .vendor = "LIO-ORG", .model = "iqn.2024-01.x:lun1",
	    .transport = "iscsi", .mount = "/backup", .depth = 32, .writes = 176, .write_kb = 8, .write_us = 48200,
	    .in_flight = 5, .sway = 30 },
	{ "nvme0n1", "nvme0", NULL, &kind_disk, ROLE_BASE, .class_key = "flash", .model = "INTEL SSDPEKNW512G8",
	    .mount = "/", .transport = "pcie", .reads = 24, .writes = 58, .read_kb = 4, .write_kb = 54, .read_us = 80,
	    .write_us = 95, .sway = 60, .wwn = "eui.0000000001000000e4d25c" },
	{ "nvme0n1p1", NULL, "nvme0n1", &kind_partition, ROLE_BASE, .mount = "/", .reads = 24, .writes = 58, .read_kb = 4,
	    .write_kb = 54, .read_us = 80, .write_us = 95, .sway = 60 },
	{ "sdq", "host6", NULL, &kind_disk, ROLE_BASE, .class_key = "san", .vendor = "LIO-ORG", .model = "iqn.2024-01.x:lun9",
	    .transport = "iscsi", .depth = 32, .in_flight = 32 },
	{ "loop0", "loop", NULL, &kind_disk, ROLE_BASE, .hidden = true },
};
#define N_DEVICES (sizeof(devices) / sizeof(devices[0]))

/* An operation of the one NFS mount, in each tick; latencies in microseconds. */
static const struct operation {
	const char *name;
	unsigned ops, kb, queue_us, rtt_us;
} operations[] = {
	{ "GETATTR", 52, 0, 10, 410 },
	{ "READ", 500, 64, 20, 3100 },
	{ "WRITE", 124, 64, 30, 4800 },
};
#define N_OPERATIONS (sizeof(operations) / sizeof(operations[0]))

static const char *const nics[] = { "eth0", "eth1", "lo" };
#define N_NICS 3
#define N_CORES 4

struct canned {
	unsigned tick;
	struct object *adapters[N_ADAPTERS], *devices[N_DEVICES], *nics[N_NICS], *cores[N_CORES], *host;
	uint64_t counters[N_DEVICES][DISK_METRICS];
	uint64_t core_counters[N_CORES][CPU_METRICS], nic_counters[N_NICS][NIC_METRICS];
	struct object *mount, *operations[N_OPERATIONS], *conn, *sessions[2];
	struct snapshot *before;
	struct stall *stall;
};

static uint64_t
adapter_uid(const struct canned *c, const char *name)
{
	for (size_t i = 0; name != NULL && i < N_ADAPTERS; i++)
		if (strcmp(adapters[i].name, name) == 0)
			return c->adapters[i]->uid;
	return 0;
}

uint64_t
canned_uid(const struct canned *c, const char *name)
{
	for (size_t i = 0; name != NULL && i < N_DEVICES; i++)
		if (c->devices[i] != NULL && strcmp(devices[i].name, name) == 0)
			return c->devices[i]->uid;
	return adapter_uid(c, name);
}

static struct object *
make_adapter(const struct adapter *a)
{
	struct object *o = object_new(&kind_adapter, 0, a->name, a->name);

	object_label(o, LABEL_DRIVER, a->driver);
	object_label(o, LABEL_TRANSPORT, a->transport);
	object_label(o, LABEL_SPEED, a->speed);
	object_label(o, LABEL_STATE, a->state);
	object_label(o, LABEL_PORTS, a->ports);
	if (a->depth > 0)
		object_labelf(o, LABEL_QUEUE_DEPTH, "%d", a->depth);
	return o;
}

static struct object *
make_device(const struct canned *c, const struct device *d)
{
	struct object *o = object_new(d->kind, 0, d->name, d->name);

	o->role = d->role;
	o->hidden = d->hidden;
	o->parent = canned_uid(c, d->parent);
	o->counts_in = adapter_uid(c, d->adapter);
	object_label(o, LABEL_CLASS, d->class_key);
	object_label(o, LABEL_VENDOR, d->vendor);
	object_label(o, LABEL_MODEL, d->model);
	object_label(o, LABEL_MAPPER, d->mapper);
	object_label(o, LABEL_MOUNT, d->mount);
	object_label(o, LABEL_TRANSPORT, d->transport);
	object_label(o, LABEL_ADDRESS, d->address);
	object_label(o, LABEL_STATE, d->state);
	object_label(o, LABEL_LEVEL, d->level);
	object_label(o, LABEL_SLAVES, d->slaves);
	object_label(o, LABEL_PATHS, d->paths);
	object_label(o, LABEL_SERIAL, d->serial);
	object_label(o, LABEL_WWN, d->wwn);
	if (d->adapter != NULL && strcmp(d->adapter, "host6") == 0)
		object_label(o, LABEL_SESSION, "session1");
	if (d->depth > 0)
		object_labelf(o, LABEL_QUEUE_DEPTH, "%d", d->depth);
	return o;
}

/* Up and down between 100 - sway and 100 per cent, ten ticks each way; the first tick has it all. */
static uint64_t
swayed(uint64_t n, unsigned sway, unsigned tick)
{
	unsigned phase = (tick + 9) % 20, down = phase < 10 ? 9 - phase : phase - 10;

	return n * (100 - sway * down / 9) / 100;
}

static void
work(uint64_t *m, const struct device *d, unsigned tick)
{
	uint64_t reads = swayed(d->reads, d->sway, tick), writes = swayed(d->writes, d->sway, tick);

	m[DISK_READS] += reads;
	m[DISK_READ_SECTORS] += reads * d->read_kb * 2;
	m[DISK_READ_MS] += reads * d->read_us / 1000;
	m[DISK_WRITES] += writes;
	m[DISK_WRITE_SECTORS] += writes * d->write_kb * 2;
	m[DISK_WRITE_MS] += writes * d->write_us / 1000;
	m[DISK_BUSY_MS] += reads + writes > 2000 ? 2000 : (reads + writes) * 2000 / 2000;
	m[DISK_WEIGHTED_MS] = m[DISK_READ_MS] + m[DISK_WRITE_MS];
	m[DISK_ERRORS] += d->errors;
	m[DISK_IN_FLIGHT] = d->in_flight;
}

static void
add_devices(struct canned *c, struct snapshot *s)
{
	for (size_t i = 0; i < N_ADAPTERS; i++)
		snapshot_add(snapshot_table(s, &kind_adapter), c->adapters[i]);
	for (size_t i = 0; i < N_DEVICES; i++) {
		uint64_t *cells = snapshot_add(snapshot_table(s, devices[i].kind), c->devices[i]);
		bool scsi = devices[i].name[0] == 's' && devices[i].kind == &kind_disk;

		work(c->counters[i], &devices[i], c->tick);
		memcpy(cells, c->counters[i], sizeof(c->counters[i]));
		cells[DISK_DEV_IOS] = cells[DISK_DEV_MS] = ABSENT;
		if (!scsi)
			cells[DISK_ERRORS] = ABSENT;
		cells[DISK_TIMEOUTS] = ABSENT;
	}
}

static void
add_nfs(struct canned *c, struct snapshot *s)
{
	uint64_t *cells, replies = 0, tick = c->tick + 1;

	snapshot_add(snapshot_table(s, &kind_nfs_mount), c->mount);
	for (size_t i = 0; i < N_OPERATIONS; i++) {
		const struct operation *op = &operations[i];
		uint64_t ops = op->ops * tick;

		cells = snapshot_add(snapshot_table(s, &kind_nfs_op), c->operations[i]);
		memset(cells, 0, NFS_OP_DIRECT * sizeof(*cells));
		cells[NFS_OPS] = cells[NFS_TRANSMISSIONS] = ops;
		cells[NFS_DATA_BYTES] = ops * op->kb * 1024;
		cells[NFS_QUEUE_MS] = ops * op->queue_us / 1000;
		cells[NFS_RTT_MS] = ops * op->rtt_us / 1000;
		cells[NFS_EXECUTE_MS] = ops * (op->queue_us + op->rtt_us) / 1000;
		replies += ops;
	}
	cells = snapshot_add(snapshot_table(s, &kind_nfs_conn), c->conn);
	memset(cells, 0, NFS_CONN_METRICS * sizeof(*cells));
	cells[NFS_CONN_IN_FLIGHT] = 3;
	cells[NFS_CONN_REPLIES] = replies;
	cells[NFS_CONN_SENDS] = replies + 3;
}

static void
make_nfs(struct canned *c)
{
	c->mount = object_new(&kind_nfs_mount, 0, "/mnt/vol1", "nas:/vol1 on /mnt/vol1");
	object_label(c->mount, LABEL_CLASS, "nfs");
	object_label(c->mount, LABEL_EXPORT, "nas:/vol1");
	object_label(c->mount, LABEL_VERSION, "3");
	object_label(c->mount, LABEL_TRANSPORT, "tcp");
	object_label_both(c->mount, LABEL_NCONNECT, "x4", 4);
	c->conn = object_new(&kind_nfs_conn, 0, "tcp 10.9.0.1", "tcp 10.9.0.1");
	c->conn->parent = c->conn->counts_in = c->mount->uid;
	for (size_t i = 0; i < N_OPERATIONS; i++) {
		c->operations[i] = object_new(&kind_nfs_op, 0, operations[i].name, operations[i].name);
		c->operations[i]->parent = c->operations[i]->counts_in = c->mount->uid;
	}
}

/* Two sessions to one target, the second of them lost; the disks are behind the first. */
static void
make_sessions(struct canned *c)
{
	for (int i = 0; i < 2; i++) {
		struct object *o = object_new(&kind_iscsi_session, 0, i == 0 ? "session1" : "session2", "");

		object_label(o, LABEL_HOST, i == 0 ? "host6" : "host7");
		object_label(o, LABEL_CLASS, "san");
		object_label(o, LABEL_DRIVER, "iscsi_tcp");
		object_label(o, LABEL_TARGET, "iqn.2024-01.x");
		object_label(o, LABEL_PORTAL, i == 0 ? "10.9.0.1:3260" : "10.9.1.1:3260");
		object_label(o, LABEL_STATE, i == 0 ? "LOGGED_IN" : "FAILED");
		object_label(o, LABEL_PATHS, "1/2");
		c->sessions[i] = o;
	}
}

static void
add_others(struct canned *c, struct snapshot *s)
{
	uint64_t *cells;

	for (size_t i = 0; i < N_CORES; i++) {
		uint64_t *m = c->core_counters[i];

		m[CPU_USER] += 16 - 4 * i;
		m[CPU_SYSTEM] += 6 + i;
		m[CPU_IOWAIT] += 24;
		m[CPU_SOFTIRQ] += i == 0 ? 4 : 0;
		m[CPU_IDLE] += 200 - 24 - (16 - 4 * i) - (6 + i) - (i == 0 ? 4 : 0);
		memcpy(snapshot_add(snapshot_table(s, &kind_cpu), c->cores[i]), m, sizeof(c->core_counters[i]));
	}
	for (size_t i = 0; i < N_NICS; i++) {
		uint64_t *m = c->nic_counters[i];

		m[NIC_RX_BYTES] += 2500000 >> (2 * i);
		m[NIC_RX_PACKETS] += 2000 >> (2 * i);
		m[NIC_TX_BYTES] += 9000000 >> (2 * i);
		m[NIC_TX_PACKETS] += 7000 >> (2 * i);
		m[NIC_RX_DROPPED] += i == 1;
		memcpy(snapshot_add(snapshot_table(s, &kind_nic), c->nics[i]), m, sizeof(c->nic_counters[i]));
	}
	cells = snapshot_add(snapshot_table(s, &kind_host), c->host);
	cells[HOST_LOAD1_X100] = 124;
	cells[HOST_LOAD5_X100] = 98;
	cells[HOST_LOAD15_X100] = 71;
	cells[HOST_UPTIME_S] = 15 * 86400 + 4 * 3600 + c->tick * 2;
	cells[HOST_MEM_TOTAL] = UINT64_C(128) << 30;
	cells[HOST_MEM_USED] = UINT64_C(78) << 30;
	cells[HOST_IO_SOME_US] = c->tick * UINT64_C(180000);
	cells[HOST_IO_FULL_US] = c->tick * UINT64_C(40000);
}

static struct snapshot *
take(struct canned *c)
{
	struct stamp stamp = {
		.mono_ns = UINT64_C(5000000000) + c->tick * TICK_NS,
		.boot_ns = UINT64_C(5000000000) + c->tick * TICK_NS,
		.wall_ms = START_MS + (int64_t)c->tick * 2000,
	};
	struct snapshot *s = snapshot_new(&stamp);

	add_devices(c, s);
	add_nfs(c, s);
	for (int i = 0; i < 2; i++)
		snapshot_add(snapshot_table(s, &kind_iscsi_session), c->sessions[i]);
	add_others(c, s);
	c->tick++;
	return s;
}

struct canned *
canned_new(void)
{
	struct canned *c = xcalloc(1, sizeof(*c));
	char name[8] = "cpu0";

	for (size_t i = 0; i < N_ADAPTERS; i++)
		c->adapters[i] = make_adapter(&adapters[i]);
	for (size_t i = 0; i < N_DEVICES; i++)
		c->devices[i] = make_device(c, &devices[i]);
	make_nfs(c);
	make_sessions(c);
	for (size_t i = 0; i < N_NICS; i++) {
		c->nics[i] = object_new(&kind_nic, 0, nics[i], nics[i]);
		if (i < 2)
			object_label_both(c->nics[i], LABEL_SPEED, "10 Gbit", 1e10);
	}
	for (size_t i = 0; i < N_CORES; i++) {
		name[3] = (char)('0' + i);
		c->cores[i] = object_new(&kind_cpu, 0, name, name);
	}
	c->host = object_new(&kind_host, 0, "db7", "db7");
	c->stall = stall_new();
	c->before = take(c);
	return c;
}

struct interval *
canned_next(struct canned *c)
{
	struct snapshot *later = take(c);
	struct interval *v = interval_diff(c->before, later);

	stall_watch(c->stall, v);
	snapshot_free(c->before);
	c->before = later;
	return v;
}

void
canned_free(struct canned *c)
{
	for (size_t i = 0; i < N_ADAPTERS; i++)
		object_unref(c->adapters[i]);
	for (size_t i = 0; i < N_DEVICES; i++)
		object_unref(c->devices[i]);
	for (size_t i = 0; i < N_NICS; i++)
		object_unref(c->nics[i]);
	for (size_t i = 0; i < N_CORES; i++)
		object_unref(c->cores[i]);
	for (size_t i = 0; i < N_OPERATIONS; i++)
		object_unref(c->operations[i]);
	for (int i = 0; i < 2; i++)
		object_unref(c->sessions[i]);
	object_unref(c->mount);
	object_unref(c->conn);
	object_unref(c->host);
	snapshot_free(c->before);
	stall_free(c->stall);
	free(c);
}
