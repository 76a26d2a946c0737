#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sys/iscsi.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct iscsi_acl_facts facts;

	iscsi_acl_parse((const char *)data, size, &facts);
	if (strlen(facts.state) >= sizeof(facts.state) || strlen(facts.address) >= sizeof(facts.address))
		abort();
	return 0;
}
