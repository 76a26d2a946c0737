#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "load/remote_servers.h"
#include "tests/probes/tree.h"

/* utime and stime are fields 14 and 15, the start is field 22. */
static void
process(struct tree *t, unsigned pid, const char *name, unsigned user, unsigned system, unsigned start)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%u/stat", pid);
	tree_put(t, path, "%u (%s) S 2 0 0 0 -1 0 0 0 0 0 %u %u 0 0 20 0 1 0 %u 0 0\n", pid, name, user, system, start);
}

/* As many threads as nfsd was told to have: 128 here, each of which takes 2 ticks. */
static void
test_all_of_them(void **state)
{
	struct tree *t = *state;
	struct remote_servers *servers;
	char names[64];

	for (unsigned i = 0; i < 128; i++)
		process(t, 1000 + i, "nfsd", 5, i, 70);
	process(t, 2000, "tgtd", 5, 5, 70);
	servers = remote_servers_find(&t->env, REMOTE_NFS);
	assert_int_equal(servers->n, 128);
	remote_servers_begin(&t->env, servers);
	for (unsigned i = 0; i < 128; i++)
		process(t, 1000 + i, "nfsd", 6, i + 1, 70);
	process(t, 2000, "tgtd", 500, 500, 70);
	remote_servers_end(&t->env, servers);
	assert_true(fabs(remote_servers_take(servers, names, sizeof(names)) - 256.0 / (double)sysconf(_SC_CLK_TCK)) < 1e-9);
	assert_string_equal(names, "nfsd");
	assert_true(remote_servers_take(servers, names, sizeof(names)) == 0);
	assert_string_equal(names, "");
	remote_servers_free(servers);
}

/* Its number went to another process, or to none. */
static void
test_ended(void **state)
{
	struct tree *t = *state;
	struct remote_servers *servers;
	char names[64];

	process(t, 10, "tgtd", 100, 0, 70);
	process(t, 11, "tgtd", 100, 0, 71);
	process(t, 12, "iscsi_trx", 0, 7, 72);
	servers = remote_servers_find(&t->env, REMOTE_ISCSI);
	assert_int_equal(servers->n, 3);
	remote_servers_begin(&t->env, servers);
	process(t, 10, "tgtd", 900, 0, 75);
	tree_remove(t, "proc/11");
	process(t, 12, "iscsi_trx", 0, 10, 72);
	remote_servers_end(&t->env, servers);
	assert_true(fabs(remote_servers_take(servers, names, sizeof(names)) - 3.0 / (double)sysconf(_SC_CLK_TCK)) < 1e-9);
	assert_string_equal(names, "iscsi_trx");
	remote_servers_free(servers);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all_of_them, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(test_ended, tree_setup, tree_teardown),
	};

	return cmocka_run_group_tests_name("remote_servers", tests, NULL, NULL);
}
