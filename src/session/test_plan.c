#include "session/test_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/xalloc.h"
#include "load/workload.h"

#define ERROR_LIMIT 100	/* I/O errors that end a run */

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

/* For the result: what was run, whatever becomes of the file. */
static char *
text_of(const struct workload *built_in, const char *name)
{
	char *text = NULL;
	size_t cap = 0;
	FILE *file;

	if (built_in != NULL)
		return xstrdup(built_in->text);
	file = fopen(name, "r");
	if (file == NULL)
		return NULL;
	if (getdelim(&text, &cap, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

static struct test_step *
add_step(struct test_plan *plan, const struct job_file *jobs, const char *workload)
{
	struct test_step *step;

	plan->steps = xreallocarray(plan->steps, plan->n_steps + 1, sizeof(*plan->steps));
	step = &plan->steps[plan->n_steps++];
	*step = (struct test_step){ .jobs = jobs, .runtime_ns = UINT64_MAX, .ramp_ns = UINT64_MAX };
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
add_steps(struct test_plan *plan, const struct workload *built_in, const struct job_file *jobs, const char *text,
    const struct test_request *request)
{
	const char *name = built_in != NULL ? built_in->name : jobs->name;
	size_t first = plan->n_steps;
	char label[128];

	if (built_in != NULL && built_in->depths != NULL) {
		for (const unsigned *depth = built_in->depths; *depth != 0; depth++) {
			snprintf(label, sizeof(label), "%s depth %u", name, *depth);
			add_step(plan, jobs, label)->depth = *depth;
		}
	} else if (built_in != NULL && built_in->steady_rounds > 0) {
		plan->until_steady = true;
		for (unsigned round = 1; round <= built_in->steady_rounds; round++) {
			snprintf(label, sizeof(label), "%s round %u", name, round);
			add_step(plan, jobs, label);
		}
	} else {
		add_step(plan, jobs, name);
	}
	for (size_t i = first; i < plan->n_steps; i++) {
		snprintf(plan->steps[i].name, sizeof(plan->steps[i].name), "%s", name);
		plan->steps[i].text = text;
		set_times(&plan->steps[i], built_in, request);
		/* One ramp is enough where the load goes on with the same pattern. */
		if (plan->until_steady && i > first && request->ramp_ns == UINT64_MAX)
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

static uint32_t
smallest_block(const struct job_pattern *p, uint32_t smallest)
{
	for (int dir = 0; dir < JOB_DIRS; dir++) {
		bool used = dir == IO_READ ? p->read_pct > 0 : p->read_pct < 100;

		if (used && p->n_split[dir] == 0 && p->bs[dir] > 0 && p->bs[dir] < smallest)
			smallest = p->bs[dir];
		if (used && p->align[dir] > 0 && p->align[dir] < smallest)
			smallest = p->align[dir];
		for (size_t i = 0; used && i < p->n_split[dir]; i++)
			if (p->split[dir][i].pct > 0 && p->split[dir][i].bytes < smallest)
				smallest = p->split[dir][i].bytes;
	}
	return smallest;
}

/* Where the last clone of a job ends; 0 where that is a share of the target, or all of it. */
static uint64_t
job_end(const struct job *job)
{
	uint64_t size = job->size.bytes > 0 ? job->size.bytes : job->filesize.bytes, further, end;
	bool shares = job->size.pct > 0 || job->filesize.pct > 0 || job->offset.pct > 0 || job->offset_increment.pct > 0;

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

	for (size_t f = 0; f < sizeof(plan->files) / sizeof(plan->files[0]); f++)
		for (size_t i = 0; plan->files[f] != NULL && i < plan->files[f]->n_jobs; i++) {
			uint64_t end = job_end(&plan->files[f]->jobs[i]);

			if (end == 0)
				return 0;
			if (end > span)
				span = end;
		}
	return span;
}

static void
look_at_jobs(struct test_plan *plan, const struct job_file *file)
{
	plan->writes = plan->writes || job_writes(file);
	for (size_t i = 0; i < file->n_jobs; i++) {
		const struct job *job = &file->jobs[i];

		plan->buffered = plan->buffered || (job->numjobs > 0 && !job->direct);
		plan->smallest_block = smallest_block(&job->pattern, plan->smallest_block);
		for (size_t p = 0; p < job->n_phases; p++)
			plan->smallest_block = smallest_block(&job->phases[p].pattern, plan->smallest_block);
	}
}

static int
add_workload(struct test_plan *plan, size_t at, const char *name, const struct test_request *request,
    void (*note)(const char *), char *why, size_t size)
{
	const struct workload *built_in = workload_find(name);
	struct job_file *jobs = load_jobs(built_in, name, why, size);

	if (jobs == NULL)
		return 2;
	plan->files[at] = jobs;
	plan->texts[at] = text_of(built_in, name);
	for (size_t i = 0; note != NULL && i < jobs->n_notes; i++)
		note(jobs->notes[i]);
	look_at_jobs(plan, jobs);
	add_steps(plan, built_in, jobs, plan->texts[at], request);
	snprintf(plan->title, sizeof(plan->title), "%s", built_in != NULL ? built_in->title : jobs->name);
	return 0;
}

int
test_plan_make(struct test_plan *plan, const struct test_request *request, void (*note)(const char *), char *why, size_t size)
{
	const struct workload *built_in = workload_find(request->workload);
	int status;

	*plan = (struct test_plan){ .smallest_block = UINT32_MAX };
	status = add_workload(plan, 0, request->workload, request, note, why, size);
	if (status == 0 && built_in != NULL && built_in->then != NULL)
		status = add_workload(plan, 1, built_in->then, request, note, why, size);
	if (status != 0) {
		test_plan_clear(plan);
		return status;
	}
	if (plan->smallest_block == UINT32_MAX)
		plan->smallest_block = 0;
	plan->span_bytes = span_of(plan);
	repeat(plan, request->repeat);
	return 0;
}

void
test_step_options(const struct test_step *step, const struct test_request *request, struct target *target, struct run_options *out)
{
	*out = (struct run_options){
		.jobs = step->jobs,
		.target = target,
		.runtime_ns = step->runtime_ns,
		.ramp_ns = step->ramp_ns,
		.size_bytes = request->size_bytes,
		.workers = request->workers,
		.depth = step->depth != 0 ? step->depth : request->depth,
		.error_limit = ERROR_LIMIT,
	};
}

void
test_plan_clear(struct test_plan *plan)
{
	for (size_t i = 0; i < 2; i++) {
		job_free(plan->files[i]);
		free(plan->texts[i]);
	}
	free(plan->steps);
	*plan = (struct test_plan){ 0 };
}
