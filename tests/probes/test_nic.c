#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/interval.h"
#include "core/kinds/kinds.h"
#include "tests/probes/drive.h"
#include "tests/probes/recorded.h"
#include "tests/probes/tree.h"

#define LINE(name, bytes) name ": " #bytes " 2 0 0 0 0 0 0 3 4 0 0 0 0 0 0\n"

static void
put_link(struct tree *tree, const char *name, const char *state, const char *carrier, const char *speed)
{
	char path[96];

	snprintf(path, sizeof(path), "sys/class/net/%s/operstate", name);
	tree_put(tree, path, "%s\n", state);
	snprintf(path, sizeof(path), "sys/class/net/%s/carrier", name);
	tree_put(tree, path, "%s\n", carrier);
	snprintf(path, sizeof(path), "sys/class/net/%s/speed", name);
	tree_put(tree, path, "%s\n", speed);
}

static struct object *
nic(const struct snapshot *s, const char *name)
{
	return drive_object(s, &kind_nic, name);
}

static void
counters_and_labels(void **state)
{
	struct tree *tree = *state;
	struct probe *probe = drive_open(&probe_nic, &tree->env);
	struct snapshot *s;

	tree_put(tree, "proc/net/dev", LINE("lo", 5) LINE("eth0", 6) LINE("eth1", 7));
	put_link(tree, "lo", "unknown", "1", "");
	put_link(tree, "eth0", "up", "1", "10000");
	tree_put(tree, "sys/class/net/eth0/duplex", "full\n");
	tree_put(tree, "sys/class/net/eth0/address", "52:54:00:12:34:56\n");
	tree_link(tree, "sys/class/net/eth0/device/driver", "../../../bus/virtio/drivers/virtio_net");
	put_link(tree, "eth1", "down", "", "-1");
	tree_put(tree, "sys/class/net/eth1/duplex", "unknown\n");
	s = drive_sample(probe, 1);

	assert_int_equal(drive_rows(s, &kind_nic), 3);
	assert_int_equal(drive_cells(s, &kind_nic, "eth0")[NIC_RX_BYTES], 6);
	assert_string_equal(nic(s, "eth0")->identity, "eth0 52:54:00:12:34:56");
	assert_string_equal(object_text(nic(s, "eth0"), LABEL_STATE), "up");
	assert_true(object_number(nic(s, "eth0"), LABEL_STATE) == 1);
	assert_string_equal(object_text(nic(s, "eth0"), LABEL_SPEED), "10 Gbit");
	assert_true(object_number(nic(s, "eth0"), LABEL_SPEED) == 1e10);
	assert_string_equal(object_text(nic(s, "eth0"), LABEL_DUPLEX), "full");
	assert_true(object_number(nic(s, "eth0"), LABEL_DUPLEX) == 1);
	assert_string_equal(object_text(nic(s, "eth0"), LABEL_DRIVER), "virtio_net");

	assert_string_equal(nic(s, "lo")->identity, "lo");
	assert_string_equal(object_text(nic(s, "lo"), LABEL_STATE), "up");
	assert_null(object_text(nic(s, "lo"), LABEL_SPEED));
	assert_null(object_text(nic(s, "lo"), LABEL_DRIVER));

	assert_string_equal(object_text(nic(s, "eth1"), LABEL_STATE), "down");
	assert_true(object_number(nic(s, "eth1"), LABEL_STATE) == 0);
	assert_null(object_text(nic(s, "eth1"), LABEL_SPEED));
	assert_null(object_text(nic(s, "eth1"), LABEL_DUPLEX));
	snapshot_free(s);
	drive_close(probe);
}

static void
no_sysfs(void **state)
{
	struct tree *tree = *state;
	struct probe *probe = drive_open(&probe_nic, &tree->env);
	struct snapshot *s;

	tree_put(tree, "proc/net/dev", LINE("eth0", 6));
	s = drive_sample(probe, 1);
	assert_int_equal(nic(s, "eth0")->n_labels, 0);
	assert_true(isnan(object_number(nic(s, "eth0"), LABEL_STATE)));
	snapshot_free(s);
	drive_close(probe);
}

/* Labels are not read again before somebody says that they changed. */
static void
change_is_told(void **state)
{
	struct tree *tree = *state;
	struct probe *probe = drive_open(&probe_nic, &tree->env);
	struct snapshot *a, *b, *c, *d;

	tree_put(tree, "proc/net/dev", LINE("eth0", 6));
	put_link(tree, "eth0", "up", "1", "1000");
	a = drive_sample(probe, 1);
	put_link(tree, "eth0", "lowerlayerdown", "0", "");
	probe_nic.changed(probe, "block", "eth0");
	probe_nic.changed(probe, "net", "eth1");
	b = drive_sample(probe, 2);
	assert_ptr_equal(nic(b, "eth0"), nic(a, "eth0"));
	probe_nic.changed(probe, "net", "eth0");
	c = drive_sample(probe, 3);
	assert_int_equal(nic(c, "eth0")->uid, nic(a, "eth0")->uid);
	assert_string_equal(object_text(nic(a, "eth0"), LABEL_STATE), "up");
	assert_string_equal(object_text(nic(c, "eth0"), LABEL_STATE), "lowerlayerdown");
	assert_true(object_number(nic(c, "eth0"), LABEL_STATE) == 0);
	assert_null(object_text(nic(c, "eth0"), LABEL_SPEED));
	/* anything may have changed, but nothing has: the same version */
	probe_nic.changed(probe, NULL, NULL);
	d = drive_sample(probe, 4);
	assert_ptr_equal(nic(d, "eth0"), nic(c, "eth0"));
	snapshot_free(a);
	snapshot_free(b);
	snapshot_free(c);
	snapshot_free(d);
	drive_close(probe);
}

/* With no time to spend, one a tick, so that a screen is not kept waiting by a thousand interfaces. */
static void
labels_within_the_budget(void **state)
{
	struct tree *tree = *state;
	struct probe *probe;

	tree->env.detail_budget_ns = 0;
	probe = drive_open(&probe_nic, &tree->env);
	tree_put(tree, "proc/net/dev", LINE("a", 1) LINE("b", 2) LINE("c", 3));
	put_link(tree, "a", "up", "1", "10");
	put_link(tree, "b", "up", "1", "10");
	put_link(tree, "c", "up", "1", "10");
	for (int i = 1; i <= 3; i++) {
		struct snapshot *s = drive_sample(probe, i);
		int described = 0;

		for (char name[] = "a"; name[0] <= 'c'; name[0]++)
			described += nic(s, name)->n_labels > 0;
		assert_int_equal(described, i);
		snapshot_free(s);
	}
	drive_close(probe);
}

static struct snapshot *
recorded(struct probe *probe, struct tree *tree, int i)
{
	static char root[128];

	snprintf(root, sizeof(root), "%s/root%d", tree->root, i);
	tree->env.root = root;
	return drive_sample(probe, 10 * i);
}

static void
recorded_sequence(void **state)
{
	struct tree *tree = *state;
	struct snapshot *s[6] = { NULL };
	struct probe *probe;
	struct interval *diff;
	const struct row *row;

	if (!recorded_unpack("sysroot/sysstat-roots-1-5.tar.xz", tree->root))
		skip();
	probe = drive_open(&probe_nic, &tree->env);
	for (int i = 1; i <= 5; i++) {
		static const size_t n[] = { 0, 6, 6, 6, 6, 8 };

		s[i] = recorded(probe, tree, i);
		assert_int_equal(drive_rows(s[i], &kind_nic), n[i]);
	}
	assert_string_equal(object_text(nic(s[1], "enp6s0"), LABEL_SPEED), "1 Gbit");
	assert_null(object_text(nic(s[1], "lo"), LABEL_SPEED));
	diff = interval_diff(s[1], s[2]);
	row = interval_row(diff, &kind_nic, nic(s[2], "wlp5s0")->uid);
	assert_non_null(row);
	assert_true(row->cells[NIC_RX_BYTES] == 10000);
	assert_true(row->cells[NIC_RX_DROPPED] == 100);
	assert_true(row->cells[NIC_RX_MULTICAST] == 1000);
	assert_true(row->cells[NIC_TX_PACKETS] == 1000);
	interval_unref(diff);
	/* enp6s0 goes back */
	diff = interval_diff(s[2], s[3]);
	assert_null(interval_row(diff, &kind_nic, nic(s[3], "enp6s0")->uid));
	assert_non_null(interval_row(diff, &kind_nic, nic(s[3], "virbr0")->uid));
	interval_unref(diff);
	/* virbr0 was away */
	assert_true(nic(s[5], "virbr0")->uid != nic(s[3], "virbr0")->uid);
	for (int i = 1; i <= 5; i++)
		snapshot_free(s[i]);
	drive_close(probe);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(counters_and_labels),
		CASE(no_sysfs),
		CASE(change_is_told),
		CASE(labels_within_the_budget),
		CASE(recorded_sequence),
	};

	return cmocka_run_group_tests_name("probes/nic", tests, NULL, NULL);
}
