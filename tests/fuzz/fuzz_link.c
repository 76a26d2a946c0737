#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sys/link.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
seen(void *arg, const char *name)
{
	(void)arg;
	if (name == NULL || name[0] == '\0' || strlen(name) > 15)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	link_parse((const char *)data, size, seen, NULL);
	return 0;
}
