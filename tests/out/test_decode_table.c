/*
 * The table of a decoded capture, made by hand: what it says once, and what it does not say.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "out/decode_out.h"

static char *
table_of(const struct decode_report *r)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	decode_print_table(file, r);
	fclose(file);
	return text;
}

static struct decode_flow
flow(const char *protocol, const char *client, struct decode_op *ops)
{
	struct decode_flow f = { .protocol = protocol, .server = "10.0.0.1", .lun = -1, .ops = ops, .n_ops = 1 };

	snprintf(f.client, sizeof(f.client), "%s", client);
	return f;
}

/* Sums are for protocols with several flows: of a single one they would repeat every line. */
static void
test_sums(void **state)
{
	struct decode_op ops[] = {
		{ .protocol = "nfs3", .name = "READ", .calls = 3, .replies = 3 },
		{ .protocol = "nfs4.1", .name = "READ", .calls = 5, .replies = 5 },
	};
	struct decode_flow flows[] = { flow("nfs3", "10.0.0.2", ops), flow("nfs4.1", "10.0.0.2", &ops[1]),
		flow("nfs3", "10.0.0.3", ops) };
	struct decode_report r = { .file = "a.pcap", .seconds = NAN, .ops = ops, .n_ops = 2, .flows = flows, .n_flows = 3 };
	char *text = table_of(&r);

	(void)state;
	assert_non_null(strstr(text, "nfs3  all flows\n"));
	assert_null(strstr(text, "nfs4.1  all flows"));
	free(text);
	/* without the second flow of version 3 there is nothing to add up */
	r.n_flows = 2;
	text = table_of(&r);
	assert_null(strstr(text, "all flows"));
	free(text);
}

/* Writes that waited for the target: 4 in 8 ms, and the data of 2 of them in 1 ms; or of none. */
static void
test_waits(void **state)
{
	struct decode_op op = { .protocol = "iscsi", .name = "WRITE_10", .calls = 4, .replies = 4,
		.r2t_count = 4, .r2t_sum_ns = 8000000, .data_count = 2, .data_sum_ns = 1000000 };
	struct decode_flow flows[] = { flow("iscsi", "10.0.0.2", &op) };
	struct decode_report r = { .file = "a.pcap", .seconds = NAN, .ops = &op, .n_ops = 1, .flows = flows, .n_flows = 1 };
	char *text = table_of(&r);

	(void)state;
	assert_non_null(strstr(text, "4 waited 2.000 ms for the target to ask for their data, which took 0.500 ms\n"));
	free(text);
	op.data_count = op.data_sum_ns = 0;
	text = table_of(&r);
	assert_non_null(strstr(text, "4 waited 2.000 ms for the target to ask for their data, whose end was not seen\n"));
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
