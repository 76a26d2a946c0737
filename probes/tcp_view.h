/*
 * TCP's own view of the connections that probes know by address and port (sys/sockdiag.h). Once a tick each port is asked for, in the
 * families of its peers; the connections are then found in the answers. On the machine itself only. Main thread.
 */
#ifndef PROBES_TCP_VIEW_H
#define PROBES_TCP_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "core/kinds/kinds.h"
#include "sys/env.h"
#include "sys/sockdiag.h"

struct tcp_view {
	int fd;			/* -1: nothing is asked */
	size_t n, cap;
	struct sockdiag_tcp *list;
	size_t n_asked;
	struct tcp_question {
		int family;
		uint16_t port;
	} asked[16];		/* in this tick */
};

/* What a connection has counted, over all sockets it had one after the other: begins as zero. */
struct tcp_count {
	uint16_t local_port;
	uint64_t last_segments, last_retransmitted;
	uint64_t segments, retransmitted;
};

void tcp_view_open(struct tcp_view *, const struct env *);
void tcp_view_close(struct tcp_view *);
/* A new tick: what was told before is forgotten. */
void tcp_view_begin(struct tcp_view *);
/*
 * Fills the cells (enum tcp_metric) of the connection to this peer; local_port 0: not known, then there must be only one to that
 * peer. They stay as they are where TCP tells of no such connection.
 */
void tcp_view_cells(struct tcp_view *, const char *peer, uint16_t peer_port, uint16_t local_port, struct tcp_count *,
    uint64_t *cells);

#endif
