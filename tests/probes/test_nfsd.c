#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/column.h"
#include "core/interval.h"
#include "probes/nfsd_parse.h"
#include "tests/nan_fails.h"
#include "tests/probes/drive.h"
#include "tests/probes/tree.h"

static const char figures[] =
	"rc 0 6 18622\n"
	"fh 0 0 0 0 0\n"
	"io 157286400 72864\n"
	"th 8 0 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000\n"
	"ra 32 0 0 0 0 0 0 0 0 0 0 0\n"
	"net 18628 0 18628 6\n"
	"rpc 18628 9 4 5 0\n"
	"proc2 18 0 0 0 0 0 0 3 0 5 0 0 0 0 0 0 0 0 0\n"
	"proc3 22 2 112 0 2719 111 0 100 200 0 1 0 0 0 0 0 0 0 0 2 1 0 7\n"
	"proc4 2 2 10853\n"
	"proc4ops 72 0 0 0 1098 2 11 0 0 0 8179 5896 0 0 0 0 5900 0 0 2 0 2 0 9609 0 2 1000 1271 0 0 0 0 0 0 0 0 0 0 0 2000"
	" 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 50 0 0 0\n";

static void
all_versions_are_one(void **state)
{
	uint64_t cells[NFSD_METRICS];

	(void)state;
	nfsd_parse(figures, strlen(figures), cells);
	assert_int_equal(cells[NFSD_CALLS], 18628);
	assert_int_equal(cells[NFSD_BAD_CALLS], 9);
	assert_int_equal(cells[NFSD_THREADS], 8);
	assert_int_equal(cells[NFSD_READ_BYTES], 157286400);
	assert_int_equal(cells[NFSD_WRITE_BYTES], 72864);
	assert_int_equal(cells[NFSD_READS], 3 + 100 + 1000 + 50);	/* READ_PLUS too */
	assert_int_equal(cells[NFSD_WRITES], 5 + 200 + 2000);
	assert_int_equal(cells[NFSD_COMMITS], 7 + 11);
	assert_int_equal(cells[NFSD_CLIENTS], ABSENT);
	/* a kernel without version 4: what it has not is absent or not in the sum */
	nfsd_parse("proc3 22 2 112\nrpc 5\n", 21, cells);
	assert_int_equal(cells[NFSD_CALLS], 5);
	assert_int_equal(cells[NFSD_BAD_CALLS], ABSENT);
	assert_int_equal(cells[NFSD_READS], ABSENT);
}

static const char info[] =
	"clientid: 0xfff8465c68c830b9\n"
	"address: \"192.168.122.1:926\"\n"
	"status: confirmed\n"
	"seconds from last renew: 7\n"
	"name: \"Linux NFSv4.2 fedora-work\"\n"
	"minor version: 2\n"
	"callback address: \"192.168.122.1:0\"\n";

static void
a_client(void **state)
{
	struct nfsd_client_text c;

	(void)state;
	nfsd_client_parse(info, strlen(info), &c);
	assert_string_equal(c.address, "192.168.122.1:926");
	assert_string_equal(c.name, "Linux NFSv4.2 fedora-work");
	assert_string_equal(c.version, "4.2");
	assert_string_equal(c.status, "confirmed");
	assert_int_equal(c.renewed_s, 7);
	nfsd_client_parse("name: \"x", 8, &c);
	assert_string_equal(c.name, "x");
	assert_string_equal(c.address, "");
	assert_int_equal(c.renewed_s, ABSENT);
}

static void
a_server_and_its_clients(void **state)
{
	struct tree *t = *state;
	struct probe *p = drive_open(&probe_nfsd, &t->env);
	struct snapshot *a, *b;
	struct interval *v;
	const struct row *row;

	tree_put(t, "proc/net/rpc/nfsd", "%s", figures);
	tree_put(t, "proc/fs/nfsd/clients/3/info", "%s", info);
	tree_put(t, "proc/fs/nfsd/clients/4/info", "status: unconfirmed\n");
	a = drive_sample(p, 10);
	assert_string_equal(p->note, "");
	assert_int_equal(drive_cells(a, &kind_nfsd, "nfsd")[NFSD_CLIENTS], 2);
	assert_int_equal(drive_rows(a, &kind_nfsd_client), 1);
	assert_int_equal(drive_cells(a, &kind_nfsd_client, "192.168.122.1:926")[NFSD_CLIENT_RENEWED_S], 7);
	/* 40 calls in 2 s, and 3 MiB read */
	tree_put(t, "proc/net/rpc/nfsd", "io 160432128 72864\nth 8\nrpc 18668 9 4 5 0\nproc3 22 2 112 0 2719 111 0 1153 2205\n");
	b = drive_sample(p, 12);
	v = interval_diff(a, b);
	row = &interval_table(v, &kind_nfsd)->rows[0];
	assert_float_equal(column_at(&kind_nfsd, kind_column(&kind_nfsd, "cmds_s"), row), 20, 1e-9);
	assert_float_equal(column_at(&kind_nfsd, kind_column(&kind_nfsd, "mbread_s"), row), 1.5, 1e-9);
	interval_unref(v);
	snapshot_free(a);
	snapshot_free(b);
	/* the client goes; seen when they are listed again */
	tree_remove(t, "proc/fs/nfsd/clients/3");
	a = drive_sample(p, 20);
	assert_int_equal(drive_rows(a, &kind_nfsd_client), 0);
	snapshot_free(a);
	drive_close(p);
}

/* Before 5.3 there is no list of clients, and it is not for everybody to read: how many there are is not known then. */
static void
clients_not_told(void **state)
{
	struct tree *t = *state;
	struct probe *p = drive_open(&probe_nfsd, &t->env);
	struct snapshot *s;

	tree_put(t, "proc/net/rpc/nfsd", "%s", figures);
	s = drive_sample(p, 10);
	assert_int_equal(drive_cells(s, &kind_nfsd, "nfsd")[NFSD_THREADS], 8);
	assert_int_equal(drive_cells(s, &kind_nfsd, "nfsd")[NFSD_CLIENTS], ABSENT);
	snapshot_free(s);
	/* An empty list is one. */
	tree_put(t, "proc/fs/nfsd/clients/3/info", "%s", info);
	tree_remove(t, "proc/fs/nfsd/clients/3");
	s = drive_sample(p, 20);
	assert_int_equal(drive_cells(s, &kind_nfsd, "nfsd")[NFSD_CLIENTS], 0);
	snapshot_free(s);
	drive_close(p);
}

/* The module alone makes the file. */
static void
no_server(void **state)
{
	struct tree *t = *state;
	struct probe *p = drive_open(&probe_nfsd, &t->env);
	struct snapshot *s = drive_sample(p, 10);

	assert_null(snapshot_find(s, &kind_nfsd));
	assert_string_equal(p->note, "no NFS server here");
	snapshot_free(s);
	tree_put(t, "proc/net/rpc/nfsd", "io 0 0\nth 0\nrpc 0 0 0 0 0\n");
	s = drive_sample(p, 20);
	assert_null(snapshot_find(s, &kind_nfsd));
	snapshot_free(s);
	drive_close(p);
}

#define TREE_TEST(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_versions_are_one),
		cmocka_unit_test(a_client),
		TREE_TEST(a_server_and_its_clients),
		TREE_TEST(clients_not_told),
		TREE_TEST(no_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
