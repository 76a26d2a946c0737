#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/config.h"

static const char *
value_of(const struct config *c, const char *section, const char *key)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->entries[i].section, section) == 0 && strcmp(c->entries[i].key, key) == 0)
			return c->entries[i].value;
	return NULL;
}

static void
test_parse(void **state)
{
	static const char text[] = "; a comment\n[a]\nx = 1 ; why\ny: two words\n\n[b]\nx=3\nlong = one\n  two\n\tthree\n";
	struct config *c = config_parse(text, strlen(text));

	(void)state;
	assert_int_equal(c->bad_line, 0);
	assert_int_equal(c->n, 4);
	assert_string_equal(value_of(c, "a", "x"), "1");
	assert_string_equal(value_of(c, "a", "y"), "two words");
	assert_string_equal(value_of(c, "b", "x"), "3");
	assert_string_equal(value_of(c, "b", "long"), "one two three");
	config_free(c);
}

static void
test_parse_names_the_bad_line(void **state)
{
	static const char text[] = "[a]\nx = 1\nno value here\ny = 2\n";
	struct config *c = config_parse(text, strlen(text));

	(void)state;
	assert_int_equal(c->bad_line, 3);
	assert_string_equal(value_of(c, "a", "y"), "2");
	config_free(c);
	/* not terminated: the length counts */
	c = config_parse("[a]\nx = 12", 9);
	assert_string_equal(value_of(c, "a", "x"), "1");
	config_free(c);
}

static void
assert_rewritten(const char *before, const struct config_change *changes, size_t n, const char *after)
{
	char *text = config_rewrite(before, changes, n);

	assert_string_equal(text, after);
	free(text);
}

static void
test_rewrite_keeps_what_it_does_not_know(void **state)
{
	static const struct config_change changes[] = {
		{ "stortop", "interval", "5" },
		{ "stortop", "view", "cpu" },
		{ "devices", "sort", "gavg" },
	};

	(void)state;
	assert_rewritten(
	    "# mine\n[stortop]\n# how often\ninterval = 2\ncolour = blue\n\n# other\n[other]\nview = x\n",
	    changes, 3,
	    "# mine\n[stortop]\n# how often\ninterval = 5\ncolour = blue\nview = cpu\n\n# other\n[other]\nview = x\n"
	    "\n[devices]\nsort = gavg\n");
}

static void
test_rewrite_an_empty_file(void **state)
{
	static const struct config_change changes[] = {
		{ "stortop", "interval", "0.5" },
		{ "cpu", "sort", "name" },
		{ "stortop", "view", "overview" },
	};

	(void)state;
	assert_rewritten("", changes, 3, "[stortop]\ninterval = 0.5\nview = overview\n\n[cpu]\nsort = name\n");
}

/* The old value goes with all its lines, and one that is given twice is given once. */
static void
test_rewrite_values_of_several_lines(void **state)
{
	static const struct config_change changes[] = { { "u", "fields", "a b" } };

	(void)state;
	assert_rewritten("[u]\nfields = x\n  y\n  z\nsort = name", changes, 1, "[u]\nfields = a b\nsort = name\n");
	assert_rewritten("[u]\nfields: x\nfields = y\n", changes, 1, "[u]\nfields = a b\n");
}

/* What was written is read back, however long. */
static void
test_long_values_come_back(void **state)
{
	char value[1200] = "";
	struct config_change change = { "u", "fields", value };
	struct config *c;
	char *text;

	(void)state;
	for (int i = 0; i < 60; i++)
		sprintf(value + strlen(value), "%scolumn_%d", i > 0 ? " " : "", 1000 + i);
	text = config_rewrite("[u]\nsort = name\n", &change, 1);
	c = config_parse(text, strlen(text));
	assert_int_equal(c->bad_line, 0);
	assert_string_equal(value_of(c, "u", "fields"), value);
	assert_string_equal(value_of(c, "u", "sort"), "name");
	config_free(c);
	free(text);
}

static void
read_file(const char *path, char *out, size_t size)
{
	FILE *f = fopen(path, "r");
	size_t n;

	assert_non_null(f);
	n = fread(out, 1, size - 1, f);
	out[n] = '\0';
	fclose(f);
}

static void
test_save(void **state)
{
	static const struct config_change one = { "a", "x", "1" }, two = { "a", "x", "2" };
	char dir[] = "/tmp/stortop-config-XXXXXX", path[128], other[160], text[200];
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/deep/er/stortop.ini", dir);
	assert_int_equal(config_save(path, &one, 1), 0);
	read_file(path, text, sizeof(text));
	assert_string_equal(text, "[a]\nx = 1\n");
	/* a link stays a link, and its target is what changes */
	snprintf(other, sizeof(other), "%s/link.ini", dir);
	assert_int_equal(symlink(path, other), 0);
	assert_int_equal(config_save(other, &two, 1), 0);
	assert_int_equal(lstat(other, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	read_file(path, text, sizeof(text));
	assert_string_equal(text, "[a]\nx = 2\n");
	unlink(other);
	/* below a file no directory can be made */
	snprintf(other, sizeof(other), "%s/x.ini", path);
	assert_int_equal(config_save(other, &one, 1), -ENOTDIR);
	unlink(path);
	for (int cut = 0; cut < 3; cut++) {
		*strrchr(path, '/') = '\0';
		assert_int_equal(rmdir(path), 0);	/* nothing temporary was left */
	}
}

static void
test_default_path(void **state)
{
	char *path;

	(void)state;
	setenv("XDG_CONFIG_HOME", "/x/config", 1);
	setenv("HOME", "/home/u", 1);
	path = config_default_path();
	assert_string_equal(path, "/x/config/stortop/stortop.ini");
	free(path);
	/* a relative one is to be ignored, says the XDG specification */
	setenv("XDG_CONFIG_HOME", "config", 1);
	path = config_default_path();
	assert_string_equal(path, "/home/u/.config/stortop/stortop.ini");
	free(path);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	assert_null(config_default_path());
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_parse_names_the_bad_line),
		cmocka_unit_test(test_rewrite_keeps_what_it_does_not_know),
		cmocka_unit_test(test_rewrite_an_empty_file),
		cmocka_unit_test(test_rewrite_values_of_several_lines),
		cmocka_unit_test(test_long_values_come_back),
		cmocka_unit_test(test_save),
		cmocka_unit_test(test_default_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
