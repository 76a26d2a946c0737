#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sys/mountinfo.h"

static struct mounts *
parse(const char *text)
{
	return mounts_parse(text, strlen(text));
}

static void
expect(const struct mount *m, unsigned major, unsigned minor, const char *root, const char *point,
    const char *fstype, const char *source)
{
	assert_int_equal(m->major, major);
	assert_int_equal(m->minor, minor);
	assert_string_equal(m->root, root);
	assert_string_equal(m->point, point);
	assert_string_equal(m->fstype, fstype);
	assert_string_equal(m->source, source);
}

static void
optional_fields(void **state)
{
	struct mounts *mounts = parse("21 1 8:2 / / rw,relatime - ext4 /dev/sda2 rw,errors=ro\n"
				      "22 21 0:20 / /proc rw,nosuid shared:5 - proc proc rw\n"
				      "23 21 253:7 /sub /home rw shared:1 master:2 unbindable - xfs "
				      "/dev/mapper/vg-home rw,attr2 future\n");

	(void)state;
	assert_int_equal(mounts->n, 3);
	expect(&mounts->list[0], 8, 2, "/", "/", "ext4", "/dev/sda2");
	expect(&mounts->list[1], 0, 20, "/", "/proc", "proc", "proc");
	expect(&mounts->list[2], 253, 7, "/sub", "/home", "xfs", "/dev/mapper/vg-home");
	mounts_free(mounts);
}

static void
octal_escapes(void **state)
{
	struct mounts *mounts =
	    parse("30 21 8:17 /a\\040b /mnt/my\\040disk\\011x\\134y rw - ext4 /dev/sdb1 rw\n"
		  "31 21 8:18 / /mnt/\\04 rw - ext4 /dev/\\9\\ rw\n"
		  "32 21 0:50 / /mnt/\\303\\244 rw - fuse.bindfs \\043x rw\n");

	(void)state;
	assert_int_equal(mounts->n, 3);
	expect(&mounts->list[0], 8, 17, "/a b", "/mnt/my disk\tx\\y", "ext4", "/dev/sdb1");
	expect(&mounts->list[1], 8, 18, "/", "/mnt/\\04", "ext4", "/dev/\\9\\");
	expect(&mounts->list[2], 0, 50, "/", "/mnt/\xc3\xa4", "fuse.bindfs", "#x");
	mounts_free(mounts);
}

static void
empty_source_and_last_line_without_newline(void **state)
{
	struct mounts *mounts = parse("40 21 0:60 / /run rw shared:9 - tmpfs  rw,size=1k\n"
				      "41 21 259:1048575 / /data rw - btrfs /dev/nvme0n1p1 rw");

	(void)state;
	assert_int_equal(mounts->n, 2);
	expect(&mounts->list[0], 0, 60, "/", "/run", "tmpfs", "");
	expect(&mounts->list[1], 259, 1048575, "/", "/data", "btrfs", "/dev/nvme0n1p1");
	mounts_free(mounts);
}

static void
nonsense_is_left_out(void **state)
{
	struct mounts *mounts = parse("\n"
				      "50 21\n"
				      "50 21 8 / /a rw - ext4 /dev/sda rw\n"
				      "50 21 8: / /a rw - ext4 /dev/sda rw\n"
				      "50 21 8:1x / /a rw - ext4 /dev/sda rw\n"
				      "50 21 1234567890:1 / /a rw - ext4 /dev/sda rw\n"
				      "50 21 8:1 / relative rw - ext4 /dev/sda rw\n"
				      "50 21 8:1 / /a rw shared:1 ext4 /dev/sda rw\n"
				      "50 21 8:1 / /a rw - ext4\n"
				      "51 21 8:3 / /good rw - ext4 /dev/sda3 rw\n");

	(void)state;
	assert_int_equal(mounts->n, 1);
	expect(&mounts->list[0], 8, 3, "/", "/good", "ext4", "/dev/sda3");
	mounts_free(mounts);

	mounts = mounts_parse(NULL, 0);
	assert_int_equal(mounts->n, 0);
	assert_null(mounts_holding(mounts, "/"));
	mounts_free(mounts);
}

static void
holding_is_the_longest_and_last(void **state)
{
	struct mounts *mounts = parse("1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
				      "2 1 8:2 / /srv rw - ext4 /dev/sda2 rw\n"
				      "3 2 8:3 / /srv/vm rw - xfs /dev/sda3 rw\n"
				      "4 2 8:4 / /srv/vm rw - xfs /dev/sda4 rw\n"
				      "5 1 8:5 / /sr rw - ext4 /dev/sda5 rw\n");
	static const struct {
		const char *path;
		unsigned minor;
	} cases[] = {
		{ "/", 1 },
		{ "/etc/passwd", 1 },
		{ "/srvx", 1 },
		{ "/srv", 2 },
		{ "/srv/vmx/disk.img", 2 },
		{ "/srv/vm", 4 },
		{ "/srv/vm/disk.img", 4 },
		{ "/sr/a", 5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(mounts_holding(mounts, cases[i].path)->minor, cases[i].minor);
	assert_null(mounts_holding(mounts, "relative"));
	mounts_free(mounts);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(optional_fields),
		cmocka_unit_test(octal_escapes),
		cmocka_unit_test(empty_source_and_last_line_without_newline),
		cmocka_unit_test(nonsense_is_left_out),
		cmocka_unit_test(holding_is_the_longest_and_last),
	};

	return cmocka_run_group_tests_name("sys/mountinfo", tests, NULL, NULL);
}
