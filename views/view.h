/*
 * A view is a screen of the dashboard: a table of one kind, with what stands above it. One small file each,
 * a const struct at its end, listed in view_table.
 */
#ifndef VIEWS_VIEW_H
#define VIEWS_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "core/kind.h"
#include "core/object.h"
#include "views/surface.h"

struct screen;

/* What a row expands to. */
enum view_tree {
	TREE_NONE,
	TREE_DEVICES,	/* what stands below it or on it: paths, partitions, layers (object.parent) */
	TREE_ADAPTERS,	/* the devices counted in it (object.counts_in), then as TREE_DEVICES */
	TREE_SESSIONS,	/* the disks whose label `session` names it, then as TREE_DEVICES */
};

struct view {
	const char *name;		/* "devices": on its tab and in the configuration */
	uint32_t key;			/* its letter */
	const struct kind *kind;	/* of the rows at the top level */
	const struct kind *also;	/* another whose rows stand among them, under the columns of `kind`; or NULL */
	const char *name_title;		/* "DEVICE" */
	const char *const *fields;	/* column keys at the start, NULL-terminated; NULL: the catalogue's choice */
	enum view_tree tree;
	/* Does an object stand at the top level? NULL: all do. */
	bool (*top)(const struct object *);
	const char *empty;		/* what would stand here, said where nothing does; NULL: "no" and the kind */
	bool by_name;			/* sorted by name at the start: rows that are much alike would change places all the time */
	bool spark;			/* a sparkline at the end of each row */
	/* Labels that make the text behind the name, in this order; ends with LABEL_NONE. NULL: no such column. */
	const enum label_id *what;
	bool what_adapter;		/* begins with the name of the adapter */
	/*
	 * Draws what stands above the table into the rows from y on, at most `rows` of them, and returns how
	 * many it used. NULL: nothing.
	 */
	int (*head)(struct screen *, struct surface *, int y, int rows);
};

/* Places in view_table, in the order of the tabs; behind them those that stand in the lower part of another. */
enum view_place {
	VIEW_OVERVIEW, VIEW_ADAPTERS, VIEW_DEVICES, VIEW_NFS, VIEW_ISCSI, VIEW_CPU, VIEW_NETWORK, VIEW_TEST, VIEW_TABS,
	VIEW_NFS_WIRE = VIEW_TABS, VIEW_ISCSI_WIRE, VIEW_COUNT
};

extern const struct view *const view_table[];	/* NULL-terminated */
extern const struct view view_overview, view_adapters, view_devices, view_nfs, view_iscsi, view_cpu, view_network, view_test,
	view_nfs_wire, view_iscsi_wire;

/* The place of the tab that a view is of: its own, or that of the view it stands below. */
size_t view_tab(size_t place);
/* The view in the lower part of a tab; VIEW_COUNT: it has none. */
size_t view_below(size_t tab);
/* The view of that name, or NULL. */
const struct view *view_find(const char *name);
/* The text behind the name: model, mount point ... without what the name says; `adapter` may be NULL. */
void view_what(const struct view *, const struct object *, const char *name, const char *adapter,
	char *out, size_t size);
/* Devices as people count them: not the paths below a head, not the layers above. */
bool view_counted(const struct object *);

#endif
