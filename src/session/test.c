/*
 * A test from its plan to its results. The state of the run changes in test_step(); the tick taken then closes the interval that
 * belongs to the state before, so that what is summed is exactly what was measured.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/kinds/kinds.h"
#include "core/xalloc.h"
#include "db/runs.h"
#include "load/remote_servers.h"
#include "session/test_own.h"

/* A target that took no longer to be looked at is not spoken of. */
#define SILENT_NS (2 * NS_PER_S)

static const struct env machine = { .root = "" };

double
test_own_cpu_s(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)u.ru_utime.tv_sec + (double)u.ru_stime.tv_sec +
	    (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void
begin_cpu(struct test *t)
{
	t->cpu_at_s = test_own_cpu_s();
	if (t->target->servers != NULL)
		remote_servers_begin(&machine, t->target->servers);
}

static void
end_cpu(struct test *t)
{
	t->cpu_s += test_own_cpu_s() - t->cpu_at_s;
	if (t->target->servers != NULL)
		remote_servers_end(&machine, t->target->servers);
}

/* The run of the step at hand. 0, or 1 with the reason. */
static int
start_step(struct test *t, char *why, size_t size)
{
	struct run_options options;

	test_step_options(&t->plan, t->step, &t->request, t->target, &options);
	options.start_at_ms = t->step == 0 ? t->request.start_at_ms : 0;
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
	t->first_ms = t->last_ms = 0;
	snprintf(t->mark, sizeof(t->mark), "test %s on %s: begins", t->plan.steps[t->step].workload, t->target->facts.path);
	return 0;
}

/*
 * As it stands in the result, where nobody knows any more from where a relative name was meant. What is secret in a URL is for the
 * server alone.
 */
static char *
shown_name(const char *target)
{
	char shown[512], here[PATH_MAX];

	if (remote_kind(target) != REMOTE_NONE) {
		remote_shown(target, shown, sizeof(shown));
		return xstrdup(shown);
	}
	if (target[0] == '/' || strcmp(target, "null:") == 0 || getcwd(here, sizeof(here)) == NULL || here[0] != '/')
		return xstrdup(target);
	while (strncmp(target, "./", 2) == 0)
		target += 2;
	return strcmp(target, ".") == 0 ? xstrdup(here) : xasprintf("%s/%s", strcmp(here, "/") == 0 ? "" : here, target);
}

int
test_start(struct test **out, const struct test_place *place, const struct test_request *request,
    void (*note)(const char *), char *why, size_t size)
{
	struct test *t = xcalloc(1, sizeof(*t));

	t->place = *place;
	t->request = *request;
	t->workload = xstrdup(request->workload);
	t->target_name = shown_name(request->target);
	t->note = note;
	t->state = RUN_PREPARE;
	t->opening = opening_start(request, place->store_path);
	if (t->opening == NULL) {
		snprintf(why, size, "no thread can be started");
		t->ended = true;
		test_free(t);
		return 1;
	}
	*out = t;
	return 0;
}

int
test_fd(const struct test *t)
{
	if (t->opening != NULL)
		return opening_fd(t->opening);
	if (t->closing != NULL)
		return closing_fd(t->closing);
	return t->run != NULL ? run_fd(t->run) : -1;
}

/* Nothing was measured. */
static void
end_unopened(struct test *t, enum run_state state, int status)
{
	t->state = state;
	t->exit_status = status;
	t->ended = true;
}

static bool
step_opening(struct test *t)
{
	struct opened o;

	if (!opening_step(t->opening, &o))
		return false;
	opening_free(t->opening);
	t->opening = NULL;
	t->plan = o.plan;
	t->target = o.target;
	snprintf(t->store_device, sizeof(t->store_device), "%s", o.store_device);
	snprintf(t->why, sizeof(t->why), "%s", o.why);
	for (size_t i = 0; t->note != NULL && t->plan.jobs != NULL && i < t->plan.jobs->n_notes; i++)
		t->note(t->plan.jobs->notes[i]);
	if (o.status == 0 && start_step(t, t->why, sizeof(t->why)) != 0) {
		t->closing = closing_start(t->target);
		t->target = NULL;
		o.status = 1;
	}
	if (o.status != 0)
		end_unopened(t, RUN_FAILED, o.status);
	/* No tick of its own: the run's first, which may follow at once, would be too close to it to be taken. */
	return o.status != 0;
}

/* The target has been let go of, or is not waited for any longer. */
static void
step_closing(struct test *t)
{
	if (!closing_over(t->closing))
		return;
	closing_end(t->closing, t->leftover, sizeof(t->leftover));
	t->closing = NULL;
	t->state = t->outcome;
	t->ended = true;
}

bool
test_step(struct test *t)
{
	if (t->opening != NULL)
		return step_opening(t);
	if (t->closing != NULL && !t->ended) {
		step_closing(t);
		return t->ended;
	}
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
	struct result *r = test_result(t);
	enum run_state state = run_state(t->run);
	bool last;

	t->results = xreallocarray(t->results, t->n_results + 1, sizeof(*t->results));
	t->numbers = xreallocarray(t->numbers, t->n_results + 1, sizeof(*t->numbers));
	t->results[t->n_results] = r;
	t->numbers[t->n_results++] = test_store_result(t, r);
	t->wrote_bytes += r->total.write_bytes;
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
	t->outcome = state;
	t->state = RUN_DRAIN;
	t->exit_status = state == RUN_FAILED;
	snprintf(t->mark, sizeof(t->mark), "test %s on %s: %s", t->plan.steps[t->step].workload,
	    t->target->facts.path, run_state_name[state]);
	t->closing = closing_start(t->target);
	t->target = NULL;
}

void
test_feed(struct test *t, struct interval *v)
{
	enum run_state now;

	interval_unref(t->last);
	t->last = interval_ref(v);
	result_free(t->now);
	t->now = NULL;
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
		begin_cpu(t);
	else if (t->state == RUN_MEASURE)
		end_cpu(t);
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
	if (t->opening != NULL) {
		opening_free(t->opening);
		t->opening = NULL;
		snprintf(t->why, sizeof(t->why), "stopped while %s was looked at", t->target_name);
		end_unopened(t, RUN_STOPPED, 1);
		return;
	}
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

/* Before the plan is made only what was asked for is known. */
static void
name_step(struct test *t, struct test_status *s)
{
	const struct test_step *step = t->plan.n_steps > 0 ? &t->plan.steps[t->step] : NULL;
	const struct workload *built_in = workload_find(t->workload);

	snprintf(s->workload, sizeof(s->workload), "%s", step != NULL ? step->workload : t->workload);
	snprintf(s->title, sizeof(s->title), "%s", step != NULL ? t->plan.title : built_in != NULL ? built_in->title : t->workload);
	s->quick = step != NULL && step->quick;
	s->step = (unsigned)t->step + 1;
	s->steps = (unsigned)t->plan.n_steps;
}

static void
name_target(struct test *t, struct test_status *s)
{
	if (t->target != NULL)
		s->target = t->target->facts;
	else if (t->plan.n_steps == 0 || s->target.path[0] == '\0')
		snprintf(s->target.path, sizeof(s->target.path), "%s", t->target_name);
}

static const char *
status_why(struct test *t)
{
	if (t->opening != NULL && opening_ns(t->opening) > SILENT_NS)
		snprintf(t->why, sizeof(t->why), "%s has not answered for %.0f s", t->target_name,
		    (double)opening_ns(t->opening) / 1e9);
	return t->run != NULL ? run_why(t->run) : t->why[0] != '\0' ? t->why : t->leftover;
}

const struct test_status *
test_status(struct test *t)
{
	struct test_status *s = &t->status;

	s->state = t->run != NULL ? run_state(t->run) : t->state;
	name_step(t, s);
	name_target(t, s);
	s->done_ns = s->all_ns = 0;
	if (t->run != NULL) {
		s->engine = run_engine(t->run, &s->engine_why);
		run_progress(t->run, &s->done_ns, &s->all_ns);
	}
	s->sum = t->sum;
	s->last = t->last;
	s->test_uid = t->uid;
	s->device_uid = t->device_uid;
	s->result = t->ended && t->n_results > 0 ? t->results[t->n_results - 1] : NULL;
	s->run_id = t->n_results > 0 && t->numbers[t->n_results - 1] != NULL ? atomic_load(&t->numbers[t->n_results - 1]->id) : 0;
	s->exit_status = t->exit_status;
	s->why = status_why(t);
	s->leftover = t->leftover;
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
	opening_free(t->opening);
	if (t->target != NULL)
		t->closing = closing_start(t->target);
	closing_end(t->closing, t->leftover, sizeof(t->leftover));
	free(t->workload);
	free(t->target_name);
	interval_unref(t->sum);
	interval_unref(t->last);
	result_free(t->now);
	result_free(t->series);
	for (size_t i = 0; i < t->n_results; i++) {
		result_free(t->results[i]);
		test_drop_number(t->numbers[i]);
	}
	free(t->results);
	free(t->numbers);
	test_plan_clear(&t->plan);
	free(t);
}
