#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/snapshot.h"
#include "probes/block_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* The text as the stat file of a disk and as its line in diskstats must give the same counters. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char head[] = "8 0 sda ";
	const char *newline = memchr(data, '\n', size);
	size_t len = newline != NULL ? (size_t)(newline - (const char *)data) : size;
	char *text = malloc(sizeof(head) + len);
	struct block_cursor cursor = { .p = text, .end = text + sizeof(head) - 1 + len };
	uint64_t cells[DISK_DIRECT];
	struct block_line line;
	int rc = block_parse_stat((const char *)data, size, cells);

	memcpy(text, head, sizeof(head) - 1);
	if (len > 0)
		memcpy(text + sizeof(head) - 1, data, len);
	if (block_next(&cursor, &line) != (rc == 0))
		abort();
	if (rc == 0 && memcmp(cells, line.cells, sizeof(cells)) != 0)
		abort();
	free(text);
	return 0;
}
