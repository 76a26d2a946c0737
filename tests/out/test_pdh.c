#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/xalloc.h"
#include "tests/out/canned.h"

#define DISK "\\\\db7\\Physical Disk SCSI Device"
#define TITLE "\"(PDH-CSV 4.0) (UTC)(0)\""

/* Not with strstr(): under ASan each call measures the whole rest of a megabyte. */
static size_t
count(const char *text, const char *what)
{
	size_t n = 0, len = strlen(what);

	for (const char *p = text; *p != '\0'; p++)
		n += *p == *what && strncmp(p, what, len) == 0;
	return n;
}

/* The line, the header being 0; cut off in place. */
static char *
line_of(char *text, int n)
{
	char *end;

	while (n-- > 0) {
		text = strchr(text, '\n');
		assert_non_null(text);
		text++;
	}
	end = strchr(text, '\n');
	assert_non_null(end);
	*end = '\0';
	return text;
}

static char *
output_line(const struct canned *c, int n)
{
	char *text = canned_text(c), *line = xstrdup(line_of(text, n));

	free(text);
	return line;
}

static void
check_line(const struct canned *c, int n, const char *want)
{
	char *line = output_line(c, n);

	assert_string_equal(line, want);
	free(line);
}

/* 2 s: 100 reads of 40 KiB, 30 writes, 2 flushes, 264 ms in all; 8 in flight of 32. */
static void
fill_busy(double *cells)
{
	cells[DISK_READS] = 100;
	cells[DISK_READ_SECTORS] = 8192;
	cells[DISK_READ_MS] = 150;
	cells[DISK_WRITES] = 30;
	cells[DISK_WRITE_SECTORS] = 1024;
	cells[DISK_WRITE_MS] = 90;
	cells[DISK_FLUSHES] = 2;
	cells[DISK_FLUSH_MS] = 24;
	cells[DISK_IN_FLIGHT] = 8;
}

/* No errors counted, and nothing known of what is below. */
static void
fill_unknown(double *cells)
{
	cells[DISK_ERRORS] = cells[DISK_TIMEOUTS] = NAN;
	cells[DISK_DEV_IOS] = cells[DISK_DEV_MS] = NAN;
}

static struct interval_table *
disks(struct interval *v, size_t n, struct object *const *objects)
{
	struct interval_table *t = canned_table(v, &kind_disk, n, objects);

	for (size_t i = 0; i < n; i++)
		fill_unknown(t->rows[i].cells);
	return t;
}

static void
put_disks(struct canned *c, int after, size_t n, struct object *const *objects)
{
	struct interval *v = canned_interval(2, after);

	disks(v, n, objects);
	canned_put(c, v);
}

static void
free_all(struct object *const *objects, size_t n)
{
	for (size_t i = 0; i < n; i++)
		object_unref(objects[i]);
}

static void
every_byte(void **state)
{
	struct object *o[] = { canned_disk("sda"), canned_disk("nvme0n1") };
	struct interval *v = canned_interval(2, 0);
	struct canned c;

	(void)state;
	object_label(o[0], LABEL_QUEUE_DEPTH, "32");
	fill_busy(disks(v, 2, o)->rows[0].cells);
	canned_begin(&c);
	canned_open(&c, pdh_sink);
	canned_put(&c, v);
	put_disks(&c, 2, 2, o);
	check_line(&c, 0, TITLE
	    ",\"" DISK "(sda)\\Device Q Depth\",\"" DISK "(sda)\\Active Commands\""
	    ",\"" DISK "(sda)\\% Used\",\"" DISK "(sda)\\Load\""
	    ",\"" DISK "(sda)\\Commands/sec\",\"" DISK "(sda)\\Reads/sec\",\"" DISK "(sda)\\Writes/sec\""
	    ",\"" DISK "(sda)\\MBytes Read/sec\",\"" DISK "(sda)\\MBytes Written/sec\""
	    ",\"" DISK "(sda)\\Average Guest MilliSec/Command\""
	    ",\"" DISK "(nvme0n1)\\Active Commands\""
	    ",\"" DISK "(nvme0n1)\\Commands/sec\",\"" DISK "(nvme0n1)\\Reads/sec\",\"" DISK "(nvme0n1)\\Writes/sec\""
	    ",\"" DISK "(nvme0n1)\\MBytes Read/sec\",\"" DISK "(nvme0n1)\\MBytes Written/sec\""
	    ",\"" DISK "(nvme0n1)\\Average Guest MilliSec/Command\"");
	check_line(&c, 1, "\"04/24/2018 10:49:12\""
	    ",\"32\",\"8\",\"25.00\",\"0.25\",\"66.00\",\"50.00\",\"15.00\",\"2.00\",\"0.25\",\"2.00\""
	    ",\"0\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\"");
	check_line(&c, 2, "\"04/24/2018 10:49:14\""
	    ",\"32\",\"0\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\""
	    ",\"0\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\"");
	assert_string_equal(c.notes,
	    "Physical Disk SCSI Device: left out, no source: Device Q Depth (1 of 2), World Q Depth, Queued Commands, "
	    "% Used (1 of 2), Load (1 of 2), Average Driver MilliSec/Command, Average Kernel MilliSec/Command, "
	    "Average Queue MilliSec/Command\n");
	canned_end(&c);
	free_all(o, 2);
}

/* Objects in esxtop's order whatever the order of the kinds; the names of cores without "cpu". */
static void
objects_in_order(void **state)
{
	struct object *disk = canned_disk("sda"), *host = object_new(&kind_host, 0, "db7", "db7");
	struct object *core = object_new(&kind_cpu, 0, "cpu3", "cpu3"), *nic = object_new(&kind_nic, 0, "eth0", "eth0");
	struct object *head = canned_disk("dm-0"), *path = canned_disk("sdb"), *both[3];
	static const char *const in_order[] = { "Physical Cpu Load\\Cpu Load (1", "Physical Cpu(3)\\% Proc",
		"Memory\\Machine MBytes", "Device(sda)\\Active", "Device(dm-0)\\Average Driver", "Path(sdb)\\Commands",
		"Network Port(eth0)\\Packets Tr" };
	struct interval *v = canned_interval(1, 0);
	struct canned c;
	const char *at;
	char *header;

	(void)state;
	head->role = ROLE_HEAD;
	path->role = ROLE_PATH;
	both[0] = disk, both[1] = head, both[2] = path;
	canned_table(v, &kind_nic, 1, &nic);
	canned_table(v, &kind_disk, 3, both);
	canned_table(v, &kind_cpu, 1, &core)->rows[0].cells[CPU_IDLE] = 100;
	canned_table(v, &kind_host, 1, &host);
	canned_begin(&c);
	canned_open(&c, pdh_sink);
	canned_put(&c, v);
	at = header = output_line(&c, 0);
	for (size_t i = 0; i < sizeof(in_order) / sizeof(in_order[0]); i++) {
		at = strstr(at, in_order[i]);
		assert_non_null(at);
	}
	assert_null(strstr(header, "Device(sdb)"));
	free(header);
	canned_end(&c);
	free_all(both, 3);
	object_unref(host);
	object_unref(core);
	object_unref(nic);
}

/* Commands that Linux never issues are true zeros; counters without a source stay out all the same. */
static void
full_set(void **state)
{
	struct object *disk = canned_disk("sda");
	struct canned c;
	char *header, *row;

	(void)state;
	canned_begin(&c);
	c.options.all = true;
	canned_open(&c, pdh_sink);
	put_disks(&c, 0, 1, &disk);
	header = output_line(&c, 0);
	row = output_line(&c, 1);
	assert_non_null(strstr(header, "(sda)\\Reserves/sec\""));
	assert_non_null(strstr(header, "(sda)\\CReads\""));
	assert_null(strstr(header, "Conflicts/sec"));
	assert_null(strstr(header, "Zeros"));
	assert_null(strstr(header, "Failed Commands/sec"));
	/*
	 * Active Commands, IO5, Reserves, GAVG of all, reads and writes, Failed Reserves, three clone counts and
	 * two rates, two of ATS, MBytes Deletes, four latencies.
	 */
	assert_int_equal(count(header, "\\\\db7\\"), 1 + 5 + 1 + 3 + 1 + 5 + 2 + 1 + 4);
	/* The integers: Active Commands, CReads, CWrites, CFailed, ATS, ATS Failed. */
	assert_int_equal(count(row, "\"0\""), 6);
	assert_int_equal(count(row, "\"0.00\""), 17);
	free(header);
	free(row);
	canned_end(&c);
	object_unref(disk);
}

/* A device that goes keeps its columns; one that comes gets none; each is said once. */
static void
hot_plug(void **state)
{
	struct object *o[] = { canned_disk("sda"), canned_disk("sdb"), canned_disk("sdc") };
	struct object *without_b[] = { o[0], o[2] };
	struct canned c;
	char *text;

	(void)state;
	canned_begin(&c);
	canned_open(&c, pdh_sink);
	put_disks(&c, 0, 2, o);
	c.notes[0] = '\0';
	for (int i = 1; i < 3; i++) {
		struct interval *v = canned_interval(1, 2 * i);

		disks(v, 2, without_b)->rows[1].cells[DISK_READS] = 7;
		v->tables[0].rows[0].cells[DISK_READS] = 3;
		canned_put(&c, v);
	}
	assert_string_equal(c.notes, "no figures from now on, printed as 0: sdb\n"
				     "came after the header, no columns for: sdc\n");
	check_line(&c, 2, "\"04/24/2018 10:49:14\",\"0\",\"3.00\",\"3.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\""
	    ",\"0\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\"");
	c.notes[0] = '\0';
	put_disks(&c, 6, 3, o);
	assert_string_equal(c.notes, "");
	text = canned_text(&c);
	assert_null(strstr(text, "sdc"));
	assert_int_equal(count(text, "\",\""), 5 * 14);
	free(text);
	canned_end(&c);
	free_all(o, 3);
}

/* Plugged in again, or in another recording: another object, but the same thing, with the same columns. */
static void
found_again(void **state)
{
	struct object *o[] = { canned_disk("sda"), canned_disk("sdb") }, *again = canned_disk("sdb");
	struct object *other = object_new(&kind_disk, 0, "sdb", "another sdb");
	struct interval *v = canned_interval(1, 4);
	struct canned c;

	(void)state;
	canned_begin(&c);
	canned_open(&c, pdh_sink);
	put_disks(&c, 0, 2, o);
	put_disks(&c, 2, 1, o);
	c.notes[0] = '\0';
	disks(v, 2, (struct object *[]) { again, o[0] })->rows[0].cells[DISK_IN_FLIGHT] = 9;
	canned_put(&c, v);
	assert_string_equal(c.notes, "");
	check_line(&c, 3, "\"04/24/2018 10:49:16\",\"0\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\""
	    ",\"9\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\"");
	put_disks(&c, 6, 2, (struct object *[]) { other, o[0] });
	assert_string_equal(c.notes, "no figures from now on, printed as 0: sdb\n"
				     "came after the header, no columns for: sdb\n");
	canned_end(&c);
	free_all(o, 2);
	object_unref(again);
	object_unref(other);
}

/* Empty when the file began, in use later: it is too late for its columns as well. */
static void
hidden_appears(void **state)
{
	struct object *o[] = { canned_disk("sda"), canned_disk("loop0") }, *loop;
	struct canned c;

	(void)state;
	o[1]->hidden = true;
	canned_begin(&c);
	canned_open(&c, pdh_sink);
	put_disks(&c, 0, 2, o);
	c.notes[0] = '\0';
	loop = object_clone(o[1]);
	loop->hidden = false;
	put_disks(&c, 2, 2, (struct object *[]) { o[0], loop });
	put_disks(&c, 4, 2, (struct object *[]) { o[0], loop });
	assert_string_equal(c.notes, "came after the header, no columns for: loop0\n");
	canned_end(&c);
	free_all(o, 2);
	object_unref(loop);
}

static void
many_come(void **state)
{
	struct object *o[13];
	struct canned c;

	(void)state;
	for (int i = 0; i < 13; i++) {
		char name[16];

		snprintf(name, sizeof(name), "loop%d", i);
		o[i] = canned_disk(name);
	}
	canned_begin(&c);
	canned_open(&c, pdh_sink);
	put_disks(&c, 0, 1, o);
	c.notes[0] = '\0';
	put_disks(&c, 2, 13, o);
	assert_string_equal(c.notes, "came after the header, no columns for: loop1, loop2, loop3, loop4, loop5, loop6, loop7, "
				     "loop8 and 4 more\n");
	canned_end(&c);
	free_all(o, 13);
}

static void
hostile_names(void **state)
{
	struct object *o[] = { canned_disk("a,b\"c\\d"), canned_disk("x(y)"), canned_disk(" na\xc3\xafve\n"),
		canned_disk("X_Y_"), canned_disk("x,y,"), canned_disk("50%") };
	static const char *const names[] = { "(a_b_c_d)\\A", "(x_y_)\\A", "(_na__ve_)\\A", "(X_Y__2)\\A", "(x_y__3)\\A", "(50_)\\A" };
	struct canned c;
	char *header, *text;

	(void)state;
	canned_begin(&c);
	c.options.host = "my,host\\x";
	canned_open(&c, pdh_sink);
	put_disks(&c, 0, 6, o);
	text = canned_text(&c);
	header = output_line(&c, 0);
	for (size_t i = 0; i < 6; i++)
		assert_non_null(strstr(header, names[i]));
	assert_int_equal(count(header, ",\"\\\\my_host_x\\Physical Disk SCSI Device("), 6 * 7);
	assert_int_equal(count(header, ","), 6 * 7);
	for (const char *p = text; *p != '\0'; p++)
		assert_true(*p == '\n' || (*p >= ' ' && *p <= '~'));
	free(header);
	free(text);
	canned_end(&c);
	free_all(o, 6);
}

/* Paths have the same WWN: each gets its kernel name behind it. */
static void
wwn_names(void **state)
{
	struct object *o[] = { canned_disk("sda"), canned_disk("sdb"), canned_disk("sdc") };
	struct canned c;
	char *header;

	(void)state;
	for (int i = 0; i < 3; i++)
		object_label(o[i], LABEL_WWN, i < 2 ? "naa.6000" : "naa.5000");
	canned_begin(&c);
	c.options.naming = NAMING_WWN;
	canned_open(&c, pdh_sink);
	put_disks(&c, 0, 3, o);
	header = output_line(&c, 0);
	assert_int_equal(count(header, "(naa.6000-sda)\\"), 7);
	assert_int_equal(count(header, "(naa.6000-sdb)\\"), 7);
	assert_int_equal(count(header, "(naa.5000)\\"), 7);
	free(header);
	canned_end(&c);
	free_all(o, 3);
}

/* What is known of a layer: its time below while the counts agree. */
static void
layer_latency(void **state)
{
	struct object *o = canned_disk("dm-0");
	struct canned c;
	char *row;

	(void)state;
	canned_begin(&c);
	canned_open(&c, pdh_sink);
	for (int i = 0; i < 4; i++) {
		struct interval *v = canned_interval(1, i);
		double *cells = canned_table(v, &kind_disk, 1, &o)->rows[0].cells;

		/* idle; 3 ms below of 5 in all; 1 % apart; 50 % apart: not known */
		cells[DISK_READS] = i > 0 ? 100 : 0;
		cells[DISK_READ_MS] = i > 0 ? 500 : 0;
		cells[DISK_DEV_IOS] = i == 0 ? 0 : i == 1 ? 100 : i == 2 ? 99 : 50;
		cells[DISK_DEV_MS] = i > 0 ? 297 : 0;
		canned_put(&c, v);
	}
	check_line(&c, 1, "\"04/24/2018 10:49:12\",\"0\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\"");
	row = output_line(&c, 2);
	assert_non_null(strstr(row, ",\"2.97\",\"2.03\",\"5.00\""));
	free(row);
	row = output_line(&c, 3);
	assert_non_null(strstr(row, ",\"3.00\",\"2.05\",\"5.00\""));
	free(row);
	row = output_line(&c, 4);
	assert_non_null(strstr(row, ",\"0.00\",\"0.00\",\"5.00\""));
	free(row);
	assert_non_null(strstr(c.notes, "\nsome figures not known for a time, printed as 0: dm-0\n"));
	canned_end(&c);
	object_unref(o);
}

/* A stalled device must not read as idle: its latency is at least the time it has stood. */
static void
stalled(void **state)
{
	struct object *o = canned_disk("sda");
	struct interval *v = canned_interval(1, 0);
	struct interval_table *t = disks(v, 1, &o);
	struct canned c;

	(void)state;
	t->rows[0].cells[DISK_IN_FLIGHT] = 4;
	t->rows[0].stalled_ns = 41 * CANNED_S + CANNED_S / 2;
	canned_begin(&c);
	canned_open(&c, pdh_sink);
	canned_put(&c, v);
	check_line(&c, 1, "\"04/24/2018 10:49:12\",\"4\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"41500.00\"");
	canned_end(&c);
	object_unref(o);
}

/* Before the first figures there is no header, and a gap is no line of zeros. */
static void
gap(void **state)
{
	struct object *o = canned_disk("sda");
	struct canned c;
	char *text;

	(void)state;
	canned_begin(&c);
	canned_open(&c, pdh_sink);
	canned_put(&c, canned_interval(1, 0));
	text = canned_text(&c);
	assert_string_equal(text, "");
	free(text);
	put_disks(&c, 2, 1, &o);
	canned_put(&c, canned_interval(100, 102));
	put_disks(&c, 104, 1, &o);
	text = canned_text(&c);
	assert_int_equal(count(text, "\n"), 3);
	assert_int_equal(count(text, "\"04/24/2018 10:50:56\""), 1);
	free(text);
	canned_end(&c);
	object_unref(o);
}

/* Ticks a second apart that fall into the same second by a hair get times that go forward. */
static void
stamps_go_forward(void **state)
{
	struct object *o = canned_disk("sda");
	static const int ms[] = { 751, 1749, 2751 };	/* after 12.250: 13.001, 13.999, 15.001 */
	struct canned c;
	char *text;

	(void)state;
	canned_begin(&c);
	canned_open(&c, pdh_sink);
	for (int i = 0; i < 3; i++) {
		struct interval *v = canned_interval(0.998, 0);

		v->end.wall_ms += ms[i];
		disks(v, 1, &o);
		canned_put(&c, v);
	}
	text = canned_text(&c);
	assert_int_equal(count(text, "\n\"04/24/2018 10:49:13\""), 1);
	assert_int_equal(count(text, "\n\"04/24/2018 10:49:14\""), 1);
	assert_int_equal(count(text, "\n\"04/24/2018 10:49:15\""), 1);
	free(text);
	canned_end(&c);
	object_unref(o);
}

static void
kinds_not_known_to_esxtop(void **state)
{
	struct object *o = canned_disk("sda");
	struct interval *v = canned_interval(1, 0);
	struct canned c;

	(void)state;
	disks(v, 1, &o);
	interval_rollup(v);
	canned_begin(&c);
	canned_open(&c, pdh_sink);
	canned_put(&c, v);
	assert_non_null(strstr(c.notes, "in tidy and JSON only, not known to esxtop: total\n"));
	canned_end(&c);
	object_unref(o);
}

/* Nothing to print yet: said once, and tried again. */
static void
no_columns(void **state)
{
	struct object *o = canned_disk("sda"), *host = object_new(&kind_host, 0, "db7", "db7");
	struct interval *v = NULL;
	struct canned c;
	char *text;

	(void)state;
	canned_begin(&c);
	canned_open(&c, pdh_sink);
	for (int i = 0; i < 2; i++) {
		v = canned_interval(1, i);
		canned_table(v, &kind_host, 1, &host);
		for (int m = 0; m < HOST_METRICS; m++)
			v->tables[0].cells[m] = NAN;
		canned_put(&c, v);
	}
	text = canned_text(&c);
	assert_string_equal(text, "");
	assert_string_equal(c.notes, "no columns: nothing chosen that esxtop knows is measured\n");
	free(text);
	put_disks(&c, 2, 1, &o);
	check_line(&c, 1, "\"04/24/2018 10:49:14\",\"0\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\",\"0.00\"");
	assert_non_null(strstr(c.notes, "\nPhysical Disk SCSI Device: left out"));
	canned_end(&c);
	object_unref(o);
	object_unref(host);
}

static void
thirty_thousand_columns(void **state)
{
	enum { N = 4300 };
	struct object **o = xcalloc(N, sizeof(*o));
	struct canned c;
	char *text, *second;

	(void)state;
	for (int i = 0; i < N; i++) {
		char name[32];

		snprintf(name, sizeof(name), "sd%d", i);
		o[i] = canned_disk(name);
	}
	canned_begin(&c);
	canned_open(&c, pdh_sink);
	put_disks(&c, 0, N, o);
	put_disks(&c, 2, N / 2, o);
	text = canned_text(&c);
	second = strchr(strchr(text, '\n') + 1, '\n') + 1;
	assert_int_equal(count(second, "\",\""), 7 * N);
	assert_int_equal(count(text, "\",\""), 3 * 7 * N);
	free(text);
	canned_end(&c);
	free_all(o, N);
	free(o);
}

/* The reader goes away: an error, no signal, and what it got were whole lines. */
static void
closed_pipe(void **state)
{
	struct object *o = canned_disk("sda");
	struct interval *v = canned_interval(1, 0);
	struct out_options options = { .host = "db7" };
	struct sink *sink;
	char buf[65536];
	int fds[2];
	ssize_t n;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fds), 0);
	options.fd = fds[1];
	sink = pdh_sink(&options);
	disks(v, 1, &o);
	assert_int_equal(sink_put(sink, v), 0);
	n = read(fds[0], buf, sizeof(buf));
	assert_true(n > 0 && buf[n - 1] == '\n');
	close(fds[0]);
	assert_int_equal(sink_put(sink, v), -EPIPE);
	assert_int_equal(sink_close(sink), 0);
	interval_unref(v);
	close(fds[1]);
	object_unref(o);
}

static void
filtered(void **state)
{
	struct object *o[] = { canned_disk("sda"), canned_disk("sdb"), canned_disk("sdc") };
	struct canned c;
	regex_t re;
	char *header;

	(void)state;
	object_label(o[1], LABEL_MOUNT, "/var/mysql");
	assert_int_equal(regcomp(&re, "mysql|sdc", REG_EXTENDED), 0);
	canned_begin(&c);
	c.options.filter = &re;
	canned_open(&c, pdh_sink);
	put_disks(&c, 0, 3, o);
	header = output_line(&c, 0);
	assert_int_equal(count(header, "(sda)"), 0);
	assert_int_equal(count(header, "(sdb)"), 7);
	assert_int_equal(count(header, "(sdc)"), 7);
	free(header);
	canned_end(&c);
	regfree(&re);
	free_all(o, 3);
}

/* Every counter of the catalogue names a column that is there, or says that it has none. */
static void
catalogue(void **state)
{
	(void)state;
	for (size_t i = 0; kind_table[i] != NULL; i++)
		for (size_t k = 0; k < kind_table[i]->n_pdh; k++)
			for (size_t n = 0; n < kind_table[i]->pdh[k].n_counters; n++) {
				const char *column = kind_table[i]->pdh[k].counters[n].column;

				if (column != NULL && column[0] != '\0')
					assert_true(kind_column(kind_table[i], column) >= 0);
			}
}

/* The check that other people's readers are made of, where it is at hand. */
static void
outside_check(void **state)
{
	const char *checks = getenv("STORTOP_CHECKS");
	struct object *o[3];
	struct canned c;
	char *command;

	(void)state;
	if (checks == NULL) {
		print_message("STORTOP_CHECKS is not set\n");
		skip();
	}
	o[0] = canned_disk("sda"), o[1] = canned_disk("a,b"), o[2] = canned_disk("A(B");
	canned_begin(&c);
	c.options.all = true;
	canned_open(&c, pdh_sink);
	put_disks(&c, 0, 3, o);
	put_disks(&c, 2, 2, o);
	command = xasprintf("%s/pdh-csv --rows 2 /proc/self/fd/%d >/dev/null", checks, c.options.fd);
	assert_int_equal(system(command), 0);
	free(command);
	canned_end(&c);
	free_all(o, 3);
}

static void
no_locale(void **state)
{
	static const char *const names[] = { "de_DE.UTF-8", "de_DE", "fr_FR.UTF-8" };
	const char *found = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && found == NULL; i++)
		found = setlocale(LC_ALL, names[i]);
	if (found == NULL) {
		print_message("no locale with a decimal comma is installed\n");
		skip();
	}
	every_byte(state);
	layer_latency(state);
	setlocale(LC_ALL, "C");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte),
		cmocka_unit_test(objects_in_order),
		cmocka_unit_test(full_set),
		cmocka_unit_test(hot_plug),
		cmocka_unit_test(found_again),
		cmocka_unit_test(hidden_appears),
		cmocka_unit_test(many_come),
		cmocka_unit_test(hostile_names),
		cmocka_unit_test(wwn_names),
		cmocka_unit_test(layer_latency),
		cmocka_unit_test(stalled),
		cmocka_unit_test(gap),
		cmocka_unit_test(stamps_go_forward),
		cmocka_unit_test(kinds_not_known_to_esxtop),
		cmocka_unit_test(no_columns),
		cmocka_unit_test(thirty_thousand_columns),
		cmocka_unit_test(closed_pipe),
		cmocka_unit_test(filtered),
		cmocka_unit_test(catalogue),
		cmocka_unit_test(outside_check),
		cmocka_unit_test(no_locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
