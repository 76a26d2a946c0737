#include <stddef.h>

#include "probes/wire/iscsi_parse.h"

static const struct scsi_row {
	char direction;	/* 'r' reads blocks, 'w' writes them, ' ' neither */
	const char *name;
} rows[256] = {
	[0x00] = { ' ', "TEST_UNIT_READY" }, [0x01] = { ' ', "REWIND" }, [0x03] = { ' ', "REQUEST_SENSE" }, [0x04] = { ' ', "FORMAT_UNIT" },
	[0x05] = { ' ', "READ_BLOCK_LIMITS" }, [0x07] = { ' ', "INITIALIZE_ELEMENT_STATUS" }, [0x08] = { 'r', "READ_6" }, [0x0a] = { 'w', "WRITE_6" },
	[0x10] = { ' ', "WRITE_FILEMARKS" }, [0x11] = { ' ', "SPACE" }, [0x12] = { ' ', "INQUIRY" }, [0x15] = { ' ', "MODE_SELECT_6" },
	[0x16] = { ' ', "RESERVE_6" }, [0x17] = { ' ', "RELEASE_6" }, [0x1a] = { ' ', "MODE_SENSE_6" }, [0x1b] = { ' ', "START_STOP_UNIT" },
	[0x1c] = { ' ', "RECEIVE_DIAGNOSTIC" }, [0x1d] = { ' ', "SEND_DIAGNOSTIC" }, [0x1e] = { ' ', "PREVENT_ALLOW_REMOVAL" },
	[0x25] = { ' ', "READ_CAPACITY_10" }, [0x28] = { 'r', "READ_10" }, [0x2a] = { 'w', "WRITE_10" }, [0x2b] = { ' ', "SEEK_10" },
	[0x2e] = { 'w', "WRITE_AND_VERIFY_10" }, [0x2f] = { ' ', "VERIFY_10" }, [0x34] = { ' ', "PREFETCH_10" },
	[0x35] = { ' ', "SYNCHRONIZE_CACHE_10" }, [0x37] = { ' ', "READ_DEFECT_DATA_10" }, [0x3b] = { ' ', "WRITE_BUFFER" },
	[0x3c] = { ' ', "READ_BUFFER" }, [0x41] = { 'w', "WRITE_SAME_10" }, [0x42] = { ' ', "UNMAP" }, [0x43] = { ' ', "READ_TOC" },
	[0x4d] = { ' ', "LOG_SENSE" }, [0x55] = { ' ', "MODE_SELECT_10" }, [0x5a] = { ' ', "MODE_SENSE_10" },
	[0x5e] = { ' ', "PERSISTENT_RESERVE_IN" }, [0x5f] = { ' ', "PERSISTENT_RESERVE_OUT" }, [0x7f] = { ' ', "VARIABLE_LENGTH" },
	[0x83] = { ' ', "EXTENDED_COPY" }, [0x84] = { ' ', "RECEIVE_COPY_RESULTS" }, [0x85] = { ' ', "ATA_PASS_THROUGH_16" },
	[0x88] = { 'r', "READ_16" }, [0x89] = { 'w', "COMPARE_AND_WRITE" }, [0x8a] = { 'w', "WRITE_16" }, [0x8e] = { 'w', "WRITE_AND_VERIFY_16" },
	[0x8f] = { ' ', "VERIFY_16" }, [0x91] = { ' ', "SYNCHRONIZE_CACHE_16" }, [0x93] = { 'w', "WRITE_SAME_16" },
	[0x9e] = { ' ', "SERVICE_ACTION_IN_16" }, [0xa0] = { ' ', "REPORT_LUNS" }, [0xa1] = { ' ', "ATA_PASS_THROUGH_12" },
	[0xa3] = { ' ', "MAINTENANCE_IN" }, [0xa4] = { ' ', "MAINTENANCE_OUT" }, [0xa5] = { ' ', "MOVE_MEDIUM" }, [0xa8] = { 'r', "READ_12" },
	[0xaa] = { 'w', "WRITE_12" }, [0xae] = { 'w', "WRITE_AND_VERIFY_12" }, [0xaf] = { ' ', "VERIFY_12" },
	[0xb8] = { ' ', "READ_ELEMENT_STATUS" },
};

const char *
scsi_name(uint8_t cdb)
{
	return rows[cdb].name;
}

bool
scsi_is_read(uint8_t cdb)
{
	return rows[cdb].direction == 'r';
}

bool
scsi_is_write(uint8_t cdb)
{
	return rows[cdb].direction == 'w';
}

const char *
scsi_status_name(uint8_t status)
{
	switch (status) {
	case 0x00: return "GOOD";
	case 0x02: return "CHECK_CONDITION";
	case 0x04: return "CONDITION_MET";
	case 0x08: return "BUSY";
	case 0x18: return "RESERVATION_CONFLICT";
	case 0x28: return "TASK_SET_FULL";
	case 0x30: return "ACA_ACTIVE";
	case 0x40: return "TASK_ABORTED";
	default: return NULL;
	}
}

const char *
scsi_sense_name(int key)
{
	static const char *const names[] = { "NO_SENSE", "RECOVERED_ERROR", "NOT_READY", "MEDIUM_ERROR", "HARDWARE_ERROR",
		"ILLEGAL_REQUEST", "UNIT_ATTENTION", "DATA_PROTECT", "BLANK_CHECK", "VENDOR_SPECIFIC", "COPY_ABORTED", "ABORTED_COMMAND",
		NULL, "VOLUME_OVERFLOW", "MISCOMPARE", "COMPLETED" };

	return key >= 0 && (size_t)key < sizeof(names) / sizeof(names[0]) ? names[key] : NULL;
}
