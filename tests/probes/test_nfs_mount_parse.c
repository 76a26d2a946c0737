#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/snapshot.h"
#include "probes/nfs_flight.h"
#include "probes/nfs_mount_parse.h"
#include "sys/env.h"

#define assert_text(text, wanted) \
	do { \
		assert_int_equal((text).len, strlen(wanted)); \
		assert_memory_equal((text).p, wanted, (text).len); \
	} while (0)

static const char two_mounts[] =
	"device sysfs mounted on /sys with fstype sysfs\n"
	"no device mounted on /none with fstype none\n"
	"device nas:/vol1 mounted on /mnt/my\\040disk with fstype nfs4 statvers=1.1\n"
	"\topts:\trw,vers=4.2,rsize=1048576,proto=tcp,nconnect=2,addr=10.9.0.1\n"
	"\tage:\t77\n"
	"\tcaps:\tcaps=0x3fc7,wtmult=512\n"
	"\tbytes:\t1 2 3 4 500 600 7 8 \n"
	"\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"
	"\txprt:\ttcp 782 1 3 4 21 230 220 5 420 6 16 28 190 \n"
	"\txprt:\ttcp 783 1 1 0 21 11 10 0 12 1 16 0 1 \n"
	"\tper-op statistics\n"
	"\t        NULL: 0 0 0 0 0 0 0 0 0 \n"
	"\t        READ: 10 11 12 13 14 15 16 17 18 19 20\n"
	"\n"
	"device old:/e mounted on /old with fstype nfs statvers=1.0\n"
	"\topts:\trw,vers=3,proto=udp\n"
	"\tRPC iostats version: 1.0  p/v: 100003/3 (nfs)\n"
	"\txprt:\tudp 699 1 26 25 2 30 4 \n"
	"\tper-op statistics\n"
	"\t       WRITE: 1 2 3 4 5 6 18446744073709551000 8\n"
	"\t      COMMIT: 1 2 3\n"
	"device bare:/e mounted on /bare with fstype nfs\n"
	"device r:/e mounted on /r with fstype nfs statvers=1.1\n"
	"\txprt:\trdma 0 0 1 0 -1 26 25 2 30 4 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122\n";

static void
a_mount_of_today(void **state)
{
	struct nfs_cursor cursor = { two_mounts, two_mounts + strlen(two_mounts), 0 };
	static struct nfs_mount_text m;
	struct nfs_text value;

	(void)state;
	assert_true(nfs_mount_next(&cursor, &m));
	assert_text(m.source, "nas:/vol1");
	assert_text(m.point, "/mnt/my\\040disk");
	assert_text(m.fstype, "nfs4");
	assert_int_equal(m.age_s, 77);
	assert_int_equal(m.read_bytes, 500);
	assert_int_equal(m.written_bytes, 600);
	assert_int_equal(m.program_version, 4);
	assert_int_equal(m.n_xprts, 2);
	assert_text(m.xprts[0].type, "tcp");
	assert_int_equal(m.xprts[0].port, 782);
	assert_int_equal(m.xprts[0].connects, 3);
	assert_int_equal(m.xprts[0].sends, 230);
	assert_int_equal(m.xprts[0].replies, 220);
	assert_int_equal(m.xprts[0].bad_xids, 5);
	assert_int_equal(m.xprts[0].req_sum, 420);
	assert_int_equal(m.xprts[0].backlog_sum, 6);
	assert_int_equal(m.xprts[0].pending_sum, 190);
	assert_int_equal(m.xprts[1].port, 783);
	assert_int_equal(m.n_ops, 2);
	assert_text(m.ops[1].name, "READ");
	/* the tenth number and those behind it are of kernels to come */
	for (uint64_t i = 0; i <= NFS_ERRORS; i++)
		assert_int_equal(m.ops[1].cells[i], 10 + i);
	assert_true(nfs_mount_option(m.opts, "vers", &value));
	assert_text(value, "4.2");
	assert_true(nfs_mount_option(m.opts, "addr", &value));
	assert_text(value, "10.9.0.1");
	assert_false(nfs_mount_option(m.opts, "rw", &value));
	assert_false(nfs_mount_option(m.opts, "ers", &value));
}

static void
older_and_stranger_ones(void **state)
{
	struct nfs_cursor cursor = { two_mounts, two_mounts + strlen(two_mounts), 0 };
	static struct nfs_mount_text m;

	(void)state;
	assert_true(nfs_mount_next(&cursor, &m));
	assert_true(nfs_mount_next(&cursor, &m));
	assert_text(m.point, "/old");
	assert_int_equal(m.age_s, ABSENT);
	assert_int_equal(m.read_bytes, ABSENT);
	assert_int_equal(m.n_xprts, 1);
	assert_int_equal(m.xprts[0].connects, ABSENT);
	assert_int_equal(m.xprts[0].sends, 26);
	assert_int_equal(m.xprts[0].replies, 25);
	assert_int_equal(m.xprts[0].bad_xids, 2);
	assert_int_equal(m.xprts[0].backlog_sum, 4);
	assert_int_equal(m.xprts[0].pending_sum, ABSENT);
	/* eight numbers: no errors; a time below zero is none; three numbers are no operation */
	assert_int_equal(m.n_ops, 1);
	assert_int_equal(m.ops[0].cells[NFS_RTT_MS], ABSENT);
	assert_int_equal(m.ops[0].cells[NFS_EXECUTE_MS], 8);
	assert_int_equal(m.ops[0].cells[NFS_ERRORS], ABSENT);
	assert_int_equal(cursor.skipped, 1);
	/* the one without statistics is passed over */
	assert_true(nfs_mount_next(&cursor, &m));
	assert_text(m.point, "/r");
	assert_int_equal(m.xprts[0].sends, 26);
	assert_int_equal(m.xprts[0].pending_sum, ABSENT);
	assert_int_equal(m.n_ops, 0);
	assert_false(nfs_mount_next(&cursor, &m));
}

/* sends, replies, bad_xids, req_sum, backlog_sum, pending_sum */
static struct nfs_xprt_text
xprt(uint64_t sends, uint64_t replies, uint64_t bad, uint64_t req, uint64_t backlog, uint64_t pending)
{
	return (struct nfs_xprt_text) { .connects = 1, .sends = sends, .replies = replies, .bad_xids = bad,
		.req_sum = req, .backlog_sum = backlog, .pending_sum = pending };
}

static uint64_t
next(struct nfs_flight *f, struct nfs_xprt_text x, uint64_t ops, uint64_t again)
{
	return nfs_flight_next(f, &x, ops, again);
}

/* Four are sent one behind the other and not answered: at the sends 1, 2, 3, 4 are open, and 0, 1, 2, 3 wait. */
static void
a_silent_server(void **state)
{
	struct nfs_flight f = { 0 };

	(void)state;
	assert_int_equal(next(&f, xprt(100, 100, 0, 100, 0, 0), 0, 0), 0);
	assert_int_equal(next(&f, xprt(104, 100, 0, 110, 0, 6), 0, 0), 4);
	assert_int_equal(next(&f, xprt(104, 100, 0, 110, 0, 6), 0, 0), 4);
	/* two of them are answered, then the rest */
	assert_int_equal(next(&f, xprt(104, 102, 0, 110, 0, 6), 2, 0), 2);
	assert_int_equal(next(&f, xprt(104, 104, 0, 110, 0, 6), 2, 0), 0);
}

/* Only the difference grows, as in a file written by hand. */
static void
without_the_sums(void **state)
{
	struct nfs_flight f = { 0 };

	(void)state;
	assert_int_equal(next(&f, xprt(100, 100, 0, 100, 0, 0), 0, 0), 0);
	assert_int_equal(next(&f, xprt(132, 100, 0, 100, 0, 0), 0, 0), 32);
}

/*
 * A request sent twice: the difference stays one too high, the queue knows better. Of the recorded mounts two have such a
 * difference, and three replies that nobody waited for.
 */
static void
what_was_lost_before(void **state)
{
	struct nfs_flight one = { 0 }, three = { 0 }, open = { 0 };

	(void)state;
	assert_int_equal(next(&one, xprt(279772, 279771, 0, 649944, 1711, 90409), 0, 0), 0);
	/* the same, with what waits as the kernel counts it: (649944 - 370172) / 279772 - 1 = 0 */
	assert_int_equal(next(&open, xprt(279772, 279771, 0, 649944, 0, 370172), 0, 0), 1);
	assert_int_equal(next(&three, xprt(13563, 13560, 3, 27879, 0, 38), 0, 0), 0);
}

static void
given_up_requests(void **state)
{
	struct nfs_flight f = { 0 };

	(void)state;
	next(&f, xprt(100, 100, 0, 100, 0, 0), 0, 0);
	assert_int_equal(next(&f, xprt(102, 100, 0, 103, 0, 1), 0, 0), 2);
	/* both were killed: two operations end and no reply comes */
	assert_int_equal(next(&f, xprt(102, 100, 0, 103, 0, 1), 2, 0), 0);
	/* their replies come late, to nobody: they were lost already */
	assert_int_equal(next(&f, xprt(102, 100, 2, 103, 0, 1), 0, 0), 0);
	/* one more is sent: it sees three open and none in the queue */
	assert_int_equal(next(&f, xprt(103, 100, 2, 106, 0, 1), 0, 0), 1);
}

/* The reply is counted first, its operation in the next interval: that is no loss. */
static void
a_reply_across_the_tick(void **state)
{
	struct nfs_flight f = { 0 };

	(void)state;
	next(&f, xprt(100, 100, 0, 100, 0, 0), 0, 0);
	assert_int_equal(next(&f, xprt(103, 101, 0, 106, 0, 3), 0, 0), 2);
	assert_int_equal(next(&f, xprt(103, 101, 0, 106, 0, 3), 1, 0), 2);
}

static void
backlog_and_reconnection(void **state)
{
	struct nfs_flight f = { 0 };
	struct nfs_xprt_text x;

	(void)state;
	next(&f, xprt(100, 100, 0, 100, 0, 0), 0, 0);
	/* two slots are full, and at both sends three wait for one */
	assert_int_equal(next(&f, xprt(102, 100, 0, 103, 6, 1), 0, 0), 5);
	/* both are sent again over a new connection: 3 and 4 open, 0 and 1 in the queue */
	x = xprt(104, 100, 0, 110, 12, 2);
	x.connects = 2;
	assert_int_equal(nfs_flight_next(&f, &x, 0, 0), 5);
	/* a server that never tells */
	x.sends = ABSENT;
	assert_int_equal(nfs_flight_next(&f, &x, 0, 0), ABSENT);
}

/* No queue is told of RDMA: what is open at first sight rests. */
static void
rdma(void **state)
{
	struct nfs_flight f = { 0 };

	(void)state;
	assert_int_equal(next(&f, xprt(105, 100, 0, 300, 0, ABSENT), 0, 0), 0);
	assert_int_equal(next(&f, xprt(109, 100, 0, 330, 0, ABSENT), 0, 0), 4);
	assert_int_equal(next(&f, xprt(109, 104, 0, 330, 0, ABSENT), 4, 0), 0);
}

static char *
recorded(const char *name, size_t *len)
{
	const char *data = getenv("STORTOP_DATA");
	struct env env = { .root = data, .foreign = true };
	char path[100], *buf = NULL;
	size_t cap = 0;
	long n;

	if (data == NULL)
		return NULL;
	snprintf(path, sizeof(path), "/mountstats/%s", name);
	n = env_read(&env, path, &buf, &cap);
	*len = n > 0 ? (size_t)n : 0;
	return n > 0 ? buf : NULL;
}

/* Mounts, operations and connections, counted in the files with grep. */
static void
recorded_ones(void **state)
{
	static const struct {
		const char *name;
		size_t mounts, ops, xprts;
	} files[] = {
		{ "pcp-mountstats.qa", 4, 144, 4 },
		{ "pcp-mountstats3.qa", 10, 220, 10 },
		{ "pcp-mountstats-4.18.0-105.el8.rpc-v1.1.qa", 4, 205, 4 },
	};
	static struct nfs_mount_text m;

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		size_t len = 0, mounts = 0, ops = 0, xprts = 0;
		char *text = recorded(files[i].name, &len);
		struct nfs_cursor cursor = { text, text + len, 0 };

		if (text == NULL) {
			printf("skipped: no mountstats/%s in STORTOP_DATA\n", files[i].name);
			skip();
		}
		while (nfs_mount_next(&cursor, &m)) {
			mounts++;
			ops += m.n_ops;
			xprts += m.n_xprts;
		}
		assert_int_equal(mounts, files[i].mounts);
		assert_int_equal(ops, files[i].ops);
		assert_int_equal(xprts, files[i].xprts);
		assert_int_equal(cursor.skipped, 0);
		free(text);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mount_of_today),
		cmocka_unit_test(older_and_stranger_ones),
		cmocka_unit_test(a_silent_server),
		cmocka_unit_test(without_the_sums),
		cmocka_unit_test(what_was_lost_before),
		cmocka_unit_test(given_up_requests),
		cmocka_unit_test(a_reply_across_the_tick),
		cmocka_unit_test(backlog_and_reconnection),
		cmocka_unit_test(rdma),
		cmocka_unit_test(recorded_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
