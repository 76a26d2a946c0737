#include "sys/memory.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of the same things in the two versions of control groups. */
struct names {
	const char *base, *limit, *usage, *cache[2];
};

static const struct names version[] = {
	{ "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
	    { "total_inactive_file ", "total_active_file " } },
	{ "/sys/fs/cgroup", "memory.max", "memory.current", { "inactive_file ", "active_file " } },
};

/* The number behind a word at the beginning of a line; false where there is none. */
static bool
value_of(const char *text, const char *word, uint64_t *out)
{
	size_t len = strlen(word);

	for (; text != NULL; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strncmp(text, word, len) == 0)
			return sscanf(text + len, "%" SCNu64, out) == 1;
	}
	return false;
}

static bool
number_in(const struct env *env, const char *base, const char *group, const char *file, uint64_t *out)
{
	char text[32];

	return env_attr(env, text, sizeof(text), "%s%s/%s", base, group, file) > 0 && sscanf(text, "%" SCNu64, out) == 1;
}

/* What one group leaves. "max", and the huge number that stands for no limit in version 1, are no limit. */
static uint64_t
left_in(const struct env *env, const struct names *n, const char *group)
{
	uint64_t limit, usage, cache, left;
	char path[PATH_MAX], *stat = NULL;
	size_t cap = 0;

	if (!number_in(env, n->base, group, n->limit, &limit) || !number_in(env, n->base, group, n->usage, &usage))
		return UINT64_MAX;
	left = limit > usage ? limit - usage : 0;
	snprintf(path, sizeof(path), "%s%s/memory.stat", n->base, group);
	if (env_read(env, path, &stat, &cap) > 0)
		for (size_t i = 0; i < 2; i++)
			if (value_of(stat, n->cache[i], &cache) && cache <= UINT64_MAX - left)
				left += cache;
	free(stat);
	return left < limit ? left : limit;
}

/* A group, and those above it: in a container the path may be that of outside, of which only the top is seen. */
static uint64_t
left_up(const struct env *env, const struct names *n, char *group)
{
	uint64_t least = UINT64_MAX, left;

	for (;;) {
		char *slash;

		left = left_in(env, n, group);
		least = left < least ? left : least;
		slash = strrchr(group, '/');
		if (slash == NULL)
			return least;
		*slash = '\0';
	}
}

/* "4:memory:/path" of version 1, "0::/path" of version 2. */
static uint64_t
left_of_line(const struct env *env, char *line)
{
	char *controllers = strchr(line, ':'), *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;

	if (group == NULL || strlen(group) >= PATH_MAX / 2)
		return UINT64_MAX;
	*group++ = '\0';
	if (strcmp(controllers + 1, "memory") == 0)
		return left_up(env, &version[0], group);
	return controllers[1] == '\0' ? left_up(env, &version[1], group) : UINT64_MAX;
}

uint64_t
memory_available(const struct env *env)
{
	uint64_t least = UINT64_MAX, left;
	char *text = NULL, *rest = NULL;
	size_t cap = 0;

	if (env_read(env, "/proc/meminfo", &text, &cap) > 0 && value_of(text, "MemAvailable:", &left))
		least = left * 1024;
	if (env_read(env, "/proc/self/cgroup", &text, &cap) > 0)
		for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
			left = left_of_line(env, line);
			least = left < least ? left : least;
		}
	free(text);
	return least;
}
