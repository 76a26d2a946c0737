/* On loop devices over files of a tmpfs of the test's own. Root; elsewhere skipped. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/blkpg.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "load/target.h"

#define MIB (1 << 20)
#define SIZE (32 * MIB)
#define SIZE_TEXT "33554432"

struct scene {
	char dir[64], image[96], device[32], why[512], asked[256], wants[80];
	int control, loop;
	bool answer;
	struct target *target;
};

/* Attaches a file to a free loop device: its descriptor, kept open. */
static int
attach(struct scene *s, const char *image, char device[static 32])
{
	int file = open(image, O_RDWR | O_CLOEXEC), loop = -1;

	for (int i = 0; i < 20 && loop < 0; i++) {
		int n = ioctl(s->control, LOOP_CTL_GET_FREE);

		snprintf(device, 32, "/dev/loop%d", n);
		loop = open(device, O_RDWR | O_CLOEXEC);
		if (loop >= 0 && ioctl(loop, LOOP_SET_FD, file) < 0) {
			close(loop);
			loop = -1;
		}
	}
	close(file);
	return loop;
}

static void
detach(int loop)
{
	ioctl(loop, LOOP_CLR_FD);
	close(loop);
}

static int
reopen_reading(struct scene *s)
{
	int fd = open(s->device, O_RDONLY | O_CLOEXEC);

	close(s->loop);
	s->loop = fd;
	return fd < 0;
}

static int
setup(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));
	int fd;

	*state = s;
	s->control = s->loop = -1;
	strcpy(s->dir, "/tmp/stortop-device-XXXXXX");
	if (mkdtemp(s->dir) == NULL)
		return 1;
	if (geteuid() != 0 || mount("stortop-test", s->dir, "tmpfs", 0, "size=256m") < 0)
		return 0;
	s->control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	snprintf(s->image, sizeof(s->image), "%s/image", s->dir);
	fd = open(s->image, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (s->control < 0 || fd < 0 || ftruncate(fd, SIZE) < 0)
		return 0;
	close(fd);
	s->loop = attach(s, s->image, s->device);
	return s->loop >= 0 ? reopen_reading(s) : 0;
}

static int
teardown(void **state)
{
	struct scene *s = *state;

	target_close(s->target);
	if (s->loop >= 0)
		detach(s->loop);
	if (s->control >= 0)
		close(s->control);
	umount2(s->dir, MNT_DETACH);
	rmdir(s->dir);
	free(s);
	return 0;
}

/* The loop device, or the test ends here. */
static struct scene *
need(void **state)
{
	struct scene *s = *state;

	if (s->loop < 0) {
		print_message("skipped: loop devices need root\n");
		skip();
	}
	return s;
}

static bool
confirm(void *arg, const struct target_facts *facts, const char *wants)
{
	struct scene *s = arg;

	snprintf(s->asked, sizeof(s->asked), "%.200s", facts->holds);
	snprintf(s->wants, sizeof(s->wants), "%s", wants != NULL ? wants : "yes");
	return s->answer;
}

static int
open_as(struct scene *s, const char *name, struct target_request request)
{
	target_close(s->target);
	s->target = NULL;
	request.name = name;
	if (request.block == 0)
		request.block = 4096;
	request.confirm_arg = s;
	return target_open(&request, &s->target, s->why, sizeof(s->why));
}

static void
refused(struct scene *s, const char *name, const char *because)
{
	int rc = open_as(s, name, (struct target_request){ .writes = true, .destroy = SIZE_TEXT });

	if (rc != 3 || strstr(s->why, because) == NULL)
		fail_msg("%s: %d, %s", name, rc, s->why);
	assert_null(s->target);
}

static void
put(struct scene *s, uint64_t at, const void *bytes, size_t len)
{
	int fd = open(s->device, O_RDWR | O_CLOEXEC);

	assert_int_equal(pwrite(fd, bytes, len, (off_t)at), len);
	fsync(fd);
	close(fd);
}

/* A swap signature: the last ten bytes of the first page. */
static void
put_swap(struct scene *s)
{
	put(s, 4096 - 10, "SWAPSPACE2", 10);
	put(s, 1024, "\1\0\0\0\xff\x1f\0\0", 8);
	put(s, 1024 + 12, "0123456789abcdef", 16);
}

static void
held_for_the_whole_run(void **state)
{
	struct scene *s = need(state);
	int fd;

	if (open_as(s, s->device, (struct target_request){ .writes = true, .destroy = SIZE_TEXT }) != 0)
		fail_msg("%s", s->why);
	assert_int_equal(s->target->area_bytes, SIZE);
	assert_int_equal(s->target->facts.size_bytes, SIZE);
	assert_string_equal(s->target->facts.holds, "");
	assert_false(s->target->written);
	assert_true(grant_covers(s->target->grant, s->target->fd));
	assert_true((fcntl(s->target->fd, F_GETFL) & (O_DIRECT | O_ACCMODE)) == (O_DIRECT | O_RDWR));
	assert_int_equal(open(s->device, O_RDWR | O_EXCL | O_CLOEXEC), -1);
	assert_int_equal(errno, EBUSY);
	target_close(s->target);
	s->target = NULL;
	fd = open(s->device, O_RDWR | O_EXCL | O_CLOEXEC);
	assert_true(fd >= 0);
	/* Somebody else holds it so, and no file says who. */
	refused(s, s->device, "held exclusively");
	close(fd);
}

static void
named_or_not(void **state)
{
	static const char *const wrong[] = { "33554431", "33554433", "32m", "yes", "0", "", " 33554432", "33554432 ", "0x2000000", "loop0" };
	struct scene *s = need(state);

	put(s, MIB / 2, "something", 9);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		int rc = open_as(s, s->device, (struct target_request){ .writes = true, .destroy = wrong[i] });

		if (rc != 3 || strstr(s->why, SIZE_TEXT) == NULL)
			fail_msg("'%s': %d, %s", wrong[i], rc, s->why);
	}
	assert_int_equal(open_as(s, s->device, (struct target_request){ .writes = true }), 3);
	assert_non_null(strstr(s->why, "--destroy"));
	/* What is asked on a terminal, and both answers. */
	assert_int_equal(open_as(s, s->device, (struct target_request){ .writes = true, .confirm = confirm }), 3);
	assert_string_equal(s->wants, SIZE_TEXT);
	assert_string_equal(s->asked, "data of no known kind");
	s->answer = true;
	assert_int_equal(open_as(s, s->device, (struct target_request){ .writes = true, .confirm = confirm }), 0);
	assert_non_null(s->target->grant);
	assert_true(s->target->written);
}

static void
signatures(void **state)
{
	struct scene *s = need(state);
	unsigned char table[512] = { [446] = 0, [450] = 0x83, [454] = 0, [455] = 8, [459] = 0x10, [510] = 0x55, [511] = 0xaa };

	put_swap(s);
	assert_int_equal(open_as(s, s->device, (struct target_request){ .writes = true }), 3);
	assert_non_null(strstr(s->why, "signature of swap"));
	put(s, 0, table, sizeof(table));
	assert_int_equal(open_as(s, s->device, (struct target_request){ .writes = true }), 3);
	assert_non_null(strstr(s->why, "swap, dos partition table"));
	assert_int_equal(open_as(s, s->device, (struct target_request){ .writes = true, .destroy = SIZE_TEXT }), 0);
}

static void
reading_asks_only_where_it_is_used(void **state)
{
	struct scene *s = need(state);
	char where[96], command[200];

	put_swap(s);
	assert_int_equal(open_as(s, s->device, (struct target_request){ .writes = false }), 0);
	assert_null(s->target->grant);
	assert_false(grant_covers(s->target->grant, s->target->fd));
	assert_int_equal(fcntl(s->target->fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	target_close(s->target);
	s->target = NULL;
	snprintf(command, sizeof(command), "mkfs.ext4 -q -F %s && mkdir %s/mnt", s->device, s->dir);
	if (system(command) != 0) {
		print_message("skipped: mkfs.ext4 is missing\n");
		skip();
	}
	snprintf(where, sizeof(where), "%s/mnt", s->dir);
	assert_int_equal(mount(s->device, where, "ext4", 0, NULL), 0);
	assert_int_equal(open_as(s, s->device, (struct target_request){ .writes = false }), 3);
	assert_non_null(strstr(s->why, "--in-use"));
	assert_int_equal(open_as(s, s->device, (struct target_request){ .writes = false, .confirm = confirm }), 3);
	assert_string_equal(s->wants, "yes");
	assert_int_equal(open_as(s, s->device, (struct target_request){ .writes = false, .in_use = true }), 0);
	assert_true(s->target->facts.in_use);
	target_close(s->target);
	s->target = NULL;
	refused(s, s->device, "mounted on");
	umount2(where, 0);
}

static void
a_mount_in_another_namespace(void **state)
{
	struct scene *s = need(state);
	char where[96], command[200], byte = 0;
	int ready[2], end[2];
	pid_t pid;

	snprintf(command, sizeof(command), "mkfs.ext4 -q -F %s && mkdir %s/mnt", s->device, s->dir);
	if (system(command) != 0) {
		print_message("skipped: mkfs.ext4 is missing\n");
		skip();
	}
	snprintf(where, sizeof(where), "%s/mnt", s->dir);
	assert_int_equal(pipe2(ready, O_CLOEXEC) | pipe2(end, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		close(end[1]);
		byte = (char)(unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
		    mount(s->device, where, "ext4", 0, NULL) == 0);
		if (write(ready[1], &byte, 1) == 1)
			(void)!read(end[0], &byte, 1);
		_exit(0);
	}
	close(end[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	if (byte == 1)
		refused(s, s->device, "in the mount namespace of process");
	close(end[1]);
	waitpid(pid, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	assert_int_equal(byte, 1);
}

static void
by_any_name(void **state)
{
	struct scene *s = need(state);
	char name[96];
	struct stat st;

	assert_int_equal(stat(s->device, &st), 0);
	snprintf(name, sizeof(name), "%s/link", s->dir);
	assert_int_equal(symlink(s->device, name), 0);
	assert_int_equal(open_as(s, name, (struct target_request){ .writes = true, .destroy = SIZE_TEXT }), 0);
	assert_string_equal(s->target->facts.device, s->device + 5);
	snprintf(name, sizeof(name), "%s/odd\nname", s->dir);
	assert_int_equal(mknod(name, S_IFBLK | 0600, st.st_rdev), 0);
	target_close(s->target);
	s->target = NULL;
	assert_int_equal(open_as(s, name, (struct target_request){ .writes = true, .destroy = "1" }), 3);
	assert_null(strchr(s->why, '\n'));
	assert_int_equal(open_as(s, name, (struct target_request){ .writes = true, .destroy = SIZE_TEXT }), 0);
	assert_string_equal(s->target->facts.device, s->device + 5);
}

static void
open_in_another_process(void **state)
{
	struct scene *s = need(state);
	char byte = 0, words[40];
	int ready[2], end[2];
	pid_t pid;

	assert_int_equal(pipe2(ready, O_CLOEXEC) | pipe2(end, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		close(end[1]);
		close(s->loop);
		byte = (char)(open(s->device, O_RDWR | O_CLOEXEC) >= 0);
		if (write(ready[1], &byte, 1) == 1)
			(void)!read(end[0], &byte, 1);
		_exit(0);
	}
	close(end[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	snprintf(words, sizeof(words), "(pid %d) for writing", (int)pid);
	refused(s, s->device, words);
	close(end[1]);
	waitpid(pid, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	assert_int_equal(open_as(s, s->device, (struct target_request){ .writes = true, .destroy = SIZE_TEXT }), 0);
}

static void
backing_files(void **state)
{
	struct scene *s = need(state);
	char other[32];
	int loop;

	refused(s, s->image, "backs the loop device");
	loop = attach(s, s->image, other);
	assert_true(loop >= 0);
	refused(s, s->device, "what backs");
	detach(loop);
	/* A loop device over this one. */
	loop = attach(s, s->device, other);
	assert_true(loop >= 0);
	refused(s, s->device, "backs the loop device");
	detach(loop);
}

static void
read_only_and_sectors(void **state)
{
	struct scene *s = need(state);
	struct loop_info64 info;
	int one = 1, zero = 0;

	assert_int_equal(ioctl(s->loop, BLKROSET, &one), 0);
	refused(s, s->device, "read-only");
	assert_int_equal(ioctl(s->loop, BLKROSET, &zero), 0);
	assert_int_equal(ioctl(s->loop, LOOP_GET_STATUS64, &info), 0);
	if (ioctl(s->loop, LOOP_SET_BLOCK_SIZE, 4096) < 0) {
		print_message("skipped: this kernel's loop device has one sector size\n");
		skip();
	}
	assert_int_equal(open_as(s, s->device, (struct target_request){ .writes = true, .destroy = SIZE_TEXT, .block = 512 }), 2);
	assert_non_null(strstr(s->why, "4096-byte sectors"));
	assert_non_null(strstr(s->why, "direct=0"));
	assert_int_equal(open_as(s, s->device, (struct target_request){ .writes = true, .destroy = SIZE_TEXT, .block = 512,
	    .buffered = true }), 0);
	assert_int_equal(open_as(s, s->device, (struct target_request){ .block = 8192 }), 0);
	assert_int_equal(s->target->facts.logical_block, 4096);
}

static int
partition(struct scene *s, int op, long long start, long long length)
{
	struct blkpg_partition part = { .start = start, .length = length, .pno = 1 };
	struct blkpg_ioctl_arg arg = { .op = op, .datalen = sizeof(part), .data = &part };

	return ioctl(s->loop, BLKPG, &arg);
}

static void
partitions(void **state)
{
	struct scene *s = need(state);
	char name[40];
	int fd;

	if (partition(s, BLKPG_ADD_PARTITION, MIB, 8 * MIB) < 0) {
		print_message("skipped: no partitions on loop devices here\n");
		skip();
	}
	snprintf(name, sizeof(name), "%.30sp1", s->device);
	for (int i = 0; i < 100 && access(name, F_OK) < 0; i++)
		usleep(20000);
	/* Named by its own size: the disk's would say nothing of which partition is meant. */
	assert_int_equal(open_as(s, name, (struct target_request){ .writes = true, .destroy = SIZE_TEXT }), 3);
	assert_non_null(strstr(s->why, "8388608"));
	assert_int_equal(open_as(s, name, (struct target_request){ .writes = true, .destroy = "8388608" }), 0);
	/* Held: the whole is not to be had. */
	fd = open(s->device, O_RDWR | O_EXCL | O_CLOEXEC);
	assert_int_equal(fd, -1);
	target_close(s->target);
	s->target = NULL;
	fd = open(name, O_RDWR | O_CLOEXEC | O_EXCL);
	assert_true(fd >= 0);
	refused(s, s->device, "held exclusively");
	close(fd);
	assert_int_equal(partition(s, BLKPG_DEL_PARTITION, 0, 0), 0);
}

static void
changed_while_a_person_thought(void **state)
{
	struct scene *s = need(state);

	/* confirm() here stands for the minutes in which somebody makes a file system. */
	put_swap(s);
	s->answer = true;
	assert_int_equal(open_as(s, s->device, (struct target_request){ .writes = true, .confirm = confirm }), 0);
	assert_string_equal(s->asked, "swap");
}

static bool
wipe_and_confirm(void *arg, const struct target_facts *facts, const char *wants)
{
	struct scene *s = arg;

	(void)facts;
	(void)wants;
	put_swap(s);
	return true;
}

static void
a_file_system_appears_meanwhile(void **state)
{
	struct scene *s = need(state);

	assert_int_equal(open_as(s, s->device, (struct target_request){ .writes = true, .confirm = wipe_and_confirm }), 3);
	assert_non_null(strstr(s->why, "not what it was"));
}

static void
a_device_without_size(void **state)
{
	struct scene *s = need(state);

	assert_int_equal(ioctl(s->loop, LOOP_CLR_FD), 0);
	close(s->loop);
	s->loop = -1;
	refused(s, s->device, "no size");
	assert_int_equal(open_as(s, s->device, (struct target_request){ .writes = false }), 1);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(held_for_the_whole_run), T(named_or_not), T(signatures), T(reading_asks_only_where_it_is_used),
		T(a_mount_in_another_namespace), T(by_any_name), T(open_in_another_process), T(backing_files),
		T(read_only_and_sectors), T(partitions), T(changed_while_a_person_thought), T(a_file_system_appears_meanwhile),
		T(a_device_without_size),
	};

	return cmocka_run_group_tests_name("load/target_device", tests, NULL, NULL);
}
