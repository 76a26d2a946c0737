/*
 * cpu: one core; cpu_total: all of them. Ticks of /proc/stat (fs/proc/stat.c), in which the kernel counts
 * guest time within user and nice; the probe takes it out, so the parts are disjoint and sum to the time.
 */
#include "core/kinds/kinds.h"

static const struct metric metrics[CPU_METRICS] = {
	[CPU_USER] = { .key = "user", .unit = "ticks", .nature = METRIC_COUNTER, .help = "in user mode" },
	[CPU_NICE] = { .key = "nice", .unit = "ticks", .nature = METRIC_COUNTER, .help = "in user mode, niced" },
	[CPU_SYSTEM] = { .key = "system", .unit = "ticks", .nature = METRIC_COUNTER, .help = "in the kernel" },
	[CPU_IDLE] = { .key = "idle", .unit = "ticks", .nature = METRIC_COUNTER, .help = "idle" },
	[CPU_IOWAIT] = { .key = "iowait", .unit = "ticks", .nature = METRIC_COUNTER,
	    .help = "idle while a task that last ran here waits for I/O" },
	[CPU_IRQ] = { .key = "irq", .unit = "ticks", .nature = METRIC_COUNTER, .help = "in hard interrupts" },
	[CPU_SOFTIRQ] = { .key = "softirq", .unit = "ticks", .nature = METRIC_COUNTER, .help = "in soft interrupts" },
	[CPU_STEAL] = { .key = "steal", .unit = "ticks", .nature = METRIC_COUNTER, .help = "taken by the hypervisor" },
	[CPU_GUEST] = { .key = "guest", .unit = "ticks", .nature = METRIC_COUNTER, .help = "running a guest" },
	[CPU_GUEST_NICE] = { .key = "guest_nice", .unit = "ticks", .nature = METRIC_COUNTER, .help = "running a niced guest" },
};

#define NEWER (M(CPU_STEAL) | M(CPU_GUEST) | M(CPU_GUEST_NICE))
#define BUSY (M(CPU_USER) | M(CPU_NICE) | M(CPU_SYSTEM) | M(CPU_IRQ) | M(CPU_SOFTIRQ) | M(CPU_GUEST) | M(CPU_GUEST_NICE))
#define ALL (BUSY | M(CPU_IDLE) | M(CPU_IOWAIT) | M(CPU_STEAL))
#define SHARE(key, title, prio, mask, flags, help) \
	{ key, title, "per cent", 7, 1, prio, flags, 0, \
	    { .scale = 100, .plus = (mask), .optional = NEWER, .per = PER_SUM, .by = ALL }, help }

#define COLUMNS \
	SHARE("used_pct", "%USED", 100, BUSY, COLUMN_IOPS, "Share of the time the core worked: user, system, interrupts, guests."), \
	SHARE("usr_pct", "%USR", 90, M(CPU_USER) | M(CPU_NICE), 0, "In user mode, niced or not, without guests."), \
	SHARE("sys_pct", "%SYS", 90, M(CPU_SYSTEM), 0, "In the kernel, without interrupts. Block I/O submission is here."), \
	SHARE("irq_pct", "%IRQ", 70, M(CPU_IRQ), 0, "In hard interrupts: completions of many adapters."), \
	SHARE("soft_pct", "%SOFT", 70, M(CPU_SOFTIRQ), 0, "In soft interrupts: block and network completions."), \
	SHARE("iowait_pct", "%IOWAIT", 80, M(CPU_IOWAIT), 0, \
	    "Idle while a task that last ran here waits for I/O. Not load: it falls when the core finds other work."), \
	SHARE("steal_pct", "%STEAL", 60, M(CPU_STEAL), 0, "Taken by the hypervisor. Of a machine of metal: 0."), \
	SHARE("guest_pct", "%GUEST", 40, M(CPU_GUEST) | M(CPU_GUEST_NICE), 0, "Running virtual machines."), \
	SHARE("idle_pct", "%IDLE", 75, M(CPU_IDLE), 0, "Idle, with no I/O waited for.")

static const struct column columns[] = { COLUMNS };

static const struct pdh_counter counters[] = {
	{ "% Processor Time", "used_pct", 0, false, false },
	{ "% Util Time", "used_pct", 0, false, false },
	{ "% Core Util Time", "", 0, false, false },
};

static const struct pdh_object pdh_core[] = {
	{ .name = "Physical Cpu", .strip = "cpu", .counters = counters,
	    .n_counters = sizeof(counters) / sizeof(counters[0]), .order = 10 },
};
static const struct pdh_object pdh_total[] = {
	{ .name = "Physical Cpu", .instance = "_Total", .counters = counters,
	    .n_counters = sizeof(counters) / sizeof(counters[0]), .order = 11 },
};

const struct kind kind_cpu = {
	.key = "cpu",
	.title = "CPU",
	.one = "core",
	.what = "processor cores, as the kernel numbers them",
	.metrics = metrics,
	.n_metrics = CPU_METRICS,
	.columns = columns,
	.n_columns = sizeof(columns) / sizeof(columns[0]),
	.pdh = pdh_core,
	.n_pdh = 1,
};

static const struct rollup_term rollup[] = {
	{ .from = "cpu", .by = ROLLUP_ALL },
	{ .from = NULL, .by = ROLLUP_ALL },
};

const struct kind kind_cpu_total = {
	.key = "cpu_total",
	.title = "CPU total",
	.one = "processor",
	.what = "all processor cores together",
	.metrics = metrics,
	.n_metrics = CPU_METRICS,
	.columns = columns,
	.n_columns = sizeof(columns) / sizeof(columns[0]),
	.pdh = pdh_total,
	.n_pdh = 1,
	.rollup = rollup,
};
