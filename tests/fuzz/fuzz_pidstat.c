#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sys/pidstat.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* The name ends within its field, and stands in the text as it is. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pidstat stat;

	if (pidstat_parse((const char *)data, size, &stat) < 0)
		return 0;
	if (strnlen(stat.name, sizeof(stat.name)) == sizeof(stat.name) ||
	    memmem(data, size, stat.name, strlen(stat.name)) == NULL)
		abort();
	return 0;
}
