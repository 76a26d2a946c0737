#include "sys/link.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PACKET_BYTES 16384
#define AT_A_TIME 4096

/* NLMSG_ and RTA_ALIGNTO are both 4. */
static size_t
aligned(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

/* The attributes of one RTM_NEWLINK or RTM_DELLINK. */
static void
parse_attributes(const char *p, size_t len, link_seen *seen, void *arg)
{
	struct rtattr attribute;
	char name[IF_NAMESIZE];
	size_t step;

	while (len >= sizeof(attribute)) {
		memcpy(&attribute, p, sizeof(attribute));
		if (attribute.rta_len < sizeof(attribute) || attribute.rta_len > len)
			return;
		if (attribute.rta_type == IFLA_IFNAME) {
			size_t n = strnlen(p + sizeof(attribute), attribute.rta_len - sizeof(attribute));

			if (n > 0 && n < sizeof(name)) {
				memcpy(name, p + sizeof(attribute), n);
				name[n] = '\0';
				seen(arg, name);
			}
			return;
		}
		step = aligned(attribute.rta_len);
		if (step > len)
			return;
		p += step;
		len -= step;
	}
}

void
link_parse(const char *buf, size_t len, link_seen *seen, void *arg)
{
	const size_t head = sizeof(struct nlmsghdr) + sizeof(struct ifinfomsg);
	struct nlmsghdr message;
	size_t step;

	while (len >= sizeof(message)) {
		memcpy(&message, buf, sizeof(message));
		if (message.nlmsg_len < sizeof(message) || message.nlmsg_len > len)
			return;
		if ((message.nlmsg_type == RTM_NEWLINK || message.nlmsg_type == RTM_DELLINK)
		    && message.nlmsg_len >= head)
			parse_attributes(buf + head, message.nlmsg_len - head, seen, arg);
		step = aligned(message.nlmsg_len);
		if (step > len)
			return;
		buf += step;
		len -= step;
	}
}

int
link_open(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE), error;

	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	error = errno;
	close(fd);
	return -error;
}

/* 1: handled; 0: none there; -errno */
static int
read_one(int fd, link_seen *seen, void *arg)
{
	char buf[PACKET_BYTES];
	struct sockaddr_nl from = { 0 };
	socklen_t from_len = sizeof(from);
	ssize_t n = recvfrom(fd, buf, sizeof(buf), MSG_TRUNC, (struct sockaddr *)&from, &from_len);

	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n < 0 && errno != ENOBUFS)
		return errno == EINTR ? 1 : -errno;
	if (n < 0 || (size_t)n > sizeof(buf))
		seen(arg, NULL);
	else if (from.nl_pid == 0)
		link_parse(buf, (size_t)n, seen, arg);
	return 1;
}

int
link_read(int fd, link_seen *seen, void *arg)
{
	int rc = 1;

	for (int i = 0; i < AT_A_TIME && rc > 0; i++)
		rc = read_one(fd, seen, arg);
	return rc < 0 ? rc : 0;
}
