#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/nic_parse.h"

#define HEADING \
	"Inter-|   Receive                                                |  Transmit\n" \
	" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo " \
	"colls carrier compressed\n"

static struct nic_cursor
over(const char *text)
{
	return (struct nic_cursor){ .p = text, .end = text + strlen(text) };
}

static void
expect(struct nic_cursor *cursor, const char *name, const uint64_t cells[static NIC_METRICS])
{
	struct nic_line line;

	assert_true(nic_next(cursor, &line));
	assert_int_equal(line.name_len, strlen(name));
	assert_memory_equal(line.name, name, line.name_len);
	for (int i = 0; i < NIC_METRICS; i++)
		assert_int_equal(line.cells[i], cells[i]);
}

static void
expect_end(struct nic_cursor *cursor, size_t skipped)
{
	struct nic_line line;

	assert_false(nic_next(cursor, &line));
	assert_int_equal(cursor->skipped, skipped);
}

static void
columns(void **state)
{
	struct nic_cursor cursor =
	    over(HEADING "    lo:    3267      29    0    0    0     0          0         0     3268      30    0    0"
			 "    0     0       0          0\n"
			 "  eth0: 101 102 103 104 105 106 107 108 201 202 203 204 205 206 207 208\n");

	(void)state;
	expect(&cursor, "lo",
	    (uint64_t[NIC_METRICS]){ [NIC_RX_BYTES] = 3267, [NIC_RX_PACKETS] = 29, [NIC_TX_BYTES] = 3268,
		[NIC_TX_PACKETS] = 30 });
	expect(&cursor, "eth0",
	    (uint64_t[NIC_METRICS]){ [NIC_RX_BYTES] = 101, [NIC_RX_PACKETS] = 102, [NIC_RX_ERRORS] = 103,
		[NIC_RX_DROPPED] = 104, [NIC_RX_MULTICAST] = 108, [NIC_TX_BYTES] = 201,
		[NIC_TX_PACKETS] = 202, [NIC_TX_ERRORS] = 203, [NIC_TX_DROPPED] = 204 });
	expect_end(&cursor, 0);
}

static void
colons(void **state)
{
	struct nic_cursor cursor = over("eth0:123456789012 2 0 0 0 0 0 0 3 4 0 0 0 0 0 0\n"
					" eth0:1:5 6 0 0 0 0 0 0 7 8 0 0 0 0 0 0\n"
					"abcdefghijklmno: 9 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0");

	(void)state;
	expect(&cursor, "eth0",
	    (uint64_t[NIC_METRICS]){ [NIC_RX_BYTES] = 123456789012, [NIC_RX_PACKETS] = 2, [NIC_TX_BYTES] = 3,
		[NIC_TX_PACKETS] = 4 });
	expect(&cursor, "eth0:1",
	    (uint64_t[NIC_METRICS]){ [NIC_RX_BYTES] = 5, [NIC_RX_PACKETS] = 6, [NIC_TX_BYTES] = 7,
		[NIC_TX_PACKETS] = 8 });
	expect(&cursor, "abcdefghijklmno",
	    (uint64_t[NIC_METRICS]){ [NIC_RX_BYTES] = 9, [NIC_RX_PACKETS] = 1, [NIC_TX_BYTES] = 1,
		[NIC_TX_PACKETS] = 1 });
	expect_end(&cursor, 0);
}

static void
nonsense_is_counted(void **state)
{
	struct nic_cursor cursor = over(HEADING "eth1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n"
						"eth2: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 x\n"
						"eth3:No statistics available\n"
						"   : 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
						"abcdefghijklmnop: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
						"../x: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
						"eth4 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n");

	(void)state;
	expect_end(&cursor, 7);
	cursor = over("");
	expect_end(&cursor, 0);
}

static void
speeds(void **state)
{
	static const struct {
		const char *attr, *text;
		double bits;
	} cases[] = {
		{ "10", "10 Mbit", 1e7 },
		{ "100", "100 Mbit", 1e8 },
		{ "1000", "1 Gbit", 1e9 },
		{ "2500", "2.5 Gbit", 2.5e9 },
		{ "1234", "1234 Mbit", 1.234e9 },
		{ "10000", "10 Gbit", 1e10 },
		{ "400000", "400 Gbit", 4e11 },
		{ "", NULL, 0 },
		{ "-1", NULL, 0 },
		{ "0", NULL, 0 },
		{ "4294967295", NULL, 0 },
		{ "1000 Mbit", NULL, 0 },
		{ "unknown", NULL, 0 },
	};
	char text[32];
	double bits;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(nic_speed(cases[i].attr, text, sizeof(text), &bits), cases[i].text != NULL);
		if (cases[i].text == NULL)
			continue;
		assert_string_equal(text, cases[i].text);
		assert_true(bits == cases[i].bits);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns),
		cmocka_unit_test(colons),
		cmocka_unit_test(nonsense_is_counted),
		cmocka_unit_test(speeds),
	};

	return cmocka_run_group_tests_name("probes/nic_parse", tests, NULL, NULL);
}
