#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sys/memory.h"

struct tree {
	char root[64];
	struct env env;
};

static int
set_up(void **state)
{
	struct tree *t = calloc(1, sizeof(*t));

	strcpy(t->root, "/tmp/stortop-memory-XXXXXX");
	assert_non_null(mkdtemp(t->root));
	t->env.root = t->root;
	*state = t;
	return 0;
}

static int
tear_down(void **state)
{
	struct tree *t = *state;
	char command[96];
	int rc;

	snprintf(command, sizeof(command), "rm -r '%s'", t->root);
	rc = system(command);
	free(t);
	return rc;
}

static void
put(const struct tree *t, const char *dir, const char *name, const char *text)
{
	char command[512];

	snprintf(command, sizeof(command), "mkdir -p '%s%s' && printf '%s' >'%s%s/%s'", t->root, dir, text, t->root, dir, name);
	assert_int_equal(system(command), 0);
}

static void
machine(void **state)
{
	const struct tree *t = *state;

	assert_true(memory_available(&t->env) == UINT64_MAX);
	put(t, "/proc", "meminfo", "MemTotal: 900 kB\nMemFree: 20 kB\nMemAvailable:  640 kB\n");
	assert_int_equal(memory_available(&t->env), 640 * 1024);
}

/* The group has no limit; the one above leaves 70000 - 50000, and 6000 and 1000 of page cache. */
static void
version_2(void **state)
{
	const struct tree *t = *state;

	put(t, "/proc/self", "cgroup", "0::/a/b\n");
	put(t, "/sys/fs/cgroup/a/b", "memory.max", "max\n");
	put(t, "/sys/fs/cgroup/a/b", "memory.current", "10\n");
	put(t, "/sys/fs/cgroup/a", "memory.max", "70000\n");
	put(t, "/sys/fs/cgroup/a", "memory.current", "50000\n");
	put(t, "/sys/fs/cgroup/a", "memory.stat", "anon 40000\ninactive_file 6000\nactive_file 1000\n");
	assert_int_equal(memory_available(&t->env), 27000);
	put(t, "/sys/fs/cgroup/a", "memory.current", "80000\n");
	assert_int_equal(memory_available(&t->env), 7000);
}

/* In a container: the path is that outside, only the top is there. */
static void
version_1(void **state)
{
	const struct tree *t = *state;

	put(t, "/proc/self", "cgroup", "5:cpu:/x\n4:memory:/docker/12\n0::/\n");
	put(t, "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "9000\n");
	put(t, "/sys/fs/cgroup/memory", "memory.usage_in_bytes", "5000\n");
	put(t, "/sys/fs/cgroup/memory", "memory.stat", "inactive_file 1\ntotal_inactive_file 100\ntotal_active_file 20\n");
	assert_int_equal(memory_available(&t->env), 4120);
	put(t, "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "9223372036854771712\n");
	assert_int_equal(memory_available(&t->env), 640 * 1024);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machine),
		cmocka_unit_test(version_2),
		cmocka_unit_test(version_1),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
