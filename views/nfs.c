/* NFS (m): the mounts of this host, expanding to their operations and connections, and this host as a server. */
#include "core/kinds/kinds.h"
#include "views/view.h"

static const enum label_id what[] = { LABEL_EXPORT, LABEL_TRANSPORT, LABEL_NCONNECT, LABEL_NOTE, LABEL_NONE };

const struct view view_nfs = {
	.name = "nfs",
	.key = 'm',
	.kind = &kind_nfs_mount,
	.also = &kind_nfsd,
	.name_title = "MOUNT",
	.tree = TREE_DEVICES,
	.what = what,
	.empty = "no NFS mount on this host: C watches NFS in the packets of an interface",
};
