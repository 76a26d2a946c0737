#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/out/canned.h"

static const struct metric metrics[] = {
	{ .key = "n", .unit = "things", .nature = METRIC_COUNTER, .help = "things" },
};
static const struct column columns[] = {
	{ .key = "n_s", .value = { .scale = 1, .plus = M(0), .per = PER_SECOND } },
	{ .key = "state", .value = { .per = VALUE_LABEL_TEXT, .label = LABEL_STATE } },
	{ .key = "model", .flags = COLUMN_NO_EXPORT, .value = { .per = VALUE_LABEL_TEXT, .label = LABEL_MODEL } },
};
static const struct kind pump = { .key = "pump", .metrics = metrics, .n_metrics = 1, .columns = columns, .n_columns = 3 };
static const struct kind *const pumps[] = { &pump };

static void
every_byte(void **state)
{
	struct object *p = object_new(&pump, 0, "p0", "p0"), *q = object_new(&pump, 0, "p1", "p1"), *o[] = { p, q };
	struct interval *v = canned_interval(2, 0);
	struct interval_table *t = canned_table(v, &pump, 2, o);
	struct canned c;
	char *text;

	(void)state;
	q->parent = p->uid;
	object_label(p, LABEL_STATE, "on");
	object_label(p, LABEL_MODEL, "Mk \"2\"");
	object_label(p, LABEL_QUEUE_DEPTH, "32");
	object_label_both(p, LABEL_SPEED, "16 Gbit", 16e9);
	t->rows[0].cells[0] = 7;
	t->rows[1].cells[0] = NAN;
	t->rows[1].ns = CANNED_S / 4;
	t->rows[1].stalled_ns = 41 * CANNED_S;
	canned_begin(&c);
	c.options.kinds = pumps;
	c.options.n_kinds = 1;
	canned_open(&c, json_sink);
	canned_put(&c, v);
	canned_put(&c, canned_interval(1, 1));
	text = canned_text(&c);
	assert_string_equal(text,
	    "{\"time\":\"2018-04-24T10:49:12.250Z\",\"seconds\":2,\"rows\":["
	    "{\"kind\":\"pump\",\"object\":\"p0\",\"label\":\"p0\",\"n_s\":3.5,\"state\":\"on\",\"model\":\"Mk \\\"2\\\"\","
	    "\"queue_depth\":32,\"speed\":16000000000},"
	    "{\"kind\":\"pump\",\"object\":\"p1\",\"parent\":\"p0\",\"label\":\"p1\",\"seconds\":0.25,\"stalled_s\":41}]}\n"
	    "{\"time\":\"2018-04-24T10:49:13.250Z\",\"seconds\":1,\"rows\":[]}\n");
	free(text);
	canned_end(&c);
	object_unref(p);
	object_unref(q);
}

/* Another's parser takes it, whatever a device is called, and finds no key twice. */
static void
parses(void **state)
{
	struct object *o = canned_disk("a\"\\\x01\xff");
	struct interval *v = canned_interval(1, 0);
	json_t *json, *row;
	struct canned c;
	char *text;

	(void)state;
	for (int id = LABEL_NONE + 1; id < LABEL_COUNT; id++)
		object_label(o, (enum label_id)id, "7");
	canned_table(v, &kind_disk, 1, &o)->rows[0].cells[DISK_READS] = 12;
	canned_begin(&c);
	canned_open(&c, json_sink);
	canned_put(&c, v);
	text = canned_text(&c);
	json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(json);
	row = json_array_get(json_object_get(json, "rows"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "object")), "a\"\\\x01\xef\xbf\xbd");
	assert_true(json_number_value(json_object_get(row, "reads_s")) == 12);
	assert_string_equal(json_string_value(json_object_get(row, "serial")), "7");
	assert_string_equal(json_string_value(json_object_get(row, "paths")), "7");
	/* idle: absent, not zero */
	assert_null(json_object_get(row, "gavg_wr"));
	json_decref(json);
	free(text);
	canned_end(&c);
	object_unref(o);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte),
		cmocka_unit_test(parses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
