/*
 * Thresholds and the verdict line: what is wrong, on which side of the driver as far as is known, since
 * when (design.md section 3). Pure: fed with intervals in order, live and replayed alike.
 */
#ifndef SESSION_VERDICT_H
#define SESSION_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/interval.h"

/*
 * Milliseconds, by LABEL_CLASS. The defaults: rotational 25/50, san 10/25, flash 2/10, memory 2/10, virtual 10/25
 * (a virtual disk stands on storage of any kind; arrays are the usual case), nfs 10/25.
 */
#define VERDICT_CLASSES 6	/* in the defaults */

struct threshold {
	const char *class_key;
	double warn_ms, crit_ms;
};

struct thresholds {
	const struct threshold *rows;
	size_t n;
	uint64_t min_ios;	/* an interval with fewer is not judged: 10 */
	unsigned min_intervals;	/* in a row: 3 */
};
extern const struct thresholds thresholds_default;

enum severity { SEVERITY_NONE, SEVERITY_WARN, SEVERITY_CRIT };

/* A stall, a latency over its threshold, or lost paths. */
struct verdict {
	enum severity severity;
	const struct object *object;	/* valid until the next verdicts_feed() */
	uint64_t stalled_ns;		/* not 0: a stall */
	uint64_t since_ns;		/* how long it has been so */
	char text[200];			/* "GAVG 48.2 ms, over 25: below the initiator, network or target" */
};

struct verdicts;

struct verdicts *verdicts_new(const struct thresholds *);
void verdicts_free(struct verdicts *);
void verdicts_feed(struct verdicts *, const struct interval *);
/* Worst first: stalls, critical, warnings, each longest first. */
size_t verdicts_count(const struct verdicts *);
const struct verdict *verdicts_get(const struct verdicts *, size_t i);
/* How many objects stand still. */
size_t verdicts_stalled(const struct verdicts *);
/* How to mark a latency cell of this row: judged as above (enough I/Os, enough intervals). */
enum severity verdicts_cell(const struct verdicts *, const struct row *, double ms);

#endif
