/*
 * From what a run measured to its result, and on to the store.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "config.h"
#include "core/clock.h"
#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "db/runs.h"
#include "load/remote_servers.h"
#include "session/test_own.h"

static bool
below_sector(const struct test *t)
{
	return t->plan.smallest_block > 0 && t->target->facts.logical_block > 0 &&
	    t->plan.smallest_block < t->target->facts.logical_block;
}

static void
fill_target(const struct test *t, struct result *r)
{
	const struct target_facts *f = &t->target->facts;
	static const char *const kinds[] = { [TARGET_NULL] = "null", [TARGET_DEVICE] = "device", [TARGET_FILE] = "file" };
	struct sysinfo info;

	/* A test file's own name is by chance. */
	snprintf(r->target.name, sizeof(r->target.name), "%s", f->kind == TARGET_FILE ? t->target_name : f->path);
	snprintf(r->target.kind, sizeof(r->target.kind), "%s", f->remote != REMOTE_NONE ? remote_name[f->remote] : kinds[f->kind]);
	snprintf(r->target.device, sizeof(r->target.device), "%s", f->device);
	snprintf(r->target.model, sizeof(r->target.model), "%s", f->model);
	r->target.size_bytes = (double)f->size_bytes;
	/* Whatever the job says: no page cache of this host is between it and the server. */
	r->buffered = t->plan.buffered && f->remote == REMOTE_NONE;
	r->sector_bytes = f->logical_block;
	r->block_bytes = t->plan.smallest_block;
	r->working_set_bytes = run_working_set(t->run) > 0 ? (double)run_working_set(t->run) : NAN;
	r->host_memory_bytes = sysinfo(&info) == 0 ? (double)info.totalram * info.mem_unit : NAN;
	r->array_cache_bytes = t->request.array_cache_bytes > 0 ? t->request.array_cache_bytes : NAN;
	r->unwritten = !t->target->written && f->kind != TARGET_NULL && (double)t->wrote_bytes < r->working_set_bytes;
	r->below_sector = below_sector(t);
	if (t->store_device[0] != '\0' && strcmp(t->store_device, f->device) == 0)
		r->warnings |= M(WARN_STORE_ON_TARGET);
}

/* Of the workers that run side by side, the most of any group. Groups come one after another, as in the plan. */
static unsigned
depth_of(const struct run *run)
{
	unsigned most = 0, sum = 0;

	for (size_t i = 0; i < run_workers(run); i++) {
		const struct run_worker *w = run_worker(run, i);

		sum = i > 0 && run_worker(run, i - 1)->group == w->group ? sum + w->depth : w->depth;
		most = sum > most ? sum : most;
	}
	return most;
}

/* Rows are in the order of the workers, and some may be missing: the search goes on from where the last one stood. */
static void
name_sections(const struct test *t, struct result *r)
{
	size_t workers = run_workers(t->run), at = 0;

	for (size_t i = 0; i < r->n_rows; i++)
		for (size_t k = 0; k < workers; k++, at = (at + 1) % workers)
			if (run_worker(t->run, at)->uid == r->rows[i].uid) {
				r->rows[i].section = run_worker(t->run, at)->group;
				break;
			}
}

static bool
has_phases(const struct job_file *jobs)
{
	bool phases = false;

	for (size_t i = 0; i < jobs->n_jobs; i++)
		phases = phases || jobs->jobs[i].n_phases > 1;
	return phases;
}

/* Where none was seen at work here, it is not known what serving took. */
static void
take_server(struct test *t, struct result *r)
{
	double cpu_s;

	if (t->target->servers == NULL)
		return;
	cpu_s = remote_servers_take(t->target->servers, r->server.names, sizeof(r->server.names));
	r->server.cpu_s = r->server.names[0] != '\0' ? cpu_s : NAN;
}

struct result *
test_result(struct test *t)
{
	const struct test_step *step = &t->plan.steps[t->step];
	struct result *r = result_new();
	const char *engine_why = "";
	double ios;

	r->started_ms = t->first_ms != 0 ? t->first_ms : clock_wall_ms();
	snprintf(r->stortop, sizeof(r->stortop), "%s", STORTOP_VERSION);
	snprintf(r->workload, sizeof(r->workload), "%s", step->name);
	snprintf(r->label, sizeof(r->label), "%s", t->request.name != NULL ? t->request.name : "");
	snprintf(r->engine, sizeof(r->engine), "%s", run_engine(t->run, &engine_why));
	snprintf(r->engine_why, sizeof(r->engine_why), "%s", engine_why != NULL ? engine_why : "");
	snprintf(r->state, sizeof(r->state), "%s", run_state_name[run_state(t->run)]);
	snprintf(r->why, sizeof(r->why), "%s", run_why(t->run));
	/* One that is too long is cut, and not ended. */
	if (gethostname(r->host, sizeof(r->host) - 1) != 0)
		r->host[0] = '\0';
	r->job_text = xstrdup(t->plan.jobs->text);
	r->quick = step->quick;
	r->phased = has_phases(t->plan.jobs);
	r->depth = depth_of(t->run);
	fill_target(t, r);
	r->series = t->series->series;
	r->n_series = t->series->n_series;
	t->series->series = NULL;
	t->series->n_series = 0;
	if (t->sum != NULL)
		result_measure(r, t->sum, t->uid, t->device_uid);
	name_sections(t, r);
	ios = (double)(r->total.reads + r->total.writes);
	r->cpu.us_per_io = ios > 0 ? t->cpu_s * 1e6 / ios : NAN;
	take_server(t, r);
	result_check(r);
	return r;
}

/* CPU time of an I/O since the measurement began, so that it does not wobble. */
static double
us_per_io_now(const struct test *t)
{
	const struct row *row = t->sum != NULL ? interval_row(t->sum, &kind_load, t->uid) : NULL;
	double ios = row != NULL ? row->cells[WORKER_READS] + row->cells[WORKER_WRITES] : 0;

	return t->state == RUN_MEASURE && ios > 0 ? (test_own_cpu_s() - t->cpu_at_s) * 1e6 / ios : NAN;
}

const struct result *
test_now(struct test *t)
{
	const struct test_step *step;
	const char *engine_why;
	struct result *r;

	if (t->run == NULL || t->last == NULL || interval_row(t->last, &kind_load, t->uid) == NULL)
		return NULL;
	if (t->now != NULL)
		return t->now;
	step = &t->plan.steps[t->step];
	r = t->now = result_new();
	snprintf(r->workload, sizeof(r->workload), "%s", step->name);
	snprintf(r->engine, sizeof(r->engine), "%s", run_engine(t->run, &engine_why));
	r->job_text = xstrdup(t->plan.jobs->text);
	r->phased = has_phases(t->plan.jobs);
	r->depth = depth_of(t->run);
	fill_target(t, r);
	result_measure(r, t->last, t->uid, t->device_uid);
	name_sections(t, r);
	r->cpu.us_per_io = us_per_io_now(t);
	r->steady = result_steady(t->series);
	result_check(r);
	return r;
}

void
test_drop_number(struct number *n)
{
	if (n != NULL && atomic_fetch_sub(&n->refs, 1) == 1)
		free(n);
}

static void
stored(void *arg, int64_t id)
{
	struct number *n = arg;

	atomic_store(&n->id, id);
	atomic_store(&n->told, true);
	test_drop_number(n);
}

struct number *
test_store_result(struct test *t, const struct result *r)
{
	struct number *n;

	if (t->place.store == NULL || t->sum == NULL)
		return NULL;
	n = xcalloc(1, sizeof(*n));
	atomic_store(&n->refs, 2);
	runs_put(t->place.store, r, t->first_ms, t->last_ms, stored, n);
	return n;
}
