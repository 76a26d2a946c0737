#include <errno.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/configure.h"
#include "db/store.h"
#include "sampler/sampler.h"

static void
warn_once_stopped(struct sink *store, bool *said)
{
	struct store_status status;

	if (store == NULL || *said)
		return;
	store_status(store, &status);
	if (status.state != STORE_STOPPED)
		return;
	*said = true;
	cmd_warn("recording stopped: %s", status.reason);
}

/* Rows until the end; the exit status. */
static int
pump(const struct options *o, struct sampler *sampler, struct sink *text, struct sink *store)
{
	struct source *live = sampler_source(sampler, cmd_stop_fd);
	char troubles[CMD_TROUBLES_MAX] = "";
	bool said = false;

	for (uint64_t rows = 0; o->rows == 0 || rows < o->rows; rows++) {
		struct interval *interval;
		int status, rc = source_next(live, &interval);

		if (rc == -EINTR)	/* without -n this is how it ends */
			return o->rows == 0 ? 0 : 130;
		if (rc < 0) {
			cmd_warn("%s", source_error(live));
			return 1;
		}
		cmd_say_troubles(sampler, troubles);
		if (store != NULL)
			sink_put(store, interval);
		status = cmd_text_put(text, interval);
		interval_unref(interval);
		if (status >= 0)
			return status;
		warn_once_stopped(store, &said);
	}
	return 0;
}

/* -b records only where --db says so. */
static bool
records(const struct options *o)
{
	return o->db != NULL && !o->no_record;
}

/* What the configuration says of retention counts for whoever records. NULL: not recording. */
static struct sink *
open_store(const struct options *o, const struct env *env, const struct configure *configure)
{
	if (!records(o))
		return NULL;
	if (configure->why[0] != '\0')
		cmd_warn("%s: %s", configure->path, configure->why);
	return cmd_open_store(o, env, &configure->settings);
}

int
cmd_batch(const struct options *o, struct env *env)
{
	struct configure configure = { .save_fd = -1 };
	struct sampler *sampler;
	struct sink *text, *store;
	char host[256];
	int status = 0;

	/* Whoever only prints does not wait for a home directory. */
	if (o->config != NULL || records(o))
		status = configure_open(&configure, o, env);
	if (status != 0)
		goto out;
	status = 1;
	env->detail_budget_ns = UINT64_MAX;	/* the header is written once: names and depths must be known */
	/* The interval is the command line's alone: a script gets the same rows whoever runs it. */
	sampler = sampler_open(env, probe_table, o->interval_ns);
	if (sampler == NULL) {
		cmd_warn("no timer: %s", strerror(errno));
		goto out;
	}
	cmd_host_name(env, host, sizeof(host));
	text = cmd_text_sink(o, host);
	store = open_store(o, env, &configure);
	status = pump(o, sampler, text, store);
	sink_close(text);
	sink_close(store);
	sampler_close(sampler);
out:
	configure_close(&configure);
	return status;
}
