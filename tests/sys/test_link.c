#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/link.h"

struct seen {
	int n, lost;
	char names[64];		/* each with a blank behind it */
};

static void
keep(void *arg, const char *name)
{
	struct seen *seen = arg;
	size_t len = strlen(seen->names);

	if (name == NULL) {
		seen->lost++;
		return;
	}
	seen->n++;
	snprintf(seen->names + len, sizeof(seen->names) - len, "%s ", name);
}

/* A packet built piece by piece; netlink messages and attributes begin at multiples of 4. */
struct packet {
	char bytes[512];
	size_t len, message;
};

static void
begin(struct packet *p, uint16_t type)
{
	struct nlmsghdr head = { .nlmsg_type = type };

	p->len = (p->len + 3) & ~(size_t)3;
	p->message = p->len;
	memcpy(p->bytes + p->len, &head, sizeof(head));
	p->len += sizeof(head) + sizeof(struct ifinfomsg);
}

static void
attribute(struct packet *p, uint16_t type, const void *data, size_t len)
{
	struct rtattr head = { .rta_len = (uint16_t)(sizeof(head) + len), .rta_type = type };

	p->len = (p->len + 3) & ~(size_t)3;
	memcpy(p->bytes + p->len, &head, sizeof(head));
	memcpy(p->bytes + p->len + sizeof(head), data, len);
	p->len += sizeof(head) + len;
}

static void
end(struct packet *p)
{
	uint32_t len = (uint32_t)(p->len - p->message);

	memcpy(p->bytes + p->message, &len, sizeof(len));
}

static struct seen
parse(const struct packet *p, size_t len)
{
	struct seen seen = { 0 };

	link_parse(p->bytes, len, keep, &seen);
	return seen;
}

static void
names(void **state)
{
	struct packet p = { 0 };
	uint32_t mtu = 1500;
	struct seen seen;

	(void)state;
	begin(&p, RTM_NEWLINK);
	attribute(&p, IFLA_MTU, &mtu, sizeof(mtu));
	attribute(&p, IFLA_OPERSTATE, "\6", 1);	/* padded to 4 */
	attribute(&p, IFLA_IFNAME, "eth0", 5);
	attribute(&p, IFLA_IFNAME, "never", 6);
	end(&p);
	begin(&p, RTM_NEWADDR);		/* another kind of message */
	attribute(&p, IFLA_IFNAME, "addr", 5);
	end(&p);
	begin(&p, RTM_DELLINK);
	attribute(&p, IFLA_IFNAME, "veth1", 5);	/* without a NUL */
	end(&p);
	seen = parse(&p, p.len);
	assert_int_equal(seen.n, 2);
	assert_string_equal(seen.names, "eth0 veth1 ");
	/* a byte is missing at the end: the second message is not whole */
	seen = parse(&p, p.len - 1);
	assert_string_equal(seen.names, "eth0 ");
}

static void
broken(void **state)
{
	static const char long_name[] = "abcdefghijklmnop";
	struct packet p = { 0 }, cut = { 0 };

	(void)state;
	begin(&p, RTM_NEWLINK);
	attribute(&p, IFLA_IFNAME, long_name, sizeof(long_name));	/* 16 characters */
	end(&p);
	begin(&p, RTM_NEWLINK);
	attribute(&p, IFLA_IFNAME, "", 1);
	end(&p);
	begin(&p, RTM_NEWLINK);
	end(&p);
	assert_int_equal(parse(&p, p.len).n, 0);

	/* an attribute that claims more than is there */
	begin(&cut, RTM_NEWLINK);
	attribute(&cut, IFLA_IFNAME, "eth0", 5);
	cut.len--;
	end(&cut);
	assert_int_equal(parse(&cut, cut.len).n, 0);
	memset(cut.bytes, 0, sizeof(cut.bytes));
	assert_int_equal(parse(&cut, sizeof(cut.bytes)).n, 0);
}

static void
nothing_to_read(void **state)
{
	struct seen seen = { 0 };
	int fd = link_open();

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(link_read(fd, keep, &seen), 0);
	close(fd);
	assert_true(link_read(fd, keep, &seen) < 0);
}

/* In a network of its own, whose lo is down at first. */
static void
kernel_tells(void **state)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	struct seen seen = { 0 };
	struct pollfd in;
	int fd, control;

	(void)state;
	if (unshare(CLONE_NEWNET) < 0) {
		print_message("skipped: only root may have a network of its own\n");
		skip();
	}
	fd = link_open();
	assert_true(fd >= 0);
	control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_true(control >= 0);
	assert_int_equal(ioctl(control, SIOCSIFFLAGS, &request), 0);
	in = (struct pollfd){ .fd = fd, .events = POLLIN };
	assert_int_equal(poll(&in, 1, 10000), 1);
	assert_int_equal(link_read(fd, keep, &seen), 0);
	assert_true(seen.n > 0);
	assert_int_equal(strncmp(seen.names, "lo ", 3), 0);
	assert_int_equal(seen.lost, 0);
	close(control);
	close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(broken),
		cmocka_unit_test(nothing_to_read),
		cmocka_unit_test(kernel_tells),	/* last: it leaves the network */
	};

	return cmocka_run_group_tests_name("sys/link", tests, NULL, NULL);
}
