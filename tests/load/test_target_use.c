#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "load/target_use.h"
#include "tests/probes/tree.h"

/* A device below sys/devices/virtual/block (or a partition "sdb/sdb1"), with its links. */
static void
device(struct tree *t, const char *path, unsigned maj, unsigned min)
{
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	char at[200], target[200];

	snprintf(at, sizeof(at), "sys/devices/virtual/block/%s/dev", path);
	tree_put(t, at, "%u:%u\n", maj, min);
	snprintf(at, sizeof(at), "sys/class/block/%s", name);
	snprintf(target, sizeof(target), "../../devices/virtual/block/%s", path);
	tree_link(t, at, target);
	snprintf(at, sizeof(at), "sys/dev/block/%u:%u", maj, min);
	tree_link(t, at, target);
	if (slash == NULL) {
		snprintf(at, sizeof(at), "sys/block/%s", name);
		tree_link(t, at, target + 3);
	} else {
		snprintf(at, sizeof(at), "sys/devices/virtual/block/%s/partition", path);
		tree_put(t, at, "1\n");
	}
}

static void
holder(struct tree *t, const char *path, const char *above)
{
	char at[200], target[80];

	snprintf(at, sizeof(at), "sys/devices/virtual/block/%s/holders/%s", path, above);
	snprintf(target, sizeof(target), "../../%s", above);
	tree_link(t, at, target);
}

static void
slave(struct tree *t, const char *path, const char *below)
{
	char at[200], target[80];

	snprintf(at, sizeof(at), "sys/devices/virtual/block/%s/slaves/%s", path, below);
	snprintf(target, sizeof(target), "../../%s", below);
	tree_link(t, at, target);
}

static void
put(struct tree *t, const char *path, const char *attr, const char *text)
{
	char at[200];

	snprintf(at, sizeof(at), "sys/devices/virtual/block/%s/%s", path, attr);
	tree_put(t, at, "%s\n", text);
}

/* sdb with two partitions; sdb1 is a RAID's, which carries a volume; sdc is alone. */
static void
machine(struct tree *t)
{
	device(t, "sdb", 8, 16);
	device(t, "sdb/sdb1", 8, 17);
	device(t, "sdb/sdb2", 8, 18);
	device(t, "sdc", 8, 32);
	device(t, "md0", 9, 0);
	device(t, "dm-3", 253, 3);
	holder(t, "sdb/sdb1", "md0");
	slave(t, "md0", "sdb1");
	holder(t, "md0", "dm-3");
	slave(t, "dm-3", "md0");
	put(t, "sdb/sdb1", "start", "2048");
	put(t, "sdb/sdb2", "start", "100000");
	tree_put(t, "proc/1/mountinfo", "%s", "");
	tree_link(t, "proc/1/ns/mnt", "mnt:[1]");
	tree_dir(t, "proc/1/fd");
	tree_put(t, "proc/self/mountinfo", "%s", "");
}

static void
expect(const struct family *family, const char *name, enum kin kin)
{
	for (size_t i = 0; i < family->n; i++)
		if (strcmp(family->list[i].name, name) == 0) {
			assert_int_equal(family->list[i].kin, kin);
			return;
		}
	fail_msg("%s is not in the family", name);
}

static void
a_disk_has_all_above_it(void **state)
{
	struct tree *t = *state;
	struct family family;

	machine(t);
	assert_int_equal(family_read(&t->env, makedev(8, 16), &family), 0);
	assert_int_equal(family.n, 5);
	assert_string_equal(family.list[0].name, "sdb");
	expect(&family, "sdb", KIN_SELF);
	expect(&family, "sdb1", KIN_PARTITION);
	expect(&family, "sdb2", KIN_PARTITION);
	expect(&family, "md0", KIN_HOLDER);
	expect(&family, "dm-3", KIN_HOLDER);
	family_free(&family);
}

static void
a_partition_is_not_its_sibling(void **state)
{
	struct tree *t = *state;
	struct family family;

	machine(t);
	assert_int_equal(family_read(&t->env, makedev(8, 18), &family), 0);
	assert_int_equal(family.n, 2);
	expect(&family, "sdb2", KIN_SELF);
	expect(&family, "sdb", KIN_DISK);
	assert_null(family_find(&family, makedev(8, 17)));
	family_free(&family);
	assert_int_equal(family_read(&t->env, makedev(8, 99), &family), -2);
}

/* sdd and sde are two paths to one LUN, and there is no multipath map over them. */
static void
the_other_path_to_a_lun(void **state)
{
	struct tree *t = *state;
	struct family family;

	machine(t);
	device(t, "sdd", 8, 48);
	device(t, "sde", 8, 64);
	device(t, "sde/sde1", 8, 65);
	put(t, "sdb", "device/wwid", "naa.1");
	put(t, "sdd", "device/wwid", "naa.22");
	put(t, "sde", "device/wwid", "naa.22");
	assert_int_equal(family_read(&t->env, makedev(8, 48), &family), 0);
	assert_int_equal(family.n, 3);
	expect(&family, "sde", KIN_TWIN);
	expect(&family, "sde1", KIN_TWIN);
	family_free(&family);
	/* With a map over both they are its paths, and nobody else's. */
	device(t, "dm-9", 253, 9);
	slave(t, "dm-9", "sdd");
	slave(t, "dm-9", "sde");
	assert_int_equal(family_read(&t->env, makedev(253, 9), &family), 0);
	assert_int_equal(family.n, 1);
	family_free(&family);
	/* A map over one of them alone destroys what is on the other. */
	tree_remove(t, "sys/devices/virtual/block/dm-9/slaves/sde");
	assert_int_equal(family_read(&t->env, makedev(253, 9), &family), 0);
	expect(&family, "sde1", KIN_TWIN);
	family_free(&family);
	/* A model's name is no LUN's. */
	put(t, "sdd", "device/wwid", "t10.QEMU");
	put(t, "sde", "device/wwid", "t10.QEMU");
	assert_int_equal(family_read(&t->env, makedev(8, 48), &family), 0);
	assert_int_equal(family.n, 1);
	family_free(&family);
}

/* A LUN that this machine reaches by itself: it need not be a device here. */
static void
a_lun_is_a_device_here(void **state)
{
	struct tree *t = *state;
	struct family family;

	machine(t);
	put(t, "sdb", "device/wwid", "naa.1");
	put(t, "sdc", "device/wwid", "naa.11");
	family_of_wwn(&t->env, "naa.1", &family);
	assert_int_equal(family.n, 5);
	expect(&family, "sdb", KIN_TWIN);
	expect(&family, "sdb1", KIN_TWIN);
	expect(&family, "sdb2", KIN_TWIN);
	expect(&family, "md0", KIN_HOLDER);
	expect(&family, "dm-3", KIN_HOLDER);
	family_free(&family);
	family_of_wwn(&t->env, "naa.111", &family);
	assert_int_equal(family.n, 0);
	family_free(&family);
}

static void
a_partition_on_the_other_path(void **state)
{
	struct tree *t = *state;
	struct family family;

	machine(t);
	device(t, "sdf", 8, 80);
	device(t, "sdf/sdf1", 8, 81);
	device(t, "sdf/sdf2", 8, 82);
	put(t, "sdf/sdf1", "start", "2048");
	put(t, "sdf/sdf2", "start", "100000");
	put(t, "sdb", "device/wwid", "naa.1");
	put(t, "sdf", "device/wwid", "naa.1");
	assert_int_equal(family_read(&t->env, makedev(8, 18), &family), 0);
	expect(&family, "sdf", KIN_TWIN);
	expect(&family, "sdf2", KIN_TWIN);
	assert_null(family_find(&family, makedev(8, 81)));
	family_free(&family);
}

static struct uses
find(struct tree *t, unsigned maj, unsigned min)
{
	struct family family;
	struct quarry quarry = { .family = &family };
	struct uses uses;

	assert_int_equal(family_read(&t->env, makedev(maj, min), &family), 0);
	uses_find(&t->env, &quarry, &uses);
	family_free(&family);
	return uses;
}

static void
expect_use(struct tree *t, unsigned maj, unsigned min, enum use_kind kind, const char *text)
{
	struct uses uses = find(t, maj, min);
	const struct use *use = uses_first(&uses, kind);

	assert_non_null(use);
	assert_string_equal(use->text, text);
	uses_free(&uses);
}

static void
expect_free(struct tree *t, unsigned maj, unsigned min)
{
	struct uses uses = find(t, maj, min);

	if (uses.n > 0)
		fail_msg("%s", uses.list[0].text);
	assert_string_equal(uses.blind, "");
}

static void
nothing_uses_it(void **state)
{
	struct tree *t = *state;

	machine(t);
	expect_free(t, 8, 32);
	expect_free(t, 8, 18);
}

static void
what_is_made_of_it(void **state)
{
	struct tree *t = *state;

	machine(t);
	expect_use(t, 8, 16, USE_HOLDER, "md0 is made of it");
	expect_use(t, 8, 17, USE_HOLDER, "md0 is made of it");
	expect_use(t, 9, 0, USE_HOLDER, "dm-3 is made of it");
	expect_free(t, 253, 3);
}

#define MOUNT "36 1 %s / %s rw - %s %s rw\n"

static void
mounts(void **state)
{
	struct tree *t = *state;

	machine(t);
	tree_put(t, "proc/self/mountinfo", MOUNT MOUNT, "8:18", "/my\\040disk", "ext4", "/dev/sdb2", "253:3", "/vol", "xfs", "x");
	expect_use(t, 8, 18, USE_MOUNT, "is mounted on /my disk");
	expect_use(t, 8, 16, USE_MOUNT, "its partition sdb2 is mounted on /my disk");
	expect_use(t, 8, 17, USE_MOUNT, "dm-3, made of it, is mounted on /vol");
	expect_free(t, 8, 32);
	/* The file system may lie on the whole disk, under the partitions. */
	tree_put(t, "proc/self/mountinfo", MOUNT, "8:16", "/whole", "ext4", "/dev/sdb");
	expect_use(t, 8, 18, USE_MOUNT, "its disk sdb is mounted on /whole");
}

static void
mounts_of_other_namespaces(void **state)
{
	struct tree *t = *state;

	machine(t);
	tree_put(t, "proc/40/mountinfo", MOUNT, "8:32", "/here", "ext4", "/dev/sdc");
	tree_link(t, "proc/40/ns/mnt", "mnt:[1]");
	tree_dir(t, "proc/40/fd");
	/* The same namespace as process 1: not looked at twice. */
	expect_free(t, 8, 32);
	/* From another root more may be seen. */
	tree_link(t, "proc/40/root", "/jail");
	expect_use(t, 8, 32, USE_MOUNT, "is mounted on /here in the mount namespace of process 40");
	tree_remove(t, "proc/40/root");
	tree_remove(t, "proc/40/ns/mnt");
	tree_link(t, "proc/40/ns/mnt", "mnt:[2]");
	expect_use(t, 8, 32, USE_MOUNT, "is mounted on /here in the mount namespace of process 40");
	/* Gone while we looked. */
	tree_remove(t, "proc/40/mountinfo");
	expect_free(t, 8, 32);
}

static void
btrfs_has_no_device_number(void **state)
{
	struct tree *t = *state;

	machine(t);
	tree_put(t, "proc/self/mountinfo", MOUNT, "0:45", "/pool", "btrfs", "/dev/sdb2");
	expect_use(t, 8, 18, USE_MOUNT, "is mounted on /pool");
	expect_free(t, 8, 32);
	/* Its second device. */
	tree_link(t, "sys/fs/btrfs/0f-1/devices/sdc", "../../../../devices/virtual/block/sdc");
	expect_use(t, 8, 32, USE_MOUNT, "is part of a mounted btrfs (0f-1)");
}

static void
swap(void **state)
{
	struct tree *t = *state;

	machine(t);
	tree_put(t, "proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n/a\\040b  file 1 2 3\n/dev/sdc   partition 1 2 3\n");
	expect_use(t, 8, 32, USE_SWAP, "is active swap space");
	expect_free(t, 8, 18);
	tree_put(t, "proc/swaps", "Filename\n/dev/sdb2 partition 1 2 3\n");
	expect_use(t, 8, 16, USE_SWAP, "its partition sdb2 is active swap space");
}

static void
loops_and_exports(void **state)
{
	struct tree *t = *state;

	machine(t);
	device(t, "loop4", 7, 4);
	put(t, "loop4", "loop/backing_file", "/dev/sdc");
	expect_use(t, 8, 32, USE_LOOP, "backs the loop device loop4");
	expect_free(t, 8, 18);
	tree_put(t, "sys/kernel/config/nvmet/subsystems/s1/namespaces/1/device_path", "/dev/sdb2\n");
	expect_use(t, 8, 18, USE_EXPORT, "is exported by the NVMe target");
	tree_remove(t, "sys/kernel/config/nvmet");
	tree_put(t, "sys/kernel/config/target/core/iblock_0/lun/udev_path", "/dev/sdb2\n");
	expect_use(t, 8, 18, USE_EXPORT, "is exported by the SCSI target");
}

static void
two_loops_on_one_file(void **state)
{
	struct tree *t = *state;

	machine(t);
	tree_put(t, "img", "x");
	device(t, "loop4", 7, 4);
	put(t, "loop4", "loop/backing_file", "/img");
	expect_free(t, 7, 4);
	device(t, "loop5", 7, 5);
	put(t, "loop5", "loop/backing_file", "/img");
	expect_use(t, 7, 4, USE_BACKING, "what backs loop4 is in use: it backs the loop device loop5");
	/* A volume over the loop device holds it, but not the file. */
	slave(t, "dm-3", "loop4");
	expect_use(t, 253, 3, USE_BACKING, "what backs loop4 is in use: it backs the loop device loop5");
}

static void
a_machine_that_tells_nothing(void **state)
{
	struct tree *t = *state;
	struct family none = { .n = 0 };
	struct quarry quarry = { .family = &none };
	struct uses uses;

	uses_find(&t->env, &quarry, &uses);
	assert_int_equal(uses.n, 0);
	assert_non_null(strstr(uses.blind, "/proc/self/mountinfo"));
	uses_free(&uses);
	tree_put(t, "proc/self/mountinfo", "%s", "");
	/* hidepid: process 1 is not to be seen. */
	uses_find(&t->env, &quarry, &uses);
	assert_non_null(strstr(uses.blind, "/proc/1/fd"));
	uses_free(&uses);
}

/* Descriptors are links to files here as there; what is asked is the file behind. */
static void
processes_that_have_a_file_open(void **state)
{
	struct tree *t = *state;
	struct quarry quarry = { .family = NULL };
	char path[128];
	struct uses uses;
	struct stat st;

	machine(t);
	tree_put(t, "data", "x");
	tree_put(t, "other", "x");
	tree_put(t, "proc/77/comm", "q\033emu\n");
	tree_link(t, "proc/77/fd/3", "../../../other");
	tree_link(t, "proc/77/fd/4", "../../../data");
	tree_link(t, "proc/77/fd/5", "../../../gone");
	snprintf(path, sizeof(path), "%s/data", t->root);
	assert_int_equal(stat(path, &st), 0);
	quarry.file_dev = st.st_dev;
	quarry.file_ino = st.st_ino;
	uses_find(&t->env, &quarry, &uses);
	assert_int_equal(uses.n, 1);
	/* Links of a real directory are always writable. */
	assert_string_equal(uses.list[0].text, "is open in process q?emu (pid 77) for writing");
	uses_free(&uses);
	/* The first thread ended: only the others have the descriptors. */
	tree_remove(t, "proc/77/fd/3");
	tree_remove(t, "proc/77/fd/4");
	tree_remove(t, "proc/77/fd/5");
	tree_dir(t, "proc/77/task/77/fd");
	tree_link(t, "proc/77/task/78/fd/9", "../../../../../data");
	uses_find(&t->env, &quarry, &uses);
	assert_int_equal(uses.n, 1);
	uses_free(&uses);
	/* It is ours. */
	tree_remove(t, "proc/self");
	tree_link(t, "proc/self", "77");
	uses_find(&t->env, &quarry, &uses);
	assert_int_equal(uses.n, 0);
	uses_free(&uses);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, tree_setup, tree_teardown)
	const struct CMUnitTest tests[] = {
		T(a_disk_has_all_above_it), T(a_partition_is_not_its_sibling), T(the_other_path_to_a_lun),
		T(a_lun_is_a_device_here), T(a_partition_on_the_other_path), T(nothing_uses_it), T(what_is_made_of_it), T(mounts),
		T(mounts_of_other_namespaces), T(btrfs_has_no_device_number), T(swap), T(loops_and_exports),
		T(two_loops_on_one_file), T(a_machine_that_tells_nothing), T(processes_that_have_a_file_open),
	};

	return cmocka_run_group_tests_name("load/target_use", tests, NULL, NULL);
}
