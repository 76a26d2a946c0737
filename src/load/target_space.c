#include "load/target_space.h"

#include <inttypes.h>
#include <stdio.h>

#include "load/target_held.h"

#define MIB (UINT64_C(1) << 20)
#define DEFAULT_MOST (UINT64_C(64) << 30)
#define FLOOR_BYTES (64 * MIB)	/* never taken of a file system, nor the last 5 % of it */
#define AREA_ALIGN 4096

void
space_make(struct space *out, uint64_t all_bytes, uint64_t free_bytes)
{
	uint64_t least = all_bytes / 20;

	if (least < FLOOR_BYTES)
		least = FLOOR_BYTES;
	out->free_bytes = free_bytes;
	out->room = free_bytes > least ? free_bytes - least : 0;
}

int
space_choose(const struct target_request *request, const char *name, const struct space *space, uint64_t now, uint64_t have,
    uint64_t *out, char *why, size_t size)
{
	uint64_t most = space->free_bytes / 4 < DEFAULT_MOST ? space->free_bytes / 4 : DEFAULT_MOST;
	uint64_t want = request->size_bytes;

	if (want == 0)
		want = now != 0 ? now : most < space->room ? most : space->room;
	/* A wish is rounded up, so that a job finds all it asked for. */
	if (request->size_bytes != 0 && want <= UINT64_MAX - AREA_ALIGN)
		want += AREA_ALIGN - 1;
	want = want / AREA_ALIGN * AREA_ALIGN;
	if (want == 0 || (want > have && want - have > space->room)) {
		snprintf(why, size, "%s refused: not enough free space: %" PRIu64 " MiB of %" PRIu64 " MiB free may be taken "
		    "(the rest stays free for others)%s", name, space->room / MIB, space->free_bytes / MIB,
		    request->size_bytes != 0 ? "; --size asks for more" : "");
		return TARGET_REFUSED;
	}
	*out = want;
	return 0;
}
