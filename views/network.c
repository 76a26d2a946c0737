/* network (n): interfaces. Bits, not bytes, as esxtop. */
#include "core/kinds/kinds.h"
#include "views/view.h"

static const enum label_id what[] = { LABEL_NOTE, LABEL_DRIVER, LABEL_NONE };

const struct view view_network = {
	.name = "network",
	.key = 'n',
	.kind = &kind_nic,
	.name_title = "INTERFACE",
	.spark = true,
	.what = what,
};
