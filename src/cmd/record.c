/*
 * record: live -> store, without a screen. Ends when the recording does.
 */
#include <errno.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/configure.h"
#include "db/store.h"
#include "sampler/sampler.h"

/* What the store has to say that was not said yet; true when it has stopped. */
static bool
report(struct sink *store, enum store_state *last)
{
	struct store_status status;

	store_status(store, &status);
	if (status.state == *last)
		return false;
	*last = status.state;
	if (status.state == STORE_STOPPED) {
		cmd_warn("recording stopped: %s", status.reason);
		return true;
	}
	if (status.state == STORE_RECORDING)
		cmd_warn("recording to %s%s%s", status.path, status.reason[0] != '\0' ? ": " : "", status.reason);
	return false;
}

static int
pump(struct sampler *sampler, struct sink *store)
{
	struct source *live = sampler_source(sampler, cmd_stop_fd);
	char troubles[CMD_TROUBLES_MAX] = "";
	enum store_state last = STORE_OPENING;

	for (;;) {
		struct interval *interval;
		int rc = source_next(live, &interval);

		if (rc == -EINTR)
			return 0;
		if (rc < 0) {
			cmd_warn("%s", source_error(live));
			return 1;
		}
		cmd_say_troubles(sampler, troubles);
		sink_put(store, interval);
		interval_unref(interval);
		if (report(store, &last))
			return 1;
	}
}

int
cmd_record(const struct options *o, struct env *env)
{
	struct configure configure;
	struct sampler *sampler;
	struct sink *store;
	int status;

	if (o->no_record) {
		cmd_warn("record: --no-record leaves nothing to do");
		return 2;
	}
	status = configure_open(&configure, o, env);
	if (status != 0)
		goto out;
	status = 1;
	env->detail_budget_ns = UINT64_MAX;
	sampler = sampler_open(env, probe_table, configure_interval(&configure, o));
	if (sampler == NULL) {
		cmd_warn("no timer: %s", strerror(errno));
		goto out;
	}
	if (configure.why[0] != '\0')
		cmd_warn("%s: %s", configure.path, configure.why);
	store = cmd_open_store(o, env, &configure.settings);
	status = pump(sampler, store);
	sink_close(store);
	sampler_close(sampler);
out:
	configure_close(&configure);
	return status;
}
