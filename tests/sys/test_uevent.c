#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/uevent.h"

#define PARSE(text, out) uevent_parse(text, sizeof(text), out)	/* the last NUL is the literal's own */

static void
kernel_messages(void **state)
{
	struct uevent event;

	(void)state;
	assert_true(PARSE("change@/devices/virtual/block/loop3\0"
			  "ACTION=change\0DEVPATH=/devices/virtual/block/loop3\0SUBSYSTEM=block\0"
			  "DISK_MEDIA_CHANGE=1\0MAJOR=7\0MINOR=3\0DEVNAME=loop3\0DEVTYPE=disk\0"
			  "DISKSEQ=12\0SEQNUM=4711",
	    &event));
	assert_string_equal(event.action, "change");
	assert_string_equal(event.subsystem, "block");
	assert_string_equal(event.device, "loop3");
	assert_int_equal(event.seqnum, 4711);

	assert_true(PARSE("move@/devices/pci0000:00/0000:00:03.0/virtio0/net/wan0\0"
			  "ACTION=move\0DEVPATH=/devices/pci0000:00/0000:00:03.0/virtio0/net/wan0\0"
			  "SUBSYSTEM=net\0DEVPATH_OLD=/devices/pci0000:00/0000:00:03.0/virtio0/net/eth0\0"
			  "INTERFACE=wan0\0IFINDEX=2\0SEQNUM=18446744073709",
	    &event));
	assert_string_equal(event.action, "move");
	assert_string_equal(event.subsystem, "net");
	assert_string_equal(event.device, "wan0");
	assert_int_equal(event.seqnum, 18446744073709);
}

static void
slash_in_the_name(void **state)
{
	struct uevent event;

	(void)state;
	assert_true(PARSE("add@/devices/pci0000:00/0000:00:04.0/cciss0/c0d0/block/cciss!c0d0\0ACTION=add\0"
			  "DEVPATH=/devices/pci0000:00/0000:00:04.0/cciss0/c0d0/block/cciss!c0d0\0"
			  "SUBSYSTEM=block",
	    &event));
	assert_string_equal(event.device, "cciss/c0d0");
	assert_int_equal(event.seqnum, 0);
}

/* The last field need not end with a NUL, and nothing behind len is looked at. */
static void
exact_length(void **state)
{
	static const char text[] = "add@/devices/a\0ACTION=add\0DEVPATH=/devices/a\0SUBSYSTEM=blockage";
	struct uevent event;

	(void)state;
	assert_true(uevent_parse(text, sizeof(text) - 1 - 3, &event));
	assert_string_equal(event.subsystem, "block");
}

static void
refused(void **state)
{
	static const char long_name[] =
	    "add@/devices/x\0ACTION=add\0SUBSYSTEM=block\0DEVPATH=/devices/"
	    "0123456789012345678901234567890123456789012345678901234567890123";
	struct uevent event;

	(void)state;
	assert_false(uevent_parse("", 0, &event));
	assert_false(PARSE("libudev\0ACTION=add\0DEVPATH=/devices/a\0SUBSYSTEM=block", &event));
	assert_false(PARSE("add@/devices/a\0ACTION=add\0DEVPATH=/devices/a", &event));
	assert_false(PARSE("add@/devices/a\0ACTION=add\0SUBSYSTEM=block", &event));
	assert_false(PARSE("add@/devices/a\0SUBSYSTEM=block\0DEVPATH=/devices/a", &event));
	assert_false(PARSE("add@a\0ACTION=add\0DEVPATH=a\0SUBSYSTEM=block", &event));
	assert_false(PARSE("add@/a/\0ACTION=add\0DEVPATH=/a/\0SUBSYSTEM=block", &event));
	assert_false(PARSE("add@/a\0ACTION=add\0DEVPATH=/a\0SUBSYSTEM=block\0SEQNUM=1x", &event));
	assert_false(PARSE(
	    "add@/a\0ACTION=0123456789abcdef\0DEVPATH=/a\0SUBSYSTEM=block\0SEQNUM=1", &event));
	assert_false(uevent_parse(long_name, sizeof(long_name) - 1, &event));
	assert_true(uevent_parse(long_name, sizeof(long_name) - 2, &event));
}

struct heard {
	int n, lost, forged;
	struct uevent last;
};

static void
hear(void *arg, const struct uevent *event)
{
	struct heard *heard = arg;

	if (event == NULL) {
		heard->lost++;
		return;
	}
	if (strcmp(event->device, "forged") == 0)
		heard->forged++;
	if (strcmp(event->subsystem, "net") == 0 && strcmp(event->device, "lo") == 0) {
		heard->n++;
		heard->last = *event;
	}
}

static int
ask_kernel(void)
{
	int fd = open("/sys/class/net/lo/uevent", O_WRONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = write(fd, "change", 6);
	close(fd);
	return n == 6 ? 0 : -1;
}

/* As root anybody can write to the socket by its port. */
static void
forge(int to)
{
	static const char text[] =
	    "add@/devices/forged\0ACTION=add\0DEVPATH=/devices/forged\0SUBSYSTEM=block";
	struct sockaddr_nl address;
	socklen_t len = sizeof(address);
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);

	assert_true(fd >= 0);
	assert_int_equal(getsockname(to, (struct sockaddr *)&address, &len), 0);
	address.nl_groups = 0;
	assert_int_equal(
	    sendto(fd, text, sizeof(text), 0, (struct sockaddr *)&address, sizeof(address)),
	    sizeof(text));
	close(fd);
}

static void
from_the_kernel_only(void **state)
{
	struct heard heard = { 0 };
	struct pollfd in;
	int fd = uevent_open();

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(uevent_read(fd, hear, &heard), 0);
	if (geteuid() != 0) {
		close(fd);
		print_message("skipped: only root can make the kernel send a uevent\n");
		skip();
	}
	forge(fd);
	if (ask_kernel() < 0) {
		close(fd);
		print_message("skipped: /sys is read-only here\n");
		skip();
	}
	in = (struct pollfd) { .fd = fd, .events = POLLIN };
	while (heard.n == 0) {
		assert_int_equal(poll(&in, 1, 10000), 1);
		assert_int_equal(uevent_read(fd, hear, &heard), 0);
	}
	assert_string_equal(heard.last.action, "change");
	assert_true(heard.last.seqnum > 0);
	assert_int_equal(heard.forged, 0);
	close(fd);
}

static void
loss_is_told(void **state)
{
	struct heard heard = { 0 };
	int fd = uevent_open(), small = 1;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	for (int i = 0; i < 64; i++) {
		if (ask_kernel() < 0) {
			close(fd);
			print_message("skipped: the kernel sends a uevent to root only\n");
			skip();
		}
	}
	assert_int_equal(uevent_read(fd, hear, &heard), 0);
	assert_true(heard.lost > 0);
	assert_true(heard.n < 64);
	close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_messages),
		cmocka_unit_test(slash_in_the_name),
		cmocka_unit_test(exact_length),
		cmocka_unit_test(refused),
		cmocka_unit_test(from_the_kernel_only),
		cmocka_unit_test(loss_is_told),
	};

	return cmocka_run_group_tests_name("sys/uevent", tests, NULL, NULL);
}
