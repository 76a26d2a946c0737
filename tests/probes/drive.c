#include "tests/probes/drive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct probe *
drive_open(const struct probe_ops *ops, const struct env *env)
{
	struct probe *probe = calloc(1, ops->size);

	assert_non_null(probe);
	probe->ops = ops;
	probe->env = env;
	if (ops->open != NULL)
		assert_int_equal(ops->open(probe), 0);
	return probe;
}

void
drive_close(struct probe *probe)
{
	probe->ops->close(probe);
	free(probe);
}

struct snapshot *
drive_sample(struct probe *probe, double seconds)
{
	struct stamp stamp = {
		.mono_ns = (uint64_t)(seconds * 1e9),
		.boot_ns = (uint64_t)((seconds + 1000) * 1e9),
	};
	struct snapshot *snapshot = snapshot_new(&stamp);

	assert_int_equal(probe->ops->sample(probe, snapshot), 0);
	return snapshot;
}

static size_t
find(const struct snapshot *snapshot, const struct kind *kind, const char *name)
{
	const struct snapshot_table *table = snapshot_find(snapshot, kind);
	size_t found = SIZE_MAX;

	assert_non_null(table);
	for (size_t i = 0; i < table->n; i++) {
		if (strcmp(table->objects[i]->name, name) != 0)
			continue;
		assert_true(found == SIZE_MAX);
		found = i;
	}
	assert_true(found != SIZE_MAX);
	return found;
}

const uint64_t *
drive_cells(const struct snapshot *snapshot, const struct kind *kind, const char *name)
{
	size_t i = find(snapshot, kind, name);

	return snapshot_find(snapshot, kind)->cells + i * kind->n_metrics;
}

struct object *
drive_object(const struct snapshot *snapshot, const struct kind *kind, const char *name)
{
	size_t i = find(snapshot, kind, name);

	return snapshot_find(snapshot, kind)->objects[i];
}

size_t
drive_rows(const struct snapshot *snapshot, const struct kind *kind)
{
	const struct snapshot_table *table = snapshot_find(snapshot, kind);

	assert_non_null(table);
	return table->n;
}
