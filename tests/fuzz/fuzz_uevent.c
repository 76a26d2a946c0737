#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sys/uevent.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct uevent event;

	if (!uevent_parse((const char *)data, size, &event))
		return 0;
	if (event.action[0] == '\0' || event.subsystem[0] == '\0' || event.device[0] == '\0')
		abort();
	if (strchr(event.device, '!') != NULL)
		abort();
	return 0;
}
