#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probes/wire/iscsi_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct iscsi_login login = { .header_digest = -1, .data_digest = -1 };
	struct iscsi_pdu pdu;

	if (size >= ISCSI_BHS && iscsi_parse(data, &pdu)) {
		if (pdu.ahs_bytes > 1024 || pdu.data_bytes > 1u << 24 || pdu.from_target != ((data[0] & 0x20) != 0))
			abort();
		scsi_name(pdu.cdb);
	}
	iscsi_login_text(data, size, &login);
	if (memchr(login.initiator, '\0', sizeof(login.initiator)) == NULL ||
	    memchr(login.target, '\0', sizeof(login.target)) == NULL || login.header_digest < -1 || login.header_digest > 1)
		abort();
	if (iscsi_sense_key(data, size) > 15)
		abort();
	return 0;
}
