/*
 * decode as a user calls it: a capture made here, one that was cut off, none at all; and recorded ones where there are some.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "../wire/lan.h"
#include "core/xalloc.h"

struct place {
	char dir[64], path[96];
	FILE *file;
	uint32_t us;
};

static void
put_le32(FILE *file, uint32_t v)
{
	const uint8_t b[4] = { (uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24) };

	fwrite(b, 1, sizeof(b), file);
}

static int
setup(void **state)
{
	struct place *p = xcalloc(1, sizeof(*p));

	snprintf(p->dir, sizeof(p->dir), "/tmp/stortop-decode-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	snprintf(p->path, sizeof(p->path), "%s/a.pcap", p->dir);
	p->file = fopen(p->path, "w");
	assert_non_null(p->file);
	/* microseconds, version 2.4, raw IP */
	put_le32(p->file, 0xa1b2c3d4);
	put_le32(p->file, 2 | 4 << 16);
	put_le32(p->file, 0);
	put_le32(p->file, 0);
	put_le32(p->file, 65535);
	put_le32(p->file, 101);
	*state = p;
	return 0;
}

static int
teardown(void **state)
{
	struct place *p = *state;

	if (p->file != NULL)
		fclose(p->file);
	unlink(p->path);
	rmdir(p->dir);
	free(p);
	return 0;
}

/* One datagram a millisecond after the last. */
static void
datagram(struct place *p, unsigned side, const struct msg *rpc)
{
	struct msg *m = xcalloc(1, sizeof(*m));
	size_t n = rpc->n - 4;

	put32(m, 0x45000000u | (uint32_t)(n + 28));
	put64(m, 0x40110000);	/* no id, UDP */
	put32(m, 0x0a000001 + side);
	put32(m, 0x0a000002 - side);
	put16(m, side == 0 ? 700 : 2049);
	put16(m, side == 0 ? 2049 : 700);
	put16(m, (unsigned)n + 8);
	put16(m, 0);
	put_bytes(m, rpc->b + 4, n);
	put_le32(p->file, 1);
	put_le32(p->file, p->us += 1000);
	put_le32(p->file, (uint32_t)m->n);
	put_le32(p->file, (uint32_t)m->n);
	fwrite(m->b, 1, m->n, p->file);
	free(m);
}

static void
two_reads(struct place *p)
{
	struct msg *m = xcalloc(1, sizeof(*m));

	for (uint32_t xid = 1; xid <= 2; xid++) {
		nfs3_read(m, xid, 1000);
		datagram(p, 0, m);
		nfs3_read_ok(m, xid, 1000 * xid);
		datagram(p, 1, m);
	}
	free(m);
}

/* Its exit status; what it said on both streams in out. */
static int
decode(struct place *p, const char *options, char *out, size_t size)
{
	const char *program = getenv("STORTOP") != NULL ? getenv("STORTOP") : "build/stortop";
	char command[512];
	FILE *pipe;
	size_t n;
	int status;

	if (p->file != NULL)
		fclose(p->file);
	p->file = NULL;
	snprintf(command, sizeof(command), "%s decode %s %s 2>&1", program, p->path, options);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	n = fread(out, 1, size - 1, pipe);
	out[n] = '\0';
	status = pclose(pipe);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void
test_json(void **state)
{
	char out[8192];
	json_t *root, *op, *flow;

	two_reads(*state);
	assert_int_equal(decode(*state, "--json", out, sizeof(out)), 0);
	root = json_loads(out, 0, NULL);
	assert_non_null(root);
	assert_int_equal(json_integer_value(json_object_get(root, "packets")), 4);
	op = json_array_get(json_object_get(root, "ops"), 0);
	assert_string_equal(json_string_value(json_object_get(op, "protocol")), "nfs3");
	assert_string_equal(json_string_value(json_object_get(op, "op")), "READ");
	assert_int_equal(json_integer_value(json_object_get(op, "calls")), 2);
	assert_int_equal(json_integer_value(json_object_get(op, "bytes")), 3000);
	assert_true(json_number_value(json_object_get(op, "mean_us")) == 1000);
	assert_true(json_number_value(json_object_get(op, "last_mean_us")) == 1000);
	flow = json_array_get(json_object_get(root, "flows"), 0);
	assert_string_equal(json_string_value(json_object_get(flow, "client")), "10.0.0.1");
	assert_string_equal(json_string_value(json_object_get(flow, "server")), "10.0.0.2");
	assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "health"), "gaps")), 0);
	json_decref(root);
}

/* What is encrypted has no length, which is not 0. */
static void
test_encrypted(void **state)
{
	struct msg *m = xcalloc(1, sizeof(*m));
	json_t *root, *op;
	char out[8192];

	rpc_call(m, 1, 100003, 3, 7);
	m->n -= 40;	/* instead of AUTH_SYS: RPCSEC_GSS 1, data, number 1, privacy, a handle; and a verifier */
	put32(m, 6);
	put32(m, 24);
	put32(m, 1);
	put32(m, 0);
	put32(m, 1);
	put32(m, 3);
	put_opaque(m, "abcd", 4);
	put32(m, 6);
	put_opaque(m, "efgh", 4);
	put_opaque(m, NULL, 1000);
	rpc_end(m);
	datagram(*state, 0, m);
	assert_int_equal(decode(*state, "--json", out, sizeof(out)), 0);
	root = json_loads(out, 0, NULL);
	op = json_array_get(json_object_get(root, "ops"), 0);
	assert_string_equal(json_string_value(json_object_get(op, "op")), "WRITE");
	assert_int_equal(json_integer_value(json_object_get(op, "calls")), 1);
	assert_null(json_object_get(op, "bytes"));
	json_decref(root);
	assert_int_equal(decode(*state, "", out, sizeof(out)), 0);
	assert_non_null(strstr(out, "WRITE                         1        -        -"));
	free(m);
}

static void
test_table(void **state)
{
	char out[8192];

	two_reads(*state);
	assert_int_equal(decode(*state, "", out, sizeof(out)), 0);
	assert_non_null(strstr(out, "nfs3  10.0.0.1 > 10.0.0.2\n"));
	assert_non_null(strstr(out, "  READ                          2     0.00    1.000    1.000"));
	assert_non_null(strstr(out, "health   nothing missing\n"));
}

/* A capture that was cut off is decoded up to there, and it says so. */
static void
test_cut_off(void **state)
{
	struct place *p = *state;
	char out[8192];

	two_reads(p);
	fflush(p->file);
	assert_int_equal(ftruncate(fileno(p->file), ftell(p->file) - 100), 0);
	assert_int_equal(decode(p, "", out, sizeof(out)), 1);
	assert_non_null(strstr(out, "  READ                          2     0.00"));
	assert_non_null(strstr(out, "truncated dump file"));
	assert_non_null(strstr(out, "1 requests without a reply"));
}

static void
test_no_capture(void **state)
{
	struct place *p = *state;
	char out[512];

	rewind(p->file);
	put_le32(p->file, 0x12345678);
	assert_int_equal(decode(p, "", out, sizeof(out)), 1);
	assert_non_null(strstr(out, "unknown file format"));
	/* gzip's two bytes */
	p->file = fopen(p->path, "r+");
	assert_non_null(p->file);
	put_le32(p->file, 0x00088b1f);
	assert_int_equal(decode(p, "", out, sizeof(out)), 1);
	assert_non_null(strstr(out, "it is compressed: zcat /tmp/stortop-decode-"));
	unlink(p->path);
	assert_int_equal(decode(p, "", out, sizeof(out)), 1);
	assert_non_null(strstr(out, "No such file or directory"));
	assert_int_equal(decode(p, "another", out, sizeof(out)), 2);
}

/* Captures that nobody here made: exact counts, and damaged files that must only be survived. */
static void
test_recorded(void **state)
{
	const char *checks = getenv("STORTOP_CHECKS"), *data = getenv("STORTOP_DATA");
	const char *program = getenv("STORTOP") != NULL ? getenv("STORTOP") : "build/stortop";
	static const char *const some[] = { "td-", "zeek" };
	char command[512];

	(void)state;
	if (checks == NULL || data == NULL) {
		print_message("skipped: STORTOP_CHECKS and STORTOP_DATA are not set\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		snprintf(command, sizeof(command), "python3 -B %s/wire-truth %s %s/pcap --quiet --only %s >/dev/null 2>&1", checks, program,
		    data, some[i]);
		if (system(command) != 0)
			fail_msg("%s", command);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_json, setup, teardown),
		cmocka_unit_test_setup_teardown(test_encrypted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_table, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cut_off, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_capture, setup, teardown),
		cmocka_unit_test(test_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
