#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/env.h"

struct tree {
	char root[64];
	struct env env;
};

static int
tree_make(void **state)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	assert_non_null(tree);
	strcpy(tree->root, "/tmp/stortop-env-XXXXXX");
	assert_non_null(mkdtemp(tree->root));
	tree->env.root = tree->root;
	*state = tree;
	return 0;
}

static int
tree_remove(void **state)
{
	static const char *const names[] = { "file", "link", "fifo", "empty", "long", NULL };
	struct tree *tree = *state;
	char path[128];

	for (int i = 0; names[i] != NULL; i++) {
		snprintf(path, sizeof(path), "%s/%s", tree->root, names[i]);
		unlink(path);
	}
	assert_int_equal(rmdir(tree->root), 0);
	free(tree);
	return 0;
}

static void
put(struct tree *tree, const char *name, const char *text, size_t len)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", tree->root, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void
read_grows_and_ends_with_nul(void **state)
{
	struct tree *tree = *state;
	static char text[10000];
	char *buf = NULL;
	size_t cap = 0;

	memset(text, 'x', sizeof(text));
	text[9999] = 'y';
	put(tree, "file", text, sizeof(text));
	assert_int_equal(env_read(&tree->env, "/file", &buf, &cap), 10000);
	assert_true(cap > 10000);
	assert_int_equal(buf[9999], 'y');
	assert_int_equal(buf[10000], '\0');

	put(tree, "file", "short", 5);
	assert_int_equal(env_read(&tree->env, "/file", &buf, &cap), 5);
	assert_string_equal(buf, "short");
	free(buf);
}

static void
read_of_nothing(void **state)
{
	struct tree *tree = *state;
	char *buf = NULL;
	size_t cap = 0;

	assert_int_equal(env_read(&tree->env, "/file", &buf, &cap), -ENOENT);
	put(tree, "empty", "", 0);
	assert_int_equal(env_read(&tree->env, "/empty", &buf, &cap), 0);
	assert_string_equal(buf, "");
	free(buf);
}

/* A seq_file of more than a page comes in pieces. */
static void
read_of_seq_file(void **state)
{
	struct env env = { .root = "" };
	char *buf = NULL;
	size_t cap = 0;
	long len;

	(void)state;
	len = env_read(&env, "/proc/kallsyms", &buf, &cap);
	if (len < 0) {
		print_message("skipped: no /proc/kallsyms here\n");
		skip();
	}
	assert_true(len > 8192);
	assert_int_equal(buf[len - 1], '\n');
	free(buf);
}

static void
fifo_does_not_hang(void **state)
{
	struct tree *tree = *state;
	char path[128], *buf = NULL, small[8];
	size_t cap = 0;

	snprintf(path, sizeof(path), "%s/fifo", tree->root);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_true(env_read(&tree->env, "/fifo", &buf, &cap) < 0);
	assert_true(env_attr(&tree->env, small, sizeof(small), "/fifo") < 0);
	free(buf);
}

static void
attr_trims_and_cuts(void **state)
{
	struct tree *tree = *state;
	char out[8];

	put(tree, "file", "abc \n", 5);
	assert_int_equal(env_attr(&tree->env, out, sizeof(out), "/%s", "file"), 3);
	assert_string_equal(out, "abc");
	put(tree, "long", "0123456789", 10);
	assert_int_equal(env_attr(&tree->env, out, sizeof(out), "/long"), 7);
	assert_string_equal(out, "0123456");
	put(tree, "empty", "\n", 1);
	assert_int_equal(env_attr(&tree->env, out, sizeof(out), "/empty"), 0);
	assert_string_equal(out, "");
	assert_int_equal(env_attr(&tree->env, out, sizeof(out), "/none"), -ENOENT);
	/* reading a directory is an error of the read, not of the open */
	assert_int_equal(env_attr(&tree->env, out, sizeof(out), "/."), -EISDIR);
	assert_int_equal(env_attr(&tree->env, out, sizeof(out), "/%05000d", 1), -ENAMETOOLONG);
}

static void
link_is_whole_or_an_error(void **state)
{
	struct tree *tree = *state;
	char path[128], out[9];

	snprintf(path, sizeof(path), "%s/link", tree->root);
	assert_int_equal(symlink("../12345", path), 0);
	assert_int_equal(env_link(&tree->env, out, sizeof(out), "/%s", "link"), 8);
	assert_string_equal(out, "../12345");
	assert_int_equal(env_link(&tree->env, out, 8, "/link"), -ENAMETOOLONG);
	assert_int_equal(env_link(&tree->env, out, sizeof(out), "/none"), -ENOENT);
}

/* The machine's own files stay open; a recorded tree's are opened anew, as its pieces are replaced. */
static void
kept_file_keeps(void **state)
{
	struct tree *tree = *state;
	struct kept_file file = KEPT_FILE("/file");
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/file", tree->root);
	put(tree, "file", "one", 3);
	assert_int_equal(kept_file_read(&tree->env, &file), 0);
	assert_int_equal(file.len, 3);
	fd = file.fd;
	assert_true(fd >= 0);
	put(tree, "file", "three", 5);
	assert_int_equal(kept_file_read(&tree->env, &file), 0);
	assert_int_equal(file.fd, fd);
	assert_string_equal(file.buf, "three");
	unlink(path);
	assert_int_equal(kept_file_read(&tree->env, &file), 0);
	assert_string_equal(file.buf, "three");
	kept_file_close(&file);
	assert_int_equal(kept_file_read(&tree->env, &file), -ENOENT);
	assert_int_equal(file.len, 0);
	kept_file_close(&file);
}

static void
kept_file_anew_under_foreign_root(void **state)
{
	struct tree *tree = *state;
	struct kept_file file = KEPT_FILE("/file");
	char path[128];

	tree->env.foreign = true;
	snprintf(path, sizeof(path), "%s/file", tree->root);
	put(tree, "file", "one", 3);
	assert_int_equal(kept_file_read(&tree->env, &file), 0);
	assert_int_equal(file.fd, -1);
	unlink(path);
	put(tree, "file", "other", 5);
	assert_int_equal(kept_file_read(&tree->env, &file), 0);
	assert_string_equal(file.buf, "other");
	unlink(path);
	assert_int_equal(kept_file_read(&tree->env, &file), -ENOENT);
	assert_int_equal(file.len, 0);
	kept_file_close(&file);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, tree_make, tree_remove)

static void
test_captures(void **state)
{
	struct captures c = { 0 };
	char name[8] = "eth0";

	(void)state;
	assert_int_equal(captures_add(&c, ""), -EINVAL);
	assert_int_equal(captures_add(&c, "a name of two and thirty letters"), -EINVAL);
	for (int i = 0; i < CAPTURES_MOST; i++) {
		name[3] = (char)('0' + i);
		assert_int_equal(captures_add(&c, name), 0);
		/* once is enough */
		assert_int_equal(captures_add(&c, name), 0);
	}
	assert_int_equal(c.n, CAPTURES_MOST);
	assert_string_equal(c.names[1], "eth1");
	assert_int_equal(captures_add(&c, "lo"), -ENOSPC);
	assert_int_equal(captures_add(&c, "eth3"), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(read_grows_and_ends_with_nul),
		CASE(read_of_nothing),
		cmocka_unit_test(read_of_seq_file),
		CASE(fifo_does_not_hang),
		CASE(attr_trims_and_cuts),
		CASE(link_is_whole_or_an_error),
		CASE(kept_file_keeps),
		CASE(kept_file_anew_under_foreign_root),
		cmocka_unit_test(test_captures),
	};

	return cmocka_run_group_tests_name("sys/env", tests, NULL, NULL);
}
