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
#include "core/kinds/kinds.h"
#include "views/table.h"

struct scene {
	struct canned *machine;
	struct interval *interval;
	struct table table;
};

static void
make(struct scene *s, const struct view *view)
{
	s->machine = canned_new();
	interval_unref(canned_next(s->machine));
	s->interval = canned_next(s->machine);
	table_init(&s->table, view);
	table_build(&s->table, s->interval);
}

static void
next(struct scene *s)
{
	struct interval *before = s->interval;

	s->interval = canned_next(s->machine);
	table_build(&s->table, s->interval);
	interval_unref(before);
}

static void
drop(struct scene *s)
{
	table_clear(&s->table);
	interval_unref(s->interval);
	canned_free(s->machine);
}

/* The names of all lines, "sda >sda2": a sign for each step of depth. */
static void
assert_lines(struct table *t, const char *expected)
{
	char text[1000] = "";

	for (size_t i = 0; i < t->n; i++) {
		if (i > 0)
			strcat(text, " ");
		for (int k = 0; k < t->lines[i].depth; k++)
			strcat(text, ">");
		strcat(text, t->lines[i].name);
	}
	assert_string_equal(text, expected);
}

static void
select_name(struct table *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++) {
		if (strcmp(t->lines[i].row->object->name, name) == 0) {
			table_select(t, i);
			return;
		}
	}
	fail_msg("no line %s", name);
}

static void
open_name(struct scene *s, const char *name)
{
	select_name(&s->table, name);
	assert_true(table_toggle(&s->table));
	table_build(&s->table, s->interval);
}

/* Only what counts stands at the top; the busiest first; names decide between equals. */
static void
test_top_level(void **state)
{
	struct scene s;

	(void)state;
	make(&s, &view_devices);
	assert_lines(&s.table, "sda dm-0 sdf nvme0n1 sdc sdq");
	s.table.all = true;
	table_build(&s.table, s.interval);
	assert_lines(&s.table, "sda dm-0 sdf nvme0n1 sdc loop0 sdq");
	drop(&s);
}

static void
test_sorting(void **state)
{
	struct scene s;
	int gavg = kind_column(&kind_disk, "gavg");

	(void)state;
	make(&s, &view_devices);
	table_sort(&s.table, SORT_NAME);
	table_build(&s.table, s.interval);
	assert_lines(&s.table, "dm-0 nvme0n1 sda sdc sdf sdq");
	s.table.reverse = true;
	table_build(&s.table, s.interval);
	assert_lines(&s.table, "sdq sdf sdc sda nvme0n1 dm-0");
	/* sdq has had something in flight for two intervals: it stands before all latencies, either way */
	table_sort(&s.table, gavg);
	table_build(&s.table, s.interval);
	assert_lines(&s.table, "sdq sdf sdc sda dm-0 nvme0n1");
	s.table.reverse = true;
	table_build(&s.table, s.interval);
	assert_lines(&s.table, "sdq nvme0n1 dm-0 sda sdc sdf");
	/* what is not known stands last, either way: only dm-0 has a DAVG */
	table_sort(&s.table, kind_column(&kind_disk, "davg"));
	s.table.reverse = true;
	table_build(&s.table, s.interval);
	assert_string_equal(s.table.lines[1].name, "dm-0");	/* behind what stands still */
	drop(&s);
}

static void
test_sort_next_goes_round_the_columns_drawn(void **state)
{
	struct scene s;
	struct layout l;

	(void)state;
	make(&s, &view_overview);
	table_layout(&s.table, 200, false, &l);
	layout_clear(&l);
	assert_int_equal(s.table.n_columns, 6);
	assert_int_equal(s.table.sort, s.table.columns[0]);
	table_sort_next(&s.table, -1);
	assert_int_equal(s.table.sort, SORT_NAME);
	table_sort_next(&s.table, -1);
	assert_int_equal(s.table.sort, s.table.columns[5]);
	table_sort_next(&s.table, 1);
	table_sort_next(&s.table, 1);
	table_sort_next(&s.table, 1);
	assert_int_equal(s.table.sort, s.table.columns[1]);
	drop(&s);
}

static void
test_sort_as_text(void **state)
{
	struct table t;
	char *text;

	(void)state;
	table_init(&t, &view_devices);
	assert_true(table_sort_parse(&t, "gavg reverse"));
	assert_int_equal(t.sort, kind_column(&kind_disk, "gavg"));
	assert_true(t.reverse);
	text = table_sort_format(&t);
	assert_string_equal(text, "gavg reverse");
	free(text);
	assert_false(table_sort_parse(&t, "speed"));
	assert_false(table_sort_parse(&t, "gavg backwards"));
	assert_int_equal(t.sort, kind_column(&kind_disk, "gavg"));
	assert_true(table_sort_parse(&t, "name"));
	assert_int_equal(t.sort, SORT_NAME);
	assert_false(t.reverse);
	table_clear(&t);
}

static void
test_tree_of_devices(void **state)
{
	struct scene s;

	(void)state;
	make(&s, &view_devices);
	open_name(&s, "sda");
	assert_lines(&s.table, "sda >sda2 >sda1 dm-0 sdf nvme0n1 sdc sdq");
	open_name(&s, "sda2");
	assert_lines(&s.table, "sda >sda2 >>dm-1 >sda1 dm-0 sdf nvme0n1 sdc sdq");
	open_name(&s, "dm-0");
	assert_lines(&s.table, "sda >sda2 >>dm-1 >sda1 dm-0 >sdk >sdl >sdm >sdn sdf nvme0n1 sdc sdq");
	/* closed, what was open below it is remembered */
	open_name(&s, "sda");
	assert_lines(&s.table, "sda dm-0 >sdk >sdl >sdm >sdn sdf nvme0n1 sdc sdq");
	open_name(&s, "sda");
	assert_lines(&s.table, "sda >sda2 >>dm-1 >sda1 dm-0 >sdk >sdl >sdm >sdn sdf nvme0n1 sdc sdq");
	select_name(&s.table, "sdq");
	assert_false(table_toggle(&s.table));
	drop(&s);
}

/* An adapter without devices stays away, unless it has a port that may be down. */
static void
test_tree_of_adapters(void **state)
{
	struct scene s;

	(void)state;
	make(&s, &view_adapters);
	assert_lines(&s.table, "device-mapper host0 host3 host6 nvme0 host4");
	open_name(&s, "host0");
	open_name(&s, "device-mapper");
	open_name(&s, "sda");
	open_name(&s, "sda2");
	/* dm-1 stands at two places, and each has a life of its own */
	assert_lines(&s.table, "device-mapper >dm-1 >dm-0 host0 >sda >>sda2 >>>dm-1 >>sda1 >sdc host3 host6 nvme0 host4");
	assert_true(s.table.lines[1].key != s.table.lines[6].key);
	drop(&s);
}

static void
test_selection_survives_sorting(void **state)
{
	struct scene s;

	(void)state;
	make(&s, &view_devices);
	/* at the start it stays with the place: whatever is busiest */
	assert_string_equal(table_selected(&s.table)->object->name, "sda");
	table_sort(&s.table, SORT_NAME);
	table_build(&s.table, s.interval);
	assert_string_equal(table_selected(&s.table)->object->name, "dm-0");
	table_move(&s.table, 1);
	assert_string_equal(table_selected(&s.table)->object->name, "nvme0n1");
	table_sort(&s.table, kind_column(&kind_disk, "gavg"));
	table_build(&s.table, s.interval);
	assert_string_equal(table_selected(&s.table)->object->name, "nvme0n1");
	assert_int_equal(s.table.selected, 5);
	next(&s);
	assert_string_equal(table_selected(&s.table)->object->name, "nvme0n1");
	/* it goes: the place is kept as far as there is one */
	table_take_away(&s.table);
	table_build(&s.table, s.interval);
	assert_string_equal(table_selected(&s.table)->object->name, "dm-0");
	table_home(&s.table);
	assert_string_equal(table_selected(&s.table)->object->name, "sdq");
	drop(&s);
}

/* With more rows than lines the selected one keeps its place on the screen. */
static void
test_selection_keeps_its_place_on_the_screen(void **state)
{
	struct table_draw d = { .charset = CHARSET_ASCII };
	struct surface surface;
	struct scene s;

	(void)state;
	make(&s, &view_devices);
	surface_init(&surface, 4, 80, false);
	table_end(&s.table);
	table_move(&s.table, -1);
	table_draw(&s.table, &surface, 0, 4, &d);
	assert_int_equal(s.table.top, 2);	/* three of six lines, the last at the bottom */
	assert_int_equal(s.table.selected, 4);
	table_sort(&s.table, SORT_NAME);
	table_build(&s.table, s.interval);
	assert_string_equal(table_selected(&s.table)->object->name, "sdc");
	assert_int_equal(s.table.selected - s.table.top, 2);
	surface_free(&surface);
	drop(&s);
}

static void
test_filter(void **state)
{
	struct scene s;
	char why[100];

	(void)state;
	make(&s, &view_devices);
	assert_int_equal(table_filter(&s.table, "mysql", why, sizeof(why)), 0);
	table_build(&s.table, s.interval);
	assert_lines(&s.table, "sda");
	/* kept for the sake of a path: that is shown, its brothers are not */
	assert_int_equal(table_filter(&s.table, "^sd[lm]$", why, sizeof(why)), 0);
	table_build(&s.table, s.interval);
	assert_lines(&s.table, "dm-0 >sdl >sdm");
	/* a broken one is refused, and the one before stays */
	assert_true(table_filter(&s.table, "sd[", why, sizeof(why)) < 0);
	assert_true(why[0] != '\0');
	assert_string_equal(s.table.filter_text, "^sd[lm]$");
	assert_int_equal(table_filter(&s.table, "", why, sizeof(why)), 0);
	table_build(&s.table, s.interval);
	assert_int_equal(s.table.n, 6);
	drop(&s);
}

static void
test_search(void **state)
{
	struct scene s;

	(void)state;
	make(&s, &view_devices);
	table_search(&s.table, "LIO");
	assert_true(table_find(&s.table, false));
	assert_string_equal(table_selected(&s.table)->object->name, "sdf");
	assert_true(table_find(&s.table, true));
	assert_string_equal(table_selected(&s.table)->object->name, "sdq");
	assert_true(table_find(&s.table, true));
	assert_string_equal(table_selected(&s.table)->object->name, "sdf");
	table_search(&s.table, "floppy");
	assert_false(table_find(&s.table, true));
	assert_string_equal(table_selected(&s.table)->object->name, "sdf");
	drop(&s);
}

static void
test_limit_and_taking_away(void **state)
{
	struct scene s;

	(void)state;
	make(&s, &view_devices);
	s.table.limit = 2;
	open_name(&s, "dm-0");
	assert_lines(&s.table, "sda dm-0 >sdk >sdl >sdm >sdn");
	s.table.limit = 0;
	select_name(&s.table, "sdl");
	table_take_away(&s.table);
	table_build(&s.table, s.interval);
	assert_lines(&s.table, "sda dm-0 >sdk >sdm >sdn sdf nvme0n1 sdc sdq");
	s.table.all = true;
	table_build(&s.table, s.interval);
	assert_lines(&s.table, "sda dm-0 >sdk >sdl >sdm >sdn sdf nvme0n1 sdc loop0 sdq");
	drop(&s);
}

static void
test_names(void **state)
{
	struct scene s;

	(void)state;
	make(&s, &view_devices);
	s.table.naming = NAMING_MAPPER;
	table_build(&s.table, s.interval);
	assert_lines(&s.table, "/boot /var/mysql mpatha /backup / sdc sdq");
	s.table.naming = NAMING_WWN;
	table_build(&s.table, s.interval);
	assert_lines(&s.table, "naa.5002538c40a1b2c3 naa.600a098000b1c2d3 sdf eui.0000000001000000e4d25c "
	    "naa.5000c500a1b2c3d4 sdq");
	drop(&s);
}

/* Which columns a screen of so many columns has; the name always. */
static void
assert_columns(struct table *t, int columns, const char *expected, bool what)
{
	char text[400] = "";
	struct layout l;

	table_layout(t, columns, false, &l);
	for (size_t i = 0; i < l.n; i++) {
		const struct place *p = &l.places[i];

		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i > 0 ? " " : "",
		    t->view->kind->columns[p->column].title);
		assert_true(p->x + p->width < columns);
		assert_true(i == 0 || p->x > l.places[i - 1].x + l.places[i - 1].width);
	}
	assert_string_equal(text, expected);
	assert_true(l.name_width >= 6);
	assert_int_equal(l.what_width > 0, what);
	layout_clear(&l);
}

static void
test_narrow_screens_drop_the_least_important(void **state)
{
	struct table_draw d = { .charset = CHARSET_ASCII };
	struct surface surface;
	struct scene s;

	(void)state;
	make(&s, &view_overview);
	surface_init(&surface, 10, 200, false);
	table_draw(&s.table, &surface, 0, 10, &d);	/* to measure names and texts */
	assert_columns(&s.table, 200, "CMDS/s READS/s WRITES/s MBREAD/s MBWRTN/s GAVG", true);
	assert_columns(&s.table, 80, "CMDS/s READS/s WRITES/s MBREAD/s MBWRTN/s GAVG", true);
	assert_columns(&s.table, 64, "CMDS/s READS/s WRITES/s MBREAD/s MBWRTN/s GAVG", false);
	assert_columns(&s.table, 46, "CMDS/s READS/s WRITES/s GAVG", false);
	assert_columns(&s.table, 40, "CMDS/s GAVG", false);
	assert_columns(&s.table, 20, "CMDS/s", false);
	/* the column sorted by stays, whatever its priority */
	table_sort(&s.table, kind_column(&kind_disk, "mbwrtn_s"));
	assert_columns(&s.table, 20, "MBWRTN/s", false);
	surface_free(&surface);
	drop(&s);
}

/* Whatever the width of the screen and of the text behind the name: half a number would read as another one. */
static void
test_no_column_reaches_past_the_edge(void **state)
{
	static const struct view *const views[] = { &view_overview, &view_adapters, &view_devices };
	struct scene s;

	(void)state;
	for (size_t v = 0; v < sizeof(views) / sizeof(views[0]); v++) {
		make(&s, views[v]);
		for (int what = 4; what <= 30; what++) {
			for (int columns = 20; columns <= 130; columns++) {
				struct layout l;
				const struct place *last;

				s.table.what_columns = what;
				table_layout(&s.table, columns, columns % 2 == 0, &l);
				last = &l.places[l.n - 1];
				assert_true(l.n > 0 && last->x + last->width < columns);
				assert_true(l.spark_width == 0 || l.spark_x + l.spark_width < columns);
				layout_clear(&l);
			}
		}
		drop(&s);
	}
}

/* A column that no source fills is not drawn, until it is asked for. */
static void
test_unfilled_columns(void **state)
{
	struct scene s;
	int dqlen = kind_column(&kind_disk, "dqlen"), tmo = kind_column(&kind_disk, "tmo_s");
	int davg = kind_column(&kind_disk, "davg"), errors = kind_column(&kind_disk, "err_s");

	(void)state;
	make(&s, &view_devices);
	assert_true(fields_drawn(&s.table.fields, dqlen));
	assert_true(fields_drawn(&s.table.fields, errors));
	assert_true(fields_drawn(&s.table.fields, davg));	/* of dm-0 */
	assert_false(fields_drawn(&s.table.fields, tmo));
	fields_toggle(&s.table.fields, tmo);
	assert_true(fields_drawn(&s.table.fields, tmo));
	fields_toggle(&s.table.fields, dqlen);
	assert_false(fields_drawn(&s.table.fields, dqlen));
	drop(&s);
}

static void
test_fields_as_text(void **state)
{
	struct fields f;
	const char *unknown = NULL;
	char *text;

	(void)state;
	fields_init(&f, &view_overview);
	text = fields_format(&f);
	assert_string_equal(text, "cmds_s reads_s writes_s mbread_s mbwrtn_s gavg");
	free(text);
	assert_true(fields_parse(&f, " gavg, actv\tcmds_s gavg ", &unknown));
	text = fields_format(&f);
	assert_string_equal(text, "gavg actv cmds_s");
	free(text);
	assert_true(f.by_user);
	assert_false(fields_parse(&f, "gavg nonsense actv", &unknown));
	assert_memory_equal(unknown, "nonsense", 8);
	assert_int_equal(fields_move(&f, 1, -1), 0);
	assert_int_equal(fields_move(&f, 0, -1), 0);
	text = fields_format(&f);
	assert_string_equal(text, "actv gavg");
	free(text);
	assert_int_equal(fields_move(&f, f.n - 1, 1), f.n - 1);
	fields_reset(&f);
	assert_false(f.by_user);
	text = fields_format(&f);
	assert_string_equal(text, "cmds_s reads_s writes_s mbread_s mbwrtn_s gavg");
	free(text);
	fields_clear(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_top_level),
		cmocka_unit_test(test_sorting),
		cmocka_unit_test(test_sort_next_goes_round_the_columns_drawn),
		cmocka_unit_test(test_sort_as_text),
		cmocka_unit_test(test_tree_of_devices),
		cmocka_unit_test(test_tree_of_adapters),
		cmocka_unit_test(test_selection_survives_sorting),
		cmocka_unit_test(test_selection_keeps_its_place_on_the_screen),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_search),
		cmocka_unit_test(test_limit_and_taking_away),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_narrow_screens_drop_the_least_important),
		cmocka_unit_test(test_no_column_reaches_past_the_edge),
		cmocka_unit_test(test_unfilled_columns),
		cmocka_unit_test(test_fields_as_text),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
