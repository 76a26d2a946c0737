#include <stddef.h>

#include "probes/probe.h"

const struct probe_ops *const probe_table[] = {
	&probe_block,
	&probe_port,		/* after the adapters that ports count in */
	&probe_nfs_mount,
	&probe_nfsd,
	&probe_iscsi,		/* after the adapters, which are the hosts of sessions */
	&probe_wire,
	&probe_cpu,
	&probe_nic,
	&probe_host,
	&probe_load,
	NULL,
};
