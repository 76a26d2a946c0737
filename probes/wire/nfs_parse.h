/*
 * NFS version 2 (RFC 1094) and 3 (RFC 1813), and version 4 compounds (RFC 7530, 8881, 7862), as far as counting needs them:
 * file handles, how much is read and written, what was answered. MOUNT and portmap (RFC 1813 appendix I, RFC 1833) for names. Pure.
 *
 * All begin at the arguments or results. What was cut off stays as it was set up; the cursor says so.
 */
#ifndef WIRE_NFS_PARSE_H
#define WIRE_NFS_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/wire/bytes.h"

#define NFS_FH_MAX 128
#define NFS_UNKNOWN UINT32_MAX

struct nfs_handle {
	const uint8_t *p;	/* in the packet; NULL: none seen */
	uint32_t len;
};

struct nfs_call {
	struct nfs_handle fh;	/* of the first argument */
	uint32_t count;		/* READ: asked for, WRITE: sent, else 0; NFS_UNKNOWN where cut */
};

struct nfs_reply {
	uint32_t status;	/* 0: done; NFS_UNKNOWN where cut */
	uint32_t count;		/* bytes read; NFS_UNKNOWN where cut or not a read */
};

void nfs2_call(struct wire_bytes *, uint32_t proc, struct nfs_call *);
void nfs2_reply(struct wire_bytes *, uint32_t proc, struct nfs_reply *);
void nfs3_call(struct wire_bytes *, uint32_t proc, struct nfs_call *);
void nfs3_reply(struct wire_bytes *, uint32_t proc, struct nfs_reply *);

/* The operations of a compound. */
#define NFS4_OPS_MAX 16	/* remembered; what comes after is not counted by name, nor is what follows the data of a WRITE */
#define NFS4_COMPOUND_MAX 128	/* more than this is no compound */
#define NFS4_PATH_MAX 128

enum nfs4_op {
	NFS4_GETFH = 10, NFS4_LOOKUP = 15, NFS4_COMMIT = 5, NFS4_PUTFH = 22, NFS4_PUTPUBFH = 23, NFS4_PUTROOTFH = 24, NFS4_READ = 25,
	NFS4_OPEN = 18, NFS4_LOCK = 12, NFS4_WRITE = 38, NFS4_READ_PLUS = 68,
	NFS4_CREATE = 6, NFS4_LAYOUTRETURN = 51, NFS4_TEST_STATEID = 55,
	NFS4_OP_LAST = 75, NFS4_ILLEGAL = 255,	/* 10044 on the wire, and all that is not known */
};

struct nfs4_call {
	uint32_t minor;
	uint32_t n_ops;			/* as the compound says */
	uint8_t ops[NFS4_OPS_MAX];
	uint8_t known;			/* how many of these */
	bool root;			/* began at the root of the server */
	struct nfs_handle fh;		/* of the first PUTFH */
	uint32_t write_bytes, read_bytes;	/* of its WRITEs; asked for by its READs */
	/* The names looked up from there until the first GETFH, "/a/b"; "" where none or not followed. */
	char path[NFS4_PATH_MAX];
	bool getfh;
};

struct nfs4_reply {
	uint32_t status, n_ops;
	uint32_t read_bytes;		/* NFS_UNKNOWN where cut before it */
	struct nfs_handle fh;		/* of the first GETFH */
};

/* False: not a compound (the cursor says cut or bad) and nothing is known of it. */
bool nfs4_call(struct wire_bytes *, struct nfs4_call *);
bool nfs4_reply(struct wire_bytes *, struct nfs4_reply *);

/* MOUNT's MNT: the path asked for, and the handle given. False where there is none. */
bool mount_call(struct wire_bytes *, const uint8_t **path, uint32_t *len);
bool mount_reply(struct wire_bytes *, uint32_t vers, struct nfs_handle *);
/* Portmap's GETPORT (v2) and GETADDR (v3, v4): the program asked for, and the port given; 0 where there is none. */
uint32_t portmap_call(struct wire_bytes *);
uint32_t portmap_reply(struct wire_bytes *, uint32_t vers);

/* Names of procedures and operations; NULL where there is none. */
const char *nfs2_name(uint32_t proc);
const char *nfs3_name(uint32_t proc);
const char *nfs4_name(uint32_t op);

#endif
