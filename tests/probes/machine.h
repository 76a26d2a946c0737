/*
 * A tree with a probe that samples it, for tests: one tick after the other, a second apart.
 */
#ifndef TESTS_PROBES_MACHINE_H
#define TESTS_PROBES_MACHINE_H

#include "core/interval.h"
#include "core/kinds/kinds.h"
#include "probes/probe.h"
#include "tests/probes/tree.h"

struct machine {
	struct tree *tree;
	struct probe *probes[3];	/* block, port; NULL-terminated */
	struct snapshot *last;
	uint64_t now_ns;
};

struct machine *machine_new(struct tree *);
void machine_free(struct machine *);

/* The next snapshot, valid until the next tick. Fails the test where a probe fails. */
const struct snapshot *machine_tick(struct machine *);
/* The same, as the interval since the last tick; one reference. */
struct interval *machine_interval(struct machine *);
/* Time that passes before the next tick, besides its second. */
void machine_wait(struct machine *, uint64_t ns);
void machine_changed(struct machine *, const char *subsystem, const char *device);

/* What the last snapshot has of a name; NULL where it has none. */
const struct object *machine_object(const struct machine *, const struct kind *, const char *name);
const uint64_t *machine_cells(const struct machine *, const struct kind *, const char *name);
/* Text of a label, "-" where it has none; fails the test where there is no such object. */
const char *machine_label(const struct machine *, const struct kind *, const char *name, enum label_id);

/* The row of a name in an interval, NULL where it has none. */
const struct row *interval_named(const struct interval *, const struct kind *, const char *name);

#endif
