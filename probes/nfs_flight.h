/*
 * How many requests are in flight on an NFS connection. The kernel counts sends and replies, but a request that was sent
 * twice, or given up, leaves their difference one too high for ever: what is known of such losses is taken off. Pure.
 *
 *	in flight = sends - replies - lost + backlog
 *
 * Lost are those that the connection's sums tell of at each send: the mean of sends less replies, less the mean length of the
 * queue that waits for a reply, less the one just sent. Between sends: replies nobody waited for, and operations that ended
 * without a reply. The backlog waits for a slot; of it only the mean at the sends is known.
 */
#ifndef PROBES_NFS_FLIGHT_H
#define PROBES_NFS_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/nfs_mount_parse.h"

/* Begins as zero. */
struct nfs_flight {
	bool begun;
	struct nfs_xprt_text last;	/* numbers only */
	double lost, backlog;
	uint64_t early;			/* replies of the interval before whose operations had not ended in it */
};

/*
 * Takes the next reading: what was read of the connection, and how many operations of its mount ended since the last, and how
 * many requests of theirs had been sent again. Requests in flight; ABSENT where the connection does not tell.
 */
uint64_t nfs_flight_next(struct nfs_flight *, const struct nfs_xprt_text *, uint64_t ops, uint64_t again);

#endif
