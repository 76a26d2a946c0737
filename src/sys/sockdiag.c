#include "sys/sockdiag.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define STATES_MOST 12		/* net/tcp_states.h: TCP_ESTABLISHED is 1, TCP_LISTEN 10 */
#define STATE_ESTABLISHED 1
#define STATE_TIME_WAIT 6
#define STATE_LISTEN 10

int
sockdiag_open(void)
{
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);

	return fd < 0 ? -errno : fd;
}

/* A program of the kernel's filter: the port of the other side is at least and at most this one. */
struct port_filter {
	struct rtattr attr;
	struct inet_diag_bc_op ops[4];
};

struct request {
	struct nlmsghdr head;
	struct inet_diag_req_v2 diag;
	struct port_filter filter;
};

static void
make_request(struct request *r, int family, uint16_t port)
{
	const size_t end = sizeof(r->filter.ops), pair = 2 * sizeof(r->filter.ops[0]);

	memset(r, 0, sizeof(*r));
	r->head.nlmsg_len = sizeof(*r);
	r->head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
	r->head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	r->diag.sdiag_family = (uint8_t)family;
	r->diag.sdiag_protocol = IPPROTO_TCP;
	r->diag.idiag_ext = 1 << (INET_DIAG_INFO - 1);
	r->diag.idiag_states = ((1u << STATES_MOST) - 1) & ~(1u << STATE_LISTEN) & ~(1u << STATE_TIME_WAIT);
	r->filter.attr.rta_type = INET_DIAG_REQ_BYTECODE;
	r->filter.attr.rta_len = sizeof(r->filter);
	/* "no" leads behind the end by one op, which rejects */
	r->filter.ops[0] = (struct inet_diag_bc_op) { INET_DIAG_BC_D_GE, (uint8_t)pair, (uint16_t)(end + 4) };
	r->filter.ops[1] = (struct inet_diag_bc_op) { .no = port };
	r->filter.ops[2] = (struct inet_diag_bc_op) { INET_DIAG_BC_D_LE, (uint8_t)pair, (uint16_t)(end - pair + 4) };
	r->filter.ops[3] = (struct inet_diag_bc_op) { .no = port };
}

static void
peer_text(char *out, size_t size, int family, const uint32_t *address)
{
	const unsigned char *bytes = (const unsigned char *)address;

	out[0] = '\0';
	if (family == AF_INET)
		inet_ntop(AF_INET, address, out, (socklen_t)size);
	else if (family == AF_INET6 && IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)(const void *)address))
		inet_ntop(AF_INET, bytes + 12, out, (socklen_t)size);
	else if (family == AF_INET6)
		inet_ntop(AF_INET6, address, out, (socklen_t)size);
}

/* Newer kernels tell more, older ones less: only what is there is taken. */
static void
take_info(struct sockdiag_tcp *out, const void *data, size_t len)
{
	struct tcp_info info;

	memset(&info, 0, sizeof(info));
	memcpy(&info, data, len < sizeof(info) ? len : sizeof(info));
	if (len < offsetof(struct tcp_info, tcpi_segs_out) + sizeof(info.tcpi_segs_out))
		return;
	out->info = true;
	out->rtt_us = info.tcpi_rtt;
	out->segments = info.tcpi_segs_out;
	out->retransmitted = info.tcpi_total_retrans;
}

static void
take_socket(const void *data, size_t len, sockdiag_fn *fn, void *arg)
{
	struct inet_diag_msg msg;
	struct sockdiag_tcp out = { .peer = "" };
	size_t at = NLMSG_ALIGN(sizeof(msg));

	if (len < sizeof(msg))
		return;
	memcpy(&msg, data, sizeof(msg));
	peer_text(out.peer, sizeof(out.peer), msg.idiag_family, msg.id.idiag_dst);
	out.local_port = ntohs(msg.id.idiag_sport);
	out.peer_port = ntohs(msg.id.idiag_dport);
	out.established = msg.idiag_state == STATE_ESTABLISHED;
	out.send_queue = msg.idiag_wqueue;
	while (at + sizeof(struct rtattr) <= len) {
		struct rtattr attr;

		memcpy(&attr, (const char *)data + at, sizeof(attr));
		if (attr.rta_len < sizeof(attr) || attr.rta_len > len - at)
			break;
		if (attr.rta_type == INET_DIAG_INFO)
			take_info(&out, (const char *)data + at + sizeof(attr), attr.rta_len - sizeof(attr));
		at += RTA_ALIGN(attr.rta_len);
	}
	fn(arg, &out);
}

int
sockdiag_parse(const void *buf, size_t len, sockdiag_fn *fn, void *arg)
{
	const char *p = buf;

	while (len >= sizeof(struct nlmsghdr)) {
		struct nlmsghdr head;
		size_t step;

		memcpy(&head, p, sizeof(head));
		if (head.nlmsg_len < sizeof(head) || head.nlmsg_len > len)
			return -EBADMSG;
		if (head.nlmsg_type == NLMSG_DONE)
			return 0;
		if (head.nlmsg_type == NLMSG_ERROR) {
			int error = 0;

			if (head.nlmsg_len >= sizeof(head) + sizeof(error))
				memcpy(&error, p + sizeof(head), sizeof(error));
			return error < 0 && error > -4096 ? error : -EBADMSG;
		}
		if (head.nlmsg_type == SOCK_DIAG_BY_FAMILY)
			take_socket(p + NLMSG_HDRLEN, head.nlmsg_len - NLMSG_HDRLEN, fn, arg);
		step = NLMSG_ALIGN(head.nlmsg_len);
		if (step >= len)
			break;
		p += step;
		len -= step;
	}
	return 1;
}

/* The answer lies in the socket already, or is made while it is read: a read that would wait is the end. */
static int
receive(int fd, sockdiag_fn *fn, void *arg)
{
	_Alignas(struct nlmsghdr) char buf[16384];
	int rc;

	do {
		ssize_t n = recv(fd, buf, sizeof(buf), 0);

		if (n < 0 && errno == EINTR) {
			rc = 1;
			continue;
		}
		if (n <= 0)
			return n < 0 ? -errno : -EBADMSG;
		rc = sockdiag_parse(buf, (size_t)n, fn, arg);
	} while (rc > 0);
	return rc;
}

int
sockdiag_to_port(int fd, int family, uint16_t port, sockdiag_fn *fn, void *arg)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct request r;

	make_request(&r, family, port);
	if (sendto(fd, &r, sizeof(r), 0, (const struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		return -errno;
	return receive(fd, fn, arg);
}
