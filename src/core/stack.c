#include "core/stack.h"

#include <math.h>
#include <string.h>

#include "core/kinds/kinds.h"
#include "core/uidmap.h"

static double
ios(const struct row *r)
{
	return r->cells[DISK_READS] + r->cells[DISK_WRITES];
}

static double
ms(const struct row *r)
{
	return r->cells[DISK_READ_MS] + r->cells[DISK_WRITE_MS];
}

static void
add_below(struct row *above, const struct row *below)
{
	double *cells = above->cells;

	cells[DISK_DEV_IOS] = (isnan(cells[DISK_DEV_IOS]) ? 0 : cells[DISK_DEV_IOS]) + ios(below);
	cells[DISK_DEV_MS] = (isnan(cells[DISK_DEV_MS]) ? 0 : cells[DISK_DEV_MS]) + ms(below);
}

static void
derive_heads(struct interval_table *disks)
{
	struct uidmap heads = { 0 };

	for (size_t i = 0; i < disks->n; i++) {
		if (disks->rows[i].object->role != ROLE_HEAD)
			continue;
		if (heads.keys == NULL)
			uidmap_init(&heads, disks->n);
		uidmap_put(&heads, disks->rows[i].object->uid, i);
	}
	for (size_t i = 0; heads.keys != NULL && i < disks->n; i++) {
		const struct row *path = &disks->rows[i];
		size_t head = path->object->role == ROLE_PATH ? uidmap_get(&heads, path->object->parent) : SIZE_MAX;

		if (head != SIZE_MAX)
			add_below(&disks->rows[head], path);
	}
	uidmap_clear(&heads);
}

static const struct row *
row_named(const struct interval_table *t, const char *name, size_t len)
{
	for (size_t i = 0; t != NULL && i < t->n; i++)
		if (strncmp(t->rows[i].object->name, name, len) == 0 && t->rows[i].object->name[len] == '\0')
			return &t->rows[i];
	return NULL;
}

/* The names are few (the slaves of one device); unknown ones leave the layer without figures from below. */
static void
derive_layer(const struct interval *v, const struct interval_table *disks, struct row *layer)
{
	const struct interval_table *partitions = interval_table(v, &kind_partition);
	const char *name = object_text(layer->object, LABEL_SLAVES);

	while (name != NULL && *name != '\0') {
		size_t len = strcspn(name, " ");
		const struct row *below = row_named(disks, name, len);

		if (below == NULL)
			below = row_named(partitions, name, len);
		if (below == NULL) {
			layer->cells[DISK_DEV_IOS] = layer->cells[DISK_DEV_MS] = NAN;
			return;
		}
		add_below(layer, below);
		name += len + strspn(name + len, " ");
	}
}

void
stack_derive(struct interval *v)
{
	struct interval_table *disks = NULL;

	for (size_t i = 0; i < v->n_tables; i++)
		if (v->tables[i].kind == &kind_disk)
			disks = &v->tables[i];
	if (disks == NULL)
		return;
	for (size_t i = 0; i < disks->n; i++)
		disks->rows[i].cells[DISK_DEV_IOS] = disks->rows[i].cells[DISK_DEV_MS] = NAN;
	derive_heads(disks);
	for (size_t i = 0; i < disks->n; i++)
		if (disks->rows[i].object->role == ROLE_LAYER)
			derive_layer(v, disks, &disks->rows[i]);
}
