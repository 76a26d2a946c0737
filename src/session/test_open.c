#include "session/test_open.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/xalloc.h"
#include "session/aside.h"
#include "session/test_amount.h"

/* For how long a target may take to be let go. A test file of a live disk is removed in much less. */
#define CLOSE_NS (2 * NS_PER_S)

enum answer { NOT_ASKED, ASKED, YES, NO };

struct errand {		/* the thread's while it works, but for the question */
	struct aside *aside;
	struct test_request request;
	char *workload, *target, *name, *destroy, *store_path;
	struct opened opened;
	pthread_mutex_t lock;
	pthread_cond_t answered;
	enum answer answer;
	struct target_facts facts;
	char amount[TEST_AMOUNT];
	const char *wants;	/* valid while the question is open */
};

struct opening {
	struct aside *aside;
	struct errand *errand;
	bool taken;
	uint64_t since_ns;
	bool (*confirm)(void *, const struct target_facts *, const char *, const char *);
	void *confirm_arg;
};

/* ---- in the thread ---- */

static bool
ask(void *arg, const struct target_facts *facts, const char *wants)
{
	struct errand *e = arg;
	bool yes;

	pthread_mutex_lock(&e->lock);
	if (e->answer == NOT_ASKED) {
		e->facts = *facts;
		test_amount(&e->opened.plan, &e->request, facts, e->amount, sizeof(e->amount));
		e->wants = wants;
		e->answer = ASKED;
		aside_tell(e->aside);
	}
	while (e->answer == ASKED)
		pthread_cond_wait(&e->answered, &e->lock);
	yes = e->answer == YES;
	e->answer = yes ? NOT_ASKED : NO;
	pthread_mutex_unlock(&e->lock);
	return yes;
}

static int
open_target(struct errand *e, struct opened *o)
{
	const struct test_request *r = &e->request;
	struct target_request request = {
		.name = r->target,
		.writes = o->plan.writes,
		.buffered = o->plan.buffered,
		.size_bytes = r->size_bytes != 0 ? r->size_bytes : o->plan.span_bytes,
		.block = o->plan.smallest_block,
		.destroy = r->destroy,
		.in_use = r->in_use,
		.keep = r->keep,
		.confirm = r->confirm != NULL ? ask : NULL,
		.confirm_arg = e,
	};

	return target_open(&request, &o->target, o->why, sizeof(o->why));
}

static void
find_store(const char *path, char *device, size_t size)
{
	struct target_facts facts;

	if (path != NULL && target_describe(path, &facts) == 0)
		snprintf(device, size, "%s", facts.device);
}

static void
work(struct aside *aside, void *arg)
{
	struct errand *e = arg;
	struct opened *o = &e->opened;

	e->aside = aside;
	o->status = test_plan_make(&o->plan, &e->request, o->why, sizeof(o->why));
	if (o->status == 0)
		o->status = open_target(e, o);
	if (o->status == 0)
		find_store(e->store_path, o->store_device, sizeof(o->store_device));
}

static void
drop(void *arg)
{
	struct errand *e = arg;

	target_close(e->opened.target);
	test_plan_clear(&e->opened.plan);
	pthread_mutex_destroy(&e->lock);
	pthread_cond_destroy(&e->answered);
	free(e->workload);
	free(e->target);
	free(e->name);
	free(e->destroy);
	free(e->store_path);
	free(e);
}

/* ---- in the main thread ---- */

static char *
copy(const char *text)
{
	return text != NULL ? xstrdup(text) : NULL;
}

static struct errand *
new_errand(const struct test_request *request, const char *store_path)
{
	struct errand *e = xcalloc(1, sizeof(*e));

	e->request = *request;
	e->request.workload = e->workload = copy(request->workload);
	e->request.target = e->target = copy(request->target);
	e->request.name = e->name = copy(request->name);
	e->request.destroy = e->destroy = copy(request->destroy);
	e->store_path = copy(store_path);
	pthread_mutex_init(&e->lock, NULL);
	pthread_cond_init(&e->answered, NULL);
	return e;
}

struct opening *
opening_start(const struct test_request *request, const char *store_path)
{
	struct opening *o = xcalloc(1, sizeof(*o));

	o->since_ns = clock_ns();
	o->confirm = request->confirm;
	o->confirm_arg = request->confirm_arg;
	o->errand = new_errand(request, store_path);
	o->aside = aside_start(work, drop, o->errand);
	if (o->aside != NULL)
		return o;
	drop(o->errand);
	free(o);
	return NULL;
}

int
opening_fd(const struct opening *o)
{
	return aside_fd(o->aside);
}

uint64_t
opening_ns(const struct opening *o)
{
	return clock_ns() - o->since_ns;
}

static void
set_answer(struct errand *e, enum answer answer)
{
	pthread_mutex_lock(&e->lock);
	e->answer = answer;
	pthread_cond_broadcast(&e->answered);
	pthread_mutex_unlock(&e->lock);
}

static bool
is_asked(struct errand *e)
{
	bool asked;

	pthread_mutex_lock(&e->lock);
	asked = e->answer == ASKED;
	pthread_mutex_unlock(&e->lock);
	return asked;
}

bool
opening_step(struct opening *o, struct opened *out)
{
	struct errand *e = o->errand;
	bool done = aside_done(o->aside);

	/* It waits, so what it asks about does not change. */
	if (!done && is_asked(e))
		set_answer(e, o->confirm(o->confirm_arg, &e->facts, e->amount, e->wants) ? YES : NO);
	if (!done)
		return false;
	*out = e->opened;
	e->opened = (struct opened){ .status = 0 };
	return true;
}

void
opening_free(struct opening *o)
{
	if (o == NULL)
		return;
	set_answer(o->errand, NO);
	if (aside_end(o->aside))
		drop(o->errand);
	free(o);
}

/* ---- letting go ---- */

struct parting {	/* the thread's while it works */
	struct target *target;
	char path[512];
	bool keep;
	int error;	/* 0, or -errno */
};

struct closing {
	struct aside *aside;	/* NULL: done at once, without a thread */
	struct parting *parting;
	uint64_t until_ns;
};

static void
let_go(struct aside *aside, void *arg)
{
	struct parting *p = arg;

	(void)aside;
	p->error = target_close(p->target);
}

struct closing *
closing_start(struct target *target)
{
	struct closing *c = xcalloc(1, sizeof(*c));

	c->parting = xcalloc(1, sizeof(*c->parting));
	*c->parting = (struct parting){ .target = target, .keep = target->keep };
	snprintf(c->parting->path, sizeof(c->parting->path), "%s", target->facts.path);
	c->until_ns = clock_ns() + CLOSE_NS;
	c->aside = aside_start(let_go, free, c->parting);
	if (c->aside == NULL)
		let_go(NULL, c->parting);
	return c;
}

int
closing_fd(const struct closing *c)
{
	return c->aside != NULL ? aside_fd(c->aside) : -1;
}

bool
closing_over(struct closing *c)
{
	return c->aside == NULL || aside_done(c->aside) || clock_ns() >= c->until_ns;
}

/* A file that somebody else took away, or put another in the place of, is not missed. */
static bool
tell_parting(const struct parting *p, char *why, size_t size)
{
	if (p->error == 0 || p->error == -ENOENT || p->error == -ESTALE)
		return true;
	snprintf(why, size, "%s: %s: %s", p->path, p->keep ? "the test file could not be marked to be used again" :
	    "the test file is still there, it cannot be removed", strerror(-p->error));
	return false;
}

bool
closing_end(struct closing *c, char *why, size_t size)
{
	bool well = true;

	if (c == NULL)
		return true;
	if (c->aside != NULL) {
		uint64_t now = clock_ns();

		snprintf(why, size, "%s does not answer: a test file may be left there", c->parting->path);
		aside_wait(c->aside, c->until_ns > now ? c->until_ns - now : 0);
		well = aside_end(c->aside);
	}
	if (well) {
		well = tell_parting(c->parting, why, size);
		free(c->parting);
	}
	if (well && size > 0)
		why[0] = '\0';
	free(c);
	return well;
}
