/*
 * This host as an iSCSI target: LIO's targets, the initiators each knows, and the LUNs of both, in configfs. For
 * probes/iscsi_session.c only. Main thread.
 */
#ifndef PROBES_ISCSI_TARGET_H
#define PROBES_ISCSI_TARGET_H

#include <stddef.h>

#include "core/snapshot.h"
#include "sys/env.h"

struct iscsi_target_lun {
	char *dir;		/* below the root: that of its statistics */
	bool mapped;		/* an initiator's: other names for the same numbers */
	struct object *object;
};

/* A target's portal group, or an initiator it knows: the rows that LUNs count in. */
struct iscsi_target_party {
	char *dir;		/* what makes it the same party */
	bool found;		/* by the last listing */
	struct object *object;
	size_t n;
	struct iscsi_target_lun *luns;
};

struct iscsi_targets {
	size_t n;
	struct iscsi_target_party **parties;
};

/* Looks at what there is now. */
void iscsi_targets_list(struct iscsi_targets *, const struct env *);
/* Reads the counters and puts all of them into the tables. */
void iscsi_targets_put(struct iscsi_targets *, const struct env *, struct snapshot_table *sessions, struct snapshot_table *luns);
void iscsi_targets_clear(struct iscsi_targets *);

#endif
