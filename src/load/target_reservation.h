/*
 * Shared LUNs: other hosts that registered for persistent reservations (SCSI, NVMe) use the disk, whatever this host knows.
 */
#ifndef LOAD_TARGET_RESERVATION_H
#define LOAD_TARGET_RESERVATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * "it is shared with other hosts: 2 persistent reservation keys are registered", "it did not say whether other hosts have reserved it"
 * where it did not answer in time or is busy, or "" where there are none, or the device knows none. Asks the device.
 */
void reservation_read(int fd, char *out, size_t size);

/* SPC-4 6.16.2, READ KEYS parameter data: how many keys; 0 where it makes no sense. Pure. */
unsigned reservation_scsi_keys(const uint8_t *data, size_t len);
/* Was the question left open? Of a struct sg_io_hdr: host_status and status. Pure. */
bool reservation_scsi_silent(unsigned host_status, unsigned status);
/* NVMe Base 2.0, Reservation Status data structure: how many registered controllers. Pure. */
unsigned reservation_nvme_controllers(const uint8_t *data, size_t len);

#endif
