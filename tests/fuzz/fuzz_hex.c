#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/snapshot.h"
#include "probes/hex_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* What is taken reads back as the same number. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t value = hex_parse((const char *)data, size);
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	if (value != ABSENT && hex_parse(text, strlen(text)) != value)
		abort();
	return 0;
}
