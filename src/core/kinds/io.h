/*
 * What disks, partitions, adapters and totals share: the metrics of block I/O and the columns made of them.
 * Included by the files of those kinds only.
 */
#ifndef CORE_KINDS_IO_H
#define CORE_KINDS_IO_H

#include "core/kind.h"
#include "core/kinds/kinds.h"

#define SECTOR_BYTES 512.0
#define SECTORS_TO_MB (SECTOR_BYTES / (1 << 20))
#define SECTORS_TO_KB (SECTOR_BYTES / (1 << 10))

#define IO_DONE (M(DISK_READS) | M(DISK_WRITES) | M(DISK_DISCARDS) | M(DISK_FLUSHES))
#define IO_MS (M(DISK_READ_MS) | M(DISK_WRITE_MS) | M(DISK_DISCARD_MS) | M(DISK_FLUSH_MS))
/* Kernels before 4.18 and 5.5 do not count these: the sums are of what is counted. */
#define IO_NEWER (M(DISK_DISCARDS) | M(DISK_DISCARD_MS) | M(DISK_FLUSHES) | M(DISK_FLUSH_MS))
#define IO_RW (M(DISK_READS) | M(DISK_WRITES))
#define IO_RW_MS (M(DISK_READ_MS) | M(DISK_WRITE_MS))

#define IO_METRICS \
	[DISK_READS] = { .key = "reads", .unit = "I/Os", .nature = METRIC_COUNTER, .help = "reads completed" }, \
	[DISK_READS_MERGED] = { .key = "reads_merged", .unit = "I/Os", .nature = METRIC_COUNTER, \
	    .help = "reads merged into another before they were issued" }, \
	[DISK_READ_SECTORS] = { .key = "read_sectors", .unit = "512 B", .nature = METRIC_COUNTER, .help = "sectors read" }, \
	[DISK_READ_MS] = { .key = "read_ms", .unit = "ms", .nature = METRIC_COUNTER_MS32, .help = "time of all reads" }, \
	[DISK_WRITES] = { .key = "writes", .unit = "I/Os", .nature = METRIC_COUNTER, .help = "writes completed" }, \
	[DISK_WRITES_MERGED] = { .key = "writes_merged", .unit = "I/Os", .nature = METRIC_COUNTER, \
	    .help = "writes merged into another before they were issued" }, \
	[DISK_WRITE_SECTORS] = { .key = "write_sectors", .unit = "512 B", .nature = METRIC_COUNTER, .help = "sectors written" }, \
	[DISK_WRITE_MS] = { .key = "write_ms", .unit = "ms", .nature = METRIC_COUNTER_MS32, .help = "time of all writes" }, \
	[DISK_IN_FLIGHT] = { .key = "in_flight", .unit = "I/Os", .nature = METRIC_GAUGE, \
	    .help = "I/Os begun and not completed, those waiting in the scheduler too" }, \
	[DISK_BUSY_MS] = { .key = "busy_ms", .unit = "ms", .nature = METRIC_COUNTER_MS32, \
	    .help = "time with at least one I/O in flight" }, \
	[DISK_WEIGHTED_MS] = { .key = "weighted_ms", .unit = "ms", .nature = METRIC_COUNTER_MS32, \
	    .help = "time of all I/Os, as the kernel sums it" }, \
	[DISK_DISCARDS] = { .key = "discards", .unit = "I/Os", .nature = METRIC_COUNTER, .rare = true, \
	    .help = "discards completed" }, \
	[DISK_DISCARDS_MERGED] = { .key = "discards_merged", .unit = "I/Os", .nature = METRIC_COUNTER, .rare = true, \
	    .help = "discards merged into another" }, \
	[DISK_DISCARD_SECTORS] = { .key = "discard_sectors", .unit = "512 B", .nature = METRIC_COUNTER, .rare = true, \
	    .help = "sectors discarded" }, \
	[DISK_DISCARD_MS] = { .key = "discard_ms", .unit = "ms", .nature = METRIC_COUNTER_MS32, .rare = true, \
	    .help = "time of all discards" }, \
	[DISK_FLUSHES] = { .key = "flushes", .unit = "I/Os", .nature = METRIC_COUNTER, .help = "cache flushes completed" }, \
	[DISK_FLUSH_MS] = { .key = "flush_ms", .unit = "ms", .nature = METRIC_COUNTER_MS32, .help = "time of all flushes" }, \
	[DISK_ERRORS] = { .key = "errors", .unit = "commands", .nature = METRIC_COUNTER, .rare = true, \
	    .help = "commands that ended with an error (SCSI ioerr_cnt)" }, \
	[DISK_TIMEOUTS] = { .key = "timeouts", .unit = "commands", .nature = METRIC_COUNTER, .rare = true, \
	    .help = "commands that timed out (SCSI iotmo_cnt)" }, \
	[DISK_DEV_IOS] = { .key = "dev_ios", .unit = "I/Os", .nature = METRIC_COUNTER, .derived = true, \
	    .help = "reads and writes of the paths or devices below" }, \
	[DISK_DEV_MS] = { .key = "dev_ms", .unit = "ms", .nature = METRIC_COUNTER, .derived = true, \
	    .help = "time of the reads and writes of the paths or devices below" }

#define IO_RATE_COLUMNS \
	{ "cmds_s", "CMDS/s", "commands per second", 8, 0, 100, COLUMN_IOPS, 0, \
	    { .scale = 1, .plus = IO_DONE, .optional = IO_NEWER, .per = PER_SECOND }, \
	    "Commands completed per second: reads, writes, and, where the kernel counts them, discards (4.18) and " \
	    "flushes (5.5). Merged requests count once." }, \
	IO_READ_WRITE_COLUMNS

#define IO_READ_WRITE_COLUMNS \
	{ "reads_s", "READS/s", "reads per second", 8, 0, 90, COLUMN_READ, 'r', \
	    { .scale = 1, .plus = M(DISK_READS), .per = PER_SECOND }, \
	    "Reads completed per second. Reads served from the page cache never reach the device and are not here." }, \
	{ "writes_s", "WRITES/s", "writes per second", 8, 0, 90, COLUMN_WRITE, 'w', \
	    { .scale = 1, .plus = M(DISK_WRITES), .per = PER_SECOND }, \
	    "Writes completed per second. Writes still in the page cache are not here yet." }, \
	{ "mbread_s", "MBREAD/s", "2^20 bytes per second", 8, 2, 80, COLUMN_READ | COLUMN_MBYTES, 'R', \
	    { .scale = SECTORS_TO_MB, .plus = M(DISK_READ_SECTORS), .per = PER_SECOND }, \
	    "Megabytes (2^20 bytes) read per second." }, \
	{ "mbwrtn_s", "MBWRTN/s", "2^20 bytes per second", 8, 2, 80, COLUMN_WRITE | COLUMN_MBYTES, 'T', \
	    { .scale = SECTORS_TO_MB, .plus = M(DISK_WRITE_SECTORS), .per = PER_SECOND }, \
	    "Megabytes (2^20 bytes) written per second." }

#define IO_SIZE_COLUMNS \
	{ "kb_rd", "KB/rd", "2^10 bytes", 6, 1, 40, COLUMN_READ, 0, \
	    { .scale = SECTORS_TO_KB, .plus = M(DISK_READ_SECTORS), .per = PER_SUM, .by = M(DISK_READS) }, \
	    "Mean size of a read, in KiB, after merging." }, \
	{ "kb_wr", "KB/wr", "2^10 bytes", 6, 1, 40, COLUMN_WRITE, 0, \
	    { .scale = SECTORS_TO_KB, .plus = M(DISK_WRITE_SECTORS), .per = PER_SUM, .by = M(DISK_WRITES) }, \
	    "Mean size of a write, in KiB, after merging." }

#define IO_SPLIT_COLUMNS \
	{ "davg", "DAVG", "ms per command", 7, 2, 60, COLUMN_LATENCY | COLUMN_OR_GAVG, 0, \
	    { .scale = 1, .plus = M(DISK_DEV_MS), .per = PER_SUM, .by = M(DISK_DEV_IOS), \
	    .agree_a = IO_RW, .agree_b = M(DISK_DEV_IOS) }, \
	    "Mean time below the driver. Known for multipath and device-mapper devices: the time of their paths or the " \
	    "devices below, weighted by their I/Os, while the I/O counts agree within 1 %. On FC, iSCSI, NVMe-oF and " \
	    "virtio it includes the fabric and the target or hypervisor. Of other devices: not known." }, \
	{ "kavg", "KAVG", "ms per command", 7, 2, 55, COLUMN_LATENCY | COLUMN_OR_GAVG, 0, \
	    { .scale = 1, .plus = IO_RW_MS, .minus = M(DISK_DEV_MS), .per = PER_SUM, .by = M(DISK_DEV_IOS), \
	    .agree_a = IO_RW, .agree_b = M(DISK_DEV_IOS) }, \
	    "Mean time in the host above the driver: GAVG of reads and writes less DAVG. Known where DAVG is." }

#define IO_LATENCY_COLUMNS \
	{ "gavg", "GAVG", "ms per command", 7, 2, 95, COLUMN_LATENCY | COLUMN_GAVG, 0, \
	    { .scale = 1, .plus = IO_MS, .optional = IO_NEWER, .per = PER_SUM, .by = IO_DONE }, \
	    "Mean time of a command from the start of the request to its completion, as iostat's await: scheduler, " \
	    "driver and device. Excludes page cache, file system and cgroup throttling, which hold I/O before the request " \
	    "exists. A stalled device shows a lower bound, >41 s." }, \
	{ "gavg_rd", "GAVG/rd", "ms per read", 7, 2, 70, COLUMN_LATENCY | COLUMN_READ, 0, \
	    { .scale = 1, .plus = M(DISK_READ_MS), .per = PER_SUM, .by = M(DISK_READS) }, \
	    "GAVG of reads alone." }, \
	{ "gavg_wr", "GAVG/wr", "ms per write", 7, 2, 70, COLUMN_LATENCY | COLUMN_WRITE, 0, \
	    { .scale = 1, .plus = M(DISK_WRITE_MS), .per = PER_SUM, .by = M(DISK_WRITES) }, \
	    "GAVG of writes alone." }

#define IO_OTHER_COLUMNS \
	{ "aqu", "AQU", "commands", 6, 2, 15, COLUMN_EXTRA, 0, \
	    { .scale = 1e-3, .plus = IO_MS, .optional = IO_NEWER, .per = PER_SECOND }, \
	    "Mean number of commands in flight, as iostat's aqu-sz: the time of the commands completed divided by the " \
	    "interval. A stuck command is not in it until it completes; ACTV shows it." }, \
	{ "rmrg_s", "RMRG/s", "merges per second", 7, 0, 10, COLUMN_EXTRA | COLUMN_READ, 0, \
	    { .scale = 1, .plus = M(DISK_READS_MERGED), .per = PER_SECOND }, \
	    "Reads per second merged into others before they were issued." }, \
	{ "wmrg_s", "WMRG/s", "merges per second", 7, 0, 10, COLUMN_EXTRA | COLUMN_WRITE, 0, \
	    { .scale = 1, .plus = M(DISK_WRITES_MERGED), .per = PER_SECOND }, \
	    "Writes per second merged into others before they were issued." }, \
	{ "disc_s", "DISC/s", "discards per second", 7, 0, 10, COLUMN_EXTRA, 0, \
	    { .scale = 1, .plus = M(DISK_DISCARDS), .per = PER_SECOND }, \
	    "Discards (TRIM, UNMAP) completed per second. Counted since kernel 4.18." }, \
	{ "mbdisc_s", "MBDISC/s", "2^20 bytes per second", 8, 2, 10, COLUMN_EXTRA, 0, \
	    { .scale = SECTORS_TO_MB, .plus = M(DISK_DISCARD_SECTORS), .per = PER_SECOND }, \
	    "Megabytes (2^20 bytes) discarded per second." }, \
	{ "gavg_disc", "GAVG/dis", "ms per discard", 8, 2, 10, COLUMN_EXTRA | COLUMN_LATENCY, 0, \
	    { .scale = 1, .plus = M(DISK_DISCARD_MS), .per = PER_SUM, .by = M(DISK_DISCARDS) }, \
	    "GAVG of discards alone." }, \
	{ "flush_s", "FLUSH/s", "flushes per second", 7, 0, 10, COLUMN_EXTRA, 0, \
	    { .scale = 1, .plus = M(DISK_FLUSHES), .per = PER_SECOND }, \
	    "Cache flushes completed per second. Counted since kernel 5.5, for whole devices only." }, \
	{ "gavg_fl", "GAVG/fl", "ms per flush", 7, 2, 10, COLUMN_EXTRA | COLUMN_LATENCY, 0, \
	    { .scale = 1, .plus = M(DISK_FLUSH_MS), .per = PER_SUM, .by = M(DISK_FLUSHES) }, \
	    "GAVG of cache flushes alone." }

/* esxtop's counter groups, spelled and ordered as in its batch output. */
#define PDH_IO5 \
	{ "Commands/sec", "cmds_s", 0, false, false }, \
	{ "Reads/sec", "reads_s", 0, false, false }, \
	{ "Writes/sec", "writes_s", 0, false, false }, \
	{ "MBytes Read/sec", "mbread_s", 0, false, false }, \
	{ "MBytes Written/sec", "mbwrtn_s", 0, false, false }
#define PDH_RESERVES \
	{ "Reserves/sec", NULL, 0, false, true }, \
	{ "Conflicts/sec", "", 0, false, true }
#define PDH_LATENCY \
	{ "Average Driver MilliSec/Command", "davg", 0, false, false }, \
	{ "Average Kernel MilliSec/Command", "kavg", 0, false, false }, \
	{ "Average Guest MilliSec/Command", "gavg", 0, false, false }, \
	{ "Average Queue MilliSec/Command", "", 0, false, false }, \
	{ "Average Driver MilliSec/Read", "", 0, false, true }, \
	{ "Average Kernel MilliSec/Read", "", 0, false, true }, \
	{ "Average Guest MilliSec/Read", "gavg_rd", 0, false, true }, \
	{ "Average Queue MilliSec/Read", "", 0, false, true }, \
	{ "Average Driver MilliSec/Write", "", 0, false, true }, \
	{ "Average Kernel MilliSec/Write", "", 0, false, true }, \
	{ "Average Guest MilliSec/Write", "gavg_wr", 0, false, true }, \
	{ "Average Queue MilliSec/Write", "", 0, false, true }
#define PDH_ERRORS \
	{ "Failed Commands/sec", "err_s", 0, false, true }, \
	{ "Failed Reads/sec", "", 0, false, true }, \
	{ "Failed Writes/sec", "", 0, false, true }, \
	{ "Failed Bytes Read/sec", "", 0, false, true }, \
	{ "Failed Bytes Written/sec", "", 0, false, true }, \
	{ "Failed Reserves/sec", NULL, 0, false, true }, \
	{ "Aborts/sec", "", 0, false, true }, \
	{ "Resets/sec", "", 0, false, true }
#define PDH_PAE_SPLITS \
	{ "PAE Commands/sec", NULL, 0, false, true }, \
	{ "PAE Copies/sec", NULL, 0, false, true }, \
	{ "Split Commands/sec", NULL, 0, false, true }, \
	{ "Split Copies/sec", NULL, 0, false, true }
#define PDH_SCSI PDH_IO5, PDH_RESERVES, PDH_LATENCY, PDH_ERRORS, PDH_PAE_SPLITS

#endif
