/*
 * What a worker issues, in order and in time: pattern, pace, phases, syncs, and when the job has done its amount. One thread.
 */
#ifndef LOAD_FEED_H
#define LOAD_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/engine.h"
#include "load/job.h"
#include "load/pace.h"
#include "load/pattern.h"

struct feed {
	const struct job *job;
	/*
	 * Of each phase, or the only one, those of its files: each goes on where it was left. The files of a job lie in its area one
	 * behind the other, and take turns, as fio's do.
	 */
	struct pattern *patterns;
	size_t n_phases, n_files, phase, file;
	uint64_t phase_end_ns;		/* UINT64_MAX: there is only one */
	struct pace pace;
	bool paced;
	int wanted;			/* direction chosen and not yet due; -1: none */
	uint64_t left_bytes, left_ios;	/* UINT64_MAX: no limit */
	unsigned until_fsync, until_fdatasync;	/* writes; 0: never */
	bool fsync_due, fdatasync_due;
	uint64_t seed;
};

/* The amount a job is to do in bytes: io_size, or a pass over its area, times loops. */
uint64_t feed_amount(const struct job *, uint64_t area_bytes);
/* The job must outlive it. Begins at now_ns; amount UINT64_MAX: no limit. */
void feed_init(struct feed *, const struct job *, uint64_t area_start, uint64_t area_bytes, uint64_t amount, uint64_t seed,
    uint64_t now_ns);
void feed_free(struct feed *);

enum feed_answer { FEED_IO, FEED_WAIT, FEED_END };
/*
 * The next I/O: direction, offset, size, due time. FEED_WAIT: not before *wait_ns (PACE_NEVER: when something has
 * completed). FEED_END: the job has issued all it had to. *late is set where it starts after its time.
 */
enum feed_answer feed_next(struct feed *, struct io *, uint64_t now_ns, uint64_t *wait_ns, bool *late);

static inline bool
feed_thinks(const struct feed *f)
{
	return f->pace.thinks;
}

static inline void
feed_completed(struct feed *f, unsigned n, unsigned in_flight, uint64_t now_ns)
{
	if (f->paced)
		pace_completed(&f->pace, n, in_flight, now_ns);
}

#endif
