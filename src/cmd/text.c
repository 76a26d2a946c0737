/*
 * What -b and export share: the sink on standard output.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "out/out.h"

static void
note(void *arg, const char *line)
{
	(void)arg;
	cmd_warn("%s", line);
}

struct sink *
cmd_text_sink(const struct options *o, const char *host)
{
	struct out_options out = {
		.fd = STDOUT_FILENO,
		.host = host,
		.all = o->all,
		.kinds = o->kinds,
		.n_kinds = o->n_kinds,
		.filter = o->filter_text != NULL ? &o->filter : NULL,
		.naming = o->naming,
		.elapsed = o->elapsed,
		.note = note,
	};

	switch (o->format) {
	case FORMAT_TIDY:
		return tidy_sink(&out);
	case FORMAT_JSON:
		return json_sink(&out);
	default:
		return pdh_sink(&out);
	}
}

int
cmd_text_put(struct sink *text, struct interval *interval)
{
	int rc = sink_put(text, interval);

	/* A signal while the reader did not read: the caller looks at cmd_stop. */
	if (rc == 0 || rc == -EINTR)
		return -1;
	if (rc == -EPIPE)	/* head has seen enough */
		return 0;
	cmd_warn("standard output: %s", strerror(-rc));
	return 1;
}
