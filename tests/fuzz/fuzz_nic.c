#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probes/nic_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nic_cursor cursor = { .p = (const char *)data, .end = (const char *)data + size };
	struct nic_line line;
	char attr[32] = "", text[32];
	double bits;

	while (nic_next(&cursor, &line)) {
		if (line.name_len == 0 || line.name_len > 15 || memchr(line.name, '/', line.name_len) != NULL)
			abort();
	}
	memcpy(attr, data, size < sizeof(attr) - 1 ? size : sizeof(attr) - 1);
	if (nic_speed(attr, text, sizeof(text), &bits) && !(bits > 0))
		abort();
	return 0;
}
