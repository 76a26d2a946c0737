#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sys/udevdb.h"

static struct udevdb
parse(const char *text)
{
	struct udevdb db;

	udevdb_parse(text, strlen(text), &db);
	return db;
}

static void
a_scsi_disk(void **state)
{
	struct udevdb db = parse("S:disk/by-id/wwn-0x600a098038303053\n"
				 "L:100\n"
				 "I:2210842\n"
				 "E:ID_SCSI=1\n"
				 "E:ID_VENDOR=NETAPP\n"
				 "E:ID_VENDOR_ENC=NETAPP\\x20\\x20\n"
				 "E:ID_MODEL=LUN_C-Mode\n"
				 "E:ID_MODEL_ENC=LUN\\x20C-Mode\\x20\\x20\\x20\n"
				 "E:ID_SERIAL=3600a098038303053453f463045727a76\n"
				 "E:ID_SERIAL_SHORT=600a098038303053453f463045727a76\n"
				 "E:ID_WWN=0x600a098038303053\n"
				 "E:ID_WWN_WITH_EXTENSION=0x600a098038303053453f463045727a76\n"
				 "E:ID_SCSI_SERIAL=800SE?F0Erzv\n"
				 "G:systemd\n");

	(void)state;
	assert_string_equal(db.wwn, "naa.600a098038303053453f463045727a76");
	assert_string_equal(db.serial, "800SE?F0Erzv");
	assert_string_equal(db.vendor, "NETAPP");
	assert_string_equal(db.model, "LUN C-Mode");
	assert_string_equal(db.md_name, "");
}

static void
an_ata_disk(void **state)
{
	struct udevdb db = parse("E:ID_WWN=0x5000c5009d2f1b2a\n"
				 "E:ID_SERIAL=ST4000NM0035_ZC13XYZ1\n"
				 "E:ID_SERIAL_SHORT=ZC13XYZ1\n"
				 "E:ID_MODEL=ST4000NM0035-1V4107");

	(void)state;
	assert_string_equal(db.wwn, "naa.5000c5009d2f1b2a");
	assert_string_equal(db.serial, "ZC13XYZ1");
	assert_string_equal(db.model, "ST4000NM0035-1V4107");
	assert_string_equal(db.vendor, "");
}

static void
others_keep_their_names(void **state)
{
	struct udevdb db = parse("E:ID_SERIAL=my-volume-1\n");

	(void)state;
	assert_string_equal(db.serial, "my-volume-1");
	assert_string_equal(db.wwn, "");
	db = parse("E:ID_WWN=eui.0025388b710c2d5e\nE:MD_DEVNAME=home\n");
	assert_string_equal(db.wwn, "eui.0025388b710c2d5e");
	assert_string_equal(db.md_name, "home");
}

static void
odd_lines(void **state)
{
	struct udevdb db = parse("E:\nE:ID_WWN\nE:ID_WWNX=1\nXE:ID_WWN=2\nE:ID_MODEL_ENC=a\\x2\nE:ID_VENDOR=\\x00v");

	(void)state;
	assert_string_equal(db.wwn, "");
	assert_string_equal(db.model, "a\\x2");
	assert_string_equal(db.vendor, "v");
}

static void
long_values_are_cut(void **state)
{
	char text[400] = "E:ID_WWN=0x";
	struct udevdb db;

	(void)state;
	memset(text + 11, 'a', 300);
	db = parse(text);
	assert_int_equal(strlen(db.wwn), UDEVDB_VALUE_MAX - 1);
	assert_memory_equal(db.wwn, "naa.aaa", 7);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_scsi_disk),
		cmocka_unit_test(an_ata_disk),
		cmocka_unit_test(others_keep_their_names),
		cmocka_unit_test(odd_lines),
		cmocka_unit_test(long_values_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
