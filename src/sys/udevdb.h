/*
 * udev's database, /run/udev/data/bMAJOR:MINOR: what udev found out about a device by asking it, so that
 * we need not. Pure; any thread. Source: systemd's device database, lines "E:KEY=value".
 */
#ifndef SYS_UDEVDB_H
#define SYS_UDEVDB_H

#include <stddef.h>

#define UDEVDB_VALUE_MAX 128

/* "" where it does not say. */
struct udevdb {
	char wwn[UDEVDB_VALUE_MAX];	/* as the kernel would say it: "naa.5000...", "eui.00..." */
	char serial[UDEVDB_VALUE_MAX];
	char vendor[UDEVDB_VALUE_MAX];
	char model[UDEVDB_VALUE_MAX];
	char md_name[UDEVDB_VALUE_MAX];	/* below /dev/md */
};

void udevdb_parse(const char *buf, size_t len, struct udevdb *out);

#endif
