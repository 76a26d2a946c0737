/*
 * The machine: load, memory and swap through libstatgrab, at most every 5 s; uptime and I/O pressure each
 * tick; swapping each tick where there is swap. What libstatgrab reads (sysinfo(2), /proc/meminfo) cannot hang; it is
 * never asked for file systems or disks.
 */
#include <errno.h>
#include <statgrab.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/kinds/kinds.h"
#include "probes/host_memory.h"
#include "probes/pressure_parse.h"
#include "probes/probe.h"

#define SLOW_NS UINT64_C(5000000000)

struct host_probe {
	struct probe probe;
	struct kept_file pressure, vmstat;
	struct object *host;
	bool no_pressure;	/* this kernel has none and never will */
	bool statgrab;		/* initialised */
	uint64_t slow_ns;	/* when the slow facts were read; 0: never */
	uint64_t slow[HOST_METRICS];	/* them, as they are repeated until the next reading */
};

static struct object *
host_new(const struct env *env)
{
	char name[128];
	struct utsname uts;

	if (env->foreign) {
		if (env_attr(env, name, sizeof(name), "/proc/sys/kernel/hostname") > 0)
			return object_new(&kind_host, 0, name, name);
	} else if (uname(&uts) == 0 && uts.nodename[0] != '\0') {
		return object_new(&kind_host, 0, uts.nodename, uts.nodename);
	}
	return object_new(&kind_host, 0, "host", "host");
}

static int
host_open(struct probe *probe)
{
	struct host_probe *host = (struct host_probe *)probe;

	host->pressure = (struct kept_file)KEPT_SEQ_FILE("/proc/pressure/io");
	host->vmstat = (struct kept_file)KEPT_FILE("/proc/vmstat");
	host->host = host_new(probe->env);
	if (!probe->env->foreign)
		host->statgrab = sg_init(1) == SG_ERROR_NONE;
	memset(host->slow, 0xff, sizeof(host->slow));
	return 0;
}

static void
read_load(uint64_t cells[static HOST_METRICS])
{
	const sg_load_stats *load = sg_get_load_stats(NULL);

	if (load == NULL)
		return;
	cells[HOST_LOAD1_X100] = (uint64_t)(load->min1 * 100 + 0.5);
	cells[HOST_LOAD5_X100] = (uint64_t)(load->min5 * 100 + 0.5);
	cells[HOST_LOAD15_X100] = (uint64_t)(load->min15 * 100 + 0.5);
}

static void
read_memory(uint64_t cells[static HOST_METRICS])
{
	const sg_mem_stats *memory = sg_get_mem_stats(NULL);
	struct host_memory m;
	struct sysinfo info;

	if (memory == NULL || memory->free > memory->total)
		return;
	m = (struct host_memory) { .total = memory->total, .free = memory->free, .cache = memory->cache };
	if (sysinfo(&info) == 0) {
		m.buffers = (uint64_t)info.bufferram * info.mem_unit;
		m.shared = (uint64_t)info.sharedram * info.mem_unit;
	}
	host_memory_cells(&m, cells);
}

static void
read_swap(uint64_t cells[static HOST_METRICS])
{
	const sg_swap_stats *swap = sg_get_swap_stats(NULL);

	if (swap == NULL)
		return;
	cells[HOST_SWAP_TOTAL] = swap->total;
	cells[HOST_SWAP_USED] = swap->used;
}

/* libstatgrab's "page" counters are of all block I/O, not of swap. */
static void
read_swapping(struct host_probe *host)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct swapping swapping;

	host->slow[HOST_SWAP_IN_BYTES] = host->slow[HOST_SWAP_OUT_BYTES] = ABSENT;
	if (kept_file_read(host->probe.env, &host->vmstat) < 0)
		return;
	swapping_parse(host->vmstat.buf, host->vmstat.len, &swapping);
	if (swapping.in_pages != ABSENT)
		host->slow[HOST_SWAP_IN_BYTES] = swapping.in_pages * page;
	if (swapping.out_pages != ABSENT)
		host->slow[HOST_SWAP_OUT_BYTES] = swapping.out_pages * page;
}

static void
read_slow(struct host_probe *host, uint64_t now_ns)
{
	bool due = host->slow_ns == 0 || now_ns - host->slow_ns >= SLOW_NS;

	if (due) {
		memset(host->slow, 0xff, sizeof(host->slow));
		host->slow_ns = now_ns;
		read_load(host->slow);
		read_memory(host->slow);
		read_swap(host->slow);
	}
	/* without swap these stand still; with it, a counter read now and then would come in bursts */
	if (due || host->slow[HOST_SWAP_TOTAL] != 0)
		read_swapping(host);
}

/* False where there is none. A kernel without it, or started with psi=0, need not be asked again. */
static bool
read_pressure(struct host_probe *host, struct pressure *out)
{
	struct probe *probe = &host->probe;
	int rc;

	if (host->no_pressure)
		return false;
	rc = kept_file_read(probe->env, &host->pressure);
	if (rc == 0) {
		probe->note[0] = '\0';
		pressure_parse(host->pressure.buf, host->pressure.len, out);
		return out->some_us != ABSENT;
	}
	if (rc == -ENOENT || rc == -EOPNOTSUPP) {
		snprintf(probe->note, sizeof(probe->note), "no I/O pressure: %s: %s", host->pressure.path, strerror(-rc));
		host->no_pressure = !probe->env->foreign;
	} else {
		probe_cannot(probe, host->pressure.path, rc);
	}
	return false;
}

static int
host_sample(struct probe *probe, struct snapshot *snapshot)
{
	struct host_probe *host = (struct host_probe *)probe;
	struct pressure pressure;
	bool pressed;
	uint64_t *cells;

	probe->why[0] = '\0';
	pressed = read_pressure(host, &pressure);
	if (host->statgrab)
		read_slow(host, snapshot->stamp.mono_ns);
	else if (!probe->env->foreign)
		probe_why(probe, "libstatgrab does not start: load, memory and swap are not known");
	if (!pressed && probe->env->foreign)
		return 0;
	cells = snapshot_add(snapshot_table(snapshot, &kind_host), host->host);
	memcpy(cells, host->slow, sizeof(host->slow));
	if (!probe->env->foreign)
		cells[HOST_UPTIME_S] = snapshot->stamp.boot_ns / 1000000000u;
	if (pressed) {
		cells[HOST_IO_SOME_US] = pressure.some_us;
		cells[HOST_IO_FULL_US] = pressure.full_us;
	}
	return 0;
}

static void
host_close(struct probe *probe)
{
	struct host_probe *host = (struct host_probe *)probe;

	kept_file_close(&host->pressure);
	kept_file_close(&host->vmstat);
	object_unref(host->host);
	if (host->statgrab)
		sg_shutdown();
}

static const struct kind *const host_kinds[] = { &kind_host, NULL };

const struct probe_ops probe_host = {
	.name = "host",
	.what = "load, memory, swap through libstatgrab; I/O pressure from /proc/pressure/io",
	.kinds = host_kinds,
	.size = sizeof(struct host_probe),
	.open = host_open,
	.sample = host_sample,
	.close = host_close,
};
