/* Live capture end to end: what a client did with a real NFS server is what the program saw on the wire. */
#include <fcntl.h>
#include <jansson.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "config.h"
#include "load/nfs_link.h"
#include "tests/lab/lab.h"
#include "tests/lab/servers.h"
#include "tests/nan_fails.h"

#define URL "nfs://" SERVERS_ADDRESS "/export"
#define BLOCK 4096
#define WRITES 40
#define READS 70
#define LINE_MS 10000

#ifdef HAVE_LIBNFS

static const char *cannot;
static struct nfs_server server;

/* Over all lines so far, of all flows of NFS version 3. */
struct seen {
	double reads, writes, read_bytes, write_bytes, read_ms;
};

static double
figure(const json_t *row, const char *key)
{
	const json_t *value = json_object_get(row, key);

	return value != NULL ? json_number_value(value) : 0;
}

static void
take_line(struct seen *seen, const char *line)
{
	json_t *tick = json_loads(line, 0, NULL), *row;
	size_t i;

	assert_non_null(tick);
	json_array_foreach(json_object_get(tick, "rows"), i, row) {
		const char *name = json_string_value(json_object_get(row, "object"));
		double s = json_object_get(row, "seconds") != NULL ? figure(row, "seconds") : figure(tick, "seconds");

		assert_string_equal(json_string_value(json_object_get(row, "kind")), "nfs_flow");
		if (strstr(name, " nfs3") == NULL)
			continue;
		seen->reads += figure(row, "reads_s") * s;
		seen->writes += figure(row, "writes_s") * s;
		seen->read_bytes += figure(row, "mbread_s") * s * 1048576;
		seen->write_bytes += figure(row, "mbwrtn_s") * s * 1048576;
		seen->read_ms += figure(row, "davg_rd") * figure(row, "reads_s") * s;
	}
	json_decref(tick);
}

static void
work(void)
{
	static char block[BLOCK];
	struct nfs_link *link;
	struct nfsfh *fh;
	char why[200] = "";

	if (nfs_link_open(&link, URL, 3, UINT64_C(5000000000), why, sizeof(why)) != 0)
		fail_msg("%s", why);
	assert_int_equal(nfs_link_create(link, "/seen", &fh), 0);
	for (uint64_t i = 0; i < WRITES; i++)
		assert_int_equal(nfs_link_write(link, fh, i * BLOCK, block, BLOCK), 0);
	for (uint64_t i = 0; i < READS; i++)
		assert_int_equal(nfs_link_read(link, fh, i % WRITES * BLOCK, block, BLOCK), 0);
	nfs_link_close_file(link, fh);
	assert_int_equal(nfs_link_unlink(link, "/seen"), 0);
	nfs_link_close(link);
}

static void
test_the_program_sees_what_was_done(void **state)
{
	struct program p;
	struct seen seen = { 0 };
	const char *line;
	int status;

	(void)state;
	if (cannot != NULL) {
		print_message("skipped: %s\n", cannot);
		skip();
	}
	nfs_server_start(&server);
	program_start(&p, SERVERS_DIR, (const char *[]) { "-b", "--format", "json", "--kind", "nfs_flow", "-d", "0.2",
		"--capture", "lo", "--no-record", NULL });
	/* the first line: it captures */
	line = program_line(&p, LINE_MS);
	assert_non_null(line);
	take_line(&seen, line);
	work();
	for (uint64_t until = lab_now_ms() + LINE_MS; seen.reads < READS - 0.5 && lab_now_ms() < until;) {
		line = program_line(&p, LINE_MS);
		assert_non_null(line);
		take_line(&seen, line);
	}
	status = program_end(&p, SIGINT, LINE_MS);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	program_free(&p);
	nfs_server_stop(&server);
	assert_float_equal(seen.reads, READS, 0.01);
	assert_float_equal(seen.writes, WRITES, 0.01);
	assert_float_equal(seen.read_bytes, READS * BLOCK, 100);
	assert_float_equal(seen.write_bytes, WRITES * BLOCK, 100);
	assert_true(seen.read_ms > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_program_sees_what_was_done),
	};

	cannot = servers_enter(true, false);
	return cmocka_run_group_tests_name("lab/wire", tests, NULL, NULL);
}

#else

static void
test_nothing(void **state)
{
	(void)state;
	print_message("skipped: built without libnfs\n");
	skip();
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_nothing) };

	return cmocka_run_group_tests_name("lab/wire", tests, NULL, NULL);
}

#endif
