/*
 * The built-in workloads. Their texts are workloads/NAME.fio; figures beside them here are what those say.
 */
#include "load/workload.h"

#include <string.h>

#include "workloads.h"

#define IO_ANALYZER "VMware I/O Analyzer"
#define ICF "Iometer (kochaika/iSCSI)"
#define NS UINT64_C(1000000000)
#define QUICK_S 30
#define QUICK_RAMP_S 5
#define FAR_AWAY 4	/* edits between a name and a hint that is none any more */

static const unsigned curve_depths[] = { 1, 2, 4, 8, 16, 32, 0 };

#define WORKLOAD(...) &(const struct workload){ __VA_ARGS__ }

const struct workload *const workload_table[] = {
	WORKLOAD("latency-qd1", "Latency, one I/O at a time",
	    "512 B, 4, 8 KiB; 100, 65, 0 % read; depth 1", "SNIA latency test",
	    workload_text_latency_qd1, .full_s = 60, .quick_s = 5, .quick_ramp_s = 1),
	WORKLOAD("curve", "IOPS against latency",
	    "4 KiB, 100 % read, random, depths 1 to 32", "Iometer's queue depth cycling",
	    workload_text_curve, .full_s = 60, .depths = curve_depths, .quick_s = 5, .quick_ramp_s = 1),
	WORKLOAD("oltp-4k", "OLTP 4K",
	    "4 KiB, 70 % read, random, depth 16", IO_ANALYZER,
	    workload_text_oltp_4k, .full_s = 300),
	WORKLOAD("oltp-8k", "OLTP 8K",
	    "8 KiB, 70 % read, random, depth 16", IO_ANALYZER,
	    workload_text_oltp_8k, .full_s = 120),
	WORKLOAD("exchange2007", "Exchange 2007",
	    "8 KiB, 55 % read, 80 % random, depth 16", IO_ANALYZER,
	    workload_text_exchange2007, .full_s = 120),
	WORKLOAD("webserver-8k", "Web server",
	    "8 KiB, 95 % read, 75 % random, depth 16", IO_ANALYZER,
	    workload_text_webserver_8k, .full_s = 120),
	WORKLOAD("sql-16k", "SQL 16K",
	    "16 KiB, 66 % read, random, depth 16", IO_ANALYZER,
	    workload_text_sql_16k, .full_s = 120),
	WORKLOAD("sql-64k", "SQL 64K",
	    "64 KiB, 66 % read, random, depth 16", IO_ANALYZER,
	    workload_text_sql_64k, .full_s = 120),
	WORKLOAD("seqmix-8k-20r", "Sequential mix",
	    "8 KiB, 20 % read, sequential, depth 16", IO_ANALYZER,
	    workload_text_seqmix_8k_20r, .full_s = 120),
	WORKLOAD("max-iops", "Max IOPS",
	    "512 B, 100 % read, sequential, depth 16", IO_ANALYZER,
	    workload_text_max_iops, .full_s = 300),
	WORKLOAD("max-throughput", "Max throughput",
	    "512 KiB, 100 % read, sequential, depth 16", IO_ANALYZER,
	    workload_text_max_throughput, .full_s = 120),
	WORKLOAD("max-write-throughput", "Max write throughput",
	    "512 KiB, 100 % write, sequential, depth 16", IO_ANALYZER,
	    workload_text_max_write_throughput, .full_s = 120),
	WORKLOAD("mix3", "OLTP, Exchange and web server",
	    "oltp-4k + exchange2007 + webserver-8k", IO_ANALYZER,
	    workload_text_mix3, .full_s = 300),
	WORKLOAD("mix5", "Five applications",
	    "mix3 + sql-16k + seqmix-8k-20r", IO_ANALYZER,
	    workload_text_mix5, .full_s = 300),
	WORKLOAD("tingle-iops", "Tingle IOPS",
	    "8 KiB, random, 20 readers, 1 writer, depth 1", "Tingle's IOPS test",
	    workload_text_tingle_iops, .full_s = 300),
	WORKLOAD("bursty-oltp", "Bursty OLTP",
	    "fvp-write + fvp-read", "FVP evaluation (Iometer)",
	    workload_text_bursty_oltp, .full_s = 600, .quick_s = 120, .quick_ramp_s = 5),
	WORKLOAD("fvp-write", "Bursty OLTP, writes",
	    "8 KiB writes: paced random, then sequential", "FVP evaluation (Iometer)",
	    workload_text_fvp_write, .full_s = 600, .quick_s = 120, .quick_ramp_s = 5),
	WORKLOAD("fvp-read", "Bursty OLTP, reads",
	    "8 KiB reads: sequential, then paced random", "FVP evaluation (Iometer)",
	    workload_text_fvp_read, .full_s = 600, .quick_s = 120, .quick_ramp_s = 5),
	WORKLOAD("iometer-fileserver", "File server",
	    "0.5-64 KiB, 80 % read, random, depth 64", ICF,
	    workload_text_iometer_fileserver, .full_s = 300),
	WORKLOAD("iometer-webserver", "Web server, ten sizes",
	    "0.5-512 KiB, 100 % read, random, depth 64", ICF,
	    workload_text_iometer_webserver, .full_s = 300),
	WORKLOAD("iometer-database", "Database",
	    "8 KiB, 67 % read, random, depth 16", ICF,
	    workload_text_iometer_database, .full_s = 300),
	WORKLOAD("iometer-workstation", "Workstation",
	    "8 KiB, 80 % read, 80 % random, depth 16", ICF,
	    workload_text_iometer_workstation, .full_s = 300),
	WORKLOAD("iometer-dss", "Decision support",
	    "1 MiB, 100 % read, random, depth 16", ICF,
	    workload_text_iometer_dss, .full_s = 300),
	WORKLOAD("iometer-media", "Media streaming",
	    "64 KiB, 98 % read, sequential, depth 16", ICF,
	    workload_text_iometer_media, .full_s = 300),
	WORKLOAD("iometer-sql-log", "SQL log",
	    "64 KiB, 100 % write, sequential, depth 16", ICF,
	    workload_text_iometer_sql_log, .full_s = 300),
	WORKLOAD("iometer-vod", "Video on demand",
	    "512 KiB, 100 % read, random, depth 16", ICF,
	    workload_text_iometer_vod, .full_s = 300),
	WORKLOAD("iometer-paging", "OS paging",
	    "64 KiB, 90 % read, sequential, depth 16", ICF,
	    workload_text_iometer_paging, .full_s = 300),
	WORKLOAD("hci-4k70", "HCIBench 4K 70/30",
	    "4 KiB, 70 % read, random, 8 workers, depth 4", "HCIBench easy run",
	    workload_text_hci_4k70, .full_s = 3600, .full_ramp_s = 1800),
	WORKLOAD("hci-8k50", "HCIBench 8K 50/50",
	    "8 KiB, 50 % read, random, 8 workers, depth 4", "HCIBench easy run",
	    workload_text_hci_8k50, .full_s = 3600, .full_ramp_s = 1800),
	WORKLOAD("hci-256kw", "HCIBench 256K writes",
	    "256 KiB, 100 % write, sequential, 8 workers", "HCIBench easy run",
	    workload_text_hci_256kw, .full_s = 3600, .full_ramp_s = 1800),
	WORKLOAD("wsat", "Write saturation",
	    "4 KiB, 100 % write, random, until steady", "SNIA WSAT",
	    workload_text_wsat, .full_s = 60, .steady_rounds = 25),
	WORKLOAD("precondition", "Preconditioning",
	    "128 KiB, 100 % write, sequential, 2 passes", "SNIA WIPC",
	    workload_text_precondition, .full_s = 0, .leaves = true),
	WORKLOAD("listen", "Listen only",
	    "no load", "VMware I/O Analyzer 1.5",
	    workload_text_listen, .full_s = 86400),
	NULL,
};

const struct workload *
workload_find(const char *name)
{
	for (size_t i = 0; workload_table[i] != NULL; i++)
		if (strcmp(workload_table[i]->name, name) == 0)
			return workload_table[i];
	return NULL;
}

bool
workload_times(const struct workload *w, bool full, uint64_t *runtime_ns, uint64_t *ramp_ns)
{
	bool quick = !full && w->full_s > 0;

	*runtime_ns = quick ? (w->quick_s > 0 ? w->quick_s : QUICK_S) * NS : UINT64_MAX;
	*ramp_ns = quick ? (w->quick_s > 0 ? w->quick_ramp_s : QUICK_RAMP_S) * NS : UINT64_MAX;
	return quick;
}

static unsigned
least(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Levenshtein's distance; names here are short, what is too long is far away anyway. */
static unsigned
distance(const char *a, const char *b)
{
	unsigned row[64], above, corner;
	size_t na = strlen(a), nb = strlen(b);

	if (na >= 64 || nb >= 64)
		return 64;
	for (unsigned k = 0; k <= nb; k++)
		row[k] = k;
	for (size_t i = 0; i < na; i++) {
		corner = row[0]++;
		for (size_t k = 0; k < nb; k++) {
			above = row[k + 1];
			row[k + 1] = least(above + 1, row[k] + 1, corner + (a[i] != b[k]));
			corner = above;
		}
	}
	return row[nb];
}

const struct workload *
workload_nearest(const char *name)
{
	const struct workload *nearest = NULL;
	unsigned best = FAR_AWAY;

	for (size_t i = 0; workload_table[i] != NULL; i++) {
		const struct workload *w = workload_table[i];
		unsigned d = distance(name, w->name);

		if (d < best && d < strlen(w->name)) {
			best = d;
			nearest = w;
		}
	}
	/* A name that was cut short is nearer than it looks. */
	for (size_t i = 0; nearest == NULL && workload_table[i] != NULL && name[0] != '\0'; i++)
		if (strstr(workload_table[i]->name, name) != NULL)
			nearest = workload_table[i];
	return nearest;
}
