#include <stdint.h>

#include "probes/pressure_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pressure pressure;
	struct swapping swapping;

	pressure_parse((const char *)data, size, &pressure);
	swapping_parse((const char *)data, size, &swapping);
	return 0;
}
