/*
 * Messages of RPC, and what is in them: every parser on the same bytes, of which the capture has all or half.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probes/wire/nfs_parse.h"
#include "probes/wire/rpc_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
check_handle(const struct nfs_handle *fh, const uint8_t *data, size_t size)
{
	if (fh->p != NULL && (fh->p < data || fh->len > NFS_FH_MAX || fh->p + fh->len > data + size))
		abort();
}

static void
parse_all(const uint8_t *data, size_t cap, size_t size, uint32_t proc)
{
	struct wire_bytes b = wire_bytes(data, cap, size), start;
	struct nfs4_reply reply4;
	struct nfs_reply reply;
	struct nfs4_call call4;
	struct nfs_handle fh;
	struct nfs_call call;
	struct rpc_msg m;
	const uint8_t *path;
	uint32_t len;

	if (!rpc_parse(&b, &m) && wire_ok(&b))
		abort();
	b = start = wire_bytes(data, cap, size);
	nfs2_call(&b, proc, &call);
	check_handle(&call.fh, data, cap);
	b = start;
	nfs2_reply(&b, proc, &reply);
	b = start;
	nfs3_call(&b, proc, &call);
	check_handle(&call.fh, data, cap);
	b = start;
	nfs3_reply(&b, proc, &reply);
	b = start;
	if (nfs4_call(&b, &call4) && (call4.known > NFS4_OPS_MAX || call4.known > call4.n_ops || call4.minor > 2 ||
	    memchr(call4.path, '\0', sizeof(call4.path)) == NULL))
		abort();
	check_handle(&call4.fh, data, cap);
	b = start;
	if (nfs4_reply(&b, &reply4))
		check_handle(&reply4.fh, data, cap);
	b = start;
	if (mount_call(&b, &path, &len) && (path < data || path + len > data + cap))
		abort();
	b = start;
	if (mount_reply(&b, 3, &fh))
		check_handle(&fh, data, cap);
	b = start;
	if (portmap_reply(&b, 4) > 65535)
		abort();
	b = start;
	portmap_call(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	parse_all(data + 1, size - 1, size - 1, data[0] % 32);
	parse_all(data + 1, (size - 1) / 2, size - 1, data[0] % 32);
	rpc_looks_like_call(data, size);
	rpc_looks_like_reply(data, size);
	return 0;
}
