/*
 * This host as an NFS server: /proc/net/rpc/nfsd (fs/nfsd/stats.c, nfsd_show), and of each NFSv4 client
 * /proc/fs/nfsd/clients/N/info (fs/nfsd/nfs4state.c, client_info_show). Pure; any thread.
 */
#ifndef PROBES_NFSD_PARSE_H
#define PROBES_NFSD_PARSE_H

#include <stddef.h>
#include <stdint.h>

#include "core/kinds/kinds.h"

/* Fills the cells; ABSENT where the file does not tell. */
void nfsd_parse(const char *buf, size_t len, uint64_t cells[NFSD_METRICS]);

struct nfsd_client_text {
	char address[80];	/* "10.9.0.2:926"; "" where not told, as the next two */
	char name[128];		/* as the client calls itself */
	char version[8];	/* "4.1" */
	char status[32];	/* "confirmed", "courtesy" */
	uint64_t renewed_s;	/* seconds since it was heard of; ABSENT */
};
void nfsd_client_parse(const char *buf, size_t len, struct nfsd_client_text *);

#endif
