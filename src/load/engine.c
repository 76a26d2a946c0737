/* Which engine does a job's I/O. */
#include "load/engine.h"

#include <stdio.h>
#include <string.h>

#include "config.h"
#include "load/engine_util.h"
#include "load/remote.h"

const struct engine_ops *const engine_table[] = { &engine_uring, &engine_aio, &engine_psync, &engine_null, NULL };

static const struct engine_ops *const wanted[] = {
	[ENGINE_AUTO] = &engine_uring,
	[ENGINE_URING] = &engine_uring,
	[ENGINE_AIO] = &engine_aio,
	[ENGINE_PSYNC] = &engine_psync,
	[ENGINE_NULL] = &engine_null,
};

/* Nothing has a target of a kind that is not built in. */
static const struct engine_ops *const remote_engines[] = {
#ifdef HAVE_LIBNFS
	[REMOTE_NFS] = &engine_nfs,
#endif
#ifdef HAVE_LIBISCSI
	[REMOTE_ISCSI] = &engine_iscsi,
#endif
	[REMOTE_NONE] = NULL,
};

/* The first from `first` on that is usable; psync always is. The reason of the first that is not is kept. */
static const struct engine_ops *
first_usable(const struct engine_ops *first, char *why, size_t size)
{
	size_t i = 0;

	while (engine_table[i] != first)
		i++;
	for (; engine_table[i + 1] != NULL; i++) {
		char reason[160] = "";

		if (engine_table[i]->usable == NULL || engine_table[i]->usable(reason, sizeof(reason)))
			break;
		if (why[0] == '\0')
			snprintf(why, size, "%s not usable: %s", engine_table[i]->name, reason);
	}
	return engine_table[i];
}

const struct engine_ops *
engine_choose(enum job_engine engine, const struct target *target, char *why, size_t size)
{
	if (size > 0)
		why[0] = '\0';
	if (target->facts.kind == TARGET_NULL)
		return &engine_null;
	if (target->remote != NULL)
		return remote_engines[target->remote->kind];
	return first_usable(wanted[engine], why, size);
}

bool
engine_may_write(const struct engine_args *args)
{
	return args->grant != NULL && (args->remote != NULL ? grant_covers_remote(args->grant, args->remote) :
	    grant_covers(args->grant, args->fd));
}

bool
engine_refuses(bool may_write, struct io *const *ios, unsigned n)
{
	if (may_write)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (ios[i]->dir != IO_READ)
			return true;
	return false;
}

void
engine_note(struct engine *engine, const char *what, const char *why)
{
	if (engine->note[0] == '\0')
		snprintf(engine->note, sizeof(engine->note), "%s: %s", what, why);
}
