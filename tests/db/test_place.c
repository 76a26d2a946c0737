#include "db/place.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/xalloc.h"
#include "tape.h"

static void
test_network(void **state)
{
	static const struct {
		unsigned long type;
		const char *name;
	} cases[] = {
		{ 0x6969, "NFS" }, { 0x517b, "SMB" }, { 0xff534d42, "SMB" }, { 0xfffffffffe534d42, "SMB" }, { 0x01021997, "9p" },
		{ 0x65735546, "FUSE" }, { 0x00c36400, "Ceph" }, { 0xef53, NULL }, { 0x58465342, NULL }, { 0x01021994, NULL },
		{ 0x9123683e, NULL }, { 0x794c7630, NULL }, { 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *name = place_network(cases[i].type);

		if (cases[i].name == NULL)
			assert_null(name);
		else
			assert_string_equal(name, cases[i].name);
	}
	assert_null(place_on_network("/tmp/no-such-file"));
	assert_null(place_on_network("/no-such-directory/f"));
}

static mode_t
mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static void
test_parents(void **state)
{
	char *dir = tape_dir(), *path = xasprintf("%s/a/b/c.db", dir), *a = xasprintf("%s/a", dir);
	char *below_file = xasprintf("%s/a/f/x/c.db", dir), *file = xasprintf("%s/a/f", dir), *expected;
	char why[200] = "";
	int fd;

	(void)state;
	assert_int_equal(place_make_parents(path, why, sizeof(why)), 0);
	assert_int_equal(mode_of(a), 0700);
	assert_int_equal(access(path, F_OK), -1);
	/* What is there stays as it is. */
	assert_int_equal(chmod(a, 0755), 0);
	assert_int_equal(place_make_parents(path, why, sizeof(why)), 0);
	assert_int_equal(mode_of(a), 0755);
	assert_int_equal(place_make_parents("relative.db", why, sizeof(why)), 0);
	fd = open(file, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(place_make_parents(below_file, why, sizeof(why)), -ENOTDIR);
	expected = xasprintf("cannot make the directory %s/x: Not a directory", file);
	assert_string_equal(why, expected);
	free(expected);
	free(file);
	free(below_file);
	free(a);
	free(path);
	tape_remove_dir(dir);
}

static void
test_fallback(void **state)
{
	char *base = tape_dir(), *own = xasprintf("%s/stortop-%u", base, (unsigned)geteuid()), *out, *expected;
	char why[200] = "";

	(void)state;
	assert_int_equal(place_fallback(base, "/net/home/u/x.db", &out, why, sizeof(why)), 0);
	expected = xasprintf("%s/x.db", own);
	assert_string_equal(out, expected);
	assert_int_equal(mode_of(own), 0700);
	free(out);
	/* A second time it is there. */
	assert_int_equal(place_fallback(base, "x.db", &out, why, sizeof(why)), 0);
	assert_string_equal(out, expected);
	free(out);
	/* One that others may look into, or write to, is not ours alone. */
	assert_int_equal(chmod(own, 0770), 0);
	assert_int_equal(place_fallback(base, "x.db", &out, why, sizeof(why)), -EPERM);
	assert_null(out);
	assert_non_null(strstr(why, own));
	assert_non_null(strstr(why, "not ours alone"));
	/* A link somebody else laid out. */
	assert_int_equal(rmdir(own), 0);
	assert_int_equal(symlink("/tmp", own), 0);
	assert_int_equal(place_fallback(base, "x.db", &out, why, sizeof(why)), -ENOTDIR);
	free(expected);
	free(own);
	tape_remove_dir(base);
}

static void
test_somebody_elses_fallback(void **state)
{
	char *base = tape_dir(), *own = xasprintf("%s/stortop-0", base), *out, why[200];

	(void)state;
	if (geteuid() != 0) {
		print_message("skipped: needs root, to give a directory away\n");
		free(own);
		tape_remove_dir(base);
		skip();
	}
	assert_int_equal(mkdir(own, 0700), 0);
	assert_int_equal(chown(own, 65534, 65534), 0);
	assert_int_equal(place_fallback(base, "x.db", &out, why, sizeof(why)), -EPERM);
	free(own);
	tape_remove_dir(base);
}

static void
test_make_file(void **state)
{
	char *dir = tape_dir(), *path = xasprintf("%s/f.db", dir);
	mode_t mask = umask(0);

	(void)state;
	assert_int_equal(place_make_file(path), 0);
	assert_int_equal(mode_of(path), 0600);
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(place_make_file(path), 0);
	assert_int_equal(mode_of(path), 0644);
	umask(mask);
	free(path);
	tape_remove_dir(dir);
	assert_int_equal(place_make_file("/no-such-directory/f"), -ENOENT);
}

static void
test_lock(void **state)
{
	char *dir = tape_dir(), *path = xasprintf("%s/f.db", dir), *name = xasprintf("%s-lock", path), *one, *two, why[200] = "";
	int first = place_lock(path, &one, why, sizeof(why)), other;

	(void)state;
	assert_true(first >= 0);
	assert_string_equal(one, name);
	assert_int_equal(place_lock(path, &two, why, sizeof(why)), -EBUSY);
	assert_null(two);
	assert_string_equal(why, "another stortop is recording to it");
	/* Another descriptor of the file does not give the lock away when it is closed. */
	other = open(name, O_RDWR);
	close(other);
	assert_int_equal(place_lock(path, &two, why, sizeof(why)), -EBUSY);
	place_unlock(first, one);
	assert_int_equal(access(name, F_OK), -1);
	/* A file left by a dead program locks nobody out. */
	other = open(name, O_CREAT | O_RDWR, 0600);
	close(other);
	first = place_lock(path, &one, why, sizeof(why));
	assert_true(first >= 0);
	/* One that was removed under its holder's hands is another lock. */
	assert_int_equal(unlink(name), 0);
	other = place_lock(path, &two, why, sizeof(why));
	assert_true(other >= 0);
	place_unlock(other, two);
	place_unlock(first, one);
	place_unlock(-1, NULL);
	/* No link is followed in the lock's place. */
	assert_int_equal(symlink("/tmp/nowhere", name), 0);
	assert_int_equal(place_lock(path, &one, why, sizeof(why)), -ELOOP);
	free(name);
	free(path);
	tape_remove_dir(dir);
	assert_int_equal(place_lock("/no-such-directory/f", &one, why, sizeof(why)), -ENOENT);
}

/* Two names of one file. */
static void
test_lock_through_a_link(void **state)
{
	char *dir = tape_dir(), *path = xasprintf("%s/f.db", dir), *link = xasprintf("%s/l.db", dir), *one, *two, why[200];
	int lock;

	(void)state;
	assert_int_equal(place_make_file(path), 0);
	assert_int_equal(symlink("f.db", link), 0);
	lock = place_lock(link, &one, why, sizeof(why));
	assert_true(lock >= 0);
	assert_int_equal(place_lock(path, &two, why, sizeof(why)), -EBUSY);
	place_unlock(lock, one);
	free(link);
	free(path);
	tape_remove_dir(dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_network),
		cmocka_unit_test(test_parents),
		cmocka_unit_test(test_fallback),
		cmocka_unit_test(test_somebody_elses_fallback),
		cmocka_unit_test(test_make_file),
		cmocka_unit_test(test_lock),
		cmocka_unit_test(test_lock_through_a_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
