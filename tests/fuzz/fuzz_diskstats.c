#include <stdint.h>
#include <stdlib.h>

#include "core/snapshot.h"
#include "probes/block_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *buf = (const char *)data;
	struct block_cursor cursor = { .p = buf, .end = buf + size };
	struct block_line line;

	while (block_next(&cursor, &line)) {
		uint64_t in_flight = line.cells[DISK_IN_FLIGHT];

		if (line.name < buf || line.name + line.name_len > buf + size)
			abort();
		if (line.name_len == 0 || line.name_len >= BLOCK_NAME_MAX)
			abort();
		if (in_flight != ABSENT && in_flight >= UINT64_C(1) << 31)
			abort();
	}
	if (cursor.p != cursor.end || cursor.skipped > size)
		abort();
	return 0;
}
