#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "load/scsi_parse.h"

static void
test_identity(void **state)
{
	uint8_t data[36] = { 0x00, 0, 5, 2, 31 };
	struct scsi_identity id;

	(void)state;
	memcpy(data + 8, "IET     VIRTUAL-DISK    0001", 28);
	assert_int_equal(scsi_parse_identity(data, sizeof(data), &id), 0);
	assert_string_equal(id.vendor, "IET");
	assert_string_equal(id.product, "VIRTUAL-DISK");
	assert_int_equal(id.type, 0);
	assert_int_equal(id.qualifier, 0);
	/* No LUN there: qualifier 3, type 31. */
	data[0] = 0x7f;
	data[9] = 0x1b;
	assert_int_equal(scsi_parse_identity(data, sizeof(data), &id), 0);
	assert_int_equal(id.type, 31);
	assert_int_equal(id.qualifier, 3);
	assert_string_equal(id.vendor, "I?T");
	assert_int_equal(scsi_parse_identity(data, 35, &id), -EINVAL);
}

static void
test_serial(void **state)
{
	uint8_t data[] = { 0, 0x80, 0, 8, ' ', ' ', 'b', 'e', 'a', 'f', '1', '1' };
	char out[16];

	(void)state;
	scsi_parse_serial(data, sizeof(data), out, sizeof(out));
	assert_string_equal(out, "beaf11");
	/* Cut short, longer than the room, another page, none. */
	scsi_parse_serial(data, 9, out, sizeof(out));
	assert_string_equal(out, "bea");
	scsi_parse_serial(data, sizeof(data), out, 4);
	assert_string_equal(out, "bea");
	data[1] = 0x83;
	scsi_parse_serial(data, sizeof(data), out, sizeof(out));
	assert_string_equal(out, "");
	scsi_parse_serial(data, 0, out, sizeof(out));
	assert_string_equal(out, "");
}

static void
test_wwn(void **state)
{
	/* A T10 name in ASCII, an EUI of the LUN, the NAA of a port, the NAA of the LUN. */
	static const uint8_t data[] = { 0, 0x83, 0, 44,
		2, 0x01, 0, 4, 'I', 'E', 'T', ' ',
		1, 0x02, 0, 8, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00, 0x11,
		1, 0x13, 0, 8, 0x50, 0, 0, 0, 0, 0, 0, 0x07,
		1, 0x03, 0, 8, 0x60, 0x01, 0x40, 0x5a, 0xbc, 0xde, 0xf0, 0x12 };
	uint8_t copy[sizeof(data)];
	char out[80];

	(void)state;
	scsi_parse_wwn(data, sizeof(data), out, sizeof(out));
	assert_string_equal(out, "naa.6001405abcdef012");
	/* What is cut off is not guessed. */
	scsi_parse_wwn(data, sizeof(data) - 1, out, sizeof(out));
	assert_string_equal(out, "eui.aabbccddeeff0011");
	memcpy(copy, data, sizeof(data));
	copy[3] = 8;
	scsi_parse_wwn(copy, sizeof(copy), out, sizeof(out));
	assert_string_equal(out, "");
	scsi_parse_wwn(data, sizeof(data), out, 9);
	assert_string_equal(out, "naa.6001");
}

static void
test_capacity(void **state)
{
	uint8_t data[32] = { 0, 0, 0, 0, 0, 1, 0xff, 0xff, 0, 0, 2, 0, 0, 3 };
	struct scsi_capacity c;

	(void)state;
	/* 0x1ffff is the last of 512 bytes; 8 of them make a physical one. */
	assert_int_equal(scsi_parse_capacity(data, sizeof(data), &c), 0);
	assert_int_equal(c.blocks, 131072);
	assert_int_equal(c.block_bytes, 512);
	assert_int_equal(c.physical_bytes, 4096);
	data[10] = 0;
	assert_int_equal(scsi_parse_capacity(data, sizeof(data), &c), -EINVAL);
	data[10] = 3;
	assert_int_equal(scsi_parse_capacity(data, sizeof(data), &c), -EINVAL);
	data[10] = 2;
	memset(data, 0xff, 8);
	assert_int_equal(scsi_parse_capacity(data, sizeof(data), &c), -EINVAL);
	data[0] = 0x7f;
	assert_int_equal(scsi_parse_capacity(data, sizeof(data), &c), -EINVAL);
	assert_int_equal(scsi_parse_capacity(data, 13, &c), -EINVAL);
}

static void
test_flags(void **state)
{
	const uint8_t none[] = { 0, 0, 0, 1, 0, 0, 0, 0 }, held[] = { 0, 0, 0, 1, 0, 0, 0, 16 }, protect[] = { 3, 0, 0x80 },
	    writable[] = { 3, 0x80, 0x10 };

	(void)state;
	assert_false(scsi_parse_reserved(none, sizeof(none)));
	assert_true(scsi_parse_reserved(held, sizeof(held)));
	assert_false(scsi_parse_reserved(held, 7));
	assert_true(scsi_parse_protected(protect, sizeof(protect)));
	assert_false(scsi_parse_protected(writable, sizeof(writable)));
	assert_false(scsi_parse_protected(protect, 2));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identity), cmocka_unit_test(test_serial), cmocka_unit_test(test_wwn),
		cmocka_unit_test(test_capacity), cmocka_unit_test(test_flags),
	};

	return cmocka_run_group_tests_name("scsi_parse", tests, NULL, NULL);
}
