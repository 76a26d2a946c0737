#include "probes/probe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/kinds/kinds.h"

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

uint64_t
probe_adapter(const struct snapshot *snapshot, const char *name)
{
	const struct snapshot_table *adapters = snapshot_find(snapshot, &kind_adapter);

	for (size_t i = 0; adapters != NULL && i < adapters->n; i++)
		if (strcmp(adapters->objects[i]->name, name) == 0)
			return adapters->objects[i]->uid;
	return 0;
}
