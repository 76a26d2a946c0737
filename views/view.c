#include "views/view.h"

#include <stdio.h>
#include <string.h>

const struct view *const view_table[] = {
	[VIEW_OVERVIEW] = &view_overview,
	[VIEW_ADAPTERS] = &view_adapters,
	[VIEW_DEVICES] = &view_devices,
	[VIEW_NFS] = &view_nfs,
	[VIEW_ISCSI] = &view_iscsi,
	[VIEW_CPU] = &view_cpu,
	[VIEW_NETWORK] = &view_network,
	[VIEW_TEST] = &view_test,
	[VIEW_NFS_WIRE] = &view_nfs_wire,
	[VIEW_ISCSI_WIRE] = &view_iscsi_wire,
	[VIEW_COUNT] = NULL,
};

const struct view *
view_find(const char *name)
{
	for (size_t i = 0; view_table[i] != NULL; i++)
		if (strcmp(view_table[i]->name, name) == 0)
			return view_table[i];
	return NULL;
}

size_t
view_tab(size_t place)
{
	return place == VIEW_NFS_WIRE ? VIEW_NFS : place == VIEW_ISCSI_WIRE ? VIEW_ISCSI : place;
}

size_t
view_below(size_t tab)
{
	return tab == VIEW_NFS ? VIEW_NFS_WIRE : tab == VIEW_ISCSI ? VIEW_ISCSI_WIRE : VIEW_COUNT;
}

bool
view_counted(const struct object *o)
{
	return o->role != ROLE_PATH && o->role != ROLE_LAYER;
}

static void
append(char *out, size_t size, const char *lead, const char *text)
{
	size_t len = strlen(out);

	if (text != NULL && text[0] != '\0' && len + 1 < size)
		snprintf(out + len, size - len, "%s%s%s", len > 0 ? " " : "", lead, text);
}

/*
 * A running device is the rule and says nothing; where a path leads is told of paths only, and how a device is
 * reached of its adapter.
 */
static bool
tells(const struct object *o, enum label_id id, const char *text)
{
	if (id == LABEL_ADDRESS)
		return o->role == ROLE_PATH;
	if (id == LABEL_TRANSPORT || id == LABEL_DRIVER)
		return o->kind->completed == 0 || o->kind->rollup != NULL;
	if (id == LABEL_STATE && o->role != ROLE_PATH)
		return strcmp(text, "running") != 0 && strcmp(text, "live") != 0 && strcmp(text, "Online") != 0;
	return true;
}

/* What a label does not say of itself. */
static const char *
lead(enum label_id id)
{
	return id == LABEL_VERSION ? "NFSv" : id == LABEL_PORTAL ? "@ " : "";
}

void
view_what(const struct view *v, const struct object *o, const char *name, const char *adapter,
	char *out, size_t size)
{
	out[0] = '\0';
	if (v->what_adapter)
		append(out, size, "", adapter);
	for (const enum label_id *id = v->what; id != NULL && *id != LABEL_NONE; id++) {
		const char *text = object_text(o, *id);

		if (text != NULL && strcmp(text, name) != 0 && tells(o, *id, text))
			append(out, size, lead(*id), text);
	}
}
