/*
 * Answers of SCSI devices (SPC-4, SBC-3), as far as a target must be known. From the wire: any bytes may come. Pure.
 */
#ifndef LOAD_SCSI_PARSE_H
#define LOAD_SCSI_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scsi_identity {
	unsigned qualifier, type;	/* 0, 0: a disk that is there */
	char vendor[9], product[17];	/* without the blanks at the end */
};

struct scsi_capacity {
	uint64_t blocks;
	uint32_t block_bytes, physical_bytes;
};

/* SPC-4 6.6.2, standard INQUIRY data. 0 or -EINVAL. */
int scsi_parse_identity(const uint8_t *data, size_t len, struct scsi_identity *out);
/* SPC-4 7.8.15, Unit Serial Number page; "" where there is none. */
void scsi_parse_serial(const uint8_t *data, size_t len, char *out, size_t size);
/* SPC-4 7.8.6, Device Identification page: "naa.6001405..." of the LUN, else its "eui....", else "". */
void scsi_parse_wwn(const uint8_t *data, size_t len, char *out, size_t size);
/* SBC-3 5.16.2, READ CAPACITY (16). 0 or -EINVAL: no size that makes sense. */
int scsi_parse_capacity(const uint8_t *data, size_t len, struct scsi_capacity *out);
/* SPC-4 6.16.3, READ RESERVATION: does anybody hold one? */
bool scsi_parse_reserved(const uint8_t *data, size_t len);
/* SBC-3 6.4.1 and SPC-4 7.5.5, MODE SENSE (6): write protected? */
bool scsi_parse_protected(const uint8_t *data, size_t len);

#endif
