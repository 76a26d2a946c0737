#include <stdint.h>
#include <stdlib.h>

#include "core/snapshot.h"
#include "probes/cpu_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cpu_cursor cursor = { .p = (const char *)data, .end = (const char *)data + size };
	struct cpu_line line;

	while (cpu_next(&cursor, &line)) {
		if (line.name_len < 4 || line.name_len > 15 || line.cells[CPU_IDLE] == ABSENT)
			abort();
	}
	return 0;
}
