/* The lab's servers come up, answer, end and come again, in a place of their own. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/lab/servers.h"

#define TMPFS_MAGIC 0x01021994

static const char *cannot;

static int
skip_where_not(void **state)
{
	(void)state;
	if (cannot != NULL)
		print_message("skipped: %s\n", cannot);
	return 0;
}

static void
test_alone(void **state)
{
	struct statfs fs;
	char self[32];

	(void)state;
	if (cannot != NULL)
		skip();
	assert_int_equal(statfs(SERVERS_DIR, &fs), 0);
	assert_int_equal(fs.f_type, TMPFS_MAGIC);
	/* /proc is of this namespace: the second process there. */
	assert_int_equal(readlink("/proc/self", self, sizeof(self)), 1);
	assert_int_equal(getpid(), self[0] - '0');
	assert_int_equal(getppid(), 1);
}

static void
test_nfs(void **state)
{
	struct nfs_server s = { 0 };
	pid_t rpcbind, ganesha;

	(void)state;
	if (cannot != NULL)
		skip();
	nfs_server_start(&s);
	rpcbind = s.rpcbind;
	ganesha = s.ganesha;
	assert_int_equal(kill(ganesha, 0), 0);
	nfs_server_kill(&s);
	assert_int_equal(kill(ganesha, 0), -1);
	nfs_server_start(&s);
	assert_int_equal(s.rpcbind, rpcbind);
	nfs_server_stop(&s);
	assert_int_equal(kill(rpcbind, 0), -1);
}

static void
test_iscsi(void **state)
{
	static const char image[] = SERVERS_DIR "/lun.img";
	struct iscsi_server s = { 0 };

	(void)state;
	if (cannot != NULL)
		skip();
	close(open(image, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	assert_int_equal(truncate(image, 1 << 20), 0);
	for (int i = 0; i < 2; i++) {
		iscsi_server_start(&s);
		iscsi_server_add(1, image, "rdwr");
		iscsi_server_add(2, "/dev/null", "null");
		iscsi_server_kill(&s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_alone, skip_where_not),
		cmocka_unit_test_setup(test_nfs, skip_where_not),
		cmocka_unit_test_setup(test_iscsi, skip_where_not),
	};

	cannot = servers_enter(true, true);
	return cmocka_run_group_tests_name("servers", tests, NULL, NULL);
}
