#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/sockdiag.h"

struct seen {
	size_t n;
	struct sockdiag_tcp last;
};

static void
note(void *arg, const struct sockdiag_tcp *tcp)
{
	struct seen *s = arg;

	s->n++;
	s->last = *tcp;
}

/* A connection as the kernel tells of it, with so many bytes of tcp_info; returns its length. */
static size_t
put_message(char *buf, int family, const char *peer, size_t info_len)
{
	struct nlmsghdr *head = (struct nlmsghdr *)(void *)buf;
	struct inet_diag_msg *msg = (struct inet_diag_msg *)(void *)(buf + NLMSG_HDRLEN);
	struct rtattr *attr = (struct rtattr *)(void *)(buf + NLMSG_HDRLEN + NLMSG_ALIGN(sizeof(*msg)));
	struct tcp_info info = { .tcpi_rtt = 3100, .tcpi_total_retrans = 7, .tcpi_segs_out = 900 };

	memset(buf, 0, 1024);
	head->nlmsg_type = SOCK_DIAG_BY_FAMILY;
	msg->idiag_family = (uint8_t)family;
	msg->idiag_state = 1;
	msg->idiag_wqueue = 4096;
	msg->id.idiag_sport = htons(782);
	msg->id.idiag_dport = htons(2049);
	inet_pton(family, peer, msg->id.idiag_dst);
	attr->rta_type = INET_DIAG_INFO;
	attr->rta_len = (unsigned short)(RTA_LENGTH(0) + info_len);
	memcpy((char *)attr + RTA_LENGTH(0), &info, info_len);
	head->nlmsg_len = (uint32_t)(NLMSG_HDRLEN + NLMSG_ALIGN(sizeof(*msg)) + attr->rta_len);
	return NLMSG_ALIGN(head->nlmsg_len);
}

static void
a_connection(void **state)
{
	_Alignas(8) char buf[2048];
	struct seen seen = { 0 };
	size_t len = put_message(buf, AF_INET, "10.9.0.1", sizeof(struct tcp_info));

	(void)state;
	assert_int_equal(sockdiag_parse(buf, len, note, &seen), 1);
	assert_int_equal(seen.n, 1);
	assert_string_equal(seen.last.peer, "10.9.0.1");
	assert_int_equal(seen.last.local_port, 782);
	assert_int_equal(seen.last.peer_port, 2049);
	assert_true(seen.last.established);
	assert_int_equal(seen.last.send_queue, 4096);
	assert_true(seen.last.info);
	assert_int_equal(seen.last.rtt_us, 3100);
	assert_int_equal(seen.last.segments, 900);
	assert_int_equal(seen.last.retransmitted, 7);
	put_message(buf, AF_INET6, "::ffff:10.9.0.7", sizeof(struct tcp_info));
	sockdiag_parse(buf, len, note, &seen);
	assert_string_equal(seen.last.peer, "10.9.0.7");
	put_message(buf, AF_INET6, "fd00:9::1", sizeof(struct tcp_info));
	sockdiag_parse(buf, len, note, &seen);
	assert_string_equal(seen.last.peer, "fd00:9::1");
	/* a kernel that counts no segments yet */
	len = put_message(buf, AF_INET, "10.9.0.1", 104);
	sockdiag_parse(buf, len, note, &seen);
	assert_false(seen.last.info);
	assert_int_equal(seen.last.send_queue, 4096);
}

static void
what_is_no_connection(void **state)
{
	_Alignas(8) char buf[2048];
	struct nlmsghdr *head = (struct nlmsghdr *)(void *)buf;
	struct seen seen = { 0 };
	size_t len = put_message(buf, AF_INET, "10.9.0.1", sizeof(struct tcp_info));
	int error = -EPERM;

	(void)state;
	/* cut off, at each place */
	for (size_t n = 0; n < len; n++)
		sockdiag_parse(buf, n, note, &seen);
	assert_int_equal(seen.n, 0);
	head->nlmsg_len = 8;
	assert_int_equal(sockdiag_parse(buf, len, note, &seen), -EBADMSG);
	head->nlmsg_len = NLMSG_HDRLEN;
	head->nlmsg_type = NLMSG_DONE;
	assert_int_equal(sockdiag_parse(buf, len, note, &seen), 0);
	head->nlmsg_len = NLMSG_HDRLEN + sizeof(error);
	head->nlmsg_type = NLMSG_ERROR;
	memcpy(buf + NLMSG_HDRLEN, &error, sizeof(error));
	assert_int_equal(sockdiag_parse(buf, len, note, &seen), -EPERM);
	assert_int_equal(seen.n, 0);
}

/* Of the kernel itself: a connection over loopback, and none to a port that nobody is connected to. */
static void
the_kernel_tells(void **state)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int fd = sockdiag_open();
	struct seen seen = { 0 };

	(void)state;
	if (fd < 0 || bind(listener, (const struct sockaddr *)&address, size) < 0 || listen(listener, 1) < 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &size) < 0 ||
	    connect(client, (const struct sockaddr *)&address, size) < 0) {
		printf("skipped: no sock_diag or no loopback here\n");
		skip();
	}
	if (sockdiag_to_port(fd, AF_INET, ntohs(address.sin_port), note, &seen) < 0) {
		printf("skipped: the kernel answers no sock_diag\n");
		skip();
	}
	assert_int_equal(seen.n, 1);
	assert_string_equal(seen.last.peer, "127.0.0.1");
	assert_true(seen.last.established);
	assert_true(seen.last.info);
	/* none of the other family, if there is one */
	sockdiag_to_port(fd, AF_INET6, ntohs(address.sin_port), note, &seen);
	assert_int_equal(seen.n, 1);
	close(client);
	close(listener);
	close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_connection),
		cmocka_unit_test(what_is_no_connection),
		cmocka_unit_test(the_kernel_tells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
