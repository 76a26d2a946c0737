#include "probes/block_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "sys/dirlist.h"

struct text {
	char *p;
	size_t len, cap;
};

static void
append_line(struct text *t, const char *number, const char *name, const char *stat)
{
	size_t room = strlen(number) + strlen(name) + strlen(stat) + 4;

	if (t->len + room > t->cap) {
		t->cap = (t->len + room) * 2;
		t->p = xreallocarray(t->p, t->cap, 1);
	}
	t->len += (size_t)sprintf(t->p + t->len, "%s %s %s\n", number, name, stat);
}

/* One line as diskstats would have it, for a device with its attributes in dir. */
static void
add_device(const struct env *env, struct text *t, const char *dir, const char *sysname)
{
	char stat[512], number[32], name[BLOCK_NAME_MAX * 2], *p;

	if (env_attr(env, stat, sizeof(stat), "%s/stat", dir) <= 0)
		return;
	if (env_attr(env, number, sizeof(number), "%s/dev", dir) <= 0 || (p = strchr(number, ':')) == NULL)
		strcpy(number, "0 0");
	else
		*p = ' ';
	snprintf(name, sizeof(name), "%s", sysname);
	for (p = name; (p = strchr(p, '!')) != NULL;)
		*p = '/';
	append_line(t, number, name, stat);
}

/* Partitions are the directories in the disk's that are named after it. */
static void
add_partitions(const struct env *env, struct text *t, const char *disk)
{
	struct dirlist list;
	char dir[2 * 256 + 32];

	if (dirlist_read(env, &list, "/sys/block/%s", disk) < 0)
		return;
	for (size_t i = 0; i < list.n; i++) {
		if (strncmp(list.names[i], disk, strlen(disk)) != 0 || strcmp(list.names[i], disk) == 0)
			continue;
		snprintf(dir, sizeof(dir), "/sys/block/%.255s/%.255s", disk, list.names[i]);
		add_device(env, t, dir, list.names[i]);
	}
	dirlist_free(&list);
}

static int
read_sysfs(const struct env *env, struct block_source *source)
{
	struct text t = { .p = NULL };
	struct dirlist list;
	int rc = dirlist_read(env, &list, "/sys/block");

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < list.n; i++) {
		char dir[256 + 16];

		snprintf(dir, sizeof(dir), "/sys/block/%.255s", list.names[i]);
		add_device(env, &t, dir, list.names[i]);
		add_partitions(env, &t, list.names[i]);
	}
	dirlist_free(&list);
	free(source->text);
	source->text = t.p;
	source->cursor = (struct block_cursor){ .p = t.p, .end = t.p != NULL ? t.p + t.len : NULL };
	return 0;
}

int
block_source_read(const struct env *env, struct block_source *source)
{
	int rc = kept_file_read(env, &source->diskstats), fallback;
	const char *buf = source->diskstats.buf;

	if (rc == 0 && source->diskstats.len > 0) {
		source->cursor = (struct block_cursor){ .p = buf, .end = buf + source->diskstats.len };
		return 0;
	}
	fallback = read_sysfs(env, source);
	if (fallback < 0 && rc == 0) {
		source->cursor = (struct block_cursor){ .p = NULL };
		return 0;
	}
	/* nothing found below /sys does not make an unreadable diskstats a machine without disks */
	return fallback < 0 || source->text == NULL ? rc : 0;
}

void
block_source_close(struct block_source *source)
{
	kept_file_close(&source->diskstats);
	free(source->text);
	*source = (struct block_source)BLOCK_SOURCE;
}
