/* devices (u): each stack and each multipath device once, expanding to paths, partitions and layers. */
#include "core/kinds/kinds.h"
#include "views/view.h"

static const enum label_id what[] = {
	LABEL_NOTE, LABEL_MAPPER, LABEL_VENDOR, LABEL_MODEL, LABEL_LEVEL, LABEL_BACKING, LABEL_ADDRESS, LABEL_STATE,
	LABEL_MOUNT, LABEL_NONE
};

const struct view view_devices = {
	.name = "devices",
	.key = 'u',
	.kind = &kind_disk,
	.name_title = "DEVICE",
	.tree = TREE_DEVICES,
	.top = view_counted,
	.what = what,
};
