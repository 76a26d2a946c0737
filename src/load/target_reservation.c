#include "load/target_reservation.h"

#include <errno.h>
#include <linux/nvme_ioctl.h>
#include <scsi/sg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#define LIMIT_MS 2000
#define SCSI_PERSISTENT_RESERVE_IN 0x5e	/* SPC-4, 6.16; service action 0: READ KEYS */
#define NVME_RESERVATION_REPORT 0x0e
#define KEY_BYTES 8
/* SAM-5 5.3.1, and what the kernel says of the host's side (include/scsi/scsi_status.h). */
enum { STATUS_BUSY = 0x08, STATUS_RESERVATION_CONFLICT = 0x18, STATUS_TASK_SET_FULL = 0x28 };
enum { HOST_BUS_BUSY = 2, HOST_TIME_OUT = 3 };

unsigned
reservation_scsi_keys(const uint8_t *data, size_t len)
{
	uint32_t bytes;

	if (len < 8)
		return 0;
	bytes = (uint32_t)data[4] << 24 | (uint32_t)data[5] << 16 | (uint32_t)data[6] << 8 | data[7];
	return bytes / KEY_BYTES;
}

unsigned
reservation_nvme_controllers(const uint8_t *data, size_t len)
{
	return len < 7 ? 0 : (unsigned)data[5] | (unsigned)data[6] << 8;
}

bool
reservation_scsi_silent(unsigned host_status, unsigned status)
{
	return host_status == HOST_BUS_BUSY || host_status == HOST_TIME_OUT || status == STATUS_BUSY ||
	    status == STATUS_RESERVATION_CONFLICT || status == STATUS_TASK_SET_FULL;
}

/* 0 where the device knows no reservations: virtio, MMC, ATA ...; *silent: it did not say. */
static unsigned
ask_scsi(int fd, bool *silent)
{
	uint8_t command[10] = { SCSI_PERSISTENT_RESERVE_IN }, sense[32], data[256] = { 0 };
	struct sg_io_hdr io = {
		.interface_id = 'S', .dxfer_direction = SG_DXFER_FROM_DEV, .cmd_len = sizeof(command), .cmdp = command,
		.mx_sb_len = sizeof(sense), .sbp = sense, .dxfer_len = sizeof(data), .dxferp = data, .timeout = LIMIT_MS,
	};

	command[8] = (uint8_t)(sizeof(data) & 0xff);
	command[7] = (uint8_t)(sizeof(data) >> 8);
	if (ioctl(fd, SG_IO, &io) < 0)
		return 0;
	*silent = reservation_scsi_silent(io.host_status, io.status);
	if ((io.info & SG_INFO_OK_MASK) != SG_INFO_OK || io.resid > (int)sizeof(data) - 8)
		return 0;
	return reservation_scsi_keys(data, sizeof(data));
}

static unsigned
ask_nvme(int fd, bool *silent)
{
	uint8_t data[4096] = { 0 };
	int namespace = ioctl(fd, NVME_IOCTL_ID), rc;
	struct nvme_passthru_cmd command = {
		.opcode = NVME_RESERVATION_REPORT, .addr = (uint64_t)(uintptr_t)data, .data_len = sizeof(data),
		.cdw10 = sizeof(data) / 4 - 1, .timeout_ms = LIMIT_MS,
	};

	if (namespace <= 0)
		return 0;
	command.nsid = (uint32_t)namespace;
	/* Above 0 is the device's own answer: it knows no reservations, as a rule. */
	rc = ioctl(fd, NVME_IOCTL_IO_CMD, &command);
	*silent = rc < 0 && errno != EACCES && errno != EPERM;
	return rc == 0 ? reservation_nvme_controllers(data, sizeof(data)) : 0;
}

void
reservation_read(int fd, char *out, size_t size)
{
	bool silent = false;
	unsigned n = ask_scsi(fd, &silent);

	out[0] = '\0';
	if (n == 0 && !silent)
		n = ask_nvme(fd, &silent);
	if (silent)
		snprintf(out, size, "it did not say whether other hosts have reserved it");
	else if (n > 0)
		snprintf(out, size, "it is shared with other hosts: %u persistent reservation %s registered", n, n == 1 ? "key is" : "keys are");
}
