/*
 * The kernel's word that a device came, went or changed (NETLINK_KOBJECT_UEVENT). Needs no privilege
 * and no udev.
 */
#ifndef SYS_UEVENT_H
#define SYS_UEVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uevent {
	char action[16];	/* "add", "remove", "change", "move", "online", "offline", "bind" ... */
	char subsystem[32];	/* "block", "net", "scsi", "nvme", "cpu" ... */
	/*
	 * The end of the path in /sys/devices as the kernel names the device: "sda", "eth0", "2:0:0:1",
	 * "cciss/c0d0" (whose folder is cciss!c0d0).
	 */
	char device[64];
	uint64_t seqnum;	/* 0: not said */
};

/* One message. False where it is not one of the kernel's, or says too little. Pure; any thread. */
bool uevent_parse(const char *buf, size_t len, struct uevent *out);

/* A non-blocking socket for poll(), or -errno. */
int uevent_open(void);
/* NULL: messages were lost, anything may have changed. */
typedef void uevent_seen(void *arg, const struct uevent *);
/*
 * Hands on what has come, at most some thousand at a time (the socket stays readable). Messages that
 * are not from the kernel are dropped. 0 or -errno.
 */
int uevent_read(int fd, uevent_seen *, void *arg);

#endif
