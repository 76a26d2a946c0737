#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "load/target_case.h"

/* A free device, as evidence; each case spoils one thing. */
struct evidence {
	struct relative relatives[2];
	struct use uses[2];
	struct device_case c;
};

static struct device_case *
good(struct evidence *e)
{
	*e = (struct evidence){ .relatives[0] = { .name = "sdb", .dev = makedev(8, 16) } };
	e->c.st.st_rdev = makedev(8, 16);
	e->c.family = (struct family){ .n = 1, .list = e->relatives };
	e->c.uses.list = e->uses;
	e->c.sysfs_bytes = e->c.facts.size_bytes = 4096000;
	strcpy(e->c.facts.path, "/dev/sdb");
	strcpy(e->c.facts.serial, "S1");
	return &e->c;
}

static void
refused(const struct device_case *c, const char *why)
{
	char text[512] = "";

	assert_int_equal(device_checks_run(c, text, sizeof(text)), 3);
	assert_string_equal(text, why);
}

static void
accepted(const struct device_case *c)
{
	char text[512] = "";

	if (device_checks_run(c, text, sizeof(text)) != 0)
		fail_msg("%s", text);
}

static void
each_use_forbids(void **state)
{
	static const struct {
		enum use_kind kind;
		const char *text, *why;
	} cases[] = {
		{ USE_MOUNT, "is mounted on /a", "/dev/sdb refused: it is mounted on /a" },
		{ USE_HOLDER, "md0 is made of it", "/dev/sdb refused: md0 is made of it" },
		{ USE_SWAP, "its partition sdb1 is active swap space", "/dev/sdb refused: its partition sdb1 is active swap space" },
		{ USE_LOOP, "backs the loop device loop1", "/dev/sdb refused: it backs the loop device loop1" },
		{ USE_EXPORT, "is exported by x", "/dev/sdb refused: it is exported by x" },
		{ USE_BACKING, "what backs loop1 is in use: y", "/dev/sdb refused: what backs loop1 is in use: y" },
		{ USE_OPEN, "is open in process q (pid 1)", "/dev/sdb refused: it is open in process q (pid 1)" },
	};
	struct evidence e;

	(void)state;
	accepted(good(&e));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct device_case *c = good(&e);

		c->uses.n = 1;
		e.uses[0].kind = cases[i].kind;
		strcpy(e.uses[0].text, cases[i].text);
		refused(c, cases[i].why);
		/* A reader is told of all but those that only read as well. */
		assert_int_equal(device_case_in_use(c) != NULL, cases[i].kind != USE_OPEN);
	}
}

static void
whoever_reads_the_disk_of_a_partition(void **state)
{
	struct evidence e;
	struct device_case *c = good(&e);

	(void)state;
	c->uses.n = 1;
	e.uses[0] = (struct use){ .kind = USE_OPEN, .kin = KIN_DISK, .text = "its disk sdb is open in process smartd (pid 5)" };
	accepted(c);
	e.uses[0].writing = true;
	refused(c, "/dev/sdb refused: its disk sdb is open in process smartd (pid 5)");
	assert_null(device_case_in_use(c));
	e.uses[0].kin = KIN_SELF;
	assert_non_null(device_case_in_use(c));
}

static void
what_cannot_be_seen_is_not_safe(void **state)
{
	struct evidence e;
	struct device_case *c = good(&e);

	(void)state;
	c->family_error = -ENOENT;
	refused(c, "/dev/sdb refused: /sys does not tell what stands on it (No such file or directory)");
	c = good(&e);
	strcpy(c->uses.blind, "open files of process 1 cannot be seen");
	refused(c, "/dev/sdb refused: it cannot be proved unused: open files of process 1 cannot be seen");
}

static void
the_device_itself(void **state)
{
	struct evidence e;
	struct device_case *c = good(&e);

	(void)state;
	c->read_only = true;
	refused(c, "/dev/sdb refused: it is read-only");
	c = good(&e);
	c->facts.size_bytes = 0;
	refused(c, "/dev/sdb refused: it has no size: no medium?");
	c = good(&e);
	c->sysfs_bytes = 4096512;
	refused(c, "/dev/sdb refused: its size is not certain: 4096000 or 4096512 bytes");
	c = good(&e);
	c->zoned = true;
	refused(c, "/dev/sdb refused: its zones can be written in order only (host-managed)");
	c = good(&e);
	strcpy(c->reservation, "it is shared with other hosts: 2 keys");
	refused(c, "/dev/sdb refused: it is shared with other hosts: 2 keys");
}

static void
named_by_serial_or_size(void **state)
{
	struct evidence e;
	struct device_case *c = good(&e);
	char wants[80];

	(void)state;
	device_case_wants(c, wants, sizeof(wants));
	assert_string_equal(wants, "S1");
	assert_true(device_case_named(c, "S1"));
	assert_true(device_case_named(c, "4096000"));
	assert_false(device_case_named(c, "s1"));
	assert_false(device_case_named(c, "04096000"));
	assert_false(device_case_named(c, ""));
	/* The serial of a partition is its disk's, and names any of them. */
	c->family.n = 2;
	e.relatives[1].kin = KIN_DISK;
	device_case_wants(c, wants, sizeof(wants));
	assert_string_equal(wants, "4096000");
	assert_false(device_case_named(c, "S1"));
	/* No serial, no size: nothing names it. */
	c = good(&e);
	c->facts.serial[0] = '\0';
	c->facts.size_bytes = 0;
	assert_false(device_case_named(c, ""));
	assert_false(device_case_named(c, "0"));
}

static void
the_same_device(void **state)
{
	struct evidence one, other;
	struct device_case *a = good(&one), *b = good(&other);

	(void)state;
	assert_true(device_case_same(a, b));
	b->diskseq = 7;
	assert_false(device_case_same(a, b));
	b = good(&other);
	b->facts.size_bytes++;
	assert_false(device_case_same(a, b));
	b = good(&other);
	strcpy(b->facts.serial, "S2");
	assert_false(device_case_same(a, b));
	b = good(&other);
	strcpy(b->facts.wwn, "naa.5");
	assert_false(device_case_same(a, b));
	b = good(&other);
	strcpy(b->signature.text, "xfs");
	assert_false(device_case_same(a, b));
	b = good(&other);
	b->st.st_rdev = makedev(8, 32);
	assert_false(device_case_same(a, b));
}

static struct file_case
good_file(void)
{
	struct file_case c = { .st = { .st_mode = S_IFREG | 0600, .st_nlink = 1, .st_mtim = { .tv_sec = 3, .tv_nsec = 4 } } };

	mark_self(&c.mark);
	c.mark.kept = true;
	c.mark.mtime_ns = INT64_C(3000000004);
	return c;
}

static void
file_refused(const struct file_case *c, const char *because)
{
	char text[512] = "";

	assert_int_equal(file_checks_run(c, "/f", text, sizeof(text)), 3);
	if (strstr(text, because) == NULL)
		fail_msg("%s", text);
}

static void
files(void **state)
{
	struct file_case c = good_file();
	struct use use = { .kind = USE_OPEN, .text = "is open in process q (pid 9)" };
	char text[512];

	(void)state;
	assert_int_equal(file_checks_run(&c, "/f", text, sizeof(text)), 0);
	c.st.st_mode = S_IFDIR;
	file_refused(&c, "no regular file");
	c = good_file();
	c.marked = -ENODATA;
	file_refused(&c, "not made by stortop");
	c = good_file();
	c.attributes = STATX_ATTR_IMMUTABLE;
	file_refused(&c, "immutable");
	c.attributes = STATX_ATTR_APPEND;
	file_refused(&c, "append-only");
	c = good_file();
	c.st.st_nlink = 2;
	file_refused(&c, "hard links");
	c = good_file();
	c.st.st_mtim.tv_nsec++;
	file_refused(&c, "wrote to it since");
	c = good_file();
	c.mark.kept = false;
	assert_int_equal(file_checks_run(&c, "/f", text, sizeof(text)), 0);
	strcpy(c.superblock, "ext4");
	file_refused(&c, "somebody's data: ext4");
	c = good_file();
	c.mark.kept = false;
	strcpy(c.mark.boot, "0-0");
	strcpy(c.mark.host, "elsewhere");
	c.mark.pid = 4;
	c.network = true;
	file_refused(&c, "in use by another run of stortop (process 4 on elsewhere)");
	c = good_file();
	c.uses = (struct uses){ .n = 1, .list = &use };
	file_refused(&c, "open in process q");
	c.mark.kept = false;
	assert_int_equal(file_checks_run(&c, "/f", text, sizeof(text)), 0);
	use = (struct use){ .kind = USE_SWAP, .text = "is active swap space" };
	file_refused(&c, "it is active swap space");
	use = (struct use){ .kind = USE_LOOP, .text = "backs the loop device loop1" };
	file_refused(&c, "it backs the loop device loop1");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_use_forbids),
		cmocka_unit_test(whoever_reads_the_disk_of_a_partition),
		cmocka_unit_test(what_cannot_be_seen_is_not_safe),
		cmocka_unit_test(the_device_itself),
		cmocka_unit_test(named_by_serial_or_size),
		cmocka_unit_test(the_same_device),
		cmocka_unit_test(files),
	};

	return cmocka_run_group_tests_name("load/target_checks", tests, NULL, NULL);
}
