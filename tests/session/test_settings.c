#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "session/settings.h"
#include "tests/nan_fails.h"

static size_t
take(struct settings *s, const char *text, char why[200])
{
	struct config *config = config_parse(text, strlen(text));
	size_t bad;

	why[0] = '\0';
	settings_init(s);
	bad = settings_take(s, config, why, 200);
	config_free(config);
	return bad;
}

static void
test_defaults(void **state)
{
	struct settings s;
	char why[200];

	(void)state;
	assert_int_equal(take(&s, "", why), 0);
	assert_int_equal(s.interval_ns, 0);
	assert_string_equal(s.view, "");
	assert_string_equal(s.charts, "auto");
	assert_true(s.mouse);
	assert_int_equal(s.naming, NAMING_KERNEL);
	assert_int_equal(s.full_rate_s, 172800);
	assert_int_equal(s.minute_s, 2592000);
	assert_int_equal(s.cap_bytes, UINT64_C(2147483648));
	assert_int_equal(s.thresholds.min_ios, 10);
	settings_clear(&s);
}

static void
test_everything(void **state)
{
	static const char text[] =
	    "[stortop]\ninterval = 5\nview = devices\nnames = wwn\ncharts = blocks\nbackground = light\nmouse = no\n"
	    "[thresholds]\nflash = 1.5 7\nnfs = 40 80\nleast_ios = 20\nintervals = 4\n"
	    "[retention]\nfull_rate = 12h\nminutes = 7d\ncap = 512m\n"
	    "[devices]\nfields = cmds_s gavg\n   actv\nsort = gavg reverse\n[cpu]\nsort = name\n";
	struct settings s;
	char why[200];

	(void)state;
	assert_int_equal(take(&s, text, why), 0);
	assert_int_equal(s.interval_ns, UINT64_C(5000000000));
	assert_string_equal(s.view, "devices");
	assert_string_equal(s.charts, "blocks");
	assert_string_equal(s.background, "light");
	assert_false(s.mouse);
	assert_int_equal(s.naming, NAMING_WWN);
	for (size_t i = 0; i < s.thresholds.n; i++) {
		bool flash = strcmp(s.thresholds.rows[i].class_key, "flash") == 0;
		bool memory = strcmp(s.thresholds.rows[i].class_key, "memory") == 0;

		if (flash) {
			assert_float_equal(s.thresholds.rows[i].warn_ms, 1.5, 1e-9);
			assert_float_equal(s.thresholds.rows[i].crit_ms, 7, 1e-9);
		} else if (strcmp(s.thresholds.rows[i].class_key, "nfs") == 0) {
			assert_float_equal(s.thresholds.rows[i].crit_ms, 80, 1e-9);
		} else if (memory) {
			assert_float_equal(s.thresholds.rows[i].warn_ms, 2, 1e-9);
		}
	}
	assert_int_equal(s.thresholds.min_ios, 20);
	assert_int_equal(s.thresholds.min_intervals, 4);
	assert_int_equal(s.full_rate_s, 43200);
	assert_int_equal(s.minute_s, 604800);
	assert_int_equal(s.cap_bytes, 536870912);
	assert_int_equal(s.n_views, 2);
	assert_string_equal(s.views[0].name, "devices");
	assert_string_equal(s.views[0].fields, "cmds_s gavg actv");
	assert_string_equal(s.views[0].sort, "gavg reverse");
	assert_null(s.views[1].fields);
	assert_string_equal(s.views[1].sort, "name");
	settings_clear(&s);
}

static void
test_what_is_wrong_is_named_and_keeps_its_default(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "[stortop]\ninterval = 0.05\n", "[stortop] interval = 0.05: a time from 0.1 s" },
		{ "[stortop]\ninterval = soon\n", "[stortop] interval = soon: a time from 0.1 s" },
		{ "[stortop]\ninterval = -1\n", "[stortop] interval = -1: a time from 0.1 s" },
		{ "[stortop]\ninterval = nan\n", "[stortop] interval = nan: a time from 0.1 s" },
		{ "[stortop]\nintervall = 1\n", "[stortop] intervall = 1: no such key" },
		{ "[stortop]\ncharts = dots\n", "[stortop] charts = dots: auto, braille, blocks or ascii" },
		{ "[thresholds]\nflash = 10 2\n", "[thresholds] flash = 10 2: two times in ms, warning and critical" },
		{ "[thresholds]\nflash = 10\n", "[thresholds] flash = 10: two times in ms, warning and critical" },
		{ "[thresholds]\nfloppy = 10 20\n", "[thresholds] floppy = 10 20: no such key" },
		{ "[thresholds]\nleast_ios = 0\n", "[thresholds] least_ios = 0: a number from 1" },
		{ "[retention]\ncap = lots\n", "[retention] cap = lots: a size such as 2g, 0 for no limit" },
		{ "[retention]\nfull_rate = 0\n", "[retention] full_rate = 0: a time such as 48h" },
		{ "[devices]\ncolour = red\n", "[devices] colour = red: no such key" },
		{ "[stortop]\nmouse\n", "line 2 cannot be understood" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct settings s, d;
		char why[200];

		settings_init(&d);
		assert_int_equal(take(&s, cases[i].text, why), 1);
		assert_string_equal(why, cases[i].why);
		assert_int_equal(s.interval_ns, 0);
		assert_string_equal(s.charts, "auto");
		assert_memory_equal(s.limits, d.limits, sizeof(d.limits));
		assert_int_equal(s.cap_bytes, d.cap_bytes);
		assert_int_equal(s.full_rate_s, d.full_rate_s);
		settings_clear(&s);
	}
}

static void
test_durations_and_sizes(void **state)
{
	static const char *const bad[] = { "", "k", "-1", "1q", "1kk", "4kibi", "4k ", "99999999999999999999", "99999999999p" };
	uint64_t v;

	(void)state;
	assert_true(settings_duration("0.1", &v));
	assert_int_equal(v, 100000000);
	assert_true(settings_duration("90s", &v));
	assert_int_equal(v, UINT64_C(90000000000));
	assert_true(settings_duration("2H", &v));
	assert_int_equal(v, UINT64_C(7200000000000));
	assert_false(settings_duration("2 h", &v));
	assert_false(settings_duration("2hm", &v));
	assert_false(settings_duration("", &v));
	assert_false(settings_duration("inf", &v));
	assert_true(settings_size("4k", &v));
	assert_int_equal(v, 4096);
	assert_true(settings_size("0", &v));
	assert_int_equal(v, 0);
	assert_true(settings_size("1.5G", &v));
	assert_int_equal(v, UINT64_C(1610612736));
	assert_true(settings_size("3gib", &v));
	assert_int_equal(v, UINT64_C(3221225472));
	assert_true(settings_size("2KB", &v));
	assert_int_equal(v, 2048);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(settings_size(bad[i], &v));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_everything),
		cmocka_unit_test(test_what_is_wrong_is_named_and_keeps_its_default),
		cmocka_unit_test(test_durations_and_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
