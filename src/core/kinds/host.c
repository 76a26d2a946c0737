/*
 * host: the machine. Slow facts come from libstatgrab, at most every 5 s and not under a foreign root; I/O
 * pressure from /proc/pressure/io (kernel/sched/psi.c) with every tick.
 */
#include "core/kinds/kinds.h"

#define GAUGE(k, u, h) { .key = k, .unit = u, .nature = METRIC_GAUGE, .help = h }
#define COUNTER(k, u, h) { .key = k, .unit = u, .nature = METRIC_COUNTER, .help = h }

static const struct metric metrics[HOST_METRICS] = {
	[HOST_LOAD1_X100] = GAUGE("load1_x100", "tasks / 100", "load average of a minute"),
	[HOST_LOAD5_X100] = GAUGE("load5_x100", "tasks / 100", "load average of 5 minutes"),
	[HOST_LOAD15_X100] = GAUGE("load15_x100", "tasks / 100", "load average of 15 minutes"),
	[HOST_UPTIME_S] = GAUGE("uptime_s", "s", "time since boot"),
	[HOST_MEM_TOTAL] = GAUGE("mem_total", "bytes", "memory"),
	[HOST_MEM_FREE] = GAUGE("mem_free", "bytes", "memory not used at all"),
	[HOST_MEM_USED] = GAUGE("mem_used", "bytes", "memory in use, without cache"),
	[HOST_MEM_CACHE] = GAUGE("mem_cache", "bytes", "page cache and buffers"),
	[HOST_SWAP_TOTAL] = GAUGE("swap_total", "bytes", "swap space"),
	[HOST_SWAP_USED] = GAUGE("swap_used", "bytes", "swap space in use"),
	[HOST_SWAP_IN_BYTES] = COUNTER("swap_in", "bytes", "read from swap"),
	[HOST_SWAP_OUT_BYTES] = COUNTER("swap_out", "bytes", "written to swap"),
	[HOST_IO_SOME_US] = COUNTER("io_some_us", "us", "time in which some task waited for I/O"),
	[HOST_IO_FULL_US] = COUNTER("io_full_us", "us", "time in which all busy tasks waited for I/O"),
};

#define MB (1.0 / (1 << 20))
#define NOW(key, title, unit, width, prec, factor, metric, help) \
	{ key, title, unit, width, prec, 50, 0, 0, { .scale = factor, .plus = M(metric), .per = PER_ONE }, help }
#define RATE(key, title, unit, width, prec, factor, metric, help) \
	{ key, title, unit, width, prec, 50, 0, 0, { .scale = factor, .plus = M(metric), .per = PER_SECOND }, help }

static const struct column columns[] = {
	NOW("load1", "LOAD1", "tasks", 6, 2, 0.01, HOST_LOAD1_X100,
	    "Load average of the last minute: tasks that run, want to, or wait for I/O."),
	NOW("load5", "LOAD5", "tasks", 6, 2, 0.01, HOST_LOAD5_X100, "Load average of the last 5 minutes."),
	NOW("load15", "LOAD15", "tasks", 6, 2, 0.01, HOST_LOAD15_X100, "Load average of the last 15 minutes."),
	NOW("uptime_s", "UPTIME", "seconds", 9, 0, 1, HOST_UPTIME_S, "Time since boot."),
	NOW("mem_mb", "MEM", "2^20 bytes", 8, 0, MB, HOST_MEM_TOTAL, "Memory."),
	NOW("free_mb", "FREE", "2^20 bytes", 8, 0, MB, HOST_MEM_FREE, "Memory not used at all."),
	NOW("used_mb", "USED", "2^20 bytes", 8, 0, MB, HOST_MEM_USED, "Memory in use: shared memory and tmpfs are counted, the page cache is not."),
	NOW("cache_mb", "CACHE", "2^20 bytes", 8, 0, MB, HOST_MEM_CACHE, "Page cache and buffers, without shared memory and tmpfs."),
	{ "mem_pct", "%MEM", "per cent", 5, 0, 60, 0, 0,
	    { .scale = 100, .plus = M(HOST_MEM_USED), .per = PER_SUM, .by = M(HOST_MEM_TOTAL) },
	    "Memory in use in per cent, as USED." },
	NOW("swap_mb", "SWAP", "2^20 bytes", 8, 0, MB, HOST_SWAP_TOTAL, "Swap space."),
	NOW("swap_used_mb", "SWUSED", "2^20 bytes", 8, 0, MB, HOST_SWAP_USED, "Swap space in use."),
	RATE("swap_in_mb_s", "SWR/s", "2^20 bytes per second", 7, 2, MB, HOST_SWAP_IN_BYTES, "Read from swap."),
	RATE("swap_out_mb_s", "SWW/s", "2^20 bytes per second", 7, 2, MB, HOST_SWAP_OUT_BYTES, "Written to swap."),
	RATE("io_some_pct", "%IOSOME", "per cent", 7, 1, 1e-4, HOST_IO_SOME_US,
	    "I/O pressure: share of the time in which at least one task waited for I/O."),
	RATE("io_full_pct", "%IOFULL", "per cent", 7, 1, 1e-4, HOST_IO_FULL_US,
	    "I/O pressure: share of the time in which all tasks that were not idle waited for I/O."),
};

static const struct pdh_counter load[] = {
	{ "Cpu Load (1 Minute Avg)", "load1", 0, false, false },
	{ "Cpu Load (5 Minute Avg)", "load5", 0, false, false },
	{ "Cpu Load (15 Minute Avg)", "load15", 0, false, false },
};

static const struct pdh_counter memory[] = {
	{ "Memory Overcommit (1 Minute Avg)", "", 0, false, false },
	{ "Memory Overcommit (5 Minute Avg)", "", 0, false, false },
	{ "Memory Overcommit (15 Minute Avg)", "", 0, false, false },
	{ "Machine MBytes", "mem_mb", 0, true, false },
	{ "Kernel MBytes", "", 0, true, false },
	{ "NonKernel MBytes", "used_mb", 0, true, false },
	{ "Free MBytes", "free_mb", 0, true, false },
	{ "Kernel Managed MBytes", "", 0, true, false },
	{ "Kernel MinFree MBytes", "", 0, true, false },
	{ "Kernel Reserved MBytes", "", 0, true, false },
	{ "Kernel Unreserved MBytes", "", 0, true, false },
	{ "Kernel State", "", 0, true, false },
	{ "PShare Shared MBytes", "", 0, true, false },
	{ "PShare Common MBytes", "", 0, true, false },
	{ "PShare Savings MBytes", "", 0, true, false },
	{ "Swap Used MBytes", "swap_used_mb", 0, true, false },
	{ "Swap Target MBytes", "", 0, true, false },
	{ "Swap MBytes Read/sec", "swap_in_mb_s", 0, false, false },
	{ "Swap MBytes Write/sec", "swap_out_mb_s", 0, false, false },
	{ "Total Compressed MBytes", "", 0, true, false },
	{ "Total Saved By Compression MBytes", "", 0, true, false },
	{ "Memctl Current MBytes", "", 0, true, false },
	{ "Memctl Target MBytes", "", 0, true, false },
	{ "Memctl Max MBytes", "", 0, true, false },
};

static const struct pdh_object pdh[] = {
	{ .name = "Physical Cpu Load", .instance = "", .counters = load, .n_counters = sizeof(load) / sizeof(load[0]), .order = 5 },
	{ .name = "Memory", .instance = "", .counters = memory, .n_counters = sizeof(memory) / sizeof(memory[0]), .order = 20 },
};

const struct kind kind_host = {
	.key = "host",
	.title = "Host",
	.one = "host",
	.what = "the machine: load, memory, swap, I/O pressure",
	.metrics = metrics,
	.n_metrics = HOST_METRICS,
	.columns = columns,
	.n_columns = sizeof(columns) / sizeof(columns[0]),
	.pdh = pdh,
	.n_pdh = sizeof(pdh) / sizeof(pdh[0]),
};
