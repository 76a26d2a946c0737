#include "tests/probes/tree.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void
fail(const char *what, const char *path)
{
	fprintf(stderr, "%s %s: %s\n", what, path, strerror(errno));
	abort();
}

struct tree *
tree_new(void)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	strcpy(tree->root, "/tmp/stortop-tree-XXXXXX");
	if (mkdtemp(tree->root) == NULL)
		fail("mkdtemp", tree->root);
	tree->env = (struct env){ .root = tree->root, .foreign = true, .detail_budget_ns = UINT64_MAX };
	return tree;
}

static int
remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void
remove_all(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void
tree_free(struct tree *tree)
{
	remove_all(tree->root);
	free(tree);
}

static void
full_path(struct tree *tree, const char *path, char out[static PATH_MAX])
{
	snprintf(out, PATH_MAX, "%s/%s", tree->root, path);
}

static void
make_dirs_above(char *path)
{
	for (char *p = path + 1; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			fail("mkdir", path);
		*p = '/';
	}
}

void
tree_put_bytes(struct tree *tree, const char *path, const void *bytes, size_t len)
{
	char full[PATH_MAX];
	FILE *f;

	full_path(tree, path, full);
	make_dirs_above(full);
	f = fopen(full, "w");
	if (f == NULL || fwrite(bytes, 1, len, f) != len || fclose(f) != 0)
		fail("write", full);
}

void
tree_put(struct tree *tree, const char *path, const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	if (len < 0)
		fail("format", path);
	tree_put_bytes(tree, path, text, (size_t)len);
	free(text);
}

void
tree_link(struct tree *tree, const char *path, const char *target)
{
	char full[PATH_MAX];

	full_path(tree, path, full);
	make_dirs_above(full);
	if (symlink(target, full) < 0)
		fail("symlink", full);
}

void
tree_dir(struct tree *tree, const char *path)
{
	char full[PATH_MAX];

	full_path(tree, path, full);
	strncat(full, "/", sizeof(full) - strlen(full) - 1);
	make_dirs_above(full);
}

void
tree_remove(struct tree *tree, const char *path)
{
	char full[PATH_MAX];

	full_path(tree, path, full);
	remove_all(full);
}

void
tree_disk(struct tree *tree, const char *devpath, unsigned long sectors)
{
	const char *name = strrchr(devpath, '/') + 1;
	char path[512], target[512];

	snprintf(path, sizeof(path), "sys/devices/%s/size", devpath);
	tree_put(tree, path, "%lu\n", sectors);
	snprintf(path, sizeof(path), "sys/block/%s", name);
	snprintf(target, sizeof(target), "../devices/%s", devpath);
	tree_link(tree, path, target);
}

int
tree_setup(void **state)
{
	*state = tree_new();
	return 0;
}

int
tree_teardown(void **state)
{
	tree_free(*state);
	return 0;
}
