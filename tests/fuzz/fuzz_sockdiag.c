#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sys/sockdiag.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
check(void *arg, const struct sockdiag_tcp *tcp)
{
	(void)arg;
	if (strnlen(tcp->peer, sizeof(tcp->peer)) == sizeof(tcp->peer))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	sockdiag_parse(data, size, check, NULL);
	return 0;
}
