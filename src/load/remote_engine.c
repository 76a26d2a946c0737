#include "load/remote_engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/clock.h"
#include "core/xalloc.h"

static struct remote_engine *
ours(struct engine *engine)
{
	return (struct remote_engine *)engine;
}

void
remote_engine_init(struct remote_engine *e, const struct engine_ops *ops, const struct engine_args *args,
    int (*start)(struct remote_engine *, struct io *))
{
	e->engine.ops = ops;
	e->remote = remote_ref(args->remote);
	e->start = start;
	e->may_write = engine_may_write(args);
	e->done.cap = args->depth;
	e->done.ios = xcalloc(args->depth, sizeof(struct io *));
}

void
remote_engine_free(struct remote_engine *e)
{
	remote_unref(e->remote);
	free(e->done.ios);
}

void
remote_engine_done(struct remote_engine *e, struct io *io)
{
	done_put(&e->done, io);
	e->in_flight--;
}

void
remote_engine_words(struct remote_engine *e, const char *words)
{
	remote_wire_well(e->wire);
	if (e->engine.words[0] == '\0')
		snprintf(e->engine.words, sizeof(e->engine.words), "%s", words);
}

/* The error of a connection that is lost, in words too; 0: it stands. */
static int
lost(struct remote_engine *e)
{
	if (e->wire->dead != 0)
		snprintf(e->engine.words, sizeof(e->engine.words), "the connection to the %s is lost: %.120s", e->wire->ops->peer,
		    remote_wire_why(e->wire, e->wire->dead));
	return e->wire->dead;
}

int
remote_engine_submit(struct engine *engine, struct io *const *ios, unsigned n)
{
	struct remote_engine *e = ours(engine);

	if (engine_refuses(e->may_write, ios, n))
		return -EPERM;
	if (lost(e) != 0)
		return e->wire->dead;
	e->submitted = true;
	for (unsigned i = 0; i < n; i++) {
		e->in_flight++;
		if (e->start(e, ios[i]) < 0) {
			ios[i]->result = -EIO;
			remote_engine_done(e, ios[i]);
		}
	}
	return (int)n;
}

/*
 * A connection that broke is told first, as what ended the run; what was in flight on it comes after, with errors.
 */
int
remote_engine_reap(struct engine *engine, struct io **out, unsigned min, unsigned max, uint64_t deadline_ns)
{
	struct remote_engine *e = ours(engine);

	/* What was submitted goes out before anything is waited for. */
	remote_wire_send(e->wire);
	do {
		if (e->done.n < min || min == 0)
			remote_wire_wait(e->wire, min == 0 ? 0 : deadline_ns);
	} while (e->done.n < min && e->wire->dead == 0 && clock_ns() < deadline_ns);
	if (!e->told && lost(e) != 0) {
		e->told = true;
		return e->wire->dead;
	}
	return (int)done_take(&e->done, out, max);
}

void
remote_engine_idle(struct engine *engine)
{
	struct remote_engine *e = ours(engine);

	e->submitted = false;
	remote_wire_wait(e->wire, 0);
	remote_wire_send(e->wire);
}
