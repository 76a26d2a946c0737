#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "canned.h"
#include "canned_test.h"
#include "core/kinds/kinds.h"
#include "views/apply.h"
#include "views/keys.h"
#include "views/prompt.h"
#include "views/screen.h"

#define SECOND UINT64_C(1000000000)

struct scene {
	struct canned *machine;
	struct history *history;
	struct verdicts *verdicts;
	struct screen screen;
	struct surface surface;
};

static void
next(struct scene *s)
{
	struct interval *v = canned_next(s->machine);

	history_feed(s->history, v);
	verdicts_feed(s->verdicts, v);
	screen_feed(&s->screen, v);
	interval_unref(v);
}

static int
scene_make(void **state)
{
	static struct scene s;

	memset(&s, 0, sizeof(s));
	s.machine = canned_new();
	s.history = history_new(300);
	s.verdicts = verdicts_new(NULL);
	screen_init(&s.screen);
	s.screen.host = "db7";
	s.screen.history = s.history;
	s.screen.verdicts = s.verdicts;
	s.screen.interval_ns = 2 * SECOND;
	s.screen.now_ns = 100 * SECOND;
	surface_init(&s.surface, 24, 80, true);
	next(&s);
	next(&s);
	*state = &s;
	return 0;
}

static int
scene_remove(void **state)
{
	struct scene *s = *state;

	surface_free(&s->surface);
	screen_clear(&s->screen);
	history_free(s->history);
	verdicts_free(s->verdicts);
	canned_free(s->machine);
	return 0;
}

static void
draw(struct scene *s)
{
	int y, x;

	screen_draw(&s->screen, &s->surface, &y, &x);
}

static void
press(struct scene *s, uint32_t code)
{
	struct input in = { .code = code };

	screen_key(&s->screen, &in);
}

static void
type(struct scene *s, const char *text)
{
	for (; *text != '\0'; text++)
		press(s, (unsigned char)*text);
}

/* Clicks where this text stands. */
static void
click_on(struct scene *s, const char *text)
{
	draw(s);
	for (int y = 0; y < s->surface.rows; y++) {
		for (int x = 0; x + (int)strlen(text) <= s->surface.cols; x++) {
			size_t n = 0;

			while (text[n] != '\0' && s->surface.cells[y * s->surface.cols + x + (int)n].ch == (uint32_t)text[n])
				n++;
			if (text[n] == '\0') {
				struct input in = { .code = INPUT_CLICK, .y = y, .x = x };

				screen_key(&s->screen, &in);
				return;
			}
		}
	}
	fail_msg("%s is nowhere on the screen", text);
}

static const char *
selected(struct scene *s)
{
	return table_selected(screen_table(&s->screen))->object->name;
}

static const char *
view_name(struct scene *s)
{
	return screen_table(&s->screen)->view->name;
}

/* A key is in the table once for each place it can be pressed in, and everything is explained. */
static void
test_key_table(void **state)
{
	(void)state;
	for (const struct key *a = key_table; a->action != NULL; a++) {
		assert_non_null(a->label);
		assert_non_null(a->help);
		assert_true(a->where != 0);
		assert_true((a->name != NULL) == (a->rank > 0));
		for (const struct key *b = a + 1; b->action != NULL; b++)
			for (size_t i = 0; i < KEY_CODES && a->codes[i] != 0; i++)
				for (size_t k = 0; k < KEY_CODES && b->codes[k] != 0; k++)
					if (a->codes[i] == b->codes[k] && (a->where & b->where))
						fail_msg("%s and %s share a key", a->label, b->label);
	}
}

/* No letter of esxtop's sorting is taken by another key. */
static void
test_sort_letters_are_free(void **state)
{
	struct scene *s = *state;

	for (size_t i = 0; i < SCREEN_VIEWS; i++) {
		const struct kind *kind = s->screen.tables[i].view->kind;

		screen_show(&s->screen, i);
		for (size_t k = 0; k < kind->n_columns; k++)
			if (kind->columns[k].sort_key != 0)
				assert_null(keys_find(&s->screen, (unsigned char)kind->columns[k].sort_key));
	}
}

static void
test_views(void **state)
{
	struct scene *s = *state;
	static const struct {
		uint32_t key;
		const char *name;
	} cases[] = {
		{ 'd', "adapters" }, { 'u', "devices" }, { 'm', "nfs" }, { 'i', "iscsi" },
		{ 'c', "cpu" }, { 'n', "network" }, { 'o', "overview" },
		{ INPUT_TAB, "adapters" }, { INPUT_BACK_TAB, "overview" }, { INPUT_BACK_TAB, "test" },
		{ INPUT_TAB, "overview" }, { 'y', "overview" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		press(s, cases[i].key);
		assert_string_equal(view_name(s), cases[i].name);
	}
	assert_string_equal(s->screen.notice, "y does nothing here; h shows the keys");
}

static void
test_enter_opens_the_device(void **state)
{
	struct scene *s = *state;

	press(s, INPUT_DOWN);
	assert_string_equal(selected(s), "dm-0");
	press(s, INPUT_ENTER);
	assert_string_equal(view_name(s), "devices");
	assert_string_equal(selected(s), "dm-0");
	assert_int_equal(screen_table(&s->screen)->n, 10);	/* six devices and four paths */
	press(s, 'e');
	assert_int_equal(screen_table(&s->screen)->n, 6);
	press(s, '6');
	assert_int_equal(screen_table(&s->screen)->n, 10);
}

/* A mount stands among the busiest devices, and opens on its own screen with its operations and its connection. */
static void
test_enter_opens_the_mount(void **state)
{
	struct scene *s = *state;

	press(s, INPUT_DOWN);
	press(s, INPUT_DOWN);
	press(s, INPUT_ENTER);
	assert_string_equal(view_name(s), "nfs");
	assert_string_equal(selected(s), "/mnt/vol1");
	assert_int_equal(screen_table(&s->screen)->n, 5);
	press(s, 'N');
	press(s, INPUT_END);
	assert_string_equal(selected(s), "tcp 10.9.0.1");
}

/* n is the next match while a search is on, and the network otherwise. */
static void
test_search(void **state)
{
	struct scene *s = *state;

	press(s, 'u');
	type(s, "/lio");
	assert_string_equal(selected(s), "sdf");	/* while typing */
	press(s, INPUT_ENTER);
	press(s, 'n');
	assert_string_equal(selected(s), "sdq");
	press(s, INPUT_ESC);
	press(s, 'n');
	assert_string_equal(view_name(s), "network");
	/* left alone, the selection goes back to where it was */
	press(s, 'u');
	type(s, "/nvme");
	assert_string_equal(selected(s), "nvme0n1");
	press(s, INPUT_ESC);
	assert_string_equal(selected(s), "sdq");
	assert_null(screen_table(&s->screen)->search);
}

static void
test_filter_and_escape(void **state)
{
	struct scene *s = *state;

	press(s, 'u');
	type(s, "\\oracle");
	press(s, INPUT_ENTER);
	assert_int_equal(screen_table(&s->screen)->n, 1);
	type(s, "\\[");
	press(s, INPUT_ENTER);	/* "oracle[": what was there is edited */
	assert_non_null(strstr(s->screen.notice, "oracle["));
	assert_int_equal(screen_table(&s->screen)->n, 1);
	press(s, INPUT_ESC);
	assert_int_equal(screen_table(&s->screen)->n, 6);
	press(s, INPUT_ESC);
	assert_false(s->screen.requests.quit);
}

static void
test_interval(void **state)
{
	struct scene *s = *state;

	type(s, "s0.5");
	press(s, INPUT_ENTER);
	assert_int_equal(s->screen.requests.interval_ns, SECOND / 2);
	s->screen.requests.interval_ns = 0;
	type(s, "s0.01");
	press(s, INPUT_ENTER);
	assert_int_equal(s->screen.requests.interval_ns, 0);
	assert_string_equal(s->screen.notice, "0.01: not a time from 0.1 s to an hour");
	/* typed wrong, taken back, typed again */
	type(s, "s7x");
	press(s, INPUT_BACKSPACE);
	press(s, INPUT_ENTER);
	assert_int_equal(s->screen.requests.interval_ns, 7 * SECOND);
}

static void
test_requests(void **state)
{
	struct scene *s = *state;

	press(s, ' ');
	assert_true(s->screen.requests.refresh);
	press(s, 'W');
	assert_true(s->screen.requests.save);
	press(s, INPUT_CTRL('L'));
	assert_true(s->screen.requests.redraw);
	assert_false(s->screen.requests.quit);
	press(s, 'h');
	press(s, 'q');
	assert_true(s->screen.requests.quit);
}

static void
test_pause_holds_the_screen(void **state)
{
	struct scene *s = *state;
	struct interval *held = s->screen.shown;

	press(s, 'z');
	next(s);
	assert_ptr_equal(s->screen.shown, held);
	assert_true(s->screen.live != held);
	/* what is asked of the held figures works */
	press(s, 'u');
	assert_int_equal(screen_table(&s->screen)->n, 6);
	press(s, 'z');
	assert_ptr_equal(s->screen.shown, s->screen.live);
	next(s);
	assert_ptr_equal(s->screen.shown, s->screen.live);
}

static void
test_clicks(void **state)
{
	struct scene *s = *state;

	click_on(s, "devices");
	assert_string_equal(view_name(s), "devices");
	click_on(s, "nvme0n1");
	assert_string_equal(selected(s), "nvme0n1");
	click_on(s, "nvme0n1");		/* again: opens */
	assert_int_equal(screen_table(&s->screen)->n, 7);
	click_on(s, "WRITES/s");
	assert_int_equal(screen_table(&s->screen)->sort, kind_column(&kind_disk, "writes_s"));
	assert_false(screen_table(&s->screen)->reverse);
	click_on(s, "WRITES/s");
	assert_true(screen_table(&s->screen)->reverse);
	click_on(s, "DEVICE");
	assert_int_equal(screen_table(&s->screen)->sort, SORT_NAME);
	assert_string_equal(selected(s), "nvme0n1");
	press(s, 'h');
	click_on(s, "network");
	assert_string_equal(view_name(s), "network");
	assert_int_equal(s->screen.overlay, OVERLAY_NONE);
	click_on(s, "q quit");
	assert_true(s->screen.requests.quit);
}

static void
test_wheel(void **state)
{
	struct scene *s = *state;

	press(s, INPUT_WHEEL_DOWN);
	press(s, INPUT_WHEEL_DOWN);
	assert_string_equal(selected(s), "/mnt/vol1");
	press(s, INPUT_WHEEL_UP);
	assert_string_equal(selected(s), "dm-0");
}

static void
test_fields(void **state)
{
	struct scene *s = *state;
	struct fields *f;
	char *text;

	f = &screen_table(&s->screen)->fields;
	press(s, 'f');
	press(s, INPUT_DOWN);
	press(s, ' ');		/* READS/s goes */
	press(s, INPUT_HOME);
	press(s, INPUT_RIGHT);	/* CMDS/s behind it */
	press(s, 'd');		/* MBREAD/s goes: its letter is the fourth */
	text = fields_format(f);
	assert_string_equal(text, "cmds_s writes_s mbwrtn_s gavg");
	free(text);
	assert_int_equal(f->order[1], kind_column(&kind_disk, "cmds_s"));
	press(s, '=');
	assert_false(f->by_user);
	press(s, INPUT_ESC);
	assert_int_equal(s->screen.overlay, OVERLAY_NONE);
}

static void
test_help_search(void **state)
{
	struct scene *s = *state;
	size_t first;

	press(s, '?');
	draw(s);
	type(s, "/GAVG");
	press(s, INPUT_ENTER);
	first = s->screen.help_top;
	assert_true(first > 0);
	press(s, 'n');
	assert_true(s->screen.help_top > first);
	type(s, "/no such thing");
	press(s, INPUT_ENTER);
	assert_string_equal(s->screen.notice, "no such thing: not in the help");
	press(s, INPUT_ESC);
	assert_int_equal(s->screen.overlay, OVERLAY_NONE);
}

static const struct config_change *
change_of(const struct config_change *list, size_t n, const char *section, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].section, section) == 0 && strcmp(list[i].key, key) == 0)
			return &list[i];
	return NULL;
}

/* What W writes is what another start takes. */
static void
test_configuration_goes_round(void **state)
{
	struct scene *s = *state;
	struct config_change *list;
	struct settings settings;
	struct config *config;
	struct screen again;
	char why[200] = "", *text;
	size_t n;

	press(s, 'u');
	press(s, 'L');
	press(s, 'I');
	press(s, 'K');
	press(s, 'G');
	press(s, 'f');
	press(s, ' ');
	press(s, INPUT_ESC);
	list = screen_changes(&s->screen, &n);
	assert_string_equal(change_of(list, n, "stortop", "interval")->value, "2");
	assert_string_equal(change_of(list, n, "stortop", "view")->value, "devices");
	assert_string_equal(change_of(list, n, "devices", "sort")->value, "gavg reverse");
	assert_null(change_of(list, n, "cpu", "sort"));
	text = config_rewrite("", list, n);
	config = config_parse(text, strlen(text));
	settings_init(&settings);
	assert_int_equal(settings_take(&settings, config, why, sizeof(why)), 0);
	screen_init(&again);
	assert_int_equal(screen_apply(&again, &settings, why, sizeof(why)), 0);
	assert_string_equal(screen_table(&again)->view->name, "devices");
	assert_int_equal(screen_table(&again)->sort, kind_column(&kind_disk, "gavg"));
	assert_true(screen_table(&again)->reverse);
	assert_int_equal(again.naming, NAMING_MAPPER);
	assert_int_equal(again.charts, CHARSET_BRAILLE);
	assert_false(screen_table(&again)->fields.chosen[kind_column(&kind_disk, "paths")]);
	assert_true(screen_table(&again)->fields.chosen[kind_column(&kind_disk, "actv")]);
	screen_clear(&again);
	settings_clear(&settings);
	config_free(config);
	changes_free(list, n);
	free(text);
}

static void
test_configuration_that_means_nothing(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "[stortop]\nview = disks\n", "[stortop] view: there is no disks" },
		{ "[devices]\nfields = cmds_s iops gavg\n", "[devices] fields: there is no iops" },
		{ "[devices]\nsort = speed reverse\n", "[devices] sort: there is no speed" },
		{ "[disks]\nsort = name\n", "[disks]: there is no such screen" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct config *config = config_parse(cases[i].text, strlen(cases[i].text));
		struct settings settings;
		struct screen screen;
		char why[200] = "";

		settings_init(&settings);
		assert_int_equal(settings_take(&settings, config, why, sizeof(why)), 0);
		screen_init(&screen);
		assert_int_equal(screen_apply(&screen, &settings, why, sizeof(why)), 1);
		assert_string_equal(why, cases[i].why);
		screen_clear(&screen);
		settings_clear(&settings);
		config_free(config);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scene_make, scene_remove)

/* From t to the request that starts it: nothing starts before the target has answered. */
static void
test_test_is_chosen(void **state)
{
	struct scene *s = *state;
	struct test_page *p = &s->screen.test;

	press(s, 't');
	press(s, INPUT_DOWN);
	press(s, INPUT_DOWN);
	press(s, INPUT_ENTER);
	assert_string_equal(p->workload, "oltp-4k");
	assert_true(s->screen.requests.survey);
	press(s, INPUT_END);
	press(s, INPUT_ENTER);
	type(s, "/mnt/q");	/* q and o are letters here */
	press(s, INPUT_ENTER);
	assert_string_equal(p->target, "/mnt/q");
	assert_true(s->screen.requests.describe);
	press(s, INPUT_ENTER);
	assert_false(s->screen.requests.start_test);
	assert_string_equal(s->screen.notice, "/mnt/q has not answered yet");
	p->facts_state = FACTS_KNOWN;
	press(s, INPUT_ENTER);
	assert_true(s->screen.requests.start_test);
	assert_false(s->screen.requests.quit);
}

static void
test_test_is_set(void **state)
{
	struct scene *s = *state;
	struct test_page *p = &s->screen.test;

	press(s, 't');
	press(s, INPUT_ENTER);
	press(s, INPUT_ENTER);
	press(s, INPUT_DOWN);
	press(s, INPUT_RIGHT);
	assert_true(p->full);
	press(s, INPUT_ENTER);
	type(s, "90");
	press(s, INPUT_ENTER);
	assert_false(p->full);
	assert_true(p->runtime_ns == 90 * SECOND);
	press(s, INPUT_DOWN);
	press(s, INPUT_RIGHT);
	press(s, INPUT_RIGHT);
	assert_int_equal(p->workers, 2);
	press(s, INPUT_DOWN);
	press(s, INPUT_ENTER);
	type(s, "32x");
	press(s, INPUT_ENTER);
	assert_int_equal(p->depth, 0);
	press(s, INPUT_ENTER);
	type(s, "32");
	press(s, INPUT_ENTER);
	assert_int_equal(p->depth, 32);
	press(s, INPUT_ESC);
	assert_int_equal(p->stage, STAGE_TARGET);
}

/* The word counts for the device it was asked of, and only as asked. */
static void
test_test_is_confirmed(void **state)
{
	struct scene *s = *state;
	struct test_page *p = &s->screen.test;
	struct target_facts sdg = { .path = "/dev/sdg" }, sdh = { .path = "/dev/sdh" };

	assert_false(test_page_confirm(p, &sdg, "1.0 GiB", "ABC"));
	assert_true(p->asked);
	prompt_open(&s->screen, PROMPT_CONFIRM);
	type(s, "abc");
	press(s, INPUT_ENTER);
	assert_false(s->screen.requests.start_test);
	assert_string_equal(p->why, "not started: abc was typed, not ABC");
	assert_false(test_page_confirm(p, &sdg, "1.0 GiB", "ABC"));
	prompt_open(&s->screen, PROMPT_CONFIRM);
	type(s, "ABC");
	press(s, INPUT_ENTER);
	assert_true(s->screen.requests.start_test);
	assert_true(test_page_confirm(p, &sdg, "1.0 GiB", "ABC"));
	assert_false(test_page_confirm(p, &sdh, "1.0 GiB", "ABC"));	/* asked anew: the answer is gone */
	assert_false(test_page_confirm(p, &sdg, "1.0 GiB", "ABC"));
	press(s, 't');
	prompt_open(&s->screen, PROMPT_CONFIRM);
	press(s, INPUT_ESC);
	assert_false(p->asked);
}

/* The list of targets grows while somebody looks at it: the line chosen stays chosen. */
static void
test_target_stays_selected(void **state)
{
	struct scene *s = *state;
	struct test_page *p = &s->screen.test;
	struct test_survey found = { .n = 2, .places = { { "/mnt/new", "last test" }, { "/srv", "xfs" } } };

	press(s, 't');
	press(s, INPUT_ENTER);
	press(s, INPUT_DOWN);
	press(s, INPUT_ENTER);
	assert_string_equal(p->target, "/dev/sdc");
	press(s, INPUT_ESC);
	test_form_survey(&s->screen, &found);
	press(s, INPUT_ENTER);
	assert_string_equal(p->target, "/dev/sdc");
	press(s, INPUT_ESC);
	press(s, INPUT_HOME);
	press(s, INPUT_DOWN);
	found.n = 1;
	test_form_survey(&s->screen, &found);	/* gone: the first */
	press(s, INPUT_ENTER);
	assert_string_equal(p->target, "/mnt/new");
}

/* Enter shows the details and takes them away; in both the test can be stopped, and nothing else is lost. */
static void
test_test_has_details(void **state)
{
	struct scene *s = *state;
	struct canned_test *t = canned_test_new(&s->screen, s->history, CANNED_RUNNING);

	press(s, 't');
	press(s, INPUT_ENTER);
	assert_true(s->screen.test.details);
	press(s, INPUT_DOWN);
	assert_int_equal(s->screen.test.result_top, 1);
	draw(s);
	assert_int_equal(s->screen.test.result_top, 0);	/* it is all on the screen */
	press(s, 'x');
	assert_true(s->screen.requests.stop_test);
	press(s, INPUT_ESC);
	assert_false(s->screen.test.details);
	assert_false(s->screen.requests.clear_test);
	press(s, INPUT_ENTER);
	canned_test_end(t, &s->screen);
	assert_false(s->screen.test.details);	/* the result comes first */
	canned_test_free(t);
	test_page_status(&s->screen, NULL, false, NULL, NULL, 0);
}

static void
test_test_runs(void **state)
{
	struct scene *s = *state;
	struct canned_test *t = canned_test_new(&s->screen, s->history, CANNED_RUNNING);

	press(s, 't');
	assert_int_equal(screen_table(&s->screen)->n, 3);	/* the sum and two workers */
	press(s, 'q');
	assert_false(s->screen.requests.quit);
	press(s, 'n');
	assert_false(s->screen.requests.quit);
	assert_string_equal(view_name(s), "test");
	press(s, 'x');
	assert_true(s->screen.requests.stop_test);
	press(s, 'o');
	press(s, 'q');
	press(s, 'y');
	assert_true(s->screen.requests.quit);
	canned_test_free(t);
	test_page_status(&s->screen, NULL, false, NULL, NULL, 0);
}

/* The first g is the graph, the second the histogram, the third none; rows without histograms have no second. */
static void
test_histogram(void **state)
{
	struct scene *s = *state;
	struct canned_test *t = canned_test_new(&s->screen, s->history, CANNED_RUNNING);

	press(s, 't');
	press(s, 'g');
	assert_true(s->screen.graph);
	assert_false(s->screen.histogram.on);
	press(s, 'g');
	assert_true(s->screen.histogram.on);
	assert_int_equal(s->screen.histogram.n, 1);
	for (int i = 0; i < HISTOGRAM_TICKS + 3; i++)
		screen_feed(&s->screen, s->screen.live);
	assert_int_equal(s->screen.histogram.n, HISTOGRAM_TICKS);
	press(s, 'g');
	assert_false(s->screen.graph);
	assert_int_equal(s->screen.histogram.n, 0);
	press(s, 'u');
	press(s, 'g');
	press(s, 'g');
	assert_false(s->screen.histogram.on);
	assert_false(s->screen.graph);
	canned_test_free(t);
	test_page_status(&s->screen, NULL, false, NULL, NULL, 0);
}

static bool
shows(struct scene *s, const char *text)
{
	bool found = false;

	draw(s);
	for (int y = 0; y < s->surface.rows && !found; y++) {
		char *line = surface_line(&s->surface, y);

		found = strstr(line, text) != NULL;
		free(line);
	}
	return found;
}

/* The best of many earlier runs is on the screen when they come, later than the key. */
static void
test_best_earlier_run_is_shown(void **state)
{
	struct scene *s = *state;
	struct canned_test *t = canned_test_new(&s->screen, s->history, CANNED_ENDED);
	struct test_earlier *e = &s->screen.test.earlier;

	press(s, 't');
	press(s, '=');
	assert_true(shows(s, " looking"));
	canned_test_earlier(&s->screen);
	for (e->n = 3; e->n < TEST_EARLIER; e->n++)
		e->lines[e->n] = e->lines[2];
	assert_true(shows(s, "EARLIER RUNS"));
	assert_true(shows(s, " 3 /mnt/flash"));
	press(s, INPUT_PAGE_DOWN);
	assert_false(shows(s, " 3 /mnt/flash"));
	press(s, INPUT_ENTER);
	assert_false(shows(s, "EARLIER RUNS"));
	press(s, INPUT_ENTER);
	assert_true(shows(s, " 3 /mnt/flash"));
	press(s, '=');
	assert_false(shows(s, "EARLIER RUNS"));
	canned_test_free(t);
	test_page_status(&s->screen, NULL, false, NULL, NULL, 0);
}

/* A page down begins with the last line of the page before; however high the screen is. */
static void
test_pages_of_a_result(void **state)
{
	static const int heights[] = { 12, 18 };
	struct scene *s = *state;
	struct canned_test *t = canned_test_new(&s->screen, s->history, CANNED_ENDED);

	press(s, 't');
	press(s, INPUT_ENTER);
	for (size_t i = 0; i < sizeof(heights) / sizeof(heights[0]); i++) {
		char *last, *first;

		surface_free(&s->surface);
		surface_init(&s->surface, heights[i], 80, true);
		draw(s);
		/* header, tabs, title and state above; below them the text */
		last = surface_line(&s->surface, 4 + s->screen.page - 1);
		press(s, INPUT_PAGE_DOWN);
		draw(s);
		first = surface_line(&s->surface, 4);
		assert_string_equal(first, last);
		assert_int_equal(s->screen.test.result_top, s->screen.page - 1);
		free(first);
		free(last);
		press(s, INPUT_PAGE_UP);
		draw(s);
		assert_int_equal(s->screen.test.result_top, 0);
	}
	canned_test_free(t);
	test_page_status(&s->screen, NULL, false, NULL, NULL, 0);
}

static void
test_test_has_ended(void **state)
{
	struct scene *s = *state;
	struct canned_test *t = canned_test_new(&s->screen, s->history, CANNED_ENDED);

	assert_string_equal(s->screen.notice, "the test has ended: t shows its result");
	press(s, 't');
	press(s, '=');
	assert_true(s->screen.requests.earlier);
	assert_string_equal(s->screen.test.earlier.workload, "oltp-4k");
	press(s, INPUT_ESC);
	assert_true(s->screen.requests.clear_test);
	press(s, 'q');
	assert_true(s->screen.requests.quit);
	canned_test_free(t);
	test_page_status(&s->screen, NULL, false, NULL, NULL, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_key_table),
		TEST(test_sort_letters_are_free),
		TEST(test_views),
		TEST(test_enter_opens_the_device),
		TEST(test_enter_opens_the_mount),
		TEST(test_search),
		TEST(test_filter_and_escape),
		TEST(test_interval),
		TEST(test_requests),
		TEST(test_pause_holds_the_screen),
		TEST(test_clicks),
		TEST(test_wheel),
		TEST(test_fields),
		TEST(test_help_search),
		TEST(test_configuration_goes_round),
		TEST(test_test_is_chosen),
		TEST(test_test_is_set),
		TEST(test_test_is_confirmed),
		TEST(test_target_stays_selected),
		TEST(test_test_has_details),
		TEST(test_test_runs),
		TEST(test_best_earlier_run_is_shown),
		TEST(test_pages_of_a_result),
		TEST(test_test_has_ended),
		TEST(test_histogram),
		cmocka_unit_test(test_configuration_that_means_nothing),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
