/* Choosing a test: what the lines promise is what happens. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/kinds/kinds.h"
#include "views/screen.h"

#define GIB (UINT64_C(1) << 30)
#define SECOND UINT64_C(1000000000)

struct form {
	struct screen screen;
	struct surface surface;
};

/* A machine of so many disks, sd0 and on. */
static void
feed(struct form *f, size_t disks)
{
	struct stamp end = { .mono_ns = SECOND };
	struct interval *v = interval_new(&end, SECOND);
	struct interval_table *t = interval_make_table(v, &kind_disk, disks, SECOND);

	for (size_t i = 0; i < disks; i++) {
		char name[32];

		snprintf(name, sizeof(name), "sd%zu", i);
		t->rows[i].object = object_new(&kind_disk, 0, name, name);
	}
	screen_feed(&f->screen, v);
	interval_unref(v);
}

static int
set_up(void **state)
{
	struct form *f = calloc(1, sizeof(*f));

	screen_init(&f->screen);
	feed(f, 1);
	f->screen.host = "db7";
	f->screen.interval_ns = 2 * SECOND;
	surface_init(&f->surface, 24, 80, true);
	*state = f;
	return 0;
}

static int
tear_down(void **state)
{
	struct form *f = *state;

	screen_clear(&f->screen);
	surface_free(&f->surface);
	free(f);
	return 0;
}

static void
press(struct form *f, uint32_t code)
{
	struct input in = { .code = code };

	screen_key(&f->screen, &in);
}

static void
start_stage(struct form *f)
{
	press(f, 't');
	press(f, INPUT_ENTER);
	press(f, INPUT_ENTER);
	assert_int_equal(f->screen.test.stage, STAGE_START);
}

/* There is a line that says this, and no more. */
static void
expect_line(struct form *f, const char *text)
{
	bool found = false;
	int y, x;

	screen_draw(&f->screen, &f->surface, &y, &x);
	for (int i = 0; i < f->surface.rows && !found; i++) {
		char *line = surface_line(&f->surface, i);

		found = line[0] == ' ' && strcmp(line + 1, text) == 0;
		free(line);
	}
	if (!found)
		fail_msg("nowhere:\n%s", text);
}

/* A line of the list at hand. */
static void
expect(struct form *f, const char *head, const char *text)
{
	char line[120];

	snprintf(line, sizeof(line), "%-*s%s", f->screen.test.stage == STAGE_TARGET ? 80 / 3 + 1 : 23, head, text);
	expect_line(f, line);
}

static void
test_size(void **state)
{
	static const struct {
		struct target_facts facts;
		const char *text;
	} cases[] = {
		{ { .kind = TARGET_DEVICE, .size_bytes = 10 * GIB }, "all of it, 10 GiB" },
		{ { .kind = TARGET_DEVICE, .remote = REMOTE_ISCSI }, "all of it" },
		{ { .kind = TARGET_FILE, .free_bytes = 100 * GIB }, "a quarter of what is free, at most 64 GiB" },
		/* a file that an earlier test kept */
		{ { .kind = TARGET_FILE, .free_bytes = 100 * GIB, .size_bytes = 3 * GIB }, "all of it, 3 GiB" },
		/* may be such a file too */
		{ { .kind = TARGET_FILE, .remote = REMOTE_NFS }, "of a new file a quarter of what is free, at most 64 GiB" },
		{ { .kind = TARGET_NULL, .size_bytes = 64 * GIB }, "all of it, 64 GiB" },
	};
	struct form *f = *state;
	struct test_page *p = &f->screen.test;

	start_stage(f);
	expect(f, "size", "default");
	p->facts_state = FACTS_KNOWN;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		p->facts = cases[i].facts;
		expect(f, "size", cases[i].text);
	}
	p->size_bytes = 2 * GIB;
	expect(f, "size", "2 GiB");
}

static void
test_duration(void **state)
{
	static const struct {
		const char *workload, *quick, *full;
	} cases[] = {
		{ "oltp-4k", "quick: 30 s", "full: 300 s" },
		{ "latency-qd1", "quick: 5 s", "full: 60 s" },
		{ "curve", "quick: 5 s each step", "full: 60 s each step" },
		{ "precondition", "until it ends by itself", "until it ends by itself" },
		{ "mine.fio", "as the job file says", "as the job file says" },
	};
	struct form *f = *state;
	struct test_page *p = &f->screen.test;

	start_stage(f);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		strcpy(p->workload, cases[i].workload);
		p->full = false;
		expect(f, "duration", cases[i].quick);
		p->full = true;
		expect(f, "duration", cases[i].full);
	}
	p->runtime_ns = 90 * SECOND;
	expect(f, "duration", "90 s");
}

/* Words from outside are measured in columns: 30 letters of two bytes and 30 of one go into a line of 78. */
static void
test_why(void **state)
{
	struct form *f = *state;
	struct test_page *p = &f->screen.test;
	const char *words[] = {
		"\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4"
		"\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4"
		"\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4",
		"aaaaaaaaaabbbbbbbbbbcccccccccc", "dddddddddddddddddd", "e",
	};
	char line[160];

	start_stage(f);
	snprintf(p->why, sizeof(p->why), "%s %s %s %s", words[0], words[1], words[2], words[3]);
	snprintf(line, sizeof(line), "%s %s", words[0], words[1]);
	expect_line(f, line);
	snprintf(line, sizeof(line), "%s %s", words[2], words[3]);
	expect_line(f, line);
}

/* However many disks there are, each has its line, and the last line can be reached. */
static void
test_many_disks(void **state)
{
	struct form *f = *state;
	struct test_page *p = &f->screen.test;

	feed(f, 1200);
	press(f, 't');
	press(f, INPUT_ENTER);
	p->survey = (struct test_survey) { .n = 1, .places = { { "/mnt/new", "last test" } } };
	press(f, INPUT_END);
	assert_int_equal(p->at[STAGE_TARGET], 1 + 1200 + 1);	/* the place, the disks, null: and "another" */
	expect(f, "another", "type a directory, a file, a device or a URL");
	press(f, INPUT_UP);
	press(f, INPUT_UP);
	press(f, INPUT_ENTER);
	assert_string_equal(p->target, "/dev/sd1199");
	press(f, INPUT_ESC);
	press(f, INPUT_HOME);
	assert_int_equal(p->at[STAGE_TARGET], 0);
	press(f, INPUT_DOWN);
	press(f, INPUT_ENTER);
	assert_string_equal(p->target, "/dev/sd0");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_size, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_duration, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_why, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_many_disks, set_up, tear_down),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("views/test_form", tests, NULL, NULL);
}
