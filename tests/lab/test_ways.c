/* Three ways to the same disk: native, as a LUN, as a file of an NFS server; then side by side. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "config.h"
#include "tests/lab/lab.h"
#include "tests/lab/servers.h"

#if defined(HAVE_LIBNFS) && defined(HAVE_LIBISCSI)

#define DISK SERVERS_DIR "/disk"
#define DISK_BYTES (256 << 20)
#define LOOP_MAJOR 7

static const char *cannot;
static char said[65536];

/* A run of max-iops, whose result goes to a file of this name. */
static void
run(const char *name, const char *target)
{
	char path[64], *begin, *end;
	int fd;

	if (program_run(SERVERS_DIR, (const char *[]) { "run", "max-iops", target, "--runtime", "0.4", "--ramp", "0.3", "--size",
	    "16m", "--name", name, "--json", "--no-record", NULL }, said, sizeof(said)) != 0)
		fail_msg("%s", said);
	/* Progress is on stderr. */
	begin = strstr(said, "{\"stortop\"");
	assert_non_null(begin);
	end = strchr(begin, '\n');
	snprintf(path, sizeof(path), SERVERS_DIR "/%s.json", name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, begin, (size_t)(end + 1 - begin)), end + 1 - begin);
	close(fd);
}

static void
run_native(const struct loop *disk)
{
	char device[64];

	run("native", DISK);
	snprintf(device, sizeof(device), "\"device\":{\"name\":\"%s\"", disk->name);
	if (strstr(said, device) == NULL)
		fail_msg("no %s in %s", device, said);
	assert_null(strstr(said, "\"server\""));
}

static void
run_iscsi(const struct loop *disk)
{
	struct iscsi_server server = { 0 };
	char device[64];

	iscsi_server_start(&server);
	iscsi_server_add(1, DISK, "rdwr");
	run("iscsi", ISCSI_URL "/1");
	iscsi_server_kill(&server);
	snprintf(device, sizeof(device), "\"device\":{\"name\":\"%s\"", disk->name);
	if (strstr(said, device) == NULL)
		fail_msg("no %s in %s", device, said);
	assert_non_null(strstr(said, "\"server\":\"tgtd\",\"server_s\":"));
}

static void
run_nfs(const struct loop *disk)
{
	struct nfs_server server = { 0 };
	char device[64];

	assert_int_equal(system("mkfs.ext4 -q -E nodiscard " DISK " >/dev/null"), 0);
	/* What the journal writes by itself comes later. */
	assert_int_equal(mount(DISK, SERVERS_DIR "/export", "ext4", MS_NOATIME, "commit=300"), 0);
	nfs_server_start(&server);
	run("nfs", "nfs://" SERVERS_ADDRESS "/export");
	nfs_server_stop(&server);
	umount(SERVERS_DIR "/export");
	snprintf(device, sizeof(device), "\"device\":{\"name\":\"%s\"", disk->name);
	if (strstr(said, device) == NULL)
		fail_msg("no %s in %s", device, said);
	assert_non_null(strstr(said, "\"server\":\"ganesha.nfsd\",\"server_s\":"));
}

static void
compare(void)
{
	assert_int_equal(program_run(SERVERS_DIR, (const char *[]) { "compare", SERVERS_DIR "/native.json", SERVERS_DIR "/iscsi.json",
	    SERVERS_DIR "/nfs.json", NULL }, said, sizeof(said)), 0);
	print_message("%s", said);
	assert_non_null(strstr(said, ", iscsi, nfs   ratios are to the first"));
	assert_non_null(strstr(said, "CPU us/IO"));
	assert_non_null(strstr(said, "SERVER    HOST\n"));
	assert_non_null(strstr(said, "below did none: served from a cache   ganesha.nfsd took"));
	assert_non_null(strstr(said, "libraries in this process"));
}

static void
test_three_ways(void **state)
{
	struct loop disk = { .fd = -1 };
	int backing;

	(void)state;
	if (cannot == NULL)
		cannot = lab_cannot();
	if (cannot != NULL) {
		print_message("skipped: %s\n", cannot);
		skip();
	}
	backing = lab_memory_file(DISK_BYTES);
	assert_int_equal(lab_loop_add_writable(&disk, backing, lab_first_number(), SERVERS_DIR), 0);
	/* Open here it would be in use. */
	close(backing);
	assert_int_equal(mknod(DISK, S_IFBLK | 0600, makedev(LOOP_MAJOR, (unsigned)disk.number)), 0);
	run_native(&disk);
	run_iscsi(&disk);
	run_nfs(&disk);
	compare();
	lab_loop_remove(&disk);
}

#else

static void
test_three_ways(void **state)
{
	(void)state;
	print_message("skipped: built without libnfs or libiscsi\n");
	skip();
}

#endif

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_three_ways) };

#if defined(HAVE_LIBNFS) && defined(HAVE_LIBISCSI)
	cannot = servers_enter(true, true);
#endif
	return cmocka_run_group_tests_name("ways", tests, NULL, NULL);
}
