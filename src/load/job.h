/*
 * Jobs: what a load worker does, in fio's language (names, units and meanings of fio's HOWTO) with a few
 * stortop_ keys for what fio cannot say. A parsed file is const data: any thread.
 */
#ifndef LOAD_JOB_H
#define LOAD_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum io_dir { IO_READ, IO_WRITE, IO_SYNC, IO_DIRS };
#define JOB_DIRS 2	/* what a job says apart for reads and writes */

/* A number of bytes, or a share of the target. */
struct job_size {
	uint64_t bytes;
	double pct;		/* above 0: per cent, bytes is 0 */
};

struct job_split {
	uint32_t bytes;
	unsigned pct;
};

enum job_distribution { DIST_RANDOM, DIST_ZIPF, DIST_PARETO, DIST_NORMAL, DIST_ZONED, DIST_ZONED_ABS };

struct job_zone {
	double access_pct;	/* share of the I/Os */
	double size_pct;	/* share of the area (zoned) */
	uint64_t bytes;		/* or bytes of it (zoned_abs) */
};

/* Where, how large and in which direction: what a phase changes. */
struct job_pattern {
	bool random;			/* rand* types; percentage_random applies to them only */
	unsigned read_pct;		/* rwmixread; 100 for read, 0 for write */
	unsigned random_pct[JOB_DIRS];	/* percentage_random */
	uint32_t bs[JOB_DIRS];		/* blocksize; with a range the smallest */
	uint32_t bs_max[JOB_DIRS];	/* bsrange; equal to bs without one */
	const struct job_split *split[JOB_DIRS];	/* bssplit, or NULL */
	size_t n_split[JOB_DIRS];
	uint32_t align[JOB_DIRS];	/* blockalign: random places are multiples of it; 0: of bs */
	unsigned repeat;		/* randread:8 : so many I/Os at each new place; 1 */
	uint64_t skip_bytes;		/* write:4k : hole after each block */
	enum job_distribution distribution;
	double theta, centre;		/* zipf, pareto, normal: parameter; centre -1: spread by hash */
	const struct job_zone *zones;
	size_t n_zones;
	bool random_map;		/* every block once a pass (no norandommap, DIST_RANDOM) */
	/* Pacing */
	uint64_t think_ns;		/* thinktime: pause after think_blocks completed (or issued) blocks */
	uint64_t think_spin_ns;
	uint64_t think_iotime_ns;	/* run so long, then pause */
	unsigned think_blocks;
	bool think_issue;		/* thinktime_blocks_type=issue */
	uint64_t rate_bytes_s[JOB_DIRS];
	double rate_iops[JOB_DIRS];	/* 0: none */
	bool poisson;
	uint64_t delay_ns;		/* stortop_delay: Iometer's, before each burst, from the last issue of the one before */
	unsigned burst;			/* stortop_burst: I/Os of a burst */
};

struct job_phase {
	const char *name;
	uint64_t ns;
	struct job_pattern pattern;
};

enum job_engine { ENGINE_AUTO, ENGINE_URING, ENGINE_AIO, ENGINE_PSYNC, ENGINE_NULL };

/* One section of a file, with the defaults it stands under; numjobs clones of it run. */
struct job {
	const char *name, *description;
	struct job_pattern pattern;
	const struct job_phase *phases;	/* stortop_phases: in turn, again and again; NULL: none */
	size_t n_phases;
	struct job_size size, io_size, filesize, offset;	/* 0: not said; filesize and nrfiles are already in size and io_size */
	struct job_size offset_increment;	/* each clone begins so much further */
	unsigned nrfiles;		/* the area is that many files, one behind the other, which take turns */
	unsigned iodepth, numjobs;	/* numjobs 0: stortop_idle, only its time counts */
	enum job_engine engine;
	bool direct, sync;
	unsigned fsync, fdatasync;	/* after so many writes; 0: never */
	bool end_fsync;
	uint64_t runtime_ns, ramp_ns;	/* 0: none */
	uint64_t delay_min_ns, delay_max_ns;	/* startdelay */
	bool time_based;
	uint64_t loops, number_ios;	/* 1; 0: no limit */
	bool stonewall;			/* waits for all sections before it */
	bool randrepeat;
	uint64_t randseed;
	unsigned dedupe_pct, compress_pct;	/* of the data written; 0: unique, incompressible */
	const char *filename, *directory;	/* never obeyed: TARGET replaces them */
	unsigned line;
};

struct job_file {
	const char *name;		/* "oltp-4k", or the file's name */
	const char *text;		/* what was parsed, without what it includes */
	const struct job *jobs;
	size_t n_jobs;
	const char *const *notes;	/* options ignored, with file, line and why; for stderr */
	size_t n_notes;
};

/*
 * Parses a text; `name` is for messages ("file:line: ..."), include is looked for as fio does. NULL with a message in why:
 * an option that is not supported, a value that is none, a file that cannot be read. ${VAR} is asked of the environment.
 */
struct job_file *job_parse(const char *name, const char *text, size_t len, char *why, size_t size);
/* The same of a file on disk. */
struct job_file *job_load(const char *path, char *why, size_t size);
void job_free(struct job_file *);	/* NULL is fine */
/* Does any job write (data, or sync)? */
bool job_writes(const struct job_file *);
/* Does this one? */
bool job_one_writes(const struct job *);
/* Largest block of the job, for buffers. */
uint32_t job_largest_block(const struct job *);
/* Smallest, which places are multiples of. */
uint32_t job_smallest_block(const struct job *);
/* Smallest size, or distance of places, that the job comes to use, which a device must take; UINT32_MAX: it makes no I/O. */
uint32_t job_smallest_io(const struct job *);

#endif
