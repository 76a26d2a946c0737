/*
 * iSCSI PDUs (RFC 7143 section 11), and the SCSI commands in them (SPC, SBC). Pure; any thread.
 */
#ifndef WIRE_ISCSI_PARSE_H
#define WIRE_ISCSI_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISCSI_BHS 48
#define ISCSI_NO_TAG UINT32_MAX
#define ISCSI_NAME_MAX 224	/* 223 bytes (RFC 7143 section 4.2.7.1) and a NUL */

/* Section 11.5.1: what a task management request is to end. */
enum iscsi_function { ISCSI_ABORT_TASK = 1, ISCSI_ABORT_TASK_SET, ISCSI_CLEAR_ACA, ISCSI_CLEAR_TASK_SET, ISCSI_LUN_RESET,
	ISCSI_TARGET_WARM_RESET, ISCSI_TARGET_COLD_RESET };

enum iscsi_opcode {
	ISCSI_NOP_OUT, ISCSI_COMMAND, ISCSI_TASK, ISCSI_LOGIN, ISCSI_TEXT, ISCSI_DATA_OUT, ISCSI_LOGOUT, ISCSI_SNACK = 0x10,
	ISCSI_NOP_IN = 0x20, ISCSI_RESPONSE, ISCSI_TASK_RESPONSE, ISCSI_LOGIN_RESPONSE, ISCSI_TEXT_RESPONSE, ISCSI_DATA_IN,
	ISCSI_LOGOUT_RESPONSE, ISCSI_R2T = 0x31, ISCSI_ASYNC, ISCSI_REJECT = 0x3f,
};

struct iscsi_pdu {
	uint8_t opcode;
	bool from_target;
	bool final;
	uint32_t ahs_bytes, data_bytes;	/* as they are, without padding */
	uint32_t tag;			/* initiator task tag */
	/* of a task management request */
	uint8_t function;
	uint32_t referenced;		/* tag of the command to abort */
	/* of such a one and of a command */
	uint16_t lun;
	/* of a command */
	bool read, write;
	uint32_t expected;		/* data transfer length */
	uint32_t cmd_sn;
	uint8_t cdb;			/* its operation code */
	/* of a response, and of Data-In with a status; of a task management response `response` alone */
	bool has_status;
	uint8_t status, response;
	uint32_t underflow;		/* bytes not transferred */
	/* of a login */
	bool transit;			/* goes on to the next stage, which is */
	uint8_t next_stage;
	uint8_t login_status;		/* class, 0: fine */
};

/* Reads a header of ISCSI_BHS bytes. False: it cannot be one (reserved fields, unknown opcode, wrong direction flags). */
bool iscsi_parse(const uint8_t *bhs, struct iscsi_pdu *out);
/* CRC32C of n bytes, as a digest stands on the wire (little-endian, RFC 7143 section 13.1). */
uint32_t iscsi_crc(const uint8_t *, size_t n);

/* The keys of a login that matter here; never CHAP's. */
struct iscsi_login {
	char initiator[ISCSI_NAME_MAX], target[ISCSI_NAME_MAX];	/* "" where not said */
	bool discovery;
	int header_digest, data_digest;	/* 1: CRC32C, 0: none, -1: not said */
};

/* Adds what this text (key=value, each ended by a NUL) says. */
void iscsi_login_text(const uint8_t *, size_t n, struct iscsi_login *);

/* Sense key of sense data as it lies in a response's data segment: 2 bytes of length first. -1 where there is none. */
int iscsi_sense_key(const uint8_t *, size_t n);

/* "READ_10"; NULL for a vendor's own. */
const char *scsi_name(uint8_t cdb);
bool scsi_is_read(uint8_t cdb);
bool scsi_is_write(uint8_t cdb);
/* "CHECK_CONDITION", "BUSY"; "NOT_READY", "MEDIUM_ERROR". NULL where there is none. */
const char *scsi_status_name(uint8_t status);
const char *scsi_sense_name(int key);

#endif
