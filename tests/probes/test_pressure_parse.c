#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/snapshot.h"
#include "probes/pressure_parse.h"

static struct pressure
pressure(const char *text)
{
	struct pressure out;

	pressure_parse(text, strlen(text), &out);
	return out;
}

static void
totals(void **state)
{
	struct pressure p = pressure("some avg10=37.93 avg60=10.04 avg300=2.60 total=17311908\n"
				     "full avg10=28.41 avg60=8.05 avg300=2.11 total=14415541\n");

	(void)state;
	assert_int_equal(p.some_us, 17311908);
	assert_int_equal(p.full_us, 14415541);
	p = pressure("some avg10=0.00 avg60=0.00 avg300=0.00 total=18446744073709551614");
	assert_int_equal(p.some_us, UINT64_MAX - 1);
	assert_int_equal(p.full_us, ABSENT);
	p = pressure("full avg10=0.00 total=7\n");
	assert_int_equal(p.some_us, ABSENT);
	assert_int_equal(p.full_us, 7);
}

static void
nonsense_is_absent(void **state)
{
	static const char *const texts[] = { "", "\n", "some", "some total", "some total=", "some total=x",
		"some total=5x", "some avg10=1 total=-5", "something total=5", "some avg10=1total=5",
		" some total=5", "some total=99999999999999999999" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct pressure p = pressure(texts[i]);

		assert_int_equal(p.some_us, ABSENT);
		assert_int_equal(p.full_us, ABSENT);
	}
}

static void
swap_pages(void **state)
{
	static const char text[] = "pgpgin 2367805\npgpgout 2068280\npswpin 31\npswpout 42\npswpin_x 5\n";
	struct swapping s;

	(void)state;
	swapping_parse(text, strlen(text), &s);
	assert_int_equal(s.in_pages, 31);
	assert_int_equal(s.out_pages, 42);
	swapping_parse("pswpinx 1\npswpout x\n", 20, &s);
	assert_int_equal(s.in_pages, ABSENT);
	assert_int_equal(s.out_pages, ABSENT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals),
		cmocka_unit_test(nonsense_is_absent),
		cmocka_unit_test(swap_pages),
	};

	return cmocka_run_group_tests_name("probes/pressure_parse", tests, NULL, NULL);
}
