#include "fixture.h"

#include <string.h>

#include "core/kinds/kinds.h"

#define METRICS { \
	[TK_OPS] = { .key = "ops", .nature = METRIC_COUNTER }, \
	[TK_MS] = { .key = "ms", .nature = METRIC_COUNTER_MS32 }, \
	[TK_NOW] = { .key = "now", .nature = METRIC_GAUGE }, \
	[TK_HIST] = { .key = "hist", .nature = METRIC_HIST, .hist_bits = 3 }, \
	[TK_BYTES] = { .key = "bytes", .nature = METRIC_COUNTER }, \
}
static const struct metric metrics[TK_METRICS] = METRICS;

const struct kind kind_test = {
	.key = "thing", .one = "thing", .metrics = metrics, .n_metrics = TK_METRICS,
	.in_flight = M(TK_NOW), .completed = M(TK_OPS),
};
const struct kind kind_test_born = {
	.key = "born", .one = "flow", .metrics = metrics, .n_metrics = TK_METRICS, .from_zero = true,
};

struct snapshot *
fixture_snapshot_suspended(double seconds, double suspended)
{
	struct stamp stamp = {
		.mono_ns = (uint64_t)(seconds * 1e9),
		.boot_ns = (uint64_t)((seconds + suspended) * 1e9),
		.wall_ms = 1700000000000 + (int64_t)((seconds + suspended) * 1000),
	};

	return snapshot_new(&stamp);
}

struct snapshot *
fixture_snapshot(double seconds)
{
	return fixture_snapshot_suspended(seconds, 0);
}

uint64_t *
fixture_add(struct snapshot *s, const struct kind *kind, struct object *object)
{
	uint64_t *cells = snapshot_add(snapshot_table(s, kind), object);

	memset(cells, 0, kind->n_metrics * sizeof(*cells));
	return cells;
}

struct object *
fixture_disk(const char *name, enum object_role role, uint64_t parent, uint64_t counts_in)
{
	struct object *o = object_new(&kind_disk, 0, name, name);

	o->role = role;
	o->parent = parent;
	o->counts_in = counts_in;
	return o;
}
