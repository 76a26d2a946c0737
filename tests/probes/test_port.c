#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probes/hex_parse.h"
#include "sys/helper.h"
#include "tests/probes/machine.h"

static const char *const files[PORT_METRICS] = {
	"link_failure_count", "loss_of_sync_count", "loss_of_signal_count", "invalid_tx_word_count",
	"invalid_crc_count", "error_frames", "dumped_frames",
};

/* The statistics of a host: n, n + 1, ... in the order of port_metric. */
static void
put_statistics(struct tree *t, const char *host, unsigned n)
{
	char path[100];

	for (int i = 0; i < PORT_METRICS; i++) {
		snprintf(path, sizeof(path), "sys/class/fc_host/%s/statistics/%s", host, files[i]);
		tree_put(t, path, "0x%x\n", n + (unsigned)i);
	}
}

static void
make_host(struct tree *t)
{
	tree_put(t, "sys/class/fc_host/host3/port_name", "0x10000090fa8b5c2e\n");
	tree_put(t, "sys/class/fc_host/host3/port_state", "Linkdown\n");
	tree_put(t, "sys/class/fc_host/host3/speed", "unknown\n");
	tree_put(t, "sys/class/scsi_host/host3/proc_name", "qla2xxx\n");
	put_statistics(t, "host3", 16);
	tree_put(t, "sys/class/fc_host/host3/statistics/dumped_frames", "0xffffffffffffffff\n");
	tree_put(t, "proc/diskstats", "8 0 sda 1 0 0 0 0 0 0 0 0 0 0\n");
}

static void
a_port_and_its_adapter(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	const struct object *port, *adapter;
	const uint64_t *cells;

	make_host(t);
	machine_tick(m);
	/* no disk, and yet a row: that its link is down is what people look for */
	adapter = machine_object(m, &kind_adapter, "host3");
	assert_non_null(adapter);
	assert_string_equal(machine_label(m, &kind_adapter, "host3", LABEL_STATE), "Linkdown");
	assert_string_equal(machine_label(m, &kind_adapter, "host3", LABEL_DRIVER), "qla2xxx");
	assert_string_equal(machine_label(m, &kind_adapter, "host3", LABEL_SPEED), "-");
	port = machine_object(m, &kind_port, "host3");
	assert_int_equal(port->counts_in, adapter->uid);
	assert_int_equal(port->parent, adapter->uid);
	assert_string_equal(port->identity, "host3 0x10000090fa8b5c2e");
	cells = machine_cells(m, &kind_port, "host3");
	assert_int_equal(cells[PORT_LINK_FAILURES], 16);
	assert_int_equal(cells[PORT_LOSS_OF_SYNC], 17);
	assert_int_equal(cells[PORT_LOSS_OF_SIGNAL], 18);
	assert_int_equal(cells[PORT_INVALID_TX_WORDS], 19);
	assert_int_equal(cells[PORT_INVALID_CRC], 20);
	assert_int_equal(cells[PORT_ERROR_FRAMES], 21);
	assert_int_equal(cells[PORT_DUMPED_FRAMES], ABSENT);
	machine_free(m);
}

/* Between two readings, five seconds apart, the last one stands. */
static void
readings_are_repeated(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);
	struct interval *v;

	make_host(t);
	machine_tick(m);
	put_statistics(t, "host3", 26);
	v = machine_interval(m);
	assert_true(interval_named(v, &kind_port, "host3")->cells[PORT_LINK_FAILURES] == 0);
	interval_unref(v);
	machine_wait(m, UINT64_C(4000000000));
	v = machine_interval(m);
	assert_true(interval_named(v, &kind_port, "host3")->cells[PORT_LINK_FAILURES] == 10);
	assert_true(interval_named(v, &kind_adapter, "host3")->cells[ADAPTER_LINK_FAILURES] == 10);
	interval_unref(v);
	machine_free(m);
}

/* With nobody to ask on the machine itself, nothing is read and nothing is known. */
static void
never_read_without_a_helper(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);

	make_host(t);
	t->env.foreign = false;
	machine_tick(m);
	assert_non_null(machine_object(m, &kind_port, "host3"));
	assert_int_equal(machine_cells(m, &kind_port, "host3")[PORT_LINK_FAILURES], ABSENT);
	machine_free(m);
}

static void
poll_until_answered(struct helper *helper)
{
	struct pollfd fd = { .fd = helper_fd(helper), .events = POLLIN };

	/* All questions are answered when no time-out is left to wait for. */
	while (helper_poll(helper) >= 0)
		poll(&fd, 1, 100);
}

static void
the_helper_reads(void **state)
{
	struct tree *t = *state;
	struct machine *m;

	make_host(t);
	t->env.foreign = false;
	t->env.helper = helper_start();
	assert_non_null(t->env.helper);
	m = machine_new(t);
	machine_tick(m);
	assert_int_equal(machine_cells(m, &kind_port, "host3")[PORT_LINK_FAILURES], ABSENT);
	poll_until_answered(t->env.helper);
	machine_tick(m);
	assert_int_equal(machine_cells(m, &kind_port, "host3")[PORT_LINK_FAILURES], 16);
	assert_int_equal(machine_cells(m, &kind_port, "host3")[PORT_DUMPED_FRAMES], ABSENT);
	/* What was read nine seconds before stands, what was read ten before does not. */
	tree_remove(t, "sys/class/fc_host/host3/statistics");
	machine_wait(m, UINT64_C(7000000000));
	machine_tick(m);
	assert_int_equal(machine_cells(m, &kind_port, "host3")[PORT_LINK_FAILURES], 16);
	machine_tick(m);
	assert_int_equal(machine_cells(m, &kind_port, "host3")[PORT_LINK_FAILURES], ABSENT);
	/* Questions still open when the probe closes are forgotten. */
	machine_free(m);
	poll_until_answered(t->env.helper);
	helper_stop(t->env.helper);
}

static void
ports_that_go(void **state)
{
	struct tree *t = *state;
	struct machine *m = machine_new(t);

	make_host(t);
	machine_tick(m);
	tree_remove(t, "sys/class/fc_host/host3");
	machine_changed(m, "fc_host", "host3");
	machine_tick(m);
	assert_null(machine_object(m, &kind_port, "host3"));
	assert_null(machine_object(m, &kind_adapter, "host3"));
	machine_free(m);
}

static void
hexadecimal(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} cases[] = {
		{ "0x0\n", 0 }, { "0x1f", 31 }, { "0xABCDEF\n", 11259375 }, { "0xfffffffffffffffe", UINT64_MAX - 1 },
		{ "0xffffffffffffffff\n", ABSENT }, { "0x10000000000000000", ABSENT }, { "31", ABSENT }, { "0x", ABSENT },
		{ "0x1g", ABSENT }, { "", ABSENT }, { "-0x1", ABSENT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_true(hex_parse(cases[i].text, strlen(cases[i].text)) == cases[i].value);
}

#define TREE_TEST(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(a_port_and_its_adapter),
		TREE_TEST(readings_are_repeated),
		TREE_TEST(never_read_without_a_helper),
		TREE_TEST(the_helper_reads),
		TREE_TEST(ports_that_go),
		cmocka_unit_test(hexadecimal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
