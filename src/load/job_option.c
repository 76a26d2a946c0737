#include "load/job_option.h"

#include <string.h>

#define SECOND UINT64_C(1000000000)
#define MICROSECOND UINT64_C(1000)
#define PUT(member) .at = offsetof(struct job_draft, member)
#define JOB(member) PUT(job.member)
#define PATTERN(member) PUT(job.pattern.member)

#define LATENCY "every I/O is timed, always"
#define PERCENTILES "the result has percentiles and the whole histogram"
#define LOGS "the series of every run is kept: stortop export"
#define BATCHES "the engine fills and reaps in batches by itself"
#define ONE_AREA "TARGET is one file or device"
#define OWN_FILE "the test file is made, laid out and removed by stortop"
#define NOT_BOUND "workers are not bound to processors or memory"
#define NO_VERIFY "written data is not read back and compared"
#define NO_TRIM "nothing is discarded"
#define NO_REPLAY "recorded I/O is not replayed"
#define NO_ZONES "zoned devices are not written in their order"

const struct job_option job_option_table[] = {
	/* What it does */
	{ "name", .set = set_text, JOB(name), .text = "the worker's name, instead of the section's" },
	{ "description", .set = set_text, JOB(description), .text = "any text" },
	{ "rw", "readwrite", .set = set_rw,
	    .text = "read, write, rw, randread, randwrite, randrw; :N makes so many I/Os at each random place, or skips N bytes "
		    "after each sequential block" },
	{ "rwmixread", .set = set_u32, PUT(mix_read), .max = 100, .text = "per cent of reads in a mix (50)" },
	{ "rwmixwrite", .set = set_mix_write, .text = "per cent of writes in a mix" },
	{ "percentage_random", .set = set_percentage_random,
	    .text = "of random types: per cent of I/Os at a random place, the others follow the one before (100)" },
	{ "bs", "blocksize", .set = set_bs, .text = "size of an I/O (4k)" },
	{ "bsrange", "blocksize_range", .set = set_bsrange, .text = "sizes from a-b" },
	{ "bssplit", .set = set_bssplit, .text = "sizes and their shares in per cent: 4k/60:64k/40" },
	{ "ba", "blockalign", .set = set_blockalign, .text = "random places are multiples of it (the smallest block)" },
	{ "random_distribution", .set = set_distribution,
	    .text = "random, zipf:THETA, pareto:H, normal:DEVIATION, each with an optional :CENTRE; zoned or zoned_abs with "
		    "ACCESS/SIZE:..." },
	{ "norandommap", .set = set_not, PATTERN(random_map), .text = "a block may come again before all others had their turn" },
	{ "randrepeat", "allrandrepeat", .set = set_bool, JOB(randrepeat), .text = "the same places in every run (1)" },
	{ "randseed", .set = set_u64, JOB(randseed), .max = UINT64_MAX, .text = "where the places come from" },

	/* Where and how much */
	{ "size", .set = set_size, JOB(size), .max = 100, .text = "the area and the amount, in bytes or per cent of TARGET" },
	{ "io_size", "io_limit", .set = set_size, JOB(io_size), .max = 1000000, .text = "the amount only" },
	{ "filesize", .set = set_size, JOB(filesize), .max = 0,
	    .text = "size of each of nrfiles files: they are the area, and size the amount" },
	{ "nrfiles", "nr_files", .set = set_u32, JOB(nrfiles), .min = 1, .max = 65536,
	    .text = "how many files the area stands for; they take turns (1)" },
	{ "offset", "fileoffset", .set = set_size, JOB(offset), .max = 100, .text = "where the area begins" },
	{ "offset_increment", .set = set_size, JOB(offset_increment), .max = 100,
	    .text = "how much further the area of each next worker of the section begins" },
	{ "number_ios", .set = set_u64, JOB(number_ios), .max = UINT64_MAX, .text = "ends after so many I/Os, unless time_based" },
	{ "loops", .set = set_u64, JOB(loops), .min = 1, .max = UINT64_MAX, .text = "passes over the area (1)" },
	{ "filename", .set = set_text, JOB(filename), .ignored = true, .text = "TARGET is what is read and written" },
	{ "directory", .set = set_text, JOB(directory), .ignored = true, .text = "TARGET is what is read and written" },

	/* With what */
	{ "ioengine", .set = set_engine, .text = "io_uring, libaio, psync (also sync, vsync, pvsync, pvsync2) or null" },
	{ "iodepth", .set = set_depth, JOB(iodepth), .min = 1, .max = 32768, .text = "I/Os in flight of each worker (1)" },
	{ "numjobs", .set = set_u32, JOB(numjobs), .min = 1, .max = 4096, .text = "workers of this section (1)" },
	{ "direct", .set = set_bool, JOB(direct), .text = "past the page cache (0)" },
	{ "buffered", .set = set_not, JOB(direct), .text = "through the page cache (1)" },
	{ "sync", .set = set_sync, .text = "each write is on stable storage when it completes (0)" },
	{ "fsync", .set = set_u32, JOB(fsync), .max = UINT32_MAX, .text = "fsync after so many writes" },
	{ "fdatasync", .set = set_u32, JOB(fdatasync), .max = UINT32_MAX, .text = "fdatasync after so many writes" },
	{ "end_fsync", "fsync_on_close", .set = set_bool, JOB(end_fsync), .text = "fsync at the end" },
	{ "dedupe_percentage", .set = set_u32, JOB(dedupe_pct), .max = 100, .text = "per cent of written blocks that are alike (0)" },
	{ "buffer_compress_percentage", .set = set_u32, JOB(compress_pct), .max = 100,
	    .text = "how far written blocks can be compressed (0)" },
	{ "zero_buffers", .set = set_zero_buffers, .text = "writes zeros" },

	/* When */
	{ "runtime", "timeout", .set = set_time, JOB(runtime_ns), .min = SECOND, .text = "ends after so long, in seconds" },
	{ "time_based", .set = set_bool, JOB(time_based), .text = "goes on over the area until runtime is over" },
	{ "ramp_time", .set = set_time, JOB(ramp_ns), .min = SECOND, .text = "before runtime, not measured, in seconds" },
	{ "startdelay", .set = set_startdelay, .text = "waits first, seconds or a range of them" },
	{ "stonewall", "wait_for_previous", .set = set_bool, JOB(stonewall), .text = "starts when all sections above have ended" },
	{ "thinktime", .set = set_time, PATTERN(think_ns), .min = MICROSECOND,
	    .text = "pause after thinktime_blocks, in microseconds" },
	{ "thinktime_spin", .set = set_time, PATTERN(think_spin_ns), .min = MICROSECOND,
	    .text = "of the pause, how much is spent computing, in microseconds" },
	{ "thinktime_blocks", .set = set_u32, PATTERN(think_blocks), .min = 1, .max = UINT32_MAX, .text = "blocks between pauses (1)" },
	{ "thinktime_blocks_type", .set = set_think_type, .text = "counts those that complete, or issue" },
	{ "thinktime_iotime", .set = set_time, PATTERN(think_iotime_ns), .min = SECOND, .text = "pauses after so long, in seconds" },
	{ "rate", .set = set_rate, .text = "bytes per second, of each worker and direction" },
	{ "rate_iops", .set = set_rate_iops, .text = "I/Os per second, of each worker and direction" },
	{ "rate_process", .set = set_rate_process, .text = "linear: evenly; poisson: as independent clients would" },
	{ "kb_base", .set = set_kb_base, .first = true, .text = "1024: k is 1024 and ki 1000; 1000: k is 1000 and ki 1024" },

	/* Beyond fio */
	{ "stortop_delay", .set = set_burst_delay, .text = "milliseconds from the last issue of a burst to the next burst" },
	{ "stortop_burst", .set = set_u32, PATTERN(burst), .min = 1, .max = UINT32_MAX, .text = "I/Os of a burst (1)" },
	{ "stortop_phases", .set = set_phases, .text = "sections whose patterns this worker takes in turn: NAME/SECONDS:..." },
	{ "stortop_idle", .set = set_bool, PUT(idle), .text = "no worker: what TARGET does by itself is measured" },

	/* Fine as it is */
	{ "thread", "threads", .ignored = true, .text = "workers are always threads" },
	{ "group_reporting", .ignored = true, .text = "the result has a row per worker and their total" },
	{ "new_group", .ignored = true, .text = "the result has a row per worker and their total" },
	{ "percentile_list", .ignored = true, .text = PERCENTILES },
	{ "clat_percentiles", .ignored = true, .text = PERCENTILES },
	{ "slat_percentiles", .ignored = true, .text = PERCENTILES },
	{ "lat_percentiles", .ignored = true, .text = PERCENTILES },
	{ "block_error_percentiles", .ignored = true, .text = NO_TRIM },
	{ "gtod_reduce", .ignored = true, .text = LATENCY },
	{ "gtod_cpu", .ignored = true, .text = LATENCY },
	{ "clocksource", .ignored = true, .text = LATENCY },
	{ "disable_*", .ignored = true, .text = LATENCY },
	{ "write_bw_log", .ignored = true, .text = LOGS },
	{ "write_lat_log", .ignored = true, .text = LOGS },
	{ "write_iops_log", .ignored = true, .text = LOGS },
	{ "write_hist_log", .ignored = true, .text = LOGS },
	{ "log_*", .ignored = true, .text = LOGS },
	{ "per_job_logs", .ignored = true, .text = LOGS },
	{ "bwavgtime", .ignored = true, .text = LOGS },
	{ "iopsavgtime", .ignored = true, .text = LOGS },
	{ "stats", .ignored = true, .text = LATENCY },
	{ "disk_util", .ignored = true, .text = "the result has what the device did" },
	{ "unit_base", .ignored = true, .text = "results are in MiB/s" },
	{ "significant_figures", .ignored = true, .text = "the result has its own" },
	{ "unified_rw_reporting", .ignored = true, .text = "the result has reads, writes and both" },
	{ "iodepth_batch*", .ignored = true, .text = BATCHES },
	{ "fixedbufs", .ignored = true, .text = BATCHES },
	{ "registerfiles", .ignored = true, .text = BATCHES },
	{ "nonvectored", .ignored = true, .text = BATCHES },
	{ "userspace_reap", .ignored = true, .text = BATCHES },
	{ "sqthread_poll*", .ignored = true, .text = BATCHES },
	{ "force_async", .ignored = true, .text = BATCHES },
	{ "io_submit_mode", .ignored = true, .text = "paced I/O keeps to its schedule, and is timed from it" },
	{ "random_generator", .ignored = true, .text = "there is one, as fast as any" },
	{ "refill_buffers", .ignored = true, .text = "written blocks are unique, always" },
	{ "scramble_buffers", .ignored = true, .text = "written blocks are unique, always" },
	{ "buffer_compress_chunk", .ignored = true, .text = "each block compresses as a whole" },
	{ "dedupe_mode", .ignored = true, .text = "blocks that are alike repeat an earlier one" },
	{ "invalidate", .ignored = true, .text = "the test file is dropped from the page cache when it is laid out" },
	{ "fallocate", .ignored = true, .text = OWN_FILE },
	{ "fadvise_hint", .ignored = true, .text = OWN_FILE },
	{ "overwrite", .ignored = true, .text = OWN_FILE },
	{ "create_on_open", .ignored = true, .text = OWN_FILE },
	{ "create_serialize", .ignored = true, .text = OWN_FILE },
	{ "create_fsync", .ignored = true, .text = OWN_FILE },
	{ "unlink", .ignored = true, .text = OWN_FILE },
	{ "unlink_each_loop", .ignored = true, .text = OWN_FILE },
	{ "allow_file_create", .ignored = true, .text = OWN_FILE },
	{ "allow_mounted_write", .ignored = true, .text = "a mounted device is never written" },
	{ "filename_format", .ignored = true, .text = ONE_AREA },
	{ "unique_filename", .ignored = true, .text = ONE_AREA },
	{ "file_service_type", .set = set_only, .text = "roundrobin: the files of nrfiles take turns" },
	{ "openfiles", .ignored = true, .text = ONE_AREA },
	{ "lockfile", .ignored = true, .text = ONE_AREA },
	{ "cpumask", .ignored = true, .text = NOT_BOUND },
	{ "cpus_allowed*", .ignored = true, .text = NOT_BOUND },
	{ "numa_*", .ignored = true, .text = NOT_BOUND },
	{ "nice", .ignored = true, .text = "workers have the priority of the program" },
	{ "mem", "iomem", .ignored = true, .text = "buffers are made for the engine" },
	{ "hugepage-size", .ignored = true, .text = "buffers are made for the engine" },
	{ "lockmem", .ignored = true, .text = "no memory is locked" },
	{ "continue_on_error", .ignored = true, .text = "errors are counted, and end the run at a limit" },
	{ "ignore_error", .ignored = true, .text = "errors are counted, and end the run at a limit" },
	{ "error_dump", .ignored = true, .text = "the first error is named in the result" },
	{ "exitall_on_error", .ignored = true, .text = "a worker that fails ends all" },
	{ "rate_cycle", "ratecycle", .ignored = true, .text = "the schedule is kept from I/O to I/O" },
	{ "write_hint", .ignored = true, .text = "no hints are given" },

	/* Fine as long as it says what is done anyway */
	{ "rw_sequencer", .set = set_only, .text = "sequential: each sequential I/O follows the one before" },
	{ "zonemode", .set = set_only, .text = "none: " NO_ZONES },
	{ "verify", .set = set_only, .text = "0 null: " NO_VERIFY },
	{ "do_verify", .set = set_only, .text = "0: " NO_VERIFY },
	{ "serialize_overlap", .set = set_only, .text = "0: I/Os in flight may overlap" },
	{ "rate_ignore_thinktime", .set = set_only, .text = "0: the schedule goes on during a pause" },
	{ "exitall", .set = set_only, .text = "0: sections end by themselves" },
	{ "fill_device", "fill_fs", .set = set_only, .text = "0: a file is never written until the file system is full" },
	{ "create_only", .set = set_only, .text = "0: a run is never without I/O" },
	{ "pre_read", .set = set_only, .text = "0: the page cache is not filled before a run" },
	{ "hipri", .set = set_only, .text = "0: completions are not polled for" },
	{ "file_append", .set = set_only, .text = "0: the area begins at offset" },
	{ "atomic", .set = set_only, .text = "0: writes are not marked atomic" },
	{ "bs_unaligned", "blocksize_unaligned", .set = set_only, .text = "0: sizes are multiples of the smallest" },
	{ "bs_is_seq_rand", .set = set_only, .text = "0: sizes are by reads and writes, not by random and sequential" },

	/* Not here */
	{ "verify*", .text = NO_VERIFY },
	{ "experimental_verify", .text = NO_VERIFY },
	{ "trim_*", .text = NO_TRIM },
	{ "num_range", .text = NO_TRIM },
	{ "read_iolog*", .text = NO_REPLAY },
	{ "write_iolog", .text = "the I/Os are not written down one by one" },
	{ "replay_*", .text = NO_REPLAY },
	{ "merge_blktrace*", .text = NO_REPLAY },
	{ "zone*", .text = NO_ZONES },
	{ "max_open_zones", .text = NO_ZONES },
	{ "job_max_open_zones", .text = NO_ZONES },
	{ "read_beyond_wp", .text = NO_ZONES },
	{ "ignore_zone_limits", .text = NO_ZONES },
	{ "exec_prerun", .text = "no programs are run" },
	{ "exec_postrun", .text = "no programs are run" },
	{ "cmd_type", .text = "commands are reads and writes of the block layer" },
	{ "nowait", .text = "an I/O that would block is not an error" },
	{ "ioscheduler", .text = "the settings of the machine are left alone" },
	{ "cgroup*", .text = "the settings of the machine are left alone" },
	{ "prio*", .text = "all workers have the same I/O priority" },
	{ "cmdprio*", .text = "all workers have the same I/O priority" },
	{ "uid", .text = "all workers are of the same user" },
	{ "gid", .text = "all workers are of the same user" },
	{ "profile", .text = "stortop list workloads shows what is built in" },
	{ "flow*", .text = "workers do not wait for each other; rate_iops keeps a ratio" },
	{ "wait_for", .text = "a section waits for all above it, or for none: stonewall" },
	{ "exit_what", .text = "sections end by themselves" },
	{ "latency_*", .text = "the workload curve looks for the depth that keeps a latency" },
	{ "max_latency", .text = "a slow I/O does not end a run" },
	{ "steadystate*", .text = "every result says if it was steady; the workload wsat waits for it" },
	{ "ss*", .text = "every result says if it was steady; the workload wsat waits for it" },
	{ "rate_min", "ratemin", .text = "a rate that is not kept does not end a run; the result says so" },
	{ "rate_iops_min", .text = "a rate that is not kept does not end a run; the result says so" },
	{ "iodepth_low", .text = "the depth is kept up" },
	{ "offset_align", .text = "the area begins at offset" },
	{ "buffer_pattern", .text = "written blocks are unique" },
	{ "dedupe_working_set_percentage", .text = "blocks that are alike repeat an earlier one" },
	{ "dedupe_global", .text = "blocks that are alike repeat an earlier one of their worker" },
	{ "sync_file_range", .text = "fsync and fdatasync are" },
	{ "write_barrier", .text = "fsync and fdatasync are" },
	{ "opendir", .text = ONE_AREA },
	{ .name = NULL },
};

static bool
matches(const char *name, const char *key)
{
	size_t len = strlen(name);

	if (name[len - 1] == '*')
		return strncmp(name, key, len - 1) == 0;
	return strcmp(name, key) == 0;
}

const struct job_option *
job_option_find(const char *key)
{
	for (const struct job_option *o = job_option_table; o->name != NULL; o++)
		if (matches(o->name, key) || (o->alias != NULL && strcmp(o->alias, key) == 0))
			return o;
	return NULL;
}
