#include <stdint.h>
#include <stdlib.h>

#include "probes/nfs_flight.h"
#include "probes/nfs_mount_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* Every text lies within the buffer, and the numbers are as many as there is room for. */
static void
check(const struct nfs_text *t, const char *buf, size_t size)
{
	if (t->p < buf || t->p + t->len > buf + size)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct nfs_mount_text m;
	const char *buf = (const char *)data;
	struct nfs_cursor cursor = { buf, buf + size, 0 };
	struct nfs_flight flight = { 0 };
	struct nfs_text value;

	while (nfs_mount_next(&cursor, &m)) {
		check(&m.source, buf, size);
		check(&m.point, buf, size);
		check(&m.opts, buf, size);
		if (m.n_ops > NFS_OPS_MOST || m.n_xprts > NFS_XPRTS_MOST)
			abort();
		for (size_t i = 0; i < m.n_ops; i++)
			check(&m.ops[i].name, buf, size);
		/* one connection after the other, as if they were readings of the same */
		for (size_t i = 0; i < m.n_xprts; i++)
			nfs_flight_next(&flight, &m.xprts[i], m.n_ops > 0 ? m.ops[0].cells[NFS_OPS] : 0, 0);
		if (nfs_mount_option(m.opts, "vers", &value))
			check(&value, buf, size);
	}
	return 0;
}
