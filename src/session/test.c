/*
 * A test from its plan to its results. The state of the run changes in test_step(); the tick taken then closes the interval that
 * belongs to the state before, so that what is summed is exactly what was measured.
 */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "config.h"
#include "core/clock.h"
#include "core/column.h"
#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "db/runs.h"
#include "session/test_plan.h"
#include "session/test_run.h"

/* The number that the store gives a result, told by its thread. Whoever of the two is the last frees it. */
struct number {
	_Atomic int64_t id;	/* 0: not told, or not stored */
	atomic_bool told;
	atomic_int refs;
};

struct test {
	struct test_place place;
	struct test_request request;
	struct test_plan plan;
	struct target *target;
	struct run *run;		/* of the step at hand; NULL between and after */
	size_t step;
	uint64_t uid, device_uid;
	enum run_state state;		/* as the intervals see it: changes after the tick */
	unsigned section;		/* likewise */
	bool stopping, ended;
	struct interval *sum, *last;
	struct result *series;		/* the ticks measured so far */
	double cpu_at_s, cpu_s;		/* our CPU time at the beginning of the measurement, and in it */
	int64_t first_ms, last_ms;
	char mark[768];			/* to be written into the next interval */
	struct result **results;
	struct number **numbers;	/* of the results, in the store; NULL where there is none */
	size_t n_results;
	struct test_status status;
	char why[256];
};

/* All threads of ours, those that the kernel runs for our io_uring too. */
static double
own_cpu_s(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)u.ru_utime.tv_sec + (double)u.ru_stime.tv_sec +
	    (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static int
open_target(struct test *t, char *why, size_t size)
{
	const struct test_request *r = &t->request;
	struct target_request request = {
		.name = r->target,
		.writes = t->plan.writes,
		.buffered = t->plan.buffered,
		.size_bytes = r->size_bytes != 0 ? r->size_bytes : t->plan.span_bytes,
		.block = t->plan.smallest_block,
		.destroy = r->destroy,
		.in_use = r->in_use,
		.keep = r->keep,
		.confirm = r->confirm,
		.confirm_arg = r->confirm_arg,
	};

	return target_open(&request, &t->target, why, size);
}

/* The run of the step at hand. 0, or 1 with the reason. */
static int
start_step(struct test *t, char *why, size_t size)
{
	const struct test_step *step = &t->plan.steps[t->step];
	struct run_options options = {
		.jobs = step->jobs,
		.target = t->target,
		.runtime_ns = step->runtime_ns,
		.ramp_ns = step->ramp_ns,
		.size_bytes = t->request.size_bytes,
		.workers = t->request.workers,
		.depth = step->depth != 0 ? step->depth : t->request.depth,
		.error_limit = 100,
		.start_at_ms = t->step == 0 ? t->request.start_at_ms : 0,
	};

	t->run = run_new(&options, why, size);
	if (t->run == NULL)
		return 1;
	t->uid = object_next_uid();
	t->place.board->run = t->run;
	t->place.board->test_uid = t->uid;
	t->state = run_state(t->run);
	t->section = run_section(t->run);
	interval_unref(t->sum);
	t->sum = NULL;
	result_free(t->series);
	t->series = result_new();
	t->cpu_s = 0;
	snprintf(t->mark, sizeof(t->mark), "test %s on %s: begins", step->workload, t->target->facts.path);
	return 0;
}

int
test_start(struct test **out, const struct test_place *place, const struct test_request *request,
    void (*note)(const char *), char *why, size_t size)
{
	struct test *t = xcalloc(1, sizeof(*t));
	int status;

	t->place = *place;
	t->request = *request;
	status = test_plan_make(&t->plan, request, note, why, size);
	if (status == 0)
		status = open_target(t, why, size);
	if (status == 0)
		status = start_step(t, why, size);
	if (status == 0) {
		*out = t;
		return 0;
	}
	t->ended = true;
	test_free(t);
	return status;
}

int
test_fd(const struct test *t)
{
	return t->run != NULL ? run_fd(t->run) : -1;
}

bool
test_step(struct test *t)
{
	return t->run != NULL && run_step(t->run);
}

void
test_mark(struct test *t, struct interval *v)
{
	if (t->mark[0] == '\0')
		return;
	interval_event(v, EVENT_TEST, NULL, "%s", t->mark);
	t->mark[0] = '\0';
}

/* The disk below the target: by name, since hot-plug may give it another object. */
static uint64_t
find_device(const struct test *t, const struct interval *v)
{
	const struct kind *const kinds[] = { &kind_disk, &kind_partition };

	for (size_t k = 0; k < 2 && t->target->facts.device[0] != '\0'; k++) {
		const struct interval_table *table = interval_table(v, kinds[k]);

		for (size_t i = 0; table != NULL && i < table->n; i++)
			if (strcmp(table->rows[i].object->name, t->target->facts.device) == 0)
				return kinds[k] == &kind_disk ? table->rows[i].object->uid : table->rows[i].object->parent;
	}
	return 0;
}

static void
add_measured(struct test *t, struct interval *v)
{
	struct interval *sum;

	if (t->sum == NULL) {
		t->sum = interval_ref(v);
		t->first_ms = v->end.wall_ms - (int64_t)(v->ns / 1000000);
		if (t->place.store != NULL)
			runs_hold(t->place.store, t->first_ms);
	} else {
		sum = interval_add(t->sum, v);
		interval_unref(t->sum);
		t->sum = sum;
	}
	t->last_ms = v->end.wall_ms;
	result_tick(t->series, v, t->uid, t->device_uid, t->section);
}

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
	snprintf(r->target.name, sizeof(r->target.name), "%s", f->kind == TARGET_FILE ? t->request.target : f->path);
	snprintf(r->target.kind, sizeof(r->target.kind), "%s", kinds[f->kind]);
	snprintf(r->target.device, sizeof(r->target.device), "%s", f->device);
	snprintf(r->target.model, sizeof(r->target.model), "%s", f->model);
	r->target.size_bytes = (double)f->size_bytes;
	r->buffered = t->plan.buffered;
	r->sector_bytes = f->logical_block;
	r->block_bytes = t->plan.smallest_block;
	r->working_set_bytes = run_working_set(t->run) > 0 ? (double)run_working_set(t->run) : NAN;
	r->host_memory_bytes = sysinfo(&info) == 0 ? (double)info.totalram * info.mem_unit : NAN;
	r->array_cache_bytes = t->request.array_cache_bytes > 0 ? t->request.array_cache_bytes : NAN;
	r->unwritten = !t->target->written && f->kind != TARGET_NULL;
	r->below_sector = below_sector(t);
	if (t->place.store != NULL && t->place.store_device[0] != '\0' && strcmp(t->place.store_device, f->device) == 0)
		r->warnings |= M(WARN_STORE_ON_TARGET);
}

/* Of the workers that run side by side, the most of any group. */
static unsigned
depth_of(const struct run *run)
{
	unsigned most = 0;

	for (size_t i = 0; i < run_workers(run); i++) {
		unsigned sum = 0;

		for (size_t k = 0; k < run_workers(run); k++)
			if (run_worker(run, k)->group == run_worker(run, i)->group)
				sum += run_worker(run, k)->depth;
		most = sum > most ? sum : most;
	}
	return most;
}

static void
name_sections(const struct test *t, struct result *r)
{
	for (size_t i = 0; i < r->n_rows; i++)
		for (size_t k = 0; k < run_workers(t->run); k++)
			if (run_worker(t->run, k)->uid == r->rows[i].uid)
				r->rows[i].section = run_worker(t->run, k)->group;
}

static struct result *
make_result(struct test *t)
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
	r->job_text = step->text != NULL ? xstrdup(step->text) : NULL;
	r->quick = step->quick;
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
	result_check(r);
	return r;
}

static void
drop_number(struct number *n)
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
	drop_number(n);
}

static struct number *
store_result(struct test *t, const struct result *r)
{
	struct number *n;

	if (t->place.store == NULL || t->sum == NULL)
		return NULL;
	n = xcalloc(1, sizeof(*n));
	atomic_store(&n->refs, 2);
	runs_put(t->place.store, r, t->first_ms, t->last_ms, stored, n);
	return n;
}

/* Rounds until steady end with the first five that are. */
static bool
rounds_steady(const struct test *t)
{
	return t->plan.until_steady &&
	    result_steady_runs((const struct result *const *)t->results, t->n_results).steady == STEADY_YES;
}

static void
end_step(struct test *t)
{
	struct result *r = make_result(t);
	enum run_state state = run_state(t->run);
	bool last;

	t->results = xreallocarray(t->results, t->n_results + 1, sizeof(*t->results));
	t->numbers = xreallocarray(t->numbers, t->n_results + 1, sizeof(*t->numbers));
	t->results[t->n_results] = r;
	t->numbers[t->n_results++] = store_result(t, r);
	snprintf(t->why, sizeof(t->why), "%s", run_why(t->run));
	t->place.board->run = NULL;
	run_free(t->run);
	t->run = NULL;
	last = state != RUN_DONE || t->stopping || t->step + 1 >= t->plan.n_steps || rounds_steady(t);
	if (!last) {
		t->step++;
		if (start_step(t, t->why, sizeof(t->why)) == 0)
			return;
		state = RUN_FAILED;
	}
	t->state = state;
	t->ended = true;
	snprintf(t->mark, sizeof(t->mark), "test %s on %s: %s", t->plan.steps[t->step].workload,
	    t->target->facts.path, run_state_name[state]);
	target_close(t->target);
	t->target = NULL;
}

void
test_feed(struct test *t, struct interval *v)
{
	enum run_state now;

	interval_unref(t->last);
	t->last = interval_ref(v);
	if (t->run == NULL)
		return;
	t->device_uid = find_device(t, v);
	if (t->state == RUN_MEASURE)
		add_measured(t, v);
	t->section = run_section(t->run);
	now = run_state(t->run);
	if (now == t->state)
		return;
	if (now == RUN_MEASURE)
		t->cpu_at_s = own_cpu_s();
	else if (t->state == RUN_MEASURE)
		t->cpu_s += own_cpu_s() - t->cpu_at_s;
	t->state = now;
	snprintf(t->mark, sizeof(t->mark), "test %s on %s: %s", t->plan.steps[t->step].workload, t->target->facts.path,
	    run_state_name[now]);
	if (now == RUN_DONE || now == RUN_STOPPED || now == RUN_FAILED)
		end_step(t);
}

bool
test_running(const struct test *t)
{
	return t != NULL && !t->ended;
}

void
test_stop(struct test *t)
{
	t->stopping = true;
	if (t->run != NULL)
		run_stop(t->run);
}

const struct result *const *
test_results(struct test *t, size_t *n)
{
	for (size_t i = 0; i < t->n_results; i++)
		if (t->numbers[i] != NULL)
			t->results[i]->id = atomic_load(&t->numbers[i]->id);
	*n = t->n_results;
	return (const struct result *const *)t->results;
}

bool
test_stored(const struct test *t)
{
	for (size_t i = 0; i < t->n_results; i++)
		if (t->numbers[i] != NULL && !atomic_load(&t->numbers[i]->told))
			return false;
	return true;
}

const struct test_status *
test_status(struct test *t)
{
	struct test_status *s = &t->status;
	const struct test_step *step = &t->plan.steps[t->step];

	s->state = t->run != NULL ? run_state(t->run) : t->state;
	snprintf(s->workload, sizeof(s->workload), "%s", step->workload);
	snprintf(s->title, sizeof(s->title), "%s", t->plan.title);
	if (t->target != NULL)
		s->target = t->target->facts;
	if (t->run != NULL) {
		s->engine = run_engine(t->run, &s->engine_why);
		run_progress(t->run, &s->done_ns, &s->all_ns);
	}
	s->quick = step->quick;
	s->step = (unsigned)t->step + 1;
	s->steps = (unsigned)t->plan.n_steps;
	s->sum = t->sum;
	s->last = t->last;
	s->test_uid = t->uid;
	s->device_uid = t->device_uid;
	s->result = t->ended && t->n_results > 0 ? t->results[t->n_results - 1] : NULL;
	s->run_id = t->n_results > 0 && t->numbers[t->n_results - 1] != NULL ? atomic_load(&t->numbers[t->n_results - 1]->id) : 0;
	s->why = t->run != NULL ? run_why(t->run) : t->why;
	return s;
}

void
test_free(struct test *t)
{
	if (t == NULL)
		return;
	if (t->run != NULL) {
		t->place.board->run = NULL;
		run_free(t->run);
	}
	if (t->target != NULL)
		target_close(t->target);
	interval_unref(t->sum);
	interval_unref(t->last);
	result_free(t->series);
	for (size_t i = 0; i < t->n_results; i++) {
		result_free(t->results[i]);
		drop_number(t->numbers[i]);
	}
	free(t->results);
	free(t->numbers);
	test_plan_clear(&t->plan);
	free(t);
}
