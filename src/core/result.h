/*
 * A result: what a run did, computed from the sum of the intervals it measured. The same struct comes from a live run, the store and a
 * JSON file; tables, JSON, compare and report are made from it. Main thread; owned by who made it.
 */
#ifndef CORE_RESULT_H
#define CORE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/hist.h"
#include "core/interval.h"

struct result_row {
	char name[64];
	uint64_t uid;			/* of the worker's object; 0: it is of another process */
	unsigned section;		/* of those that follow each other (stonewall), from 0 */
	double seconds;			/* its own measured time */
	uint64_t reads, writes, read_bytes, write_bytes, errors, late;
	double in_flight;		/* mean, measured (time-weighted), not the depth asked for */
	struct hist *read, *write;	/* latency, 6 bits; NULL: none */
	struct hist *response;		/* paced: from the intended start, reads and writes; NULL: not paced */
	struct hist *sync;		/* fsync and fdatasync, in no other figure; NULL: none */
};

enum result_warning {
	WARN_CACHE_SIZED, WARN_UNWRITTEN, WARN_NOT_STEADY, WARN_QUICK, WARN_LITTLE, WARN_RATE_NOT_KEPT, WARN_CACHE_SEEN,
	WARN_AMPLIFIED, WARN_BELOW_SECTOR, WARN_STORE_ON_TARGET, WARN_ENGINE, WARN_ERRORS, WARN_PARTIAL, WARN_COUNT
};
extern const char *const result_warning_word[WARN_COUNT];	/* "CACHE-SIZED" ... */
/* Those of a mask (1 << enum result_warning): "CACHE-SIZED, quick", "" for none. */
void result_warning_words(uint32_t warnings, char *out, size_t size);

enum steady { STEADY_UNKNOWN, STEADY_YES, STEADY_NO };

struct result {
	int64_t id;			/* number in the store; 0: not stored */
	int64_t started_ms;
	char stortop[64];		/* version */
	char host[256];
	char workload[128], engine[32], engine_why[160];
	char label[128];		/* --name */
	char state[16];			/* "done", "stopped", "failed" */
	char why[256];
	double runtime_s;
	struct { char name[512], kind[16]; double size_bytes; char device[64], model[80]; } target;	/* size NaN: not known */
	double working_set_bytes, host_memory_bytes, array_cache_bytes;	/* NaN: not known */
	bool buffered;			/* through the page cache */
	unsigned block_bytes, sector_bytes;
	unsigned depth;			/* I/Os in flight asked for, all workers together; 0: not known */
	size_t n_rows;
	struct result_row *rows;	/* workers */
	struct result_row total;
	/* The device below during the same ticks; name "" where there is none. */
	struct { char name[64]; double read_iops, write_iops, read_mib_s, write_mib_s, gavg_ms, qavg_ms, davg_ms; } device;
	/*
	 * host_pct: of the whole machine. us_per_io: what an I/O cost, the kernel's workers included: from the machine's time unless
	 * whoever fills it in knows its own. host_us_per_io: the machine's time always. NaN: not known.
	 */
	struct { double host_pct, us_per_io, host_us_per_io; } cpu;
	/* Processes of this host that served the target; names "" and cpu_s NaN where none did. CPU time in the measured time. */
	struct { char names[64]; double cpu_s; } server;
	enum steady steady;
	bool quick;
	bool phased;			/* a worker changes its pattern as it goes: not to be steady is what it is for */
	bool unwritten, below_sector;
	uint32_t warnings;		/* M(WARN_...) */
	unsigned n_added;		/* results that result_sum() added to it */
	char *job_text;			/* the job file; NULL: not kept */
	/* Per tick, for the store, the steady state and the charts; at_s is the tick's end, from the begin of the measurement. */
	size_t n_series;
	struct result_point {
		double at_s, seconds, read_iops, write_iops, read_mib_s, write_mib_s, mean_ms, p99_ms;
		double gavg_rd_ms, gavg_wr_ms;	/* of reads and writes apart */
		double device_read_iops, device_write_iops, device_read_mib_s, device_write_mib_s, device_gavg_ms;	/* below; NaN: none */
		double device_gavg_rd_ms, device_gavg_wr_ms;
		unsigned section;
	} *series;
};

/* All numbers that may be unknown are NaN. */
struct result *result_new(void);
void result_free(struct result *);	/* NULL is fine */
/*
 * Fills workers, total, device, CPU and the runtime from the sum of the measured intervals: `test_uid` is the run's object,
 * `device_uid` the disk or partition below (0: none). Rates of a row use its own seconds. Workers stand in the order in which the
 * job names them (that of their uids); which section each is of, the caller says.
 */
void result_measure(struct result *, const struct interval *sum, uint64_t test_uid, uint64_t device_uid);
/* Appends a measured tick to the series; uids as for result_measure(). */
void result_tick(struct result *, const struct interval *tick, uint64_t test_uid, uint64_t device_uid, unsigned section);
/*
 * A point as an interval again: what the test did, and the device where there is one (device NULL: none).
 * Workers and histograms, so percentiles too, are not in a point.
 */
struct interval *result_point_interval(const struct result_point *, const struct stamp *end, struct object *test, struct object *device);
/* a += b, the later neighbour. */
void result_point_add(struct result_point *, const struct result_point *);
/*
 * Sets warnings and steady from what is filled in (design.md section 6, "it says when the benchmark lies"). That the store lies
 * on the target is known to who fills it in only: that bit stays as it is. Pure.
 */
void result_check(struct result *);
/*
 * SNIA's two rules over the series (range at most 20 %, slope at most 10 % of the mean, five windows of 1 s or more), of each
 * section by itself: a step from one to the next is what the job wants. Pure.
 */
enum steady result_steady(const struct result *);
#define STEADY_RANGE 0.2	/* of the mean, from the least to the most */
#define STEADY_DRIFT 0.1	/* of the mean, along the straight line through them */
/* The same rules over the last five of several runs, with their IOPS; range and drift are shares of the mean. Pure. */
struct steady_runs {
	enum steady steady;	/* STEADY_UNKNOWN: fewer than five, and nothing else is set */
	double mean, range, drift;
};
struct steady_runs result_steady_runs(const struct result *const *, size_t n);
/*
 * A warning in a sentence, with its figures: "the device read 0.10 of what the application read: ...". Length as of snprintf().
 */
int result_warning_text(const struct result *, enum result_warning, char *out, size_t size);

/* Why two results are not of the same test: 0, or -EINVAL with the reason. The target may differ, and the host. */
int result_unlike(const struct result *, const struct result *, char *why, size_t size);
/*
 * into += from, histograms and all, for --sum: rows are appended, totals add. 0, or -EINVAL with why: unlike tests. The rates of
 * the sum are the sums of the rates.
 */
int result_sum(struct result *into, const struct result *from, char *why, size_t size);
struct result *result_copy(const struct result *);

enum result_dir { RESULT_READ, RESULT_WRITE, RESULT_BOTH };
/* IOPS, MiB/s, ms of a row: figures computed last. NaN where nothing was measured. */
double result_iops(const struct result_row *, enum result_dir);
double result_mib_s(const struct result_row *, enum result_dir);
double result_mean_ms(const struct result_row *, enum result_dir);
/* What an I/O cost the processes that serve the target; NaN where none of them are here. */
double result_server_us_per_io(const struct result *);
/* Is the target on a server, and the client a library in this process? */
bool result_is_remote(const struct result *);
/* Quantile in ms; NaN where there is none, or fewer than ten values lie above it (q 1 is the largest, always given). */
double result_quantile_ms(const struct result_row *, enum result_dir, double q);
/* The latencies of a direction, a new histogram; NULL where there are none. */
struct hist *result_hist(const struct result_row *, enum result_dir);
/* The largest mean number in flight of any section. */
double result_in_flight(const struct result *);
/* Little's law: mean in flight against IOPS x mean latency, within 5 %, in each section. */
bool result_littles_law(const struct result *);

#endif
