#include "probes/probe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
probe_why(struct probe *probe, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(probe->why, sizeof(probe->why), format, args);
	va_end(args);
}

int
probe_cannot(struct probe *probe, const char *path, int rc)
{
	probe_why(probe, "cannot read %s%s: %s", probe->env->root, path, strerror(-rc));
	return rc;
}
