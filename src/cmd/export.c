/*
 * export: recorded intervals as text, the same figures that -b would have given.
 */
#include <stdlib.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "core/flow.h"
#include "db/read.h"
#include "db/store.h"

/* Rows until the end of the span; the exit status. */
static int
pump(const struct options *o, struct source *recorded)
{
	struct interval *interval;
	struct sink *text = NULL;
	int rc = 0, status = -1;

	while (status < 0 && cmd_stop == 0 && (rc = source_next(recorded, &interval)) > 0) {
		/* The host is that of the first recording, so it is not known before. */
		if (text == NULL)
			text = cmd_text_sink(o, read_host(recorded));
		status = cmd_text_put(text, interval);
		interval_unref(interval);
	}
	sink_close(text);
	if (status >= 0)
		return status;
	if (cmd_stop != 0)
		return 130;
	if (rc < 0) {
		cmd_warn("%s", source_error(recorded));
		return 1;
	}
	if (text == NULL) {
		cmd_warn("nothing was recorded in this time");
		return 1;
	}
	return 0;
}

static int
export_from(const struct options *o, const char *path)
{
	struct read_options read = {
		.path = path,
		.from_ms = o->from_ms,
		.to_ms = o->to_ms,
		.every_ns = o->every_ns,
	};
	char why[512];
	struct source *recorded = read_source(&read, why, sizeof(why));
	int status;

	if (recorded == NULL) {
		cmd_warn("%s", why);
		return 1;
	}
	status = pump(o, recorded);
	source_close(recorded);
	return status;
}

int
cmd_export(const struct options *o, struct env *env)
{
	char *path = NULL;
	int status = 1;

	(void)env;
	if (o->db == NULL)
		path = store_default_read_path();
	if (o->db == NULL && path == NULL)
		cmd_warn("nothing has been recorded yet; `stortop` and `stortop record` do, --db names another file");
	else
		status = export_from(o, o->db != NULL ? o->db : path);
	free(path);
	return status;
}
