/* iSCSI (i): the sessions of this host with their disks, and, where it is a target, who does what with its LUNs. */
#include "core/kinds/kinds.h"
#include "views/view.h"

static const enum label_id what[] = {
	LABEL_HOST, LABEL_DRIVER, LABEL_MAPPER, LABEL_TARGET, LABEL_PORTAL, LABEL_VENDOR, LABEL_MODEL, LABEL_BACKING, LABEL_ADDRESS,
	LABEL_NOTE, LABEL_MOUNT, LABEL_NONE
};

static const char *const fields[] = {
	"paths", "state", "actv", "cmds_s", "reads_s", "writes_s", "mbread_s", "mbwrtn_s", "gavg",
	"tcp_rtt", "tcp_retr_pct", "sendq_kb", NULL
};

const struct view view_iscsi = {
	.name = "iscsi",
	.key = 'i',
	.kind = &kind_iscsi_session,
	.name_title = "SESSION",
	.fields = fields,
	.tree = TREE_SESSIONS,
	.what = what,
	.empty = "no iSCSI session on this host: C watches iSCSI in the packets of an interface",
};
