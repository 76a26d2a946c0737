/*
 * Taps on real interfaces, in a network of their own: real connections over loopback carry messages made by hand.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <linux/capability.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/clock.h"
#include "core/kinds/kinds.h"
#include "probes/wire/tap.h"
#include "tests/probes/drive.h"
#include "tests/wire/lan.h"

static const char *cannot;

/* A network without anybody else's packets. */
static const char *
enter_network(void)
{
	struct ifreq up = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd, rc;

	if (geteuid() != 0)
		return "not root";
	if (unshare(CLONE_NEWNET) < 0)
		return "no network namespace";
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	rc = fd < 0 ? -1 : ioctl(fd, SIOCSIFFLAGS, &up);
	if (fd >= 0)
		close(fd);
	return rc < 0 ? "no loopback" : NULL;
}

struct link {
	int client, server;
	uint16_t port;
};

/* A connection over loopback to a port of the kernel's choice. */
static struct link
connect_link(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	struct link l;
	int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(listening, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(listening, 1), 0);
	assert_int_equal(getsockname(listening, (struct sockaddr *)&a, &len), 0);
	l.port = ntohs(a.sin_port);
	l.client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(l.client, (struct sockaddr *)&a, sizeof(a)), 0);
	l.server = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
	assert_true(l.server >= 0);
	close(listening);
	return l;
}

static void
carry(int from, int to, const struct msg *m)
{
	static char buf[sizeof(m->b)];

	assert_int_equal(write(from, m->b, m->n), m->n);
	assert_int_equal(recv(to, buf, m->n, MSG_WAITALL), m->n);
}

static void
read_once(struct link *l, uint32_t xid, uint32_t bytes)
{
	static struct msg m;

	m.n = 0;
	nfs3_read(&m, xid, bytes);
	carry(l->client, l->server, &m);
	m.n = 0;
	nfs3_read_ok(&m, xid, bytes);
	carry(l->server, l->client, &m);
}

static void
write_once(struct link *l, uint32_t xid, uint32_t bytes)
{
	static struct msg m;

	m.n = 0;
	nfs3_write(&m, xid, bytes);
	carry(l->client, l->server, &m);
	m.n = 0;
	nfs3_write_ok(&m, xid, bytes);
	carry(l->server, l->client, &m);
}

struct drive {
	struct captures captures;
	struct env env;
	struct probe *probe;
	double seconds;
};

static void
begin(struct drive *d, const char *interface)
{
	*d = (struct drive){ .captures = { .n = 1 }, .env = { .root = "" } };
	snprintf(d->captures.names[0], CAPTURE_NAME_MAX, "%s", interface);
	d->env.captures = &d->captures;
	d->probe = drive_open(&probe_wire, &d->env);
}

static void
nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
}

/* Samples until there are so many rows of the kind. Three seconds of the model's time go by from one to the next. */
static struct snapshot *
sample_until(struct drive *d, const struct kind *kind, size_t rows)
{
	for (uint64_t until = clock_ns() + 5 * NS_PER_S;; nap()) {
		struct snapshot *s = drive_sample(d->probe, d->seconds += 3);

		if (drive_rows(s, kind) == rows)
			return s;
		snapshot_free(s);
		assert_true(clock_ns() < until);
	}
}

/* Samples until the operation has that many replies. */
static struct snapshot *
sample_until_done(struct drive *d, const char *op, uint64_t replies)
{
	for (uint64_t until = clock_ns() + 5 * NS_PER_S;; nap()) {
		struct snapshot *s = drive_sample(d->probe, d->seconds += 3);

		if (drive_rows(s, &kind_nfs_flow_op) > 0 && drive_cells(s, &kind_nfs_flow_op, op)[FLOW_COMMANDS] == replies)
			return s;
		snapshot_free(s);
		assert_true(clock_ns() < until);
	}
}

/* Samples until the capture has counted some of that. */
static struct snapshot *
sample_until_told(struct drive *d, enum capture_metric metric)
{
	for (uint64_t until = clock_ns() + 5 * NS_PER_S;; nap()) {
		struct snapshot *s = drive_sample(d->probe, d->seconds += 3);

		if (drive_cells(s, &kind_capture, "lo")[metric] > 0)
			return s;
		snapshot_free(s);
		assert_true(clock_ns() < until);
	}
}

static void
test_what_went_over_loopback(void **state)
{
	struct drive d;
	struct link l;
	struct snapshot *s;
	const uint64_t *cells;
	const struct object *flow;
	char name[80];

	(void)state;
	if (cannot != NULL)
		skip();
	begin(&d, "lo");
	s = sample_until(&d, &kind_capture, 1);
	/* Asked for and not seen is known: nothing. */
	assert_int_equal(drive_rows(s, &kind_nfs_flow), 0);
	assert_int_equal(drive_rows(s, &kind_iscsi_flow_op), 0);
	snapshot_free(s);
	l = connect_link();
	for (uint32_t xid = 1; xid <= 3; xid++)
		read_once(&l, xid, 4096);
	for (uint32_t xid = 11; xid <= 12; xid++)
		write_once(&l, xid, 1000);
	s = sample_until_done(&d, "WRITE", 2);
	assert_int_equal(drive_rows(s, &kind_nfs_flow), 1);
	flow = snapshot_find(s, &kind_nfs_flow)->objects[0];
	snprintf(name, sizeof(name), "127.0.0.1 > 127.0.0.1:%u", l.port);
	assert_memory_equal(flow->name, name, strlen(name));
	assert_string_equal(object_text(flow, LABEL_SERVER), name + strlen("127.0.0.1 > "));
	assert_string_equal(object_text(flow, LABEL_VERSION), "3");
	assert_string_equal(object_text(flow, LABEL_INTERFACE), "lo");
	assert_int_equal(drive_object(s, &kind_nfs_flow_op, "READ")->counts_in, flow->uid);
	cells = drive_cells(s, &kind_nfs_flow_op, "READ");
	assert_int_equal(cells[FLOW_COMMANDS], 3);
	assert_int_equal(cells[FLOW_READS], 3);
	assert_int_equal(cells[FLOW_READS_TIMED], 3);
	assert_int_equal(cells[FLOW_READ_BYTES], 3 * 4096);
	assert_int_equal(cells[FLOW_WRITES], 0);
	assert_int_equal(cells[FLOW_IN_FLIGHT], 0);
	assert_true(cells[FLOW_READ_NS] > 0);
	cells = drive_cells(s, &kind_nfs_flow_op, "WRITE");
	assert_int_equal(cells[FLOW_COMMANDS], 2);
	assert_int_equal(cells[FLOW_WRITE_BYTES], 2000);
	assert_int_equal(cells[FLOW_READS], 0);
	cells = drive_cells(s, &kind_capture, "lo");
	assert_int_equal(cells[CAPTURE_DROPPED], 0);
	assert_int_equal(cells[CAPTURE_GAPS], 0);
	assert_true(cells[CAPTURE_PACKETS] >= 13);
	assert_string_equal(d.probe->why, "");
	snapshot_free(s);
	close(l.client);
	close(l.server);
	drive_close(d.probe);
}

/* A request whose reply does not come is in flight. */
static void
test_in_flight(void **state)
{
	static struct msg m;
	struct drive d;
	struct link l;
	struct snapshot *s;

	(void)state;
	if (cannot != NULL)
		skip();
	begin(&d, "lo");
	snapshot_free(sample_until(&d, &kind_capture, 1));
	l = connect_link();
	read_once(&l, 1, 512);
	m.n = 0;
	nfs3_read(&m, 2, 512);
	carry(l.client, l.server, &m);
	for (uint64_t until = clock_ns() + 5 * NS_PER_S;; nap()) {
		s = drive_sample(d.probe, d.seconds += 3);
		if (drive_rows(s, &kind_nfs_flow_op) > 0 && drive_cells(s, &kind_nfs_flow_op, "READ")[FLOW_IN_FLIGHT] == 1)
			break;
		snapshot_free(s);
		assert_true(clock_ns() < until);
	}
	assert_int_equal(drive_cells(s, &kind_nfs_flow_op, "READ")[FLOW_COMMANDS], 1);
	snapshot_free(s);
	close(l.client);
	close(l.server);
	drive_close(d.probe);
}

/* A record mark that cannot be one: what follows is not read, and the rows say so. */
static void
test_damaged(void **state)
{
	static struct msg m;
	struct drive d;
	struct link l;
	struct snapshot *s;
	uint64_t before;

	(void)state;
	if (cannot != NULL)
		skip();
	begin(&d, "lo");
	snapshot_free(sample_until(&d, &kind_capture, 1));
	l = connect_link();
	read_once(&l, 1, 512);
	s = sample_until_done(&d, "READ", 1);
	before = drive_cells(s, &kind_nfs_flow_op, "READ")[FLOW_MISSED];
	snapshot_free(s);
	m.n = 0;
	put32(&m, 0x80000001u);
	carry(l.client, l.server, &m);
	s = sample_until_told(&d, CAPTURE_MALFORMED);
	assert_true(drive_cells(s, &kind_nfs_flow_op, "READ")[FLOW_MISSED] > before);
	snapshot_free(s);
	close(l.client);
	close(l.server);
	drive_close(d.probe);
}

/* Two requests in one segment, the second beyond what is kept of it: the row says so, and the remark what to do. */
static void
test_cut(void **state)
{
	static struct msg m, second;
	struct drive d;
	struct link l;

	(void)state;
	if (cannot != NULL)
		skip();
	begin(&d, "lo");
	snapshot_free(sample_until(&d, &kind_capture, 1));
	assert_string_equal(d.probe->why, "");
	l = connect_link();
	nfs3_write(&m, 1, 1000);
	nfs3_read(&second, 2, 512);
	put_bytes(&m, second.b, second.n);
	carry(l.client, l.server, &m);
	read_once(&l, 3, 100);
	snapshot_free(sample_until_told(&d, CAPTURE_TRUNCATED));
	assert_string_equal(d.probe->why, "lo: requests far into large segments are not seen: ethtool -K lo tso off gso off gro off");
	close(l.client);
	close(l.server);
	drive_close(d.probe);
}

static void
set_loopback(bool up)
{
	struct ifreq r = { .ifr_name = "lo", .ifr_flags = up ? IFF_UP : 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_int_equal(ioctl(fd, SIOCSIFFLAGS, &r), 0);
	close(fd);
}

/* No packet comes, and that is said, until it is up again. */
static void
test_down(void **state)
{
	struct drive d;

	(void)state;
	if (cannot != NULL)
		skip();
	begin(&d, "lo");
	snapshot_free(sample_until(&d, &kind_capture, 1));
	set_loopback(false);
	snapshot_free(drive_sample(d.probe, d.seconds += 3));
	snapshot_free(drive_sample(d.probe, d.seconds += 3));
	assert_string_equal(d.probe->why, "lo: the interface is down");
	set_loopback(true);
	snapshot_free(drive_sample(d.probe, d.seconds += 3));
	assert_string_equal(d.probe->why, "");
	drive_close(d.probe);
}

/* CapEff of the thread with that name; false where there is none. */
static bool
capabilities_of(const char *thread, char *out, size_t size)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *e;
	bool found = false;

	while (!found && (e = readdir(tasks)) != NULL) {
		char path[300], line[128] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%s/status", e->d_name);
		f = fopen(path, "re");
		if (f == NULL)
			continue;
		while (fgets(line, sizeof(line), f) != NULL) {
			if (strncmp(line, "Name:\t", 6) == 0)
				found = strncmp(line + 6, thread, strlen(thread)) == 0;
			if (found && strncmp(line, "CapEff:\t", 8) == 0)
				snprintf(out, size, "%.16s", line + 8);
		}
		fclose(f);
	}
	closedir(tasks);
	return found;
}

static void
test_the_thread_can_do_nothing(void **state)
{
	struct drive d;
	char caps[32] = "";

	(void)state;
	if (cannot != NULL)
		skip();
	begin(&d, "lo");
	snapshot_free(sample_until(&d, &kind_capture, 1));
	assert_true(capabilities_of("capture", caps, sizeof(caps)));
	assert_string_equal(caps, "0000000000000000");
	drive_close(d.probe);
	assert_false(capabilities_of("capture", caps, sizeof(caps)));
}

static void
test_no_such_interface(void **state)
{
	struct drive d;
	struct snapshot *s;

	(void)state;
	if (cannot != NULL)
		skip();
	begin(&d, "nosuch0");
	s = drive_sample(d.probe, 1);
	assert_int_equal(drive_rows(s, &kind_capture), 0);
	assert_string_equal(d.probe->why, "nosuch0: there is no such interface; it is looked for again");
	snapshot_free(s);
	drive_close(d.probe);
}

struct attempt {
	struct tap *tap;
	char why[160];
};

static void *
try_without_rights(void *arg)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };
	struct attempt *a = arg;

	syscall(SYS_capset, &header, none);
	a->tap = tap_open("lo", a->why, sizeof(a->why));
	return NULL;
}

static void
test_without_the_right(void **state)
{
	struct attempt a = { 0 };
	pthread_t thread;

	(void)state;
	if (cannot != NULL)
		skip();
	assert_int_equal(pthread_create(&thread, NULL, try_without_rights, &a), 0);
	pthread_join(thread, NULL);
	assert_null(a.tap);
	assert_non_null(strstr(a.why, "no right to capture"));
	assert_non_null(strstr(a.why, "setcap cap_net_raw"));
}

static bool
ip(const char *command)
{
	char line[160];

	snprintf(line, sizeof(line), "ip link %s >/dev/null 2>&1", command);
	return system(line) == 0;
}

static void
test_an_interface_goes_and_comes_back(void **state)
{
	static const char make[] = "add tap0 type veth peer name tap1 && ip link set tap0 up && ip link set tap1 up";
	struct captures *list;
	struct drive d;
	struct snapshot *s;

	(void)state;
	if (cannot != NULL)
		skip();
	if (!ip(make)) {
		print_message("skipped: no veth\n");
		skip();
	}
	begin(&d, "tap0");
	/* Another is asked for meanwhile, as on the screen. */
	list = d.env.captures;
	snapshot_free(sample_until(&d, &kind_capture, 1));
	snprintf(list->names[list->n++], CAPTURE_NAME_MAX, "lo");
	snapshot_free(sample_until(&d, &kind_capture, 2));
	assert_true(ip("del tap0"));
	s = sample_until(&d, &kind_capture, 1);
	assert_string_equal(drive_object(s, &kind_capture, "lo")->name, "lo");
	snapshot_free(s);
	assert_non_null(strstr(d.probe->why, "tap0: "));
	assert_true(ip(make));
	snapshot_free(sample_until(&d, &kind_capture, 2));
	assert_string_equal(d.probe->why, "");
	drive_close(d.probe);
	ip("del tap0");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_went_over_loopback),
		cmocka_unit_test(test_in_flight),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_down),
		cmocka_unit_test(test_the_thread_can_do_nothing),
		cmocka_unit_test(test_no_such_interface),
		cmocka_unit_test(test_without_the_right),
		cmocka_unit_test(test_an_interface_goes_and_comes_back),
	};

	cannot = enter_network();
	if (cannot != NULL)
		print_message("skipped: %s\n", cannot);
	return cmocka_run_group_tests_name("probes/wire", tests, NULL, NULL);
}
