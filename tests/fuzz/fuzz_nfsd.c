#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probes/nfsd_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nfsd_client_text client;
	uint64_t cells[NFSD_METRICS];

	nfsd_parse((const char *)data, size, cells);
	nfsd_client_parse((const char *)data, size, &client);
	if (strlen(client.name) >= sizeof(client.name) || strlen(client.address) >= sizeof(client.address))
		abort();
	return 0;
}
