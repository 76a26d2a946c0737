#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "load/target_mark.h"
#include "load/target_reservation.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mark mark;
	char text[MARK_TEXT_MAX];

	reservation_scsi_keys(data, size);
	reservation_nvme_controllers(data, size);
	/* What was understood is what would have been said. */
	if (mark_parse((const char *)data, size, &mark) == 0 &&
	    (mark_print(&mark, text) != size || memcmp(text, data, size) != 0))
		abort();
	return 0;
}
