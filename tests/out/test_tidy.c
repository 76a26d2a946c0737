#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "tests/out/canned.h"

/* Two kinds that share a column, so that the header is their union and each leaves cells empty. */
static const struct metric metrics[] = {
	{ .key = "n", .unit = "things", .nature = METRIC_COUNTER, .help = "things" },
	{ .key = "now", .unit = "things", .nature = METRIC_GAUGE, .help = "things now" },
};
static const struct column pump_columns[] = {
	{ .key = "n_s", .value = { .scale = 1, .plus = M(0), .per = PER_SECOND } },
	{ .key = "now", .value = { .scale = 1, .plus = M(1), .per = PER_ONE } },
	{ .key = "model", .flags = COLUMN_NO_EXPORT, .value = { .per = VALUE_LABEL_TEXT, .label = LABEL_MODEL } },
};
static const struct column valve_columns[] = {
	{ .key = "depth", .value = { .scale = 1, .per = VALUE_LABEL_NUMBER, .label = LABEL_QUEUE_DEPTH } },
	{ .key = "n_s", .value = { .scale = 1, .plus = M(0), .per = PER_SECOND } },
	{ .key = "state", .value = { .per = VALUE_LABEL_TEXT, .label = LABEL_STATE } },
};
static const struct kind pump = { .key = "pump", .metrics = metrics, .n_metrics = 2, .columns = pump_columns, .n_columns = 3 };
static const struct kind valve = { .key = "valve", .metrics = metrics, .n_metrics = 2, .columns = valve_columns,
	.n_columns = 3, .detail = true };
static const struct kind *const both[] = { &pump, &valve };

static struct object *
make(const struct kind *kind, const char *name)
{
	return object_new(kind, 0, name, name);
}

static void
every_byte(void **state)
{
	struct object *p = make(&pump, "p,0"), *v = make(&valve, "v0");
	struct interval *one = canned_interval(2, 0), *two = canned_interval(0.5, 2);
	struct canned c;
	char *text;

	(void)state;
	v->parent = p->uid;
	object_label(p, LABEL_MAPPER, "data");
	object_label(p, LABEL_MODEL, "not printed");
	object_label(v, LABEL_STATE, "open \"wide\"");
	object_label(v, LABEL_QUEUE_DEPTH, "32");
	canned_table(one, &pump, 1, &p)->rows[0].cells[0] = 7;
	canned_table(one, &valve, 1, &v)->rows[0].cells[0] = NAN;
	one->tables[0].rows[0].cells[1] = 0.125;
	one->tables[1].rows[0].ns = CANNED_S;
	canned_table(two, &pump, 1, &p)->rows[0].stalled_ns = 2 * CANNED_S + CANNED_S / 2;
	canned_begin(&c);
	c.options.kinds = both;
	c.options.n_kinds = 2;
	canned_open(&c, tidy_sink);
	canned_put(&c, one);
	canned_put(&c, two);
	text = canned_text(&c);
	assert_string_equal(text,
	    "time,seconds,kind,object,parent,label,stalled_s,n_s,now,depth,state\n"
	    "2018-04-24T10:49:12.250Z,2,pump,\"p,0\",,data,,3.5,0.125,,\n"
	    "2018-04-24T10:49:12.250Z,1,valve,v0,\"p,0\",v0,,,,32,\"open \"\"wide\"\"\"\n"
	    "2018-04-24T10:49:14.250Z,0.5,pump,\"p,0\",,data,2.5,0,0,,\n");
	free(text);
	canned_end(&c);
	object_unref(p);
	object_unref(v);
}

/* The header is of all kinds that may come, so that a kind whose probe fails now has its columns later. */
static void
catalogue_header(void **state)
{
	struct canned c;
	char *text;

	(void)state;
	canned_begin(&c);
	canned_open(&c, tidy_sink);
	canned_put(&c, canned_interval(1, 0));
	text = canned_text(&c);
	assert_non_null(strstr(text, ",cmds_s,"));
	assert_non_null(strstr(text, ",iowait_pct,"));
	assert_non_null(strstr(text, ",mbtx_s,"));
	assert_null(strstr(text, ",model"));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	free(text);
	canned_end(&c);
}

static void
hidden_and_filtered(void **state)
{
	struct object *o[] = { canned_disk("sda"), canned_disk("loop0"), canned_disk("sdb") };
	struct object *part = object_new(&kind_partition, 0, "sdb1", "sdb1");
	struct interval *v = canned_interval(1, 0);
	struct canned c;
	regex_t re;
	char *text;

	(void)state;
	o[1]->hidden = true;
	part->parent = o[2]->uid;
	canned_table(v, &kind_disk, 3, o);
	canned_table(v, &kind_partition, 1, &part);
	assert_int_equal(regcomp(&re, "^(loop0|sdb)$", REG_EXTENDED), 0);
	canned_begin(&c);
	c.options.filter = &re;
	canned_open(&c, tidy_sink);
	canned_put(&c, v);
	text = canned_text(&c);
	assert_null(strstr(text, "sda"));
	assert_null(strstr(text, "loop0"));
	assert_non_null(strstr(text, ",disk,sdb,,"));
	assert_non_null(strstr(text, ",partition,sdb1,sdb,"));
	free(text);
	canned_end(&c);
	regfree(&re);
	object_unref(part);
	for (int i = 0; i < 3; i++)
		object_unref(o[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte),
		cmocka_unit_test(catalogue_header),
		cmocka_unit_test(hidden_and_filtered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
