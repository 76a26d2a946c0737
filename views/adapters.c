/* adapters (d): SCSI hosts, NVMe controllers ..., expanding to their devices, paths and partitions. */
#include "core/kinds/kinds.h"
#include "views/view.h"

static const enum label_id what[] = {
	LABEL_NOTE, LABEL_MAPPER, LABEL_DRIVER, LABEL_TRANSPORT, LABEL_SPEED, LABEL_VENDOR, LABEL_MODEL, LABEL_LEVEL,
	LABEL_BACKING, LABEL_ADDRESS, LABEL_STATE, LABEL_MOUNT, LABEL_NONE
};

const struct view view_adapters = {
	.name = "adapters",
	.key = 'd',
	.kind = &kind_adapter,
	.name_title = "ADAPTER",
	.tree = TREE_ADAPTERS,
	.what = what,
};
