/*
 * Shared LUNs: other hosts that registered for persistent reservations (SCSI, NVMe) use the disk, whatever this host knows.
 */
#ifndef LOAD_TARGET_RESERVATION_H
#define LOAD_TARGET_RESERVATION_H

#include <stddef.h>
#include <stdint.h>

/* "2 persistent reservation keys are registered", or "" where there are none, or the device knows none. Asks the device. */
void reservation_read(int fd, char *out, size_t size);

/* SPC-4 6.16.2, READ KEYS parameter data: how many keys; 0 where it makes no sense. Pure. */
unsigned reservation_scsi_keys(const uint8_t *data, size_t len);
/* NVMe Base 2.0, Reservation Status data structure: how many registered controllers. Pure. */
unsigned reservation_nvme_controllers(const uint8_t *data, size_t len);

#endif
