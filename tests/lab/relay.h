/*
 * Stands before the lab's iSCSI target and hands PDUs on both ways (RFC 7143, section 11; no digests): a target that has something
 * against one command.
 */
#ifndef TESTS_LAB_RELAY_H
#define TESTS_LAB_RELAY_H

#include <stdint.h>
#include <sys/types.h>

#define RELAY_PORT 3270
#define RELAY_URL "iscsi://10.9.0.1:3270/iqn.2026-01.lab:disk"

enum relay_answer {
	RELAY_BUSY,	/* its status is BUSY, whatever the target said */
	RELAY_HANGS_UP,	/* the connection ends where it comes */
};

/* A process of its own; SCSI commands with this operation code are answered so. Fails the test where it cannot. */
pid_t relay_start(uint8_t operation_code, enum relay_answer);
void relay_end(pid_t);

#endif
