/*
 * Loop devices come and go under load while stortop watches. No figure may be absurd, what a steady device did
 * must be told to the last read, and memory must stay flat.
 *
 * LAB_DEVICES=960 LAB_SECONDS=60 build/tests/lab/test_hotplug is the long form.
 */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "core/xalloc.h"
#include "tests/lab/lab.h"

#define WORKERS 8
#define READS_A_LIFE 16
#define ABSURD 1e7		/* no figure of a device comes near: not IOPS, ms, %, KB */
#define MAX_FIELDS 128

static int
setting(const char *name, int otherwise)
{
	const char *text = getenv(name);

	return text != NULL ? atoi(text) : otherwise;
}

/* The tick: long enough for a sample of all the devices. */
static int
interval_ms(int devices)
{
	return devices > 200 ? 1000 : 200;
}

static void
pause_ms(int ms)
{
	nanosleep(&(struct timespec) { ms / 1000, ms % 1000 * 1000000L }, NULL);
}

/* A life of `devices` devices: made, read, left for some ticks, read again, gone. */
static void
one_life(struct loop *loops, int devices, int backing, const char *dir, int hold_ms)
{
	int n = 0;

	while (n < devices && lab_loop_add(&loops[n], backing, lab_first_number(), dir) == 0)
		lab_read_blocks(&loops[n++], READS_A_LIFE / 2);
	pause_ms(hold_ms / 2);
	for (int i = 0; i < n; i++)
		lab_read_blocks(&loops[i], READS_A_LIFE / 2);
	pause_ms(hold_ms / 2);
	while (n > 0)
		lab_loop_remove(&loops[--n]);
}

static pid_t
start_worker(int devices, int backing, const char *dir, uint64_t until_ms, int hold_ms)
{
	struct loop *loops;
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	loops = xcalloc((size_t)devices, sizeof *loops);
	while (lab_now_ms() < until_ms)
		one_life(loops, devices, backing, dir, hold_ms);
	_exit(0);
}

/* Splits a CSV line in place; how many fields. */
static size_t
split(char *line, char *fields[static MAX_FIELDS])
{
	size_t n = 0;
	bool quoted = false;

	fields[n++] = line;
	for (char *p = line; *p != '\0' && n < MAX_FIELDS; p++) {
		if (*p == '"')
			quoted = !quoted;
		if (*p == ',' && !quoted) {
			*p = '\0';
			fields[n++] = p + 1;
		}
	}
	return n;
}

static size_t
field(char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	fail_msg("no column %s", name);
	return 0;
}

struct reading {
	size_t n, object, label, seconds, reads_s;	/* where the columns are */
	const char *steady;
	double steady_reads;	/* its rates times their seconds, summed */
	unsigned rows, plugged;	/* rows of those that come and go, and how many show reads */
};

static void
read_header(struct reading *r, struct program *p)
{
	const char *line = program_line(p, 5000);
	char *fields[MAX_FIELDS], *copy;

	assert_non_null(line);
	copy = xstrdup(line);
	r->n = split(copy, fields);
	r->object = field(fields, r->n, "object");
	r->label = field(fields, r->n, "label");
	r->seconds = field(fields, r->n, "seconds");
	r->reads_s = field(fields, r->n, "reads_s");
	free(copy);
}

/* Every figure of the row is empty or sensible. */
static void
check_figures(const struct reading *r, char *const *fields, const char *line)
{
	for (size_t i = r->label + 1; i < r->n; i++) {
		char *end;
		double figure = strtod(fields[i], &end);

		if (*end != '\0' || !(figure >= 0 && figure < ABSURD))
			fail_msg("field %zu is absurd: %s", i + 1, line);
	}
}

static bool
is_ours(const char *name)
{
	return strncmp(name, "loop", 4) == 0 && atoi(name + 4) / LAB_NUMBERS == lab_first_number() / LAB_NUMBERS;
}

static void
check_row(struct reading *r, const char *line)
{
	char *fields[MAX_FIELDS], *copy = xstrdup(line);
	size_t n = split(copy, fields);
	double reads;

	assert_int_equal(n, r->n);
	check_figures(r, fields, line);
	reads = strtod(fields[r->reads_s], NULL) * strtod(fields[r->seconds], NULL);
	if (strcmp(fields[r->object], r->steady) == 0) {
		r->steady_reads += reads;
	} else if (is_ours(fields[r->object])) {
		r->rows++;
		r->plugged += reads > 0;
		if (reads > READS_A_LIFE + 0.01)
			fail_msg("%.2f reads in a life of %d: %s", reads, READS_A_LIFE, line);
	}
	free(copy);
}

/* Rows as they come, until there is one of the steady device. */
static void
wait_for_steady(struct reading *r, struct program *p)
{
	const char *line;

	while ((line = program_line(p, 5000)) != NULL) {
		check_row(r, line);
		if (strstr(line, r->steady) != NULL)
			return;
	}
	fail_msg("no row of %s", r->steady);
}

/* Reads the steady device all the while; the memory in use when 40 % of the time is over, and at the end. */
static void
watch(struct program *p, const struct loop *steady, uint64_t from_ms, uint64_t until_ms, long rss_kb[2])
{
	uint64_t now;

	rss_kb[0] = 0;
	while ((now = lab_now_ms()) < until_ms) {
		assert_int_equal(lab_read_blocks(steady, 5), 5);
		pause_ms(2);
		if (rss_kb[0] == 0 && now > from_ms + (until_ms - from_ms) * 2 / 5)
			rss_kb[0] = program_status_kb(p, "VmRSS");
	}
	rss_kb[1] = program_status_kb(p, "VmRSS");
}

static sqlite3_int64
query_number(const char *path, const char *sql)
{
	sqlite3 *db;
	sqlite3_stmt *statement;
	sqlite3_int64 n;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	n = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return n;
}

/* The store saw what the screen saw: devices with reads, none with more than there were. */
static void
check_store(const char *path, const char *steady, uint64_t steady_reads)
{
	char *most = xasprintf("select max(reads) from disk join object on object.id = disk.object "
	    "where name glob 'loop*' and substr(name, 5) / %d = %d and name <> '%s'", LAB_NUMBERS,
	    lab_first_number() / LAB_NUMBERS, steady);
	char *sum = xasprintf("select sum(reads) from disk join object on object.id = disk.object where name = '%s'",
	    steady);

	assert_in_range(query_number(path, most), 1, READS_A_LIFE);
	assert_int_equal(query_number(path, sum), steady_reads);
	free(most);
	free(sum);
}

struct fixture {
	char *dir, *db;
	int backing;
	struct loop steady;
	struct program p;
	pid_t workers[WORKERS];
};

/* NULL in *state where no devices can be made. */
static int
set_up(void **state)
{
	struct fixture *f;
	const char *why = lab_cannot();

	if (why != NULL) {
		print_message("skipped: %s\n", why);
		return 0;
	}
	f = *state = xcalloc(1, sizeof *f);
	f->dir = lab_make_dir();
	f->db = xasprintf("%s/lab.db", f->dir);
	f->backing = lab_memory_file(1 << 20);
	f->p.fd = -1;
	return lab_loop_add(&f->steady, f->backing, lab_first_number(), f->dir);
}

static int
join_workers(struct fixture *f)
{
	int status, worst = 0;

	for (int i = 0; i < WORKERS; i++)
		if (f->workers[i] > 0 && waitpid(f->workers[i], &status, 0) != -1 && status != 0)
			worst = status;
	memset(f->workers, 0, sizeof f->workers);
	return worst;
}

static int
tear_down(void **state)
{
	struct fixture *f = *state;

	if (f == NULL)
		return 0;
	program_free(&f->p);
	join_workers(f);
	lab_loop_remove(&f->steady);
	close(f->backing);
	lab_remove_dir(f->dir);
	free(f->dir);
	free(f->db);
	free(f);
	return 0;
}

static void
come_and_go(struct fixture *f, int devices, int tick)
{
	uint64_t from = lab_now_ms(), until = from + (uint64_t)setting("LAB_SECONDS", 3) * 1000;
	long rss_kb[2];

	for (int i = 0; i < WORKERS; i++)
		f->workers[i] = start_worker(devices / WORKERS, f->backing, f->dir, until, 4 * tick);
	watch(&f->p, &f->steady, from, until, rss_kb);
	assert_int_equal(join_workers(f), 0);
	print_message("memory %ld, then %ld kB\n", rss_kb[0], rss_kb[1]);
#ifndef __SANITIZE_ADDRESS__
	assert_in_range(rss_kb[1], 1, rss_kb[0] + 4096);
#endif
	pause_ms(3 * tick);	/* the last reads' interval must be over */
}

static void
test_come_and_go(void **state)
{
	struct fixture *f = *state;
	struct reading r = { 0 };
	int devices = setting("LAB_DEVICES", 48), tick = interval_ms(devices), status;
	uint64_t before;
	const char *line;
	char text[16];

	if (f == NULL)
		skip();
	r.steady = f->steady.name;
	before = lab_reads(f->steady.name);
	snprintf(text, sizeof text, "%.1f", tick / 1e3);
	program_start(&f->p, f->dir, (const char *[]) { "-b", "-a", "--format", "tidy", "--kind", "disk", "-d", text,
	    "--db", f->db, NULL });
	read_header(&r, &f->p);
	wait_for_steady(&r, &f->p);
	come_and_go(f, devices, tick);
	status = program_end(&f->p, SIGINT, 5000);
	assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 130));
	while ((line = program_line(&f->p, 0)) != NULL)
		check_row(&r, line);

	before = lab_reads(f->steady.name) - before;
	print_message("%u rows of %d devices that come and go, %u of them with reads\n", r.rows, devices, r.plugged);
	assert_true(r.plugged > 0);
	assert_true(fabs(r.steady_reads - (double)before) < 0.5);
	check_store(f->db, f->steady.name, before);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(test_come_and_go, set_up, tear_down) };

	return cmocka_run_group_tests_name("hotplug", tests, NULL, NULL);
}
