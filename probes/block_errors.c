/*
 * Error counters of SCSI devices: hexadecimal attributes that the kernel counts up (drivers/scsi/scsi_sysfs.c).
 * Their files stay open, so they are for the first disks only: a machine with a thousand would spend more
 * on them than on everything else.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/snapshot.h"
#include "probes/block_detail.h"
#include "probes/hex_parse.h"

#define MOST_DISKS 64
#define EVERY_NS NS_PER_S
#define STALE_NS (10 * NS_PER_S)

enum { NOT_OPEN = -1, NOT_THERE = -2 };

static int
open_counter(const struct block_device *d, const char *attr)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s%s/%s", d->table->env->root, d->facts.device_dir, attr);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 ? fd : NOT_THERE;
}

static uint64_t
read_counter(const struct block_device *d, const char *attr, int *fd)
{
	char text[32];
	ssize_t n;

	if (d->table->env->foreign) {
		n = env_attr(d->table->env, text, sizeof(text), "%s/%s", d->facts.device_dir, attr);
		return n > 0 ? hex_parse(text, (size_t)n) : ABSENT;
	}
	if (*fd == NOT_OPEN)
		*fd = open_counter(d, attr);
	if (*fd < 0)
		return ABSENT;
	n = pread(*fd, text, sizeof(text), 0);
	if (n <= 0) {
		/* The device has gone: the next reading of diskstats will not have it. */
		close(*fd);
		*fd = NOT_THERE;
		return ABSENT;
	}
	return hex_parse(text, (size_t)n);
}

void
block_errors_read(struct block_table *table, uint64_t now_ns)
{
	unsigned disks = 0;

	for (size_t i = 0; i < table->n && disks < MOST_DISKS; i++) {
		struct block_device *d = table->devices[i];

		if (d->partition || d->facts.bus != BUS_SCSI || d->facts.device_dir == NULL)
			continue;
		disks++;
		if (d->errors_ns != 0 && now_ns - d->errors_ns < EVERY_NS)
			continue;
		d->errors = read_counter(d, "ioerr_cnt", &d->error_fd);
		d->timeouts = read_counter(d, "iotmo_cnt", &d->timeout_fd);
		d->errors_ns = now_ns;
	}
}

void
block_errors_put(const struct block_device *d, uint64_t now_ns, uint64_t *cells)
{
	if (d->errors_ns == 0 || now_ns - d->errors_ns > STALE_NS)
		return;
	cells[DISK_ERRORS] = d->errors;
	cells[DISK_TIMEOUTS] = d->timeouts;
}
