#include "sys/dirlist.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"

static int
compare(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static void
append(struct dirlist *list, size_t *cap, const char *name)
{
	if (list->n == *cap) {
		*cap = *cap == 0 ? 16 : *cap * 2;
		list->names = xreallocarray(list->names, *cap, sizeof(*list->names));
	}
	list->names[list->n++] = xstrdup(name);
}

int
dirlist_read(const struct env *env, struct dirlist *out, const char *format, ...)
{
	char path[PATH_MAX];
	size_t cap = 0, root = strlen(env->root);
	const struct dirent *entry;
	va_list args;
	DIR *dir;
	int n;

	*out = (struct dirlist){ .n = 0 };
	if (root >= sizeof(path))
		return -ENAMETOOLONG;
	memcpy(path, env->root, root);
	va_start(args, format);
	n = vsnprintf(path + root, sizeof(path) - root, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(path) - root)
		return -ENAMETOOLONG;
	dir = opendir(path);
	if (dir == NULL)
		return -errno;
	while ((entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.')
			append(out, &cap, entry->d_name);
	closedir(dir);
	if (out->n > 1)
		qsort(out->names, out->n, sizeof(*out->names), compare);
	return 0;
}

void
dirlist_free(struct dirlist *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct dirlist){ .n = 0 };
}
