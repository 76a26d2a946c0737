#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "load/scsi_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
check_text(const char *text, size_t size)
{
	size_t len = strnlen(text, size);

	if (len == size)
		abort();
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > 126)
			abort();
}

/* Texts are printable and end; a size fits into what counts bytes. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scsi_identity id;
	struct scsi_capacity capacity;
	char text[80], small[7];

	if (scsi_parse_identity(data, size, &id) == 0) {
		check_text(id.vendor, sizeof(id.vendor));
		check_text(id.product, sizeof(id.product));
	}
	scsi_parse_serial(data, size, text, sizeof(text));
	check_text(text, sizeof(text));
	scsi_parse_wwn(data, size, text, sizeof(text));
	check_text(text, sizeof(text));
	scsi_parse_wwn(data, size, small, sizeof(small));
	check_text(small, sizeof(small));
	if (scsi_parse_capacity(data, size, &capacity) == 0 && (capacity.blocks == 0 ||
	    capacity.blocks > INT64_MAX / capacity.block_bytes))
		abort();
	scsi_parse_reserved(data, size);
	scsi_parse_protected(data, size);
	return 0;
}
