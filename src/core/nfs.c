#include "core/nfs.h"

#include <string.h>

#include "core/kinds/kinds.h"

#define SECTOR_BYTES 512.0

static void
derive_row(double *c, const char *op)
{
	bool read = strcmp(op, "READ") == 0 || strcmp(op, "READ_PLUS") == 0;
	bool write = strcmp(op, "WRITE") == 0, commit = strcmp(op, "COMMIT") == 0;
	bool io = read || write || commit;

	c[NFS_READS] = read ? c[NFS_OPS] : 0;
	c[NFS_READ_SECTORS] = read ? c[NFS_DATA_BYTES] / SECTOR_BYTES : 0;
	c[NFS_READ_MS] = read ? c[NFS_EXECUTE_MS] : 0;
	c[NFS_WRITES] = write ? c[NFS_OPS] : 0;
	c[NFS_WRITE_SECTORS] = write ? c[NFS_DATA_BYTES] / SECTOR_BYTES : 0;
	c[NFS_WRITE_MS] = write ? c[NFS_EXECUTE_MS] : 0;
	c[NFS_COMMITS] = commit ? c[NFS_OPS] : 0;
	c[NFS_COMMIT_MS] = commit ? c[NFS_EXECUTE_MS] : 0;
	c[NFS_OTHER_OPS] = io ? 0 : c[NFS_OPS];
	c[NFS_IO_QUEUE_MS] = io ? c[NFS_QUEUE_MS] : 0;
	c[NFS_IO_RTT_MS] = io ? c[NFS_RTT_MS] : 0;
	c[NFS_IO_ERRORS] = io ? c[NFS_ERRORS] : 0;
}

void
nfs_derive(struct interval *v)
{
	const struct interval_table *t = interval_table(v, &kind_nfs_op);

	for (size_t i = 0; t != NULL && i < t->n; i++)
		derive_row(t->rows[i].cells, t->rows[i].object->name);
}
