#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <cmocka.h>

#include "core/kinds/kinds.h"
#include "probes/host_memory.h"
#include "tests/probes/drive.h"
#include "tests/probes/tree.h"

#define PRESSURE "some avg10=1.00 avg60=2.00 avg300=3.00 total=%d\nfull avg10=4.00 avg60=5.00 avg300=6.00 total=%d\n"

static void
foreign_root_has_pressure_alone(void **state)
{
	struct tree *tree = *state;
	struct probe *probe = drive_open(&probe_host, &tree->env);
	struct snapshot *s = drive_sample(probe, 1);
	const uint64_t *cells;

	/* nothing to tell: not sampled, and no complaint */
	assert_null(snapshot_find(s, &kind_host));
	assert_string_equal(probe->why, "");
	assert_string_equal(probe->note, "no I/O pressure: /proc/pressure/io: No such file or directory");
	snapshot_free(s);

	tree_put(tree, "proc/pressure/io", PRESSURE, 71, 52);
	s = drive_sample(probe, 2);
	assert_int_equal(drive_rows(s, &kind_host), 1);
	cells = drive_cells(s, &kind_host, "host");
	for (int i = 0; i < HOST_METRICS; i++) {
		if (i != HOST_IO_SOME_US && i != HOST_IO_FULL_US)
			assert_int_equal(cells[i], ABSENT);
	}
	assert_int_equal(cells[HOST_IO_SOME_US], 71);
	assert_int_equal(cells[HOST_IO_FULL_US], 52);
	assert_string_equal(probe->note, "");
	snapshot_free(s);
	drive_close(probe);
}

static void
foreign_host_has_its_name(void **state)
{
	struct tree *tree = *state;
	struct probe *probe;
	struct snapshot *s;

	tree_put(tree, "proc/sys/kernel/hostname", "filer7\n");
	tree_put(tree, "proc/pressure/io", PRESSURE, 1, 2);
	probe = drive_open(&probe_host, &tree->env);
	s = drive_sample(probe, 1);
	drive_cells(s, &kind_host, "filer7");
	snapshot_free(s);
	drive_close(probe);
}

/* The machine's own memory, with files of a tree. */
static struct probe *
open_here(struct tree *tree)
{
	tree->env.foreign = false;
	return drive_open(&probe_host, &tree->env);
}

static const uint64_t *
here(const struct snapshot *s)
{
	struct utsname uts;

	assert_int_equal(uname(&uts), 0);
	return drive_cells(s, &kind_host, uts.nodename);
}

static void
own_machine(void **state)
{
	struct tree *tree = *state;
	struct probe *probe = open_here(tree);
	struct snapshot *s;
	const uint64_t *cells;

	tree_put(tree, "proc/vmstat", "pgpgin 5\npswpin 3\npswpout 4\n");
	s = drive_sample(probe, 7.9);
	cells = here(s);
	assert_true(cells[HOST_MEM_TOTAL] > 16 << 20 && cells[HOST_MEM_TOTAL] < ABSENT);
	assert_int_equal(cells[HOST_MEM_FREE] + cells[HOST_MEM_USED] + cells[HOST_MEM_CACHE], cells[HOST_MEM_TOTAL]);
	assert_true(cells[HOST_MEM_FREE] > 0 && cells[HOST_MEM_USED] > 0);
	assert_true(cells[HOST_LOAD1_X100] < 100000 * 100);
	assert_true(cells[HOST_SWAP_USED] <= cells[HOST_SWAP_TOTAL]);
	assert_int_equal(cells[HOST_UPTIME_S], 1007);
	/* pages of 4 KiB, or on some machines of 16 or 64 */
	assert_int_equal(cells[HOST_SWAP_IN_BYTES] % (3 * 4096), 0);
	assert_int_equal(cells[HOST_SWAP_IN_BYTES] / 3, cells[HOST_SWAP_OUT_BYTES] / 4);
	assert_int_equal(cells[HOST_IO_SOME_US], ABSENT);
	assert_string_equal(probe->why, "");
	snapshot_free(s);
	drive_close(probe);
}

/* Of 1000: 300 free, 250 page cache with 90 shared in it, 50 buffers; 400 are left to programs. */
static void
shared_memory_is_used(void **state)
{
	struct host_memory m = { .total = 1000, .free = 550, .cache = 250, .buffers = 50, .shared = 90 };
	uint64_t cells[HOST_METRICS] = { 0 };

	(void)state;
	host_memory_cells(&m, cells);
	assert_int_equal(cells[HOST_MEM_TOTAL], 1000);
	assert_int_equal(cells[HOST_MEM_FREE], 300);
	assert_int_equal(cells[HOST_MEM_CACHE], 210);
	assert_int_equal(cells[HOST_MEM_USED], 490);
	/* counted a moment later than the cache */
	m.shared = 400;
	host_memory_cells(&m, cells);
	assert_int_equal(cells[HOST_MEM_CACHE], 0);
	assert_int_equal(cells[HOST_MEM_USED], 700);
}

/* A kernel without pressure is not asked again. */
static void
pressure_is_there_or_never(void **state)
{
	struct tree *tree = *state;
	struct probe *probe = open_here(tree);
	struct snapshot *s;

	snapshot_free(drive_sample(probe, 1));
	tree_put(tree, "proc/pressure/io", PRESSURE, 1, 2);
	s = drive_sample(probe, 2);
	assert_int_equal(here(s)[HOST_IO_SOME_US], ABSENT);
	snapshot_free(s);
	drive_close(probe);
}

/* Pressure each tick; memory at most every 5 s, repeated in between. */
static void
slow_facts(void **state)
{
	static const int slow[] = { HOST_LOAD1_X100, HOST_MEM_FREE, HOST_MEM_USED, HOST_MEM_CACHE };
	const size_t touched = 64 << 20;
	struct tree *tree = *state;
	struct probe *probe = open_here(tree);
	struct snapshot *a, *b, *c;
	char *block;

	tree_put(tree, "proc/pressure/io", PRESSURE, 10, 20);
	a = drive_sample(probe, 100);
	block = malloc(touched);
	assert_non_null(block);
	explicit_bzero(block, touched);	/* memset() of what nobody reads is left out */
	tree_put(tree, "proc/pressure/io", PRESSURE, 11, 22);
	b = drive_sample(probe, 104.9);
	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++)
		assert_int_equal(here(b)[slow[i]], here(a)[slow[i]]);
	assert_int_equal(here(b)[HOST_IO_SOME_US], 11);
	assert_int_equal(here(b)[HOST_IO_FULL_US], 22);
	assert_int_equal(here(b)[HOST_UPTIME_S], 1104);
	c = drive_sample(probe, 105);
	/* the kernel's own count of free memory may be late by a second or two: it is asked again every five */
	for (int i = 1; i < 100 && here(c)[HOST_MEM_FREE] == here(a)[HOST_MEM_FREE]; i++) {
		poll(NULL, 0, 50);
		snapshot_free(c);
		c = drive_sample(probe, 105 + 5 * i);
	}
	assert_true(here(c)[HOST_MEM_FREE] != here(a)[HOST_MEM_FREE]);
	free(block);
	snapshot_free(a);
	snapshot_free(b);
	snapshot_free(c);
	drive_close(probe);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(foreign_root_has_pressure_alone),
		CASE(foreign_host_has_its_name),
		CASE(own_machine),
		CASE(shared_memory_is_used),
		CASE(pressure_is_there_or_never),
		CASE(slow_facts),
	};

	return cmocka_run_group_tests_name("probes/host", tests, NULL, NULL);
}
