/*
 * show: the job file of a built-in workload, to read, change and run.
 */
#include <stdio.h>

#include "cmd/cmd.h"
#include "load/workload.h"

int
cmd_show(const struct options *o, struct env *env)
{
	const struct workload *w = workload_find(o->args[0]), *near = w == NULL ? workload_nearest(o->args[0]) : NULL;

	(void)env;
	if (w != NULL) {
		fputs(w->text, stdout);
		return 0;
	}
	if (near != NULL)
		cmd_warn("%s: there is no such workload; did you mean %s?", o->args[0], near->name);
	else
		cmd_warn("%s: there is no such workload; stortop list workloads has their names", o->args[0]);
	return 2;
}
