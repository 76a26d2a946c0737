#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sys/udevdb.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
check(const char value[static UDEVDB_VALUE_MAX])
{
	size_t len = strnlen(value, UDEVDB_VALUE_MAX);

	if (len == UDEVDB_VALUE_MAX || value[0] == ' ' || (len > 0 && value[len - 1] == ' '))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct udevdb db;

	memset(&db, 'x', sizeof(db));
	udevdb_parse((const char *)data, size, &db);
	check(db.wwn);
	check(db.serial);
	check(db.vendor);
	check(db.model);
	check(db.md_name);
	return 0;
}
