#include "load/run_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/object.h"
#include "core/xalloc.h"
#include "core/clock.h"
#include "load/rng.h"

/* A worker whose time is over with its group's is stopped by the run, after the last tick; this is for the case that it is not. */
#define GRACE_NS NS_PER_S
/* What a share of the target comes down to is a whole number of these. */
#define ALIGN 4096
/* What an I/O in flight takes beside its buffer (the engine's part too), and a worker beside its I/Os: stack, data to write. */
#define SLOT_BYTES 256
#define WORKER_BYTES ((uint64_t)5 << 18)

static uint64_t
share(const struct job_size *size, uint64_t of)
{
	if (size->pct > 0)
		return (uint64_t)((double)of * (size->pct < 100 ? size->pct : 100) / 100);
	return size->bytes;
}

static uint64_t
size_bytes(const struct job_size *size, uint64_t of)
{
	return size->pct > 0 ? share(size, of) / ALIGN * ALIGN : size->bytes;
}

/* Where a clone's area begins; UINT64_MAX: that does not fit. Per cent go up to the next block, as in fio. */
static uint64_t
start_of(const struct job *job, uint64_t base, unsigned clone)
{
	uint64_t start, step, block = job_smallest_block(job);

	if (__builtin_mul_overflow(share(&job->offset_increment, base), clone, &step) ||
	    __builtin_add_overflow(share(&job->offset, base), step, &start))
		return UINT64_MAX;
	if (job->offset.pct > 0 || job->offset_increment.pct > 0)
		start = (start + block - 1) / block * block;
	return start;
}

/* As many files of the same size go into it, each a whole number of blocks. */
static uint64_t
of_files(uint64_t bytes, const struct job *job)
{
	uint64_t each = job->nrfiles > 1 ? bytes / job->nrfiles : 0;

	return job->nrfiles > 1 ? (each - each % job_smallest_block(job)) * job->nrfiles : bytes;
}

/*
 * The part of the target that a clone of a job uses; false with the reason where there is none. --size stands for the whole
 * target where the job says per cent, and for the job's own size where it says bytes, or nothing.
 */
static bool
area_of(const struct job *job, const struct run_options *o, unsigned clone, uint64_t *start, uint64_t *bytes, char *why, size_t size)
{
	uint64_t all = o->target->area_bytes, base = o->size_bytes > 0 && o->size_bytes < all ? o->size_bytes : all;
	uint64_t wanted = size_bytes(&job->size, base);
	unsigned files = job->nrfiles > 0 ? job->nrfiles : 1;

	if (o->size_bytes > 0 && job->size.pct == 0)
		wanted = o->size_bytes;
	*start = start_of(job, base, clone);
	if (*start < all && (wanted == 0 || wanted > all - *start))
		wanted = all - *start;
	*bytes = *start < all ? of_files(wanted, job) : 0;
	if (*bytes / files >= job_largest_block(job))
		return true;
	if (files > 1) {
		snprintf(why, size, "%s: %u files (nrfiles) in %llu bytes do not hold a block of %u each", job->name, files,
		    (unsigned long long)*bytes, job_largest_block(job));
		return false;
	}
	snprintf(why, size, "%s: its area of %llu bytes from %llu on does not hold a block of %u (%s has %llu bytes)", job->name,
	    (unsigned long long)*bytes, (unsigned long long)*start, job_largest_block(job), o->target->facts.path,
	    (unsigned long long)all);
	return false;
}

static uint64_t
runtime_of(const struct job *job, const struct run_options *o)
{
	return o->runtime_ns != UINT64_MAX ? o->runtime_ns : job->runtime_ns;
}

static uint64_t
ramp_of(const struct job *job, const struct run_options *o)
{
	return o->ramp_ns != UINT64_MAX ? o->ramp_ns : job->ramp_ns;
}

static unsigned
clones_of(const struct job *job, const struct run_options *o)
{
	return o->workers > 0 && job->numjobs > 0 ? o->workers : job->numjobs;
}

static uint64_t
later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void
plan_groups(struct run_plan *p, const struct run_options *o)
{
	const struct job_file *file = o->jobs;
	struct run_group *group;

	p->groups = xcalloc(file->n_jobs + 1, sizeof(*p->groups));
	p->n_groups = 1;
	p->groups[0].waits = true;
	if (file->n_jobs == 0 && o->runtime_ns != UINT64_MAX)
		p->groups[0].runtime_ns = o->runtime_ns;
	for (size_t i = 0; i < file->n_jobs; i++) {
		const struct job *job = &file->jobs[i];

		if (job->stonewall && i > 0)
			p->groups[p->n_groups++].waits = true;
		group = &p->groups[p->n_groups - 1];
		p->n_workers += clones_of(job, o);
		group->waits = group->waits && clones_of(job, o) == 0;
		group->ramp_ns = later(group->ramp_ns, ramp_of(job, o));
		if (runtime_of(job, o) > 0)
			group->runtime_ns = later(group->runtime_ns, runtime_of(job, o) + job->delay_max_ns);
	}
}

/* A job that goes by its amount alone may take longer than its group's others: then there is no end by time. */
static void
end_by_amount(struct run_plan *p, const struct run_options *o)
{
	for (size_t i = 0; i < p->n_workers; i++)
		if (runtime_of(p->workers[i].job, o) == 0)
			p->groups[p->workers[i].group].runtime_ns = 0;
}

static void
plan_limit(struct worker_plan *w, const struct run_group *group, const struct run_options *o)
{
	uint64_t runtime_ns = runtime_of(w->job, o);

	w->limit_ns = UINT64_MAX;
	if (runtime_ns == 0)
		return;
	w->limit_ns = w->delay_ns + group->ramp_ns + runtime_ns;
	if (group->runtime_ns > 0 && w->delay_ns + runtime_ns >= group->runtime_ns)
		w->limit_ns += GRACE_NS;
}

static uint64_t
delay_of(const struct job *job, uint64_t seed)
{
	struct rng rng = { .state = seed };

	if (job->delay_max_ns <= job->delay_min_ns)
		return job->delay_min_ns;
	return job->delay_min_ns + rng_below(&rng, job->delay_max_ns - job->delay_min_ns);
}

static bool
plan_job(struct run_plan *p, const struct run_options *o, const struct job *job, unsigned group, size_t *at, char *why, size_t size)
{
	unsigned clones = clones_of(job, o), depth = o->depth > 0 ? o->depth : job->iodepth;
	uint64_t seed = job->randrepeat || job->randseed > 0 ? job->randseed : rng_seed();
	struct worker_plan plan = { .job = job, .target = o->target, .group = group, .depth = depth > 0 ? depth : 1 };
	char reason[sizeof(p->engine_why)];

	if (clones == 0)
		return true;
	if (plan.depth > UINT16_MAX) {
		snprintf(why, size, "%s: a depth of %u is more than %u", job->name, plan.depth, UINT16_MAX);
		return false;
	}
	plan.engine = engine_choose(job->engine, o->target, reason, sizeof(reason));
	if (p->engine_why[0] == '\0')
		snprintf(p->engine_why, sizeof(p->engine_why), "%s", reason);
	for (unsigned i = 0; i < clones; i++, (*at)++) {
		struct run_worker *info = &p->infos[*at];

		if (!area_of(job, o, i, &plan.area_start, &plan.area_bytes, why, size))
			return false;
		p->first = plan.area_start < p->first ? plan.area_start : p->first;
		p->end = later(p->end, plan.area_start + plan.area_bytes);
		*info = (struct run_worker){ .uid = object_next_uid(), .job = job, .depth = plan.depth,
			.engine = plan.engine->name, .group = group };
		snprintf(info->name, sizeof(info->name), clones > 1 ? "%.48s #%u" : "%.48s", job->name, i + 1);
		plan.name = info->name;
		plan.seed = rng_mix(seed + *at);
		plan.delay_ns = delay_of(job, plan.seed);
		p->workers[*at] = plan;
	}
	return true;
}

int
run_plan_make(struct run_plan *p, const struct run_options *o, char *why, size_t size)
{
	unsigned group = 0;
	size_t at = 0;

	*p = (struct run_plan){ .first = UINT64_MAX };
	plan_groups(p, o);
	p->workers = xcalloc(p->n_workers, sizeof(*p->workers));
	p->infos = xcalloc(p->n_workers, sizeof(*p->infos));
	for (size_t i = 0; i < o->jobs->n_jobs; i++) {
		const struct job *job = &o->jobs->jobs[i];

		group += job->stonewall && i > 0;
		if (!plan_job(p, o, job, group, &at, why, size)) {
			run_plan_free(p);
			return -EINVAL;
		}
	}
	end_by_amount(p, o);
	for (size_t i = 0; i < p->n_workers; i++)
		plan_limit(&p->workers[i], &p->groups[p->workers[i].group], o);
	return 0;
}

static uint64_t
memory_of(const struct run_plan *p)
{
	uint64_t sum = 0;

	/* Of less than 2^16 slots of at most 2^30 bytes, and of so many workers: no sum is too large. */
	for (size_t i = 0; i < p->n_workers; i++)
		sum += p->workers[i].depth * ((uint64_t)job_largest_block(p->workers[i].job) + SLOT_BYTES) +
		    sizeof(struct load_counters) + WORKER_BYTES;
	return sum;
}

bool
run_plan_fits(const struct run_plan *p, uint64_t available, char *why, size_t size)
{
	uint64_t wanted = memory_of(p);

	/* The rest of the program, and others, need some too. */
	if (wanted <= available - available / 8)
		return true;
	snprintf(why, size, "not enough memory: buffers for depth x block size of all workers take %llu MiB, of %llu MiB "
	    "available: fewer workers, less depth or smaller blocks", (unsigned long long)(wanted >> 20),
	    (unsigned long long)(available >> 20));
	return false;
}

void
run_plan_free(struct run_plan *p)
{
	free(p->workers);
	free(p->infos);
	free(p->groups);
	*p = (struct run_plan){ 0 };
}
