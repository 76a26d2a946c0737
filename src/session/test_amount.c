#include "session/test_amount.h"

#include <stdio.h>

#include "core/clock.h"
#include "core/format.h"
#include "load/feed.h"
#include "load/run_plan.h"

struct amount {
	uint64_t bytes;		/* UINT64_MAX: no limit but the time */
	uint64_t first, end;	/* all of it lies between */
	uint64_t ns;		/* of the steps that write; UINT64_MAX: not known */
};

/* As a worker takes it: what is time_based and has a time goes on. */
static uint64_t
of_worker(const struct worker_plan *w)
{
	const struct job *job = w->job;
	uint64_t bytes, most, loops = job->loops > 0 ? job->loops : 1;

	if (job->time_based && w->limit_ns != UINT64_MAX)
		return UINT64_MAX;
	bytes = feed_amount(job, w->area_bytes);
	if (job->number_ios > 0 && !__builtin_mul_overflow(job->number_ios, job_largest_block(job), &most) &&
	    !__builtin_mul_overflow(most, loops, &most) && most < bytes)
		bytes = most;
	return bytes;
}

static uint64_t
add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t
of_groups(const struct run_plan *p)
{
	uint64_t ns = 0;

	for (size_t g = 0; g < p->n_groups; g++)
		ns = p->groups[g].runtime_ns > 0 ? add(ns, p->groups[g].ramp_ns + p->groups[g].runtime_ns) : UINT64_MAX;
	return ns;
}

static bool
add_step(struct amount *a, const struct test_plan *plan, unsigned step, const struct test_request *request, struct target *target)
{
	struct run_options options;
	struct run_plan p;
	char why[256];

	test_step_options(plan, step, request, target, &options);
	if (run_plan_make(&p, &options, why, sizeof(why)) != 0)
		return false;
	for (size_t i = 0; i < p.n_workers; i++) {
		const struct worker_plan *w = &p.workers[i];

		if (!job_one_writes(w->job))
			continue;
		a->bytes = add(a->bytes, of_worker(w));
		a->first = w->area_start < a->first ? w->area_start : a->first;
		a->end = w->area_start + w->area_bytes > a->end ? w->area_start + w->area_bytes : a->end;
	}
	a->ns = add(a->ns, of_groups(&p));
	run_plan_free(&p);
	return true;
}

void
test_amount(const struct test_plan *plan, const struct test_request *request, const struct target_facts *facts, char *out, size_t size)
{
	struct target target = { .facts = *facts, .fd = -1, .area_bytes = facts->size_bytes };
	struct amount a = { .first = UINT64_MAX };
	char bytes[FORMAT_MAX], area[FORMAT_MAX], time[40] = "until it is stopped";

	out[0] = '\0';
	for (unsigned i = 0; i < plan->n_steps; i++)
		if (!add_step(&a, plan, i, request, &target))
			return;
	if (a.bytes == 0)
		return;
	format_bytes(bytes, (double)a.bytes);
	format_bytes(area, (double)(a.end - a.first));
	if (a.ns != UINT64_MAX)
		snprintf(time, sizeof(time), "for %.0f s", (double)a.ns / NS_PER_S);
	if (a.bytes == UINT64_MAX)
		snprintf(out, size, "any part of it, up to %s, again and again %s", area, time);
	else if (a.bytes > a.end - a.first)
		snprintf(out, size, "at most %s, within %s of it", bytes, area);
	else
		snprintf(out, size, "at most %s", bytes);
}
