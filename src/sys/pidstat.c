#include "sys/pidstat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The name may hold anything, blanks and brackets too: it ends at the last bracket. */
int
pidstat_parse(const char *text, size_t len, struct pidstat *out)
{
	const char *open = memchr(text, '(', len), *close = memrchr(text, ')', len);
	char rest[512];
	uint64_t user, system;
	size_t n;

	*out = (struct pidstat){ .cpu_ticks = 0 };
	if (open == NULL || close == NULL || close < open)
		return -EINVAL;
	n = (size_t)(close - open - 1);
	snprintf(out->name, sizeof(out->name), "%.*s", (int)(n < sizeof(out->name) ? n : sizeof(out->name) - 1), open + 1);
	n = len - (size_t)(close + 1 - text);
	snprintf(rest, sizeof(rest), "%.*s", (int)(n < sizeof(rest) ? n : sizeof(rest) - 1), close + 1);
	/* From the third field on: state, ..., 14 and 15 the times, 22 the start. */
	if (sscanf(rest, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %19" SCNu64 " %19" SCNu64 " %*s %*s %*s %*s %*s %*s %19"
	    SCNu64, &user, &system, &out->start_ticks) != 3)
		return -EINVAL;
	out->cpu_ticks = user + system;
	return 0;
}
