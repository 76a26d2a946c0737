#include "session/test_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/xalloc.h"
#include "load/workload.h"

static struct job_file *
load_jobs(const struct workload *built_in, const char *name, char *why, size_t size)
{
	const struct workload *near = built_in == NULL ? workload_nearest(name) : NULL;

	if (built_in != NULL)
		return job_parse(built_in->name, built_in->text, strlen(built_in->text), why, size);
	if (strchr(name, '/') == NULL && access(name, F_OK) < 0) {
		snprintf(why, size, "%s: there is no such workload, and no such file%s%s%s", name, near != NULL ? "; did you mean " : "",
		    near != NULL ? near->name : "", near != NULL ? "?" : "");
		return NULL;
	}
	return job_load(name, why, size);
}

static struct test_step *
add_step(struct test_plan *plan, const char *workload)
{
	struct test_step *step;

	plan->steps = xreallocarray(plan->steps, plan->n_steps + 1, sizeof(*plan->steps));
	step = &plan->steps[plan->n_steps++];
	*step = (struct test_step){ .runtime_ns = UINT64_MAX, .ramp_ns = UINT64_MAX };
	snprintf(step->workload, sizeof(step->workload), "%s", workload);
	return step;
}

/* Built-ins are quick unless they are to be full; a file keeps what it says; what was asked for goes first. */
static void
set_times(struct test_step *step, const struct workload *built_in, const struct test_request *request)
{
	if (built_in != NULL)
		step->quick = workload_times(built_in, request->full, &step->runtime_ns, &step->ramp_ns);
	if (request->runtime_ns != UINT64_MAX) {
		step->runtime_ns = request->runtime_ns;
		step->quick = built_in != NULL && request->runtime_ns < built_in->full_s * NS_PER_S;
	}
	if (request->ramp_ns != UINT64_MAX)
		step->ramp_ns = request->ramp_ns;
}

static void
add_steps(struct test_plan *plan, const struct workload *built_in, const struct test_request *request)
{
	const char *name = built_in != NULL ? built_in->name : plan->jobs->name;
	char label[128];

	if (built_in != NULL && built_in->depths != NULL) {
		for (const unsigned *depth = built_in->depths; *depth != 0; depth++) {
			snprintf(label, sizeof(label), "%s depth %u", name, *depth);
			add_step(plan, label)->depth = *depth;
		}
	} else if (built_in != NULL && built_in->steady_rounds > 0) {
		plan->until_steady = true;
		for (unsigned round = 1; round <= built_in->steady_rounds; round++) {
			snprintf(label, sizeof(label), "%s round %u", name, round);
			add_step(plan, label);
		}
	} else {
		add_step(plan, name);
	}
	for (size_t i = 0; i < plan->n_steps; i++) {
		snprintf(plan->steps[i].name, sizeof(plan->steps[i].name), "%s", name);
		set_times(&plan->steps[i], built_in, request);
		/* One ramp is enough where the load goes on with the same pattern. */
		if (plan->until_steady && i > 0 && request->ramp_ns == UINT64_MAX)
			plan->steps[i].ramp_ns = 0;
	}
}

static void
repeat(struct test_plan *plan, unsigned times)
{
	size_t n = plan->n_steps;

	plan->steps = xreallocarray(plan->steps, n * (times > 1 ? times : 1), sizeof(*plan->steps));
	for (; times > 1; times--, plan->n_steps += n)
		memcpy(plan->steps + plan->n_steps, plan->steps, n * sizeof(*plan->steps));
}

/* Where the last clone of a job ends; 0 where that is a share of the target, or all of it. */
static uint64_t
job_end(const struct job *job)
{
	uint64_t size = job->size.bytes, further, end;
	bool shares = job->size.pct > 0 || job->offset.pct > 0 || job->offset_increment.pct > 0;

	if (shares || size == 0 || job->numjobs == 0 ||
	    __builtin_mul_overflow(job->offset_increment.bytes, job->numjobs - 1, &further) ||
	    __builtin_add_overflow(job->offset.bytes, further, &further) || __builtin_add_overflow(size, further, &end))
		return 0;
	return end;
}

/* A test file need not be larger, and is laid out whole. One job that says nothing makes it the target's usual size. */
static uint64_t
span_of(const struct test_plan *plan)
{
	uint64_t span = 0;

	for (size_t i = 0; i < plan->jobs->n_jobs; i++) {
		uint64_t end = job_end(&plan->jobs->jobs[i]);

		if (end == 0)
			return 0;
		if (end > span)
			span = end;
	}
	return span;
}

static void
look_at_jobs(struct test_plan *plan)
{
	uint32_t smallest = UINT32_MAX;

	plan->writes = job_writes(plan->jobs);
	for (size_t i = 0; i < plan->jobs->n_jobs; i++) {
		const struct job *job = &plan->jobs->jobs[i];

		plan->buffered = plan->buffered || (job->numjobs > 0 && !job->direct);
		if (job_smallest_io(job) < smallest)
			smallest = job_smallest_io(job);
	}
	plan->smallest_block = smallest < UINT32_MAX ? smallest : 0;
	plan->span_bytes = span_of(plan);
}

int
test_plan_make(struct test_plan *plan, const struct test_request *request, char *why, size_t size)
{
	const struct workload *built_in = workload_find(request->workload);

	*plan = (struct test_plan){ .jobs = load_jobs(built_in, request->workload, why, size) };
	if (plan->jobs == NULL)
		return 2;
	look_at_jobs(plan);
	add_steps(plan, built_in, request);
	repeat(plan, request->repeat);
	snprintf(plan->title, sizeof(plan->title), "%s", built_in != NULL ? built_in->title : plan->jobs->name);
	return 0;
}

void
test_step_options(const struct test_plan *plan, unsigned at, const struct test_request *request, struct target *target,
    struct run_options *out)
{
	const struct test_step *step = &plan->steps[at];

	*out = (struct run_options){
		.jobs = plan->jobs,
		.target = target,
		.runtime_ns = step->runtime_ns,
		.ramp_ns = step->ramp_ns,
		.size_bytes = request->size_bytes,
		.workers = request->workers,
		.depth = step->depth != 0 ? step->depth : request->depth,
	};
}

void
test_plan_clear(struct test_plan *plan)
{
	job_free(plan->jobs);
	free(plan->steps);
	*plan = (struct test_plan){ 0 };
}
