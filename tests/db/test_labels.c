#include "db/labels.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/kinds/kinds.h"
#include "tests/nan_fails.h"

static void
encodes(const struct object *o, const char *expected)
{
	char *text = labels_encode(o);

	assert_string_equal(text, expected);
	free(text);
}

static void
test_encode(void **state)
{
	struct object *o = object_new(&kind_disk, 0, "sda", "sda");

	(void)state;
	encodes(o, "{}");
	object_label(o, LABEL_MODEL, "A \"B\"\n");
	object_label(o, LABEL_QUEUE_DEPTH, "254");
	object_label(o, LABEL_PARTNO, "007");		/* no plain number: its text is kept */
	object_label_both(o, LABEL_SPEED, "16 Gbit", 16e9);
	object_label_both(o, LABEL_PATHS, "3/4", 3);
	object_label(o, LABEL_SERIAL, "123");		/* a text that looks like a number */
	encodes(o, "{\"model\":\"A \\\"B\\\"\\n\",\"queue_depth\":254,\"partno\":\"007\",\"speed\":\"16 Gbit\","
	    "\"speed_number\":16000000000,\"paths\":\"3/4\",\"paths_number\":3,\"serial\":\"123\"}");
	object_unref(o);
}

static void
test_role(void **state)
{
	struct object *o = object_new(&kind_disk, 0, "dm-0", "dm-0"), *back = object_new(&kind_disk, 0, "dm-0", "dm-0");

	(void)state;
	o->role = ROLE_HEAD;
	encodes(o, "{\"role\":\"head\"}");
	labels_decode(back, "{\"role\":\"head\"}", 15);
	assert_int_equal(back->role, ROLE_HEAD);
	labels_decode(back, "{\"role\":\"queen\"}", 16);
	assert_int_equal(back->role, ROLE_BASE);
	object_unref(o);
	object_unref(back);
}

static void
test_bytes_that_are_no_text(void **state)
{
	struct object *o = object_new(&kind_disk, 0, "sda", "sda");

	(void)state;
	object_label(o, LABEL_MOUNT, "/a\xe4/\xc3\xa4/\xe2\x82");
	encodes(o, "{\"mount\":\"/a\xef\xbf\xbd/\xc3\xa4/\xef\xbf\xbd\xef\xbf\xbd\"}");
	object_unref(o);
}

static void
test_round_trip(void **state)
{
	struct object *o = object_new(&kind_disk, 0, "sda", "sda"), *back = object_new(&kind_disk, o->uid, "sda", "sda");
	char *text;

	(void)state;
	for (int id = LABEL_NONE + 1; id < LABEL_COUNT; id++)
		if (id != LABEL_ROLE)
			object_labelf(o, (enum label_id)id, label_table[id].number ? "%d" : "text %d", 1000 + id);
	object_label_both(o, LABEL_PORTS, "1/2", 1);
	text = labels_encode(o);
	labels_decode(back, text, strlen(text));
	assert_true(object_same(o, back));
	assert_float_equal(object_number(back, LABEL_PORTS), 1, 0);
	assert_float_equal(object_number(back, LABEL_SIZE_BYTES), 1000 + LABEL_SIZE_BYTES, 0);
	assert_true(isnan(object_number(back, LABEL_MODEL)));
	free(text);
	object_unref(o);
	object_unref(back);
}

static void
test_what_is_no_label(void **state)
{
	static const char *const texts[] = {
		"", "{", "[1,2]", "null", "\"text\"", "{\"colour\":\"red\"}", "{\"model\":null}", "{\"model\":{\"a\":1}}",
		"{\"model\":true}", "{\"queue_depth\":1e400}", "{\"queue_depth\":99999999999999999999}",
	};
	struct object *o = object_new(&kind_disk, 0, "sda", "sda");

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		labels_decode(o, texts[i], strlen(texts[i]));
		assert_int_equal(o->n_labels, 0);
	}
	/* The length counts, not a NUL. */
	labels_decode(o, "{\"model\":\"x\"} and more", 13);
	assert_string_equal(object_text(o, LABEL_MODEL), "x");
	object_unref(o);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_encode),
		cmocka_unit_test(test_role),
		cmocka_unit_test(test_bytes_that_are_no_text),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_what_is_no_label),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
