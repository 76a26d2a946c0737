#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sys/mountinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mounts *mounts = mounts_parse((const char *)data, size);

	for (size_t i = 0; i < mounts->n; i++) {
		const struct mount *m = &mounts->list[i];

		/* What is mounted on a path, or the last thing over it, holds the path. */
		if (strcmp(mounts_holding(mounts, m->point)->point, m->point) != 0)
			abort();
		if (strlen(m->root) + strlen(m->fstype) + strlen(m->source) > size)
			abort();
	}
	mounts_holding(mounts, "/a/b");
	mounts_free(mounts);
	return 0;
}
