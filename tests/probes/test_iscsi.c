#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/column.h"
#include "tests/nan_fails.h"
#include "tests/probes/drive.h"
#include "tests/probes/machine.h"

#define TARGET "iqn.2024-01.com.example:storage.disk1"
#define LIO "sys/kernel/config/target/iscsi/iqn.2003-01.org.linux-iscsi.db7:sn.1/tpgt_1"
#define INITIATOR "iqn.1993-08.org.debian:01:cli"

static void
put(struct tree *t, const char *dir, const char *file, const char *text)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	tree_put(t, path, "%s\n", text);
}

/* A session with a disk: sessionN on host(N + 5). */
static void
put_session(struct tree *t, unsigned n, const char *disk, const char *target, const char *state, const char *address)
{
	char place[200], dir[300], link[300];

	snprintf(place, sizeof(place), "devices/platform/host%u/session%u", n + 5, n);
	snprintf(dir, sizeof(dir), "platform/host%u/session%u/target%u:0:0/%u:0:0:1/block/%s", n + 5, n, n + 5, n + 5, disk);
	tree_disk(t, dir, 2048);
	snprintf(dir, sizeof(dir), "sys/class/iscsi_session/session%u", n);
	snprintf(link, sizeof(link), "../../%s/iscsi_session/session%u", place, n);
	tree_link(t, dir, link);
	snprintf(dir, sizeof(dir), "sys/%s/iscsi_session/session%u", place, n);
	put(t, dir, "targetname", target);
	put(t, dir, "initiatorname", "iqn.1993-08.org.debian:01:abc");
	put(t, dir, "state", state);
	put(t, dir, "password", "secret");	/* never read, and never shown */
	snprintf(dir, sizeof(dir), "sys/class/iscsi_connection/connection%u:0", n);
	put(t, dir, "address", address);
	put(t, dir, "port", "3260");
	put(t, dir, "header_digest", "1");
	put(t, dir, "data_digest", n == 1 ? "0" : "1");
	put(t, dir, "state", strcmp(state, "LOGGED_IN") == 0 ? "up" : "failed");
	snprintf(dir, sizeof(dir), "sys/class/scsi_host/host%u", n + 5);
	put(t, dir, "proc_name", "iscsi_tcp");
}

static void
put_disks(struct tree *t, unsigned reads, unsigned ms)
{
	tree_put(t, "proc/diskstats",
	    "8 0 sda %u 0 %u %u 0 0 0 0 0 0 0\n8 16 sdb %u 0 %u %u 7 0 56 70 2 0 0\n", reads, reads * 8, ms, 2 * reads, reads * 16, ms);
}

/* Block devices first: they are what sessions are sums of. */
struct pair {
	struct probe *block, *iscsi;
};

static struct snapshot *
sample(const struct pair *p, double seconds)
{
	struct snapshot *s = drive_sample(p->block, seconds);

	assert_int_equal(p->iscsi->ops->sample(p->iscsi, s), 0);
	return s;
}

static struct pair
open_pair(struct tree *t)
{
	return (struct pair) { drive_open(&probe_block, &t->env), drive_open(&probe_iscsi, &t->env) };
}

static void
close_pair(struct pair *p)
{
	drive_close(p->block);
	drive_close(p->iscsi);
}

static double
figure(const struct interval *v, const char *name, const char *key)
{
	const struct row *row = interval_named(v, &kind_iscsi_session, name);

	assert_non_null(row);
	return column_figure(row, key);
}

static void
sessions_are_sums_of_their_disks(void **state)
{
	struct tree *t = *state;
	struct pair p;
	struct snapshot *a, *b;
	struct interval *v;

	put_session(t, 1, "sda", TARGET, "LOGGED_IN", "10.9.0.1");
	put_session(t, 2, "sdb", TARGET, "LOGGED_IN", "fd00:9::1");
	put_disks(t, 100, 1000);
	p = open_pair(t);
	a = sample(&p, 10);
	put_disks(t, 300, 1500);
	b = sample(&p, 12);
	v = interval_diff(a, b);
	/* 200 reads in 2 s that took 500 ms together; twice as many of sdb in the same time */
	assert_float_equal(figure(v, "session1", "reads_s"), 100, 1e-9);
	assert_float_equal(figure(v, "session1", "cmds_s"), 100, 1e-9);
	assert_float_equal(figure(v, "session1", "gavg"), 2.5, 1e-9);
	assert_float_equal(figure(v, "session2", "reads_s"), 200, 1e-9);
	assert_float_equal(figure(v, "session2", "gavg"), 1.25, 1e-9);
	assert_float_equal(figure(v, "session2", "actv"), 2, 1e-9);
	interval_unref(v);
	snapshot_free(a);
	snapshot_free(b);
	close_pair(&p);
}

static const char *
label(const struct snapshot *s, const struct kind *kind, const char *name, enum label_id id)
{
	const char *text = object_text(drive_object(s, kind, name), id);

	return text != NULL ? text : "-";
}

static void
what_a_session_is(void **state)
{
	struct tree *t = *state;
	struct pair p;
	struct snapshot *s;
	const struct object *o;

	put_session(t, 1, "sda", TARGET, "LOGGED_IN", "10.9.0.1");
	put_session(t, 2, "sdb", TARGET, "FAILED", "fd00:9::1");
	put_disks(t, 100, 1000);
	p = open_pair(t);
	s = sample(&p, 10);
	o = drive_object(s, &kind_iscsi_session, "session1");
	assert_string_equal(label(s, &kind_iscsi_session, "session1", LABEL_TARGET), TARGET);
	assert_string_equal(label(s, &kind_iscsi_session, "session1", LABEL_PORTAL), "10.9.0.1:3260");
	assert_string_equal(label(s, &kind_iscsi_session, "session1", LABEL_INITIATOR), "iqn.1993-08.org.debian:01:abc");
	assert_string_equal(label(s, &kind_iscsi_session, "session1", LABEL_DIGESTS), "header");
	assert_string_equal(label(s, &kind_iscsi_session, "session1", LABEL_PATHS), "1/2");
	assert_string_equal(label(s, &kind_iscsi_session, "session1", LABEL_HOST), "host6");
	assert_string_equal(label(s, &kind_iscsi_session, "session1", LABEL_DRIVER), "iscsi_tcp");
	assert_string_equal(label(s, &kind_iscsi_session, "session1", LABEL_NOTE), "-");
	assert_int_equal(o->parent, drive_object(s, &kind_adapter, "host6")->uid);
	assert_string_equal(label(s, &kind_iscsi_session, "session2", LABEL_STATE), "FAILED");
	assert_string_equal(label(s, &kind_iscsi_session, "session2", LABEL_NOTE), "connection failed");
	assert_string_equal(label(s, &kind_iscsi_session, "session2", LABEL_DIGESTS), "header data");
	/* the disk knows its session, and the adapter its target and portal */
	assert_string_equal(label(s, &kind_disk, "sdb", LABEL_SESSION), "session2");
	assert_string_equal(label(s, &kind_adapter, "host6", LABEL_ADDRESS), TARGET " @ 10.9.0.1:3260");
	assert_string_equal(label(s, &kind_adapter, "host7", LABEL_ADDRESS), TARGET " @ [fd00:9::1]:3260");
	snapshot_free(s);
	close_pair(&p);
}

static void
sessions_that_change(void **state)
{
	struct tree *t = *state;
	struct pair p;
	struct snapshot *s;
	uint64_t uid;

	put_session(t, 1, "sda", TARGET, "LOGGED_IN", "10.9.0.1");
	put_disks(t, 100, 1000);
	p = open_pair(t);
	s = sample(&p, 10);
	uid = drive_object(s, &kind_iscsi_session, "session1")->uid;
	snapshot_free(s);
	/* looked at again after five seconds, or when the kernel tells */
	tree_put(t, "sys/class/iscsi_session/session1/state", "FAILED\n");
	s = sample(&p, 12);
	assert_string_equal(label(s, &kind_iscsi_session, "session1", LABEL_STATE), "LOGGED_IN");
	snapshot_free(s);
	s = sample(&p, 15);
	assert_string_equal(label(s, &kind_iscsi_session, "session1", LABEL_STATE), "FAILED");
	assert_string_equal(label(s, &kind_iscsi_session, "session1", LABEL_PATHS), "0/1");
	assert_int_equal(drive_object(s, &kind_iscsi_session, "session1")->uid, uid);
	snapshot_free(s);
	/* the number is given to a session to another target */
	tree_put(t, "sys/class/iscsi_session/session1/targetname", "iqn.other\n");
	p.iscsi->ops->changed(p.iscsi, "iscsi_session", "session1");
	s = sample(&p, 16);
	assert_true(drive_object(s, &kind_iscsi_session, "session1")->uid != uid);
	snapshot_free(s);
	tree_remove(t, "sys/class/iscsi_session/session1");
	s = sample(&p, 30);
	assert_int_equal(drive_rows(s, &kind_iscsi_session), 0);
	snapshot_free(s);
	close_pair(&p);
}

static void
put_lun(struct tree *t, const char *statistics, const char *commands, unsigned n, unsigned read_mb, unsigned write_mb)
{
	char path[300];

	snprintf(path, sizeof(path), LIO "/%s/%s", statistics, commands);
	tree_put(t, path, "%u\n", n);
	snprintf(path, sizeof(path), LIO "/%s/read_mbytes", statistics);
	tree_put(t, path, "%u\n", read_mb);
	snprintf(path, sizeof(path), LIO "/%s/write_mbytes", statistics);
	tree_put(t, path, "%u\n", write_mb);
}

static void
put_target(struct tree *t, unsigned n)
{
	tree_put(t, LIO "/enable", "1\n");
	put_lun(t, "lun/lun_0/statistics/scsi_tgt_port", "in_cmds", 1000 + n * 400, 50 + 6 * n, 20 + 2 * n);
	put_lun(t, "acls/" INITIATOR "/lun_0/statistics/scsi_auth_intr", "num_cmds", 10 + n * 200, 5 + 4 * n, 2 + n);
	tree_put(t, LIO "/acls/" INITIATOR "/info",
	    "Session State: TARG_SESS_STATE_LOGGED_IN\n   Address 10.9.0.2 TCP  StatSN: 0x1\n");
}

/* This host as a target: the portal group with what all do, and each initiator that it knows. */
static void
luns_of_a_target(void **state)
{
	static const char group[] = "iqn.2003-01.org.linux-iscsi.db7:sn.1,1";
	struct tree *t = *state;
	struct pair p;
	struct snapshot *a, *b;
	struct interval *v;

	put_disks(t, 100, 1000);
	tree_put(t, "sys/kernel/config/target/iscsi/discovery_auth/enforce_discovery_auth", "0\n");
	tree_link(t, LIO "/lun/lun_0/a1b2c3d4e5", "../../../../../../target/core/fileio_0/disk1");
	put_target(t, 0);
	p = open_pair(t);
	a = sample(&p, 10);
	put_target(t, 1);
	b = sample(&p, 12);
	assert_int_equal(drive_rows(b, &kind_iscsi_session), 2);
	assert_int_equal(drive_rows(b, &kind_iscsi_lun), 2);
	assert_string_equal(label(b, &kind_iscsi_session, group, LABEL_STATE), "enabled");
	assert_string_equal(label(b, &kind_iscsi_session, INITIATOR, LABEL_STATE), "LOGGED_IN");
	assert_string_equal(label(b, &kind_iscsi_session, INITIATOR, LABEL_ADDRESS), "10.9.0.2");
	assert_string_equal(label(b, &kind_iscsi_session, INITIATOR, LABEL_TARGET), group);
	assert_string_equal(object_text(snapshot_find(b, &kind_iscsi_lun)->objects[0], LABEL_BACKING), "fileio_0/disk1");
	v = interval_diff(a, b);
	assert_float_equal(figure(v, group, "cmds_s"), 200, 1e-9);
	assert_float_equal(figure(v, group, "mbread_s"), 3, 1e-9);
	assert_float_equal(figure(v, group, "mbwrtn_s"), 1, 1e-9);
	assert_float_equal(figure(v, INITIATOR, "cmds_s"), 100, 1e-9);
	assert_float_equal(figure(v, INITIATOR, "mbread_s"), 2, 1e-9);
	assert_float_equal(figure(v, INITIATOR, "mbwrtn_s"), 0.5, 1e-9);
	interval_unref(v);
	snapshot_free(a);
	snapshot_free(b);
	close_pair(&p);
}

static void
nothing_without_a_session(void **state)
{
	struct tree *t = *state;
	struct pair p;
	struct snapshot *s;

	put_disks(t, 100, 1000);
	p = open_pair(t);
	s = sample(&p, 10);
	assert_null(snapshot_find(s, &kind_iscsi_session));
	assert_string_equal(p.iscsi->note, "no iSCSI session, no LIO target");
	snapshot_free(s);
	close_pair(&p);
}

#define TREE_TEST(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(sessions_are_sums_of_their_disks),
		TREE_TEST(what_a_session_is),
		TREE_TEST(sessions_that_change),
		TREE_TEST(luns_of_a_target),
		TREE_TEST(nothing_without_a_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
