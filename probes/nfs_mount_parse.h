/*
 * /proc/self/mountstats (fs/nfs/super.c, nfs_show_stats; net/sunrpc/stats.c, rpc_clnt_show_stats; net/sunrpc/xprtsock.c and
 * xprtrdma/transport.c, print_stats). Numbers are taken by count, never by version: each kernel appends some. Pure; any thread.
 */
#ifndef PROBES_NFS_MOUNT_PARSE_H
#define PROBES_NFS_MOUNT_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/kinds/kinds.h"

#define NFS_OPS_MOST 160	/* NFSv4.2 has 76 */
#define NFS_XPRTS_MOST 32	/* nconnect is at most 16 */

/* A piece of the buffer, not NUL-terminated. */
struct nfs_text {
	const char *p;
	size_t len;
};

struct nfs_op_text {
	struct nfs_text name;			/* "READ" */
	uint64_t cells[NFS_ERRORS + 1];		/* by enum nfs_op_metric; ABSENT where not told, or below zero in the kernel */
};

/* A connection; ABSENT where this kind of transport does not tell. */
struct nfs_xprt_text {
	struct nfs_text type;		/* "tcp", "udp", "rdma", "local" */
	uint64_t port;			/* the client's */
	uint64_t connects, sends, replies, bad_xids;
	/* Summed at each send: sends less replies; length of the backlog, and of the queue of those waiting for a reply. */
	uint64_t req_sum, backlog_sum, pending_sum;
};

struct nfs_mount_text {
	struct nfs_text source, point, fstype;	/* with octal escapes: mount_unescape() */
	struct nfs_text opts;
	uint64_t age_s;				/* of the mount; ABSENT: not told */
	uint64_t read_bytes, written_bytes;	/* of files, from and to the server; ABSENT: not told */
	uint64_t program_version;		/* NFS version of the RPC program; 0: not told */
	size_t n_xprts, n_ops;
	struct nfs_xprt_text xprts[NFS_XPRTS_MOST];
	struct nfs_op_text ops[NFS_OPS_MOST];
};

/* Start with { .p = buf, .end = buf + len }. */
struct nfs_cursor {
	const char *p, *end;
	size_t skipped;		/* lines of NFS mounts that made no sense */
};

/* The next NFS mount, false at the end. Other file systems, and NFS mounts without statistics, are passed over. */
bool nfs_mount_next(struct nfs_cursor *, struct nfs_mount_text *);
/* The value of a mount option ("vers", "addr") in the option list; false where it is not there. */
bool nfs_mount_option(struct nfs_text opts, const char *name, struct nfs_text *value);

#endif
