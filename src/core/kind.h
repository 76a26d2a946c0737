/*
 * The catalogue: what kinds of objects exist, which raw metrics each has, and which columns are
 * computed from them. Tables, SQL views, CSV, JSON, `list columns` and the manual are driven by it;
 * no sink knows a kind by name. A new figure is one row in src/core/kinds/KIND.c.
 *
 * All of it is const data; any thread.
 */
#ifndef CORE_KIND_H
#define CORE_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/label.h"

#define KIND_MAX_METRICS 64
#define M(metric) (UINT64_C(1) << (metric))	/* one metric in a mask */

/* Where a device stands in its stack; decides what is counted and shown at the top level. */
enum object_role {
	ROLE_BASE,	/* nothing below it that is measured here: counts in the total */
	ROLE_HEAD,	/* multipath or NVMe head: stands for its paths, counts in the total */
	ROLE_PATH,	/* a path below a head: not in the total */
	ROLE_LAYER,	/* device-mapper, md, loop on a disk: its I/O is counted below */
	ROLE_UNCOUNTED,	/* its statistics are off (queue/iostats 0): in no sum */
	ROLE_COUNT
};

enum metric_nature {
	METRIC_COUNTER,		/* 64 bit; going back is a reset */
	METRIC_COUNTER_MS32,	/* milliseconds printed as 32 bit: differs modulo 2^32 */
	METRIC_GAUGE,		/* a value now; 0 at rest */
	METRIC_HIST,		/* latencies in ns, log-linear; metric.hist_bits is the scheme */
};

struct metric {
	const char *key;		/* "reads"; a column name in the store */
	const char *unit;		/* "I/Os", "sectors", "ms", "bytes" ... */
	enum metric_nature nature;
	unsigned hist_bits;		/* METRIC_HIST: sub-bucket bits, 3 or 6 */
	/* Computed by interval_rollup() from other rows, not measured and not stored. */
	bool derived;
	const char *help;		/* one line, ends without a full stop */
	/*
	 * Hardly ever above 0 (errors, discards): the store keeps it in a table of its own, so that it
	 * costs nothing in all the rows where it is 0.
	 */
	bool rare;
};

enum value_per {
	PER_ONE,		/* scale * (plus - minus) */
	PER_SECOND,		/* ... / the row's own seconds */
	PER_SUM,		/* ... / sum of the metrics in `by`; absent where that sum is 0 */
	PER_LABEL,		/* ... / the number in label `label`; absent where that is absent or 0 */
	VALUE_LABEL_NUMBER,	/* the number in label `label` */
	VALUE_LABEL_TEXT,	/* the text of label `label` (or the object's human name) */
	VALUE_PERCENTILE,	/* scale * quantile `q` of the sum of the histograms in `plus` */
};

/* A column's value as data, so that the SQL views are generated from the same row. */
struct value {
	double scale;
	uint64_t plus, minus;	/* masks of metrics: M(A) | M(B) */
	enum value_per per;
	uint64_t by;		/* PER_SUM */
	enum label_id label;	/* PER_LABEL, VALUE_LABEL_* */
	double q;		/* VALUE_PERCENTILE: 0.99; 1.0 is the largest */
	/* Absent unless the sums of agree_a and agree_b are within 1 % of each other (0: no condition). */
	uint64_t agree_a, agree_b;
	/*
	 * Metrics that may be absent without making the value absent: they count as 0. For what older
	 * kernels do not count (discards, flushes) in a sum of all commands.
	 */
	uint64_t optional;
};

enum column_flags {
	COLUMN_LATENCY = 1 << 0,	/* milliseconds a command took: thresholds and the stall bound apply */
	COLUMN_LEFT = 1 << 1,		/* text, left-aligned */
	COLUMN_EXTRA = 1 << 2,		/* not in the default choice of fields */
	COLUMN_OR_GAVG = 1 << 3,	/* drawn by default only where some row has it (DAVG, KAVG, QAVG) */
	COLUMN_NO_EXPORT = 1 << 4,	/* a screen's text; tidy and JSON carry labels themselves */
	COLUMN_WARN_ABOVE_0 = 1 << 5,	/* errors: anything above 0 is worth a warning */
	COLUMN_READ = 1 << 6,		/* concerns reads only */
	COLUMN_WRITE = 1 << 7,		/* concerns writes only */
	COLUMN_IOPS = 1 << 8,		/* the column that sums all commands: sorted by at the start, graphed */
	COLUMN_MBYTES = 1 << 9,		/* throughput, summed for graphs */
	COLUMN_GAVG = 1 << 10,		/* the latency that `L` sorts by and the graph shows */
};

struct column {
	const char *key;	/* "reads_s": the same in JSON, tidy, SQL and the configuration file */
	const char *title;	/* "READS/s" */
	const char *unit;	/* "reads per second" */
	int width, decimals;	/* on the screen */
	int priority;		/* the lowest goes first when the screen is narrow; 0 never goes */
	unsigned flags;
	char sort_key;		/* esxtop's letter that sorts by it, or 0 */
	struct value value;
	const char *help;	/* for the help screen and stortop-columns(7); says what it excludes */
};

/* One counter of esxtop's batch output. */
struct pdh_counter {
	const char *name;	/* "Average Guest MilliSec/Command" */
	/* Our column's key. NULL: a command Linux does not issue, a true zero. "": no source: left out. */
	const char *column;
	double scale;		/* times this; 0 stands for 1 */
	bool integer;		/* printed without decimals */
	bool all_only;		/* with -a only */
};

struct pdh_object {
	const char *name;		/* "Physical Disk SCSI Device" */
	uint64_t roles;			/* objects of these roles: M(ROLE_...) ; 0: all */
	const char *instance;		/* NULL: the object's name; "": no instance; else this word ("_Total") */
	const char *strip;		/* taken off the front of the object's name ("cpu"), or NULL */
	const struct pdh_counter *counters;	/* in esxtop's order */
	size_t n_counters;
	int order;			/* place in the line: lower first */
};

/* What a roll-up adds up; ends with from == NULL. Metrics are matched by key. */
struct rollup_term {
	const char *from;	/* key of the leaf kind */
	enum {
		ROLLUP_COUNTS_IN,
		ROLLUP_BY_LABEL,	/* the members whose label `label` is the name of the roll-up's object */
		ROLLUP_IN_TOTAL,
		ROLLUP_ALL,
	} by;
	enum label_id label;
};

/* Whose coming, stalls and latencies are told in events and verdicts. */
enum kind_voice {
	VOICE_LEAF,	/* each object's own; a roll-up's members speak for it */
	VOICE_NONE,	/* the roll-up it counts in speaks */
	VOICE_ROLLUP,	/* a roll-up that speaks for its members */
	VOICE_TROUBLE,	/* likewise, but its coming and going is no news: there are thousands of them */
};

struct kind {
	const char *key;	/* "disk" */
	const char *title;	/* "Devices" */
	const char *one;	/* "device", in sentences */
	const char *what;	/* one line */
	const struct metric *metrics;
	size_t n_metrics;
	const struct column *columns;
	size_t n_columns;
	const struct pdh_object *pdh;
	size_t n_pdh;
	/* NULL: a leaf. Otherwise computed from the leaves' intervals, never stored. */
	const struct rollup_term *rollup;
	/* Born with counters at zero (flows, processes, workers), so that the first row is known. */
	bool from_zero;
	/* Left out of tidy and JSON unless named with --kind (operations, processes, workers). */
	bool detail;
	/* In flight now, and what completes: a row with the first and without the second stalls; 0: never. */
	uint64_t in_flight, completed;
	/* What else shows that it does not stand still although it completes nothing of its own; 0: nothing does. */
	uint64_t alive;
	enum kind_voice voice;
	/* Who makes it wait, where nothing tells them apart: "network or server"; NULL: what the device's transport says. */
	const char *beyond;
};

/* All kinds, NULL-terminated, in the order of output. */
extern const struct kind *const kind_table[];

/* NULL where there is none of that name. */
const struct kind *kind_find(const char *key);
/* Is it a sum of everything: one row, of an object that nobody has to name? */
bool kind_is_total(const struct kind *);
/* Do events and verdicts name objects of this kind? */
bool kind_speaks(const struct kind *);
/* Is it an event when one of them comes or goes? */
bool kind_announces(const struct kind *);
/* Index, or -1 where there is none of that key. */
int kind_metric(const struct kind *, const char *key);
int kind_column(const struct kind *, const char *key);
/* The first column with this flag (COLUMN_IOPS ...), or -1. */
int kind_column_flagged(const struct kind *, unsigned flag);
/* Whether a metric of it is a histogram. */
bool kind_has_histograms(const struct kind *);

#endif
