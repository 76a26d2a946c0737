/* No I/O at all: what the load generator itself costs. */
#include <errno.h>
#include <stdlib.h>

#include "core/xalloc.h"
#include "load/engine_util.h"

struct null_engine {
	struct engine engine;
	struct done_list done;
};

static int
null_open(struct engine **out, const struct engine_args *args)
{
	struct null_engine *null = xcalloc(1, sizeof(*null));

	null->engine.ops = &engine_null;
	null->done.cap = args->depth;
	null->done.ios = xcalloc(args->depth, sizeof(struct io *));
	*out = &null->engine;
	return 0;
}

/* A write goes nowhere, so it needs no grant. */
static int
null_submit(struct engine *engine, struct io *const *ios, unsigned n)
{
	struct null_engine *null = (struct null_engine *)engine;

	for (unsigned i = 0; i < n; i++) {
		ios[i]->result = (int32_t)ios[i]->bytes;
		done_put(&null->done, ios[i]);
	}
	return (int)n;
}

static int
null_reap(struct engine *engine, struct io **out, unsigned min, unsigned max, uint64_t deadline_ns)
{
	struct null_engine *null = (struct null_engine *)engine;

	(void)min;
	(void)deadline_ns;
	return (int)done_take(&null->done, out, max);
}

static void
null_close(struct engine *engine)
{
	struct null_engine *null = (struct null_engine *)engine;

	free(null->done.ios);
	free(null);
}

const struct engine_ops engine_null = {
	.name = "null",
	.open = null_open,
	.submit = null_submit,
	.reap = null_reap,
	.close = null_close,
};
