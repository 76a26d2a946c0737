#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sys/topology.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), name[TOPOLOGY_NAME_MAX];
	struct topology_path path;
	unsigned number;

	memcpy(text, data, size);
	text[size] = '\0';
	if (topology_parse_path(text, &path)) {
		size_t len = strlen(path.devices);

		if (path.disk[0] == '\0' || path.adapter_len > path.device_len || path.device_len >= len)
			abort();
		if ((path.adapter[0] != '\0') != (path.adapter_len > 0))
			abort();
	}
	topology_adapter_of(text, name);
	if (size > 0 && data[0] != '\0' && name[0] == '\0')
		abort();
	if (topology_whole_of(text, name, &number) && (name[0] == '\0' || number == 0))
		abort();
	free(text);
	return 0;
}
