#include "sys/uevent.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define KERNEL_GROUP 1		/* udevd speaks in group 2 */
#define RECEIVE_BYTES (2 << 20)	/* room for about a thousand devices that come at once */
#define MESSAGE_BYTES 8192	/* the kernel's own are 2 KiB at most */
#define AT_A_TIME 4096

static bool
take(char *out, size_t size, const char *text, size_t len)
{
	if (len == 0 || len >= size)
		return false;
	memcpy(out, text, len);
	out[len] = '\0';
	return true;
}

/* A sysfs folder cannot have a slash in its name, so it has '!' there. */
static bool
take_device(struct uevent *event, const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);

	if (slash == NULL)
		return false;
	slash++;
	if (!take(event->device, sizeof(event->device), slash, (size_t)(path + len - slash)))
		return false;
	for (char *p = event->device; *p != '\0'; p++) {
		if (*p == '!')
			*p = '/';
	}
	return true;
}

static bool
take_number(uint64_t *out, const char *text, size_t len)
{
	uint64_t value = 0;

	if (len == 0 || len > 19)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		value = value * 10 + (uint64_t)(text[i] - '0');
	}
	*out = value;
	return true;
}

/* The value of NAME=value, or NULL for another name. */
static const char *
value_of(const char *field, size_t len, const char *name, size_t *value_len)
{
	size_t n = strlen(name);

	if (len <= n || memcmp(field, name, n) != 0 || field[n] != '=')
		return NULL;
	*value_len = len - n - 1;
	return field + n + 1;
}

static bool
parse_field(struct uevent *event, const char *field, size_t len)
{
	const char *value;
	size_t n;

	if ((value = value_of(field, len, "ACTION", &n)) != NULL)
		return take(event->action, sizeof(event->action), value, n);
	if ((value = value_of(field, len, "SUBSYSTEM", &n)) != NULL)
		return take(event->subsystem, sizeof(event->subsystem), value, n);
	if ((value = value_of(field, len, "DEVPATH", &n)) != NULL)
		return take_device(event, value, n);
	if ((value = value_of(field, len, "SEQNUM", &n)) != NULL)
		return take_number(&event->seqnum, value, n);
	return true;
}

/*
 * lib/kobject_uevent.c: "ACTION@DEVPATH", then NAME=value fields, each ended by a NUL. udevd's
 * messages begin with "libudev" and have no '@'.
 */
bool
uevent_parse(const char *buf, size_t len, struct uevent *out)
{
	size_t at = strnlen(buf, len);

	memset(out, 0, sizeof(*out));
	if (memchr(buf, '@', at) == NULL)
		return false;
	while (++at < len) {
		size_t n = strnlen(buf + at, len - at);

		if (!parse_field(out, buf + at, n))
			return false;
		at += n;
	}
	return out->action[0] != '\0' && out->subsystem[0] != '\0' && out->device[0] != '\0';
}

int
uevent_open(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
	int bytes = RECEIVE_BYTES, error;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -errno;
	/* root may go over the system's limit; without room messages are lost, and we are told */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) < 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	error = errno;
	close(fd);
	return -error;
}

/* 1: handled; 0: none there; -errno */
static int
read_one(int fd, uevent_seen *seen, void *arg)
{
	char buf[MESSAGE_BYTES];
	struct sockaddr_nl from = { 0 };
	struct iovec iov = { .iov_base = buf, .iov_len = sizeof(buf) };
	struct msghdr message = {
		.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};
	struct uevent event;
	ssize_t n = recvmsg(fd, &message, 0);

	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n < 0 && errno == ENOBUFS) {
		seen(arg, NULL);
		return 1;
	}
	if (n < 0)
		return errno == EINTR ? 1 : -errno;
	/* any process with the right to may write to this socket; only the kernel has port 0 */
	if (message.msg_namelen != sizeof(from) || from.nl_pid != 0)
		return 1;
	if ((message.msg_flags & MSG_TRUNC) != 0)
		seen(arg, NULL);
	else if (uevent_parse(buf, (size_t)n, &event))
		seen(arg, &event);
	return 1;
}

int
uevent_read(int fd, uevent_seen *seen, void *arg)
{
	int rc = 1;

	for (int i = 0; i < AT_A_TIME && rc > 0; i++)
		rc = read_one(fd, seen, arg);
	return rc < 0 ? rc : 0;
}
