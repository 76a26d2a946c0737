/*
 * The NFS mounts of a machine from one reading of mountstats to the next, and their objects. For probes/nfs_mount.c only.
 * Main thread.
 */
#ifndef PROBES_NFS_TABLE_H
#define PROBES_NFS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/snapshot.h"
#include "probes/nfs_flight.h"
#include "probes/nfs_mount_parse.h"
#include "probes/tcp_view.h"
#include "sys/mountinfo.h"

struct nfs_op {
	char *name;
	struct object *object;		/* NULL: never used so far */
	uint64_t cells[NFS_OP_DIRECT];
	uint64_t base[NFS_OP_DIRECT];	/* what had been counted at first sight of a mount with an unknown past */
};

struct nfs_conn {
	struct object *object;		/* NULL: to be made anew */
	struct nfs_flight flight;
	char type[16];
	uint64_t port;
	struct tcp_count tcp;
	bool shared;			/* with a mount before this one */
	uint64_t cells[NFS_CONN_TCP];	/* without TCP's */
};

struct nfs_mount {
	char *source, *point;		/* what makes it the same mount, as in the file */
	char *opts;
	char version[16], transport[16], address[64];
	uint16_t server_port;
	char *also;			/* other mount points of the same superblock; NULL: none */
	char *also_before;		/* in the reading before */
	unsigned major, minor;		/* of the superblock; 0:0 where mountinfo does not tell */
	uint64_t age_s;
	uint64_t program_version;
	bool seen;			/* in this reading */
	uint64_t uid;
	struct object *object;		/* NULL: to be made anew */
	uint64_t ops_ended, ops_again;	/* sums over the operations in the last reading */
	size_t n_ops, n_conns;
	struct nfs_op *ops;
	struct nfs_conn *conns;
};

struct nfs_table {
	size_t n;
	struct nfs_mount **mounts;
	uint64_t read_ns;		/* CLOCK_MONOTONIC of the last reading; 0: none */
};

/* A reading: begin, take each mount of the file, end; then nfs_table_put(). `nfs`: what mountinfo tells of NFS mounts, if anything. */
void nfs_table_begin(struct nfs_table *);
void nfs_table_take(struct nfs_table *, const struct nfs_mount_text *, const struct mounts *nfs, uint64_t now_ns);
/* Mounts that were not taken go. */
void nfs_table_end(struct nfs_table *, uint64_t now_ns);
void nfs_table_put(struct nfs_table *, struct snapshot *, struct tcp_view *);
void nfs_table_clear(struct nfs_table *);

/* Labels and names: nfs_object.c. */
void nfs_mount_build(struct nfs_mount *);
void nfs_op_build(const struct nfs_mount *, struct nfs_op *);
void nfs_conn_build(const struct nfs_mount *, struct nfs_conn *, size_t i);

#endif
