/*
 * TCP's own view of connections, from the kernel and without privileges (sock_diag(7), net/ipv4/inet_diag.c, struct tcp_info): what
 * is on its way, what had to be sent again, how long the network takes. Sockets of the kernel's own clients are among them. Of the
 * own network namespace. Main thread; never waits.
 */
#ifndef SYS_SOCKDIAG_H
#define SYS_SOCKDIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sockdiag_tcp {
	char peer[64];		/* numeric address: "10.9.0.1", "fd00:9::1"; an IPv4 address in IPv6 as IPv4 */
	uint16_t local_port, peer_port;
	bool established;	/* else being connected or closed */
	uint32_t send_queue;	/* bytes not acknowledged yet, sent or not */
	bool info;		/* the next three are known */
	uint32_t rtt_us;	/* smoothed round trip */
	uint64_t segments;	/* sent, those again too */
	uint64_t retransmitted;	/* segments sent again */
};

typedef void sockdiag_fn(void *arg, const struct sockdiag_tcp *);

/* A descriptor to ask on, or -errno. */
int sockdiag_open(void);
/*
 * All connections to this port of others, of sockets of one family: AF_INET or AF_INET6. 0 or -errno: some may have been told before;
 * a kernel without IPv6 says -ENOENT or -EAFNOSUPPORT.
 */
int sockdiag_to_port(int fd, int family, uint16_t port, sockdiag_fn *, void *arg);
/*
 * Pure: the connections in a piece of the answer. 1: more is to come; 0: that was all; -errno: the kernel says why, -EBADMSG: not
 * understood.
 */
int sockdiag_parse(const void *buf, size_t len, sockdiag_fn *, void *arg);

#endif
