#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/column.h"
#include "core/interval.h"
#include "core/kinds/kinds.h"
#include "core/stall.h"
#include "session/verdict.h"
#include "sys/sockdiag.h"
#include "tests/nan_fails.h"
#include "tests/probes/drive.h"
#include "tests/probes/tree.h"

/* A mount as mountstats tells of it; the figures of its one connection and of three operations. */
struct fake {
	const char *source, *point, *opts;
	unsigned age, port;
	unsigned long read_bytes, written_bytes;
	unsigned long sends, replies, req_sum, pending_sum;
	const char *read, *write, *getattr;	/* numbers behind the name */
	bool two;				/* a second connection, at rest */
};

static const struct fake at_rest = {
	.source = "nas:/vol1", .point = "/mnt/vol1", .opts = "rw,vers=4.1,proto=tcp,addr=10.9.0.1", .age = 1000, .port = 700,
	.read_bytes = 1048576, .written_bytes = 0, .sends = 100, .replies = 100, .req_sum = 100, .pending_sum = 0,
	.read = "16 16 0 3200 1050000 10 150 170 0", .write = "0 0 0 0 0 0 0 0 0", .getattr = "84 84 0 9000 9000 1 20 30 0",
};

static void
append_mount(char *out, size_t size, const struct fake *f)
{
	size_t len = strlen(out);

	snprintf(out + len, size - len,
	    "device %s mounted on %s with fstype nfs4 statvers=1.1\n"
	    "\topts:\t%s\n\tage:\t%u\n\tbytes:\t0 0 0 0 %lu %lu 0 0 \n"
	    "\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"
	    "\txprt:\ttcp %u 1 1 0 0 %lu %lu 0 %lu 0 16 0 %lu \n%s"
	    "\tper-op statistics\n\t        NULL: 0 0 0 0 0 0 0 0 0\n\t        READ: %s\n\t       WRITE: %s\n"
	    "\t     GETATTR: %s\n\n",
	    f->source, f->point, f->opts, f->age, f->read_bytes, f->written_bytes, f->port, f->sends, f->replies, f->req_sum,
	    f->pending_sum, f->two ? "\txprt:\ttcp 701 1 1 0 0 5 5 0 5 0 16 0 0 \n" : "", f->read, f->write, f->getattr);
}

static void
put_mounts(struct tree *t, const struct fake *list, size_t n)
{
	char stats[8192] = "device proc mounted on /proc with fstype proc\n";

	for (size_t i = 0; i < n; i++)
		append_mount(stats, sizeof(stats), &list[i]);
	tree_put(t, "proc/self/mountstats", "%s", stats);
}

static const struct row *
row_of(const struct interval *v, const struct kind *kind, const char *name)
{
	const struct interval_table *t = interval_table(v, kind);

	for (size_t i = 0; t != NULL && i < t->n; i++)
		if (strcmp(t->rows[i].object->name, name) == 0)
			return &t->rows[i];
	return NULL;
}

static double
figure(const struct interval *v, const struct kind *kind, const char *name, const char *key)
{
	const struct row *row = row_of(v, kind, name);

	assert_non_null(row);
	assert_true(kind_column(kind, key) >= 0);
	return column_figure(row, key);
}

/* Two readings, two seconds apart. */
static struct interval *
two_readings(struct tree *t, struct probe *p, const struct fake *before, size_t n_before, const struct fake *after, size_t n_after)
{
	struct snapshot *a, *b;
	struct interval *v;

	put_mounts(t, before, n_before);
	a = drive_sample(p, 10);
	put_mounts(t, after, n_after);
	b = drive_sample(p, 12);
	v = interval_diff(a, b);
	snapshot_free(a);
	snapshot_free(b);
	return v;
}

/*
 * In 2 s 100 READs of 64 KiB (queue 10 ms, RTT 150, execute 170 in all), 20 WRITEs of 4 KiB (2, 180, 198), 40 GETATTRs; two of the
 * READs were sent twice.
 */
static struct fake
busy(void)
{
	struct fake f = at_rest;

	f.age = 1002;
	f.read_bytes += 100 * 65536;
	f.written_bytes += 20 * 4096;
	f.sends += 165;
	f.replies += 160;
	f.req_sum += 165 + 3 * 165;	/* three are open at each send, and wait */
	f.pending_sum += 3 * 165;
	f.read = "116 118 1 23200 7620000 20 300 340 0";
	f.write = "20 20 0 90000 4000 2 180 198 2";
	f.getattr = "124 124 0 13000 13000 3 40 60 7";
	return f;
}

static void
figures_of_a_mount(void **state)
{
	static const struct { const char *key; double value; } wanted[] = {
		{ "cmds_s", (100 + 20 + 40) / 2.0 },
		{ "reads_s", 50 },
		{ "writes_s", 10 },
		{ "mbread_s", 3.125 },		/* 100 x 64 KiB are 6.25 MiB */
		{ "mbwrtn_s", 0.0390625 },	/* 20 x 4 KiB */
		{ "qavg", 12 / 120.0 },
		{ "davg", 330 / 120.0 },
		{ "gavg", 368 / 120.0 },
		{ "kavg", 38 / 120.0 },
		{ "gavg_rd", 1.7 },
		{ "gavg_wr", 9.9 },
		{ "retr_s", 1 },
		{ "timeo_s", 0.5 },
		{ "err_s", 1 },			/* those of GETATTR are none of the data */
		{ "kb_rd", 64 },
		{ "kb_wr", 4 },
		{ "actv", 5 },
	};
	struct tree *t = *state;
	struct probe *p = drive_open(&probe_nfs_mount, &t->env);
	struct fake f = busy();
	struct interval *v = two_readings(t, p, &at_rest, 1, &f, 1);
	const struct object *mount;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_float_equal(figure(v, &kind_nfs_mount, "/mnt/vol1", wanted[i].key), wanted[i].value, 1e-9);
	assert_float_equal(figure(v, &kind_nfs_op, "GETATTR", "gavg"), 30 / 40.0, 1e-9);
	assert_float_equal(figure(v, &kind_nfs_op, "GETATTR", "err_s"), 3.5, 1e-9);
	assert_float_equal(figure(v, &kind_nfs_op, "READ", "cmds_s"), 50, 1e-9);
	assert_float_equal(figure(v, &kind_nfs_op, "WRITE", "qavg"), 0.1, 1e-9);
	assert_null(row_of(v, &kind_nfs_op, "NULL"));
	mount = row_of(v, &kind_nfs_mount, "/mnt/vol1")->object;
	assert_string_equal(mount->identity, "nas:/vol1 on /mnt/vol1");
	assert_string_equal(object_text(mount, LABEL_EXPORT), "nas:/vol1");
	assert_string_equal(object_text(mount, LABEL_VERSION), "4.1");
	assert_string_equal(object_text(mount, LABEL_TRANSPORT), "tcp");
	assert_string_equal(object_text(mount, LABEL_CLASS), "nfs");
	assert_null(object_text(mount, LABEL_NCONNECT));
	assert_int_equal(row_of(v, &kind_nfs_op, "READ")->object->counts_in, mount->uid);
	interval_unref(v);
	drive_close(p);
}

/* The mounts stand beside the disks in the total; a COMMIT is a flush, and the rest of the operations counts too. */
static void
a_part_of_the_total(void **state)
{
	struct tree *t = *state;
	struct probe *p = drive_open(&probe_nfs_mount, &t->env);
	struct fake f = busy();
	struct interval *v = two_readings(t, p, &at_rest, 1, &f, 1);

	assert_float_equal(figure(v, &kind_total, "total", "cmds_s"), 80, 1e-9);
	assert_float_equal(figure(v, &kind_total, "total", "reads_s"), 50, 1e-9);
	assert_float_equal(figure(v, &kind_total, "total", "mbread_s"), 3.125, 1e-9);
	assert_float_equal(figure(v, &kind_total, "total", "actv"), 5, 1e-9);
	interval_unref(v);
	drive_close(p);
}

/* Two mounts over one connection: what is in flight on it counts once. */
static void
a_shared_connection(void **state)
{
	struct tree *t = *state;
	struct probe *p = drive_open(&probe_nfs_mount, &t->env);
	struct fake before[2] = { at_rest, at_rest }, after[2] = { busy(), busy() };
	struct interval *v;

	before[1].source = after[1].source = "nas:/vol2";
	before[1].point = after[1].point = "/mnt/vol2";
	v = two_readings(t, p, before, 2, after, 2);
	assert_float_equal(figure(v, &kind_nfs_mount, "/mnt/vol1", "actv"), 5, 1e-9);
	assert_float_equal(figure(v, &kind_nfs_mount, "/mnt/vol2", "actv"), 5, 1e-9);
	assert_float_equal(figure(v, &kind_total, "total", "actv"), 5, 1e-9);
	assert_float_equal(figure(v, &kind_total, "total", "reads_s"), 100, 1e-9);
	interval_unref(v);
	drive_close(p);
}

/* A bind mount has the counters of what it is a part of. */
static void
bind_mounts_are_one(void **state)
{
	struct tree *t = *state;
	struct probe *p = drive_open(&probe_nfs_mount, &t->env);
	struct fake list[3] = { at_rest, at_rest, at_rest };
	struct snapshot *s;
	const struct object *o;

	list[1].source = "nas:/vol1/sub";
	list[1].point = "/srv/my\\040sub";
	list[2].source = "nas:/vol3";
	list[2].point = "/mnt/vol3";
	tree_put(t, "proc/self/mountinfo",
	    "30 1 0:45 / /mnt/vol1 rw - nfs4 nas:/vol1 rw\n"
	    "31 1 0:45 /sub /srv/my\\040sub rw - nfs4 nas:/vol1/sub rw\n"
	    "32 1 0:46 / /mnt/vol3 rw - nfs4 nas:/vol3 rw\n"
	    "33 1 0:47 / /mnt/vol1 rw - nfsd nfsd rw\n");	/* no NFS mount, whatever its name begins with */
	put_mounts(t, list, 3);
	s = drive_sample(p, 10);
	assert_int_equal(drive_rows(s, &kind_nfs_mount), 2);
	o = drive_object(s, &kind_nfs_mount, "/mnt/vol1");
	assert_string_equal(object_text(o, LABEL_NOTE), "also on /srv/my sub");
	assert_null(object_text(drive_object(s, &kind_nfs_mount, "/mnt/vol3"), LABEL_NOTE));
	snapshot_free(s);
	/* it goes, and the mount stays the same */
	tree_put(t, "proc/self/mountinfo", "30 1 0:45 / /mnt/vol1 rw - nfs4 nas:/vol1 rw\n");
	put_mounts(t, list, 1);
	s = drive_sample(p, 20);
	assert_int_equal(drive_rows(s, &kind_nfs_mount), 1);
	assert_null(object_text(drive_object(s, &kind_nfs_mount, "/mnt/vol1"), LABEL_NOTE));
	snapshot_free(s);
	drive_close(p);
}

/* Without mountinfo: the same source and options, and the same counts to the last. */
static void
duplicates_without_mountinfo(void **state)
{
	struct tree *t = *state;
	struct probe *p = drive_open(&probe_nfs_mount, &t->env);
	struct fake list[3] = { at_rest, at_rest, at_rest };
	struct snapshot *s;

	list[1].point = "/mnt/again";
	list[2].point = "/mnt/other";
	list[2].read = "17 17 0 3200 1050000 10 150 170 0";
	put_mounts(t, list, 3);
	s = drive_sample(p, 10);
	assert_int_equal(drive_rows(s, &kind_nfs_mount), 2);
	assert_string_equal(object_text(drive_object(s, &kind_nfs_mount, "/mnt/vol1"), LABEL_NOTE), "also on /mnt/again");
	snapshot_free(s);
	drive_close(p);
}

static void
several_connections(void **state)
{
	struct tree *t = *state;
	struct probe *p = drive_open(&probe_nfs_mount, &t->env);
	struct fake f = at_rest;
	struct snapshot *s;
	const struct object *o;

	f.two = true;
	f.opts = "rw,vers=4,minorversion=2,nconnect=2,addr=10.9.0.1";
	put_mounts(t, &f, 1);
	s = drive_sample(p, 10);
	o = drive_object(s, &kind_nfs_mount, "/mnt/vol1");
	assert_string_equal(object_text(o, LABEL_NCONNECT), "x2");
	assert_float_equal(object_number(o, LABEL_NCONNECT), 2, 0);
	assert_string_equal(object_text(o, LABEL_VERSION), "4.2");
	assert_string_equal(object_text(o, LABEL_TRANSPORT), "tcp");
	assert_int_equal(drive_cells(s, &kind_nfs_conn, "tcp 10.9.0.1 #2")[NFS_CONN_SENDS], 5);
	snapshot_free(s);
	drive_close(p);
}

/* A fresh mount began from zero; one of which we had not heard had done things before. */
static void
mounts_that_come(void **state)
{
	struct tree *t = *state;
	struct probe *p = drive_open(&probe_nfs_mount, &t->env);
	struct fake before[1] = { at_rest }, after[3] = { at_rest, at_rest, at_rest };
	struct interval *v;

	after[1].source = "nas:/new";
	after[1].point = "/mnt/new";
	after[1].age = 1;
	after[2].source = "nas:/old";
	after[2].point = "/mnt/old";
	v = two_readings(t, p, before, 1, after, 3);
	assert_float_equal(figure(v, &kind_nfs_mount, "/mnt/new", "reads_s"), 8, 1e-9);
	assert_float_equal(figure(v, &kind_nfs_mount, "/mnt/old", "reads_s"), 0, 0);
	assert_float_equal(figure(v, &kind_total, "total", "reads_s"), 8, 1e-9);
	/* the mounts are told of, their operations are not */
	assert_int_equal(v->n_events, 2);
	assert_string_equal(v->events[0].text, "NFS mount /mnt/new came");
	interval_unref(v);
	drive_close(p);
}

/* Mounted again with counters that begin anew: not a reset of every operation, but another mount. */
static void
mounted_again(void **state)
{
	struct tree *t = *state;
	struct probe *p = drive_open(&probe_nfs_mount, &t->env);
	struct fake after = at_rest;
	struct interval *v;

	after.age = 1;
	after.read = "2 2 0 400 132000 1 9 10 0";
	after.getattr = "1 1 0 100 100 0 0 0 0";
	after.read_bytes = 131072;
	v = two_readings(t, p, &at_rest, 1, &after, 1);
	assert_float_equal(figure(v, &kind_nfs_mount, "/mnt/vol1", "reads_s"), 1, 1e-9);
	assert_int_equal(v->n_events, 2);	/* it went and came */
	interval_unref(v);
	drive_close(p);
}

static void
nothing_without_a_mount(void **state)
{
	struct tree *t = *state;
	struct probe *p = drive_open(&probe_nfs_mount, &t->env);
	struct snapshot *s;

	/* mountinfo has none: the file is not even looked at */
	tree_put(t, "proc/self/mountinfo", "30 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
	put_mounts(t, &at_rest, 1);
	s = drive_sample(p, 10);
	assert_null(snapshot_find(s, &kind_nfs_mount));
	assert_string_equal(p->note, "no NFS mount");
	assert_string_equal(p->why, "");
	snapshot_free(s);
	drive_close(p);
}

/* Sent and never answered: after two intervals that is a stall, told of the mount and of nothing else. */
static void
a_silent_server_is_a_stall(void **state)
{
	struct tree *t = *state;
	struct probe *p = drive_open(&probe_nfs_mount, &t->env);
	struct fake f = at_rest;
	struct snapshot *last, *now;
	struct stall *stall = stall_new();
	struct verdicts *verdicts = verdicts_new(NULL);

	put_mounts(t, &f, 1);
	last = drive_sample(p, 10);
	f.sends += 7;
	put_mounts(t, &f, 1);
	for (int i = 1; i <= 3; i++) {
		struct interval *v;
		const struct row *row;

		now = drive_sample(p, 10 + 2 * i);
		v = interval_diff(last, now);
		stall_watch(stall, v);
		verdicts_feed(verdicts, v);
		row = row_of(v, &kind_nfs_mount, "/mnt/vol1");
		assert_int_equal(row->stalled_ns, i >= 2 ? (uint64_t)i * 2000000000 : 0);
		assert_int_equal(v->n_events, i == 2);
		assert_int_equal(verdicts_count(verdicts), i >= 2);
		if (i == 2)
			assert_string_equal(verdicts_get(verdicts, 0)->text,
			    "7 in flight, nothing completed for 4 s: network or server");
		interval_unref(v);
		snapshot_free(last);
		last = now;
	}
	assert_int_equal(verdicts_stalled(verdicts), 1);
	snapshot_free(last);
	verdicts_free(verdicts);
	stall_free(stall);
	drive_close(p);
}

/* A connection of this process to itself. */
struct loop {
	int listener, fd;
	uint16_t server_port, client_port;
};

/* False where there is no loopback of that family. */
static bool
loop_open(struct loop *l, int family)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} server = { .v6 = { .sin6_family = (sa_family_t)family } }, client;
	socklen_t size = family == AF_INET ? sizeof(server.v4) : sizeof(server.v6);

	if (family == AF_INET)
		server.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		server.v6.sin6_addr = in6addr_loopback;
	l->listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	l->fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(l->listener, &server.any, size) < 0 || listen(l->listener, 1) < 0 || getsockname(l->listener, &server.any, &size) < 0 ||
	    connect(l->fd, &server.any, size) < 0 || getsockname(l->fd, &client.any, &size) < 0) {
		close(l->fd);
		close(l->listener);
		return false;
	}
	/* The port lies at the same place in both. */
	l->server_port = ntohs(server.v4.sin_port);
	l->client_port = ntohs(client.v4.sin_port);
	return true;
}

static void
pass_over(void *arg, const struct sockdiag_tcp *tcp)
{
	(void)arg;
	(void)tcp;
}

static bool
kernel_answers(int family, uint16_t port)
{
	int fd = sockdiag_open(), rc = fd < 0 ? fd : sockdiag_to_port(fd, family, port, pass_over, NULL);

	if (fd >= 0)
		close(fd);
	return rc == 0;
}

/* The connection is found in the kernel's own list by its address and ports: here one over loopback that is none of NFS. */
static void
tcp_tells_of(struct tree *t, int family, const char *address)
{
	struct fake f = at_rest;
	struct snapshot *s;
	struct probe *p;
	struct loop loop;
	char opts[100], name[64];
	const uint64_t *cells;

	if (!loop_open(&loop, family)) {
		printf("skipped: no loopback to %s here\n", address);
		return;
	}
	snprintf(opts, sizeof(opts), "rw,vers=3,proto=tcp,port=%u,addr=%s", loop.server_port, address);
	snprintf(name, sizeof(name), "tcp %s", address);
	f.opts = opts;
	f.port = loop.client_port;
	tree_put(t, "proc/self/mountinfo", "30 1 0:45 / /mnt/vol1 rw - nfs nas:/vol1 rw\n");
	put_mounts(t, &f, 1);
	t->env.foreign = false;
	p = drive_open(&probe_nfs_mount, &t->env);
	s = drive_sample(p, 10);
	cells = drive_cells(s, &kind_nfs_conn, name);
	if (!kernel_answers(family, loop.server_port)) {
		printf("skipped: the kernel answers no sock_diag\n");
	} else {
		assert_int_equal(cells[NFS_CONN_TCP + TCP_SEEN], 1);
		assert_int_equal(cells[NFS_CONN_TCP + TCP_SEND_QUEUE], 0);
		assert_true(cells[NFS_CONN_TCP + TCP_SEGMENTS] >= 1 && cells[NFS_CONN_TCP + TCP_SEGMENTS] < 100);
	}
	snapshot_free(s);
	/* from another port: that is not it */
	f.port ^= 1;
	put_mounts(t, &f, 1);
	s = drive_sample(p, 12);
	assert_int_equal(drive_cells(s, &kind_nfs_conn, name)[NFS_CONN_TCP + TCP_SEEN], ABSENT);
	snapshot_free(s);
	drive_close(p);
	close(loop.fd);
	close(loop.listener);
}

static void
what_tcp_tells(void **state)
{
	tcp_tells_of(*state, AF_INET, "127.0.0.1");
	tcp_tells_of(*state, AF_INET6, "::1");
}

#define TREE_TEST(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(figures_of_a_mount),
		TREE_TEST(a_part_of_the_total),
		TREE_TEST(a_shared_connection),
		TREE_TEST(bind_mounts_are_one),
		TREE_TEST(duplicates_without_mountinfo),
		TREE_TEST(several_connections),
		TREE_TEST(mounts_that_come),
		TREE_TEST(mounted_again),
		TREE_TEST(nothing_without_a_mount),
		TREE_TEST(a_silent_server_is_a_stall),
		TREE_TEST(what_tcp_tells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
