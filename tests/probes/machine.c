#include "tests/probes/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SECOND UINT64_C(1000000000)

struct machine *
machine_new(struct tree *tree)
{
	static const struct probe_ops *const ops[] = { &probe_block, &probe_port };
	struct machine *m = calloc(1, sizeof(*m));

	m->tree = tree;
	m->now_ns = 1000 * SECOND;
	for (int i = 0; i < 2; i++) {
		m->probes[i] = calloc(1, ops[i]->size);
		m->probes[i]->ops = ops[i];
		m->probes[i]->env = &tree->env;
		assert_int_equal(ops[i]->open(m->probes[i]), 0);
	}
	return m;
}

void
machine_free(struct machine *m)
{
	for (int i = 0; m->probes[i] != NULL; i++) {
		m->probes[i]->ops->close(m->probes[i]);
		free(m->probes[i]);
	}
	snapshot_free(m->last);
	free(m);
}

static struct snapshot *
take(struct machine *m)
{
	struct stamp stamp = { .mono_ns = m->now_ns += SECOND, .boot_ns = m->now_ns };
	struct snapshot *s = snapshot_new(&stamp);

	for (int i = 0; m->probes[i] != NULL; i++)
		assert_int_equal(m->probes[i]->ops->sample(m->probes[i], s), 0);
	return s;
}

const struct snapshot *
machine_tick(struct machine *m)
{
	snapshot_free(m->last);
	m->last = NULL;
	m->last = take(m);
	return m->last;
}

struct interval *
machine_interval(struct machine *m)
{
	struct snapshot *now = take(m);
	struct interval *v = interval_diff(m->last, now);

	snapshot_free(m->last);
	m->last = now;
	return v;
}

void
machine_wait(struct machine *m, uint64_t ns)
{
	m->now_ns += ns;
}

void
machine_changed(struct machine *m, const char *subsystem, const char *device)
{
	for (int i = 0; m->probes[i] != NULL; i++)
		m->probes[i]->ops->changed(m->probes[i], subsystem, device);
}

static size_t
find(const struct machine *m, const struct kind *kind, const char *name)
{
	const struct snapshot_table *t = snapshot_find(m->last, kind);

	for (size_t i = 0; t != NULL && i < t->n; i++)
		if (strcmp(t->objects[i]->name, name) == 0)
			return i;
	return SIZE_MAX;
}

const struct object *
machine_object(const struct machine *m, const struct kind *kind, const char *name)
{
	size_t i = find(m, kind, name);

	return i != SIZE_MAX ? snapshot_find(m->last, kind)->objects[i] : NULL;
}

const uint64_t *
machine_cells(const struct machine *m, const struct kind *kind, const char *name)
{
	size_t i = find(m, kind, name);

	return i != SIZE_MAX ? snapshot_find(m->last, kind)->cells + i * kind->n_metrics : NULL;
}

const char *
machine_label(const struct machine *m, const struct kind *kind, const char *name, enum label_id id)
{
	const struct object *o = machine_object(m, kind, name);
	const char *text;

	if (o == NULL)
		fail_msg("no %s %s", kind->key, name);
	text = object_text(o, id);
	return text != NULL ? text : "-";
}

const struct row *
interval_named(const struct interval *v, const struct kind *kind, const char *name)
{
	const struct interval_table *t = interval_table(v, kind);

	for (size_t i = 0; t != NULL && i < t->n; i++)
		if (strcmp(t->rows[i].object->name, name) == 0)
			return &t->rows[i];
	return NULL;
}
