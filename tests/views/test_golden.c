/*
 * Screens of the canned machine, byte for byte, against tests/golden/NAME.txt. After a wanted change:
 *	STORTOP_GOLDEN=write build/tests/views/test_golden
 * from the top of the tree, and look at the difference before it is committed.
 */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "canned.h"
#include "canned_test.h"
#include "core/kinds/kinds.h"
#include "views/plain.h"
#include "views/screen.h"

#define INTERVALS 45
#define SECOND UINT64_C(1000000000)

/* Keys as characters; those that have none: */
#define DOWN "\001"
#define ENTER "\002"
#define ESC "\003"

static const struct golden {
	const char *name;
	int rows, cols;
	bool utf8;
	const char *keys;
} golden_table[] = {
	{ "overview-80x24", 24, 80, true, "" },
	{ "overview-80x24-ascii", 24, 80, false, "" },
	{ "overview-120x40", 40, 120, true, "" },
	{ "overview-120x40-ascii", 40, 120, false, "" },
	{ "overview-40x10", 10, 40, true, "" },
	{ "overview-40x10-ascii", 10, 40, false, "" },
	{ "overview-20x5", 5, 20, true, "" },
	{ "overview-20x5-ascii", 5, 20, false, "" },
	{ "adapters-80x24", 24, 80, true, "d" },
	{ "adapters-open-120x40", 40, 120, true, "d" DOWN ENTER DOWN ENTER DOWN ENTER },
	{ "adapters-open-40x10-ascii", 10, 40, false, "d" DOWN ENTER DOWN ENTER },
	{ "devices-80x24", 24, 80, true, "u" },
	{ "devices-open-120x40", 40, 120, true, "u" DOWN ENTER "L" },
	{ "devices-open-200x50", 50, 200, true, "u" DOWN ENTER },
	{ "devices-all-80x24-ascii", 24, 80, false, "uaN" },
	{ "devices-40x10", 10, 40, true, "uL" },
	{ "devices-20x5", 5, 20, true, "uL" },
	{ "devices-wwn-80x24", 24, 80, true, "uKK" },
	{ "devices-filter-80x24", 24, 80, true, "u\\nvme|LIO" ENTER },
	{ "devices-graph-80x24", 24, 80, true, "ug" DOWN },
	{ "devices-graph-80x24-blocks", 24, 80, true, "ugGG" DOWN },
	{ "devices-graph-120x40-ascii", 40, 120, false, "ug" },
	{ "nfs-80x24", 24, 80, true, "m" },
	{ "nfs-open-120x40", 40, 120, true, "m" ENTER },
	{ "nfs-open-40x10-ascii", 10, 40, false, "m" ENTER },
	{ "iscsi-80x24", 24, 80, true, "i" },
	{ "iscsi-open-120x40", 40, 120, true, "i" ENTER },
	{ "iscsi-open-40x10-ascii", 10, 40, false, "i" ENTER },
	{ "cpu-80x24", 24, 80, true, "c" },
	{ "cpu-40x10-ascii", 10, 40, false, "c" },
	{ "network-80x24", 24, 80, true, "n" },
	{ "network-120x40-ascii", 40, 120, false, "n" },
	{ "fields-80x24", 24, 80, true, "uf" DOWN DOWN " " },
	{ "help-80x24", 24, 80, true, "uh" },
	{ "help-40x10-ascii", 10, 40, false, "h" },
	{ "help-search-80x24", 24, 80, true, "uh/await" ENTER },
	{ "prompt-80x24", 24, 80, true, "s0.5" },
	{ "prompt-20x5", 5, 20, true, "u\\sd[a-d]|nvme" },
	{ "paused-80x24", 24, 80, true, "z" },
	{ "too-small-8x1", 1, 8, true, "" },
	{ "too-small-12x2", 2, 12, true, "" },
};

/* The test screen: what the runner has told before the keys. */
static const struct {
	struct golden golden;
	enum { RUNNING = CANNED_RUNNING, FAILING = CANNED_FAILING, ENDED = CANNED_ENDED, FAILED = CANNED_FAILED,
		CURVE = CANNED_STEPS, CHOOSING, ASKED } test;
} test_table[] = {
	{ { "test-workload-80x24", 24, 80, true, "t" DOWN }, CHOOSING },
	{ { "test-workload-40x10-ascii", 10, 40, false, "t" DOWN }, CHOOSING },
	{ { "test-target-80x24", 24, 80, true, "t" ENTER DOWN }, CHOOSING },
	{ { "test-start-80x24", 24, 80, true, "t" ENTER ENTER }, CHOOSING },
	{ { "test-start-40x10-ascii", 10, 40, false, "t" ENTER ENTER }, CHOOSING },
	{ { "test-question-80x24", 24, 80, true, "t" ENTER ENTER }, ASKED },
	{ { "test-running-80x24", 24, 80, true, "t" }, RUNNING },
	{ { "test-running-120x40", 40, 120, true, "t" }, RUNNING },
	{ { "test-running-80x24-ascii", 24, 80, false, "t" }, RUNNING },
	{ { "test-running-40x10-ascii", 10, 40, false, "t" }, RUNNING },
	{ { "test-histogram-80x24", 24, 80, true, "tgg" }, RUNNING },
	{ { "test-histogram-120x40", 40, 120, true, "tgg" }, RUNNING },
	{ { "test-histogram-80x24-ascii", 24, 80, false, "tgg" }, RUNNING },
	{ { "test-histogram-40x10-ascii", 10, 40, false, "tgg" }, RUNNING },
	{ { "test-elsewhere-80x24", 24, 80, true, "u" }, RUNNING },
	{ { "test-quit-80x24", 24, 80, true, "tq" }, RUNNING },
	{ { "test-result-80x24", 24, 80, true, "t" }, ENDED },
	{ { "test-running-200x50", 50, 200, true, "t" }, RUNNING },
	{ { "test-running-20x5", 5, 20, true, "t" }, RUNNING },
	{ { "test-running-details-80x24", 24, 80, true, "t" ENTER }, RUNNING },
	{ { "test-details-80x24", 24, 80, true, "t" ENTER }, ENDED },
	{ { "test-failing-80x24", 24, 80, true, "t" }, FAILING },
	{ { "test-failing-40x10-ascii", 10, 40, false, "t" }, FAILING },
	{ { "test-failed-80x24", 24, 80, true, "t" }, FAILED },
	{ { "test-failed-40x10-ascii", 10, 40, false, "t" }, FAILED },
	{ { "test-curve-80x24", 24, 80, true, "t" }, CURVE },
	{ { "test-compare-200x50", 50, 200, true, "t=" }, ENDED },
	{ { "test-compare-80x24", 24, 80, true, "t=" }, ENDED },
	{ { "test-result-200x50", 50, 200, true, "t" }, ENDED },
	{ { "test-result-40x10", 10, 40, true, "t" }, ENDED },
	{ { "test-result-20x5-ascii", 5, 20, false, "t" }, ENDED },
	{ { "test-result-120x40-ascii", 40, 120, false, "t" }, ENDED },
};

struct scene {
	struct canned *machine;
	struct history *history;
	struct verdicts *verdicts;
	struct canned_test *test;
	struct screen screen;
};

static void
make(struct scene *s)
{
	s->test = NULL;
	s->machine = canned_new();
	s->history = history_new(300);
	s->verdicts = verdicts_new(NULL);
	screen_init(&s->screen);
	s->screen.host = "db7";
	s->screen.history = s->history;
	s->screen.verdicts = s->verdicts;
	s->screen.interval_ns = 2 * SECOND;
	s->screen.recording = true;
	s->screen.store.state = STORE_RECORDING;
	s->screen.now_ns = SECOND;
	for (int i = 0; i < INTERVALS; i++) {
		struct interval *v = canned_next(s->machine);

		history_feed(s->history, v);
		verdicts_feed(s->verdicts, v);
		screen_feed(&s->screen, v);
		interval_unref(v);
	}
}

static void
drop(struct scene *s)
{
	screen_clear(&s->screen);
	canned_test_free(s->test);
	history_free(s->history);
	verdicts_free(s->verdicts);
	canned_free(s->machine);
}

static void
press(struct screen *screen, const char *keys)
{
	static const uint32_t codes[] = { 0, INPUT_DOWN, INPUT_ENTER, INPUT_ESC };

	for (; *keys != '\0'; keys++) {
		struct input in = { .code = *keys < 4 ? codes[(int)*keys] : (uint32_t)(unsigned char)*keys };

		screen_key(screen, &in);
	}
}

/* A frame of lines; the cursor, where there is one, is told below. */
static char *
picture(struct screen *screen, const struct golden *g)
{
	struct surface surface;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int y, x;

	surface_init(&surface, g->rows, g->cols, g->utf8);
	/* drawn twice: widths are measured while drawing, and the second time must look the same */
	screen_draw(screen, &surface, &y, &x);
	screen_draw(screen, &surface, &y, &x);
	for (int i = 0; i < g->rows; i++) {
		char *line = surface_line(&surface, i);

		fprintf(out, "%s\n", line);
		free(line);
	}
	if (y >= 0)
		fprintf(out, "cursor: line %d column %d\n", y, x);
	fclose(out);
	surface_free(&surface);
	return text;
}

static char *
read_golden(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t cap = 0;
	ssize_t n;

	if (f == NULL)
		return NULL;
	n = getdelim(&text, &cap, '\0', f);
	fclose(f);
	return n >= 0 ? text : NULL;
}

static void
write_golden(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void
compare(const char *name, const char *text)
{
	const char *wish = getenv("STORTOP_GOLDEN");
	char path[160], *golden;

	snprintf(path, sizeof(path), "tests/golden/%s.txt", name);
	if (wish != NULL && strcmp(wish, "write") == 0) {
		write_golden(path, text);
		return;
	}
	golden = read_golden(path);
	if (golden == NULL)
		fail_msg("%s is missing; this runs from the top of the tree", path);
	if (strcmp(golden, text) != 0) {
		fprintf(stderr, "%s, expected:\n%s%s, drawn:\n%s", path, golden, name, text);
		fail_msg("%s differs", name);
	}
	free(golden);
}

static void
test_screens(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(golden_table) / sizeof(golden_table[0]); i++) {
		const struct golden *g = &golden_table[i];
		struct scene s;
		char *text;

		setlocale(LC_CTYPE, g->utf8 ? "C.UTF-8" : "C");
		make(&s);
		press(&s.screen, g->keys);
		text = picture(&s.screen, g);
		compare(g->name, text);
		free(text);
		drop(&s);
	}
}

static void
test_test_screens(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(test_table) / sizeof(test_table[0]); i++) {
		const struct golden *g = &test_table[i].golden;
		struct scene s;
		char *text;

		setlocale(LC_CTYPE, g->utf8 ? "C.UTF-8" : "C");
		make(&s);
		if (test_table[i].test < CHOOSING)
			s.test = canned_test_new(&s.screen, s.history, (enum canned_state)test_table[i].test);
		canned_test_places(&s.screen);
		press(&s.screen, g->keys);
		canned_test_places(&s.screen);
		if (s.screen.test.compare)
			canned_test_earlier(&s.screen);
		if (test_table[i].test == ASKED)
			test_page_confirm(&s.screen.test, &s.screen.test.facts, "any part of it, up to 10 GiB, again and again for 35 s",
			    "6001405abcd");
		text = picture(&s.screen, g);
		compare(g->name, text);
		free(text);
		drop(&s);
	}
}

/* What the header and the status line say when something is the matter. */
static void
test_states(void **state)
{
	static const struct golden g = { "recording-stopped-80x24", 24, 80, true, "" };
	static const struct golden narrow = { "recording-stopped-40x10-ascii", 10, 40, false, "" };
	struct scene s;
	char *text;

	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	make(&s);
	s.screen.store.state = STORE_STOPPED;
	strcpy(s.screen.store.reason, "/var/lib/stortop/stortop.db: disk full");
	strcpy(s.screen.trouble, "port: host3: not responding");
	text = picture(&s.screen, &g);
	compare(g.name, text);
	free(text);
	s.screen.recording = false;
	text = picture(&s.screen, &g);
	compare("not-recording-80x24", text);
	free(text);
	s.screen.recording = true;
	s.screen.verdicts = NULL;
	strcpy(s.screen.store.reason, "/var/lib/stortop/stortop.db: another stortop is recording to it");
	text = picture(&s.screen, &narrow);
	compare(narrow.name, text);
	free(text);
	drop(&s);
}

static void
test_before_the_first_figures(void **state)
{
	static const struct golden g = { "measuring-80x24", 24, 80, true, "" };
	struct screen screen;
	char *text;

	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	screen_init(&screen);
	screen.host = "db7";
	screen.interval_ns = 2 * SECOND;
	/* keys work, though there is nothing to work on */
	press(&screen, "u" DOWN ENTER "Lrg4/x" ENTER "n" ESC "f " ESC "c<>IN");
	press(&screen, "o");
	text = picture(&screen, &g);
	compare(g.name, text);
	free(text);
	screen_clear(&screen);
}

/* A machine without any mount. */
static void
test_nothing_to_show(void **state)
{
	static const struct golden g = { "nfs-none-80x24", 24, 80, true, "" };
	struct stamp end = { .wall_ms = INT64_C(1796049125000) };
	struct interval *v = interval_new(&end, 2 * SECOND);
	struct screen screen;
	char *text;

	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	screen_init(&screen);
	screen.host = "db7";
	screen.interval_ns = 2 * SECOND;
	screen_feed(&screen, v);
	interval_unref(v);
	press(&screen, "m");
	text = picture(&screen, &g);
	compare(g.name, text);
	free(text);
	press(&screen, "i");
	text = picture(&screen, &g);
	compare("iscsi-none-80x24", text);
	free(text);
	screen_clear(&screen);
}

/* An operation of the flow whose uid is given; each took so long. */
static void
fill_operation(struct row *row, const char *name, uint64_t flow, double commands, double reads, double bytes, uint64_t each_ns)
{
	struct object *o = object_new(&kind_nfs_flow_op, 0, name, name);

	o->parent = o->counts_in = flow;
	row->object = o;
	row->ns = 2 * SECOND;
	for (size_t i = 0; i < kind_nfs_flow_op.n_metrics; i++)
		row->cells[i] = 0;
	row->cells[FLOW_COMMANDS] = row->cells[FLOW_TIMED] = commands;
	row->cells[FLOW_NS] = commands * (double)each_ns;
	row->cells[FLOW_READS] = row->cells[FLOW_READS_TIMED] = reads;
	row->cells[FLOW_READ_BYTES] = bytes;
	row->cells[FLOW_IN_FLIGHT] = 1;
	row->hists[reads > 0 ? FLOW_READ_HIST : FLOW_OTHER_HIST] = hist_new(3);
	hist_add_value(row->hists[reads > 0 ? FLOW_READ_HIST : FLOW_OTHER_HIST], each_ns, (uint64_t)commands);
}

/* No mount, and one flow on the wire, of whose packets some were dropped, missing or cut. */
static struct interval *
wire_interval(const double captured[static CAPTURE_METRICS])
{
	struct stamp end = { .wall_ms = INT64_C(1796049125000) };
	struct interval *v = interval_new(&end, 2 * SECOND);
	struct interval_table *flows, *ops, *captures;
	struct object *o = object_new(&kind_nfs_flow, 0, "10.9.0.2 > 10.9.0.1:/vol1 nfs3", "flow");
	struct row *row;

	flows = interval_make_table(v, &kind_nfs_flow, 1, 2 * SECOND);
	flows->rows[0].object = o;
	flows->rows[0].ns = 2 * SECOND;
	ops = interval_make_table(v, &kind_nfs_flow_op, 2, 2 * SECOND);
	fill_operation(&ops->rows[0], "READ", o->uid, 400, 400, 400 * 65536.0, 2000000);
	fill_operation(&ops->rows[1], "GETATTR", o->uid, 100, 0, 0, 500000);
	captures = interval_make_table(v, &kind_capture, 1, 2 * SECOND);
	row = &captures->rows[0];
	row->object = object_new(&kind_capture, 0, "eth1", "eth1");
	row->ns = 2 * SECOND;
	for (size_t i = 0; i < kind_capture.n_metrics; i++)
		row->cells[i] = captured[i];
	interval_rollup(v);
	return v;
}

/* The flow of before below a mount of this host. */
static struct interval *
mount_interval(void)
{
	struct interval *v = wire_interval((double[CAPTURE_METRICS]){ 0 });
	struct interval_table *mounts = interval_make_table(v, &kind_nfs_mount, 1, 2 * SECOND);
	struct row *row = &mounts->rows[0];

	row->object = object_new(&kind_nfs_mount, 0, "/srv/home", "/srv/home");
	row->ns = 2 * SECOND;
	for (size_t i = 0; i < kind_nfs_mount.n_metrics; i++)
		row->cells[i] = 0;
	return v;
}

/* The cursor goes from the mounts above to the flows below, and back; with no mount it is below from the start. */
static void
test_between_the_parts(void **state)
{
	struct interval *bare = wire_interval((double[CAPTURE_METRICS]){ 0 }), *mounted = mount_interval();
	struct screen screen;

	(void)state;
	screen_init(&screen);
	screen_feed(&screen, mounted);
	press(&screen, "m");
	assert_int_equal(screen.view, VIEW_NFS);
	press(&screen, DOWN);
	assert_int_equal(screen.view, VIEW_NFS_WIRE);
	press(&screen, "k");
	assert_int_equal(screen.view, VIEW_NFS);
	/* columns are being chosen: not under the user's hands */
	press(&screen, "f");
	screen_feed(&screen, bare);
	assert_int_equal(screen.view, VIEW_NFS);
	press(&screen, ESC "o");
	press(&screen, "m");
	assert_int_equal(screen.view, VIEW_NFS_WIRE);
	press(&screen, "k");
	assert_int_equal(screen.view, VIEW_NFS_WIRE);
	press(&screen, "oim");
	assert_int_equal(screen.view, VIEW_NFS_WIRE);
	screen_feed(&screen, mounted);
	assert_int_equal(screen.view, VIEW_NFS_WIRE);
	screen_clear(&screen);
	interval_unref(bare);
	interval_unref(mounted);
}

static void
test_on_the_wire(void **state)
{
	static const struct golden narrow = { "nfs-wire-80x24", 24, 80, true, "" };
	static const struct golden wide = { "nfs-wire-open-120x40", 40, 120, true, "" };
	static const struct golden small = { "nfs-wire-40x10-ascii", 10, 40, false, "" };
	struct interval *v = wire_interval((const double[CAPTURE_METRICS]){ [CAPTURE_PACKETS] = 24000, [CAPTURE_DROPPED] = 1000 });
	struct history *history;
	struct screen screen;
	char *text;

	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	screen_init(&screen);
	screen.host = "db7";
	screen.interval_ns = 2 * SECOND;
	screen_feed(&screen, v);
	interval_unref(v);
	press(&screen, "m");
	text = picture(&screen, &narrow);
	compare(narrow.name, text);
	free(text);
	press(&screen, DOWN ENTER DOWN);
	assert_int_equal(screen.view, VIEW_NFS_WIRE);
	text = picture(&screen, &wide);
	compare(wide.name, text);
	free(text);
	text = picture(&screen, &small);
	compare(small.name, text);
	free(text);
	screen.history = history = history_new(300);
	press(&screen, "g");
	text = picture(&screen, &wide);
	assert_non_null(strstr(text, "DAVG ms"));
	free(text);
	press(&screen, "ggCeth2" ENTER);
	assert_int_equal(screen.view, VIEW_NFS_WIRE);
	assert_string_equal(screen.requests.capture, "eth2");
	screen_clear(&screen);
	history_free(history);
}

/* Dropped by nobody, and yet not all there. */
static void
test_what_makes_incomplete(void **state)
{
	static const struct {
		double captured[CAPTURE_METRICS];
		const char *words;
	} cases[] = {
		{ { [CAPTURE_PACKETS] = 24000 }, "12000 packets/s  0 dropped  health 100 %" },
		{ { [CAPTURE_PACKETS] = 24000, [CAPTURE_GAPS] = 24, [CAPTURE_TRUNCATED] = 4 }, "0 dropped, 12 gaps/s, figures incomplete" },
		{ { [CAPTURE_PACKETS] = 24000, [CAPTURE_TRUNCATED] = 4, [CAPTURE_MALFORMED] = 6 }, "0 dropped, 2 cut/s, figures incomplete" },
		{ { [CAPTURE_PACKETS] = 24000, [CAPTURE_MALFORMED] = 6 }, "0 dropped, 3 damaged/s, figures incomplete" },
		{ { [CAPTURE_PACKETS] = 24000, [CAPTURE_TRUNCATED] = 2761 }, "0 dropped, 1380 cut/s, figures incomplete" },
		{ { [CAPTURE_PACKETS] = NAN, [CAPTURE_DROPPED] = NAN }, "eth1 - packets/s  - dropped" },
	};
	static const struct golden g = { "", 24, 80, true, "" };
	struct screen screen;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct interval *v = wire_interval(cases[i].captured);
		char *text;

		screen_init(&screen);
		screen.interval_ns = 2 * SECOND;
		screen_feed(&screen, v);
		interval_unref(v);
		press(&screen, "m");
		text = picture(&screen, &g);
		assert_non_null(strstr(text, cases[i].words));
		free(text);
		screen_clear(&screen);
	}
}

static void
test_plain(void **state)
{
	struct scene s;
	char *text;
	size_t len;

	(void)state;
	setlocale(LC_CTYPE, "C");
	make(&s);
	press(&s.screen, "u");
	text = plain_text(&s.screen, false, 0, &len);
	assert_int_equal(len, strlen(text));
	compare("plain", text);
	free(text);
	text = plain_text(&s.screen, false, 60, &len);
	compare("plain-60", text);
	free(text);
	/* what a terminal would obey */
	s.screen.host = "db7\033[31m\a\xff";
	text = plain_text(&s.screen, false, 60, &len);
	assert_non_null(strstr(text, "  db7?[31m??  2 s\n"));
	free(text);
	drop(&s);
}

/* No size makes it write outside or refuse. ASan watches. */
static void
test_every_size(void **state)
{
	static const char *const keys[] = { "", "d" DOWN ENTER "g", "u", "c", "n", "h", ESC "f", ESC "/x" };
	struct scene s;

	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	make(&s);
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
		press(&s.screen, keys[k]);
		for (int rows = 1; rows <= 40; rows += rows < 26 ? 1 : 7) {
			for (int cols = 1; cols <= 240; cols += cols < 30 ? 1 : 17) {
				struct golden g = { "", rows, cols, cols % 2 == 0, "" };

				free(picture(&s.screen, &g));
			}
		}
	}
	drop(&s);
}

static void
test_test_every_size(void **state)
{
	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	for (int k = 0; k < 2 * CHOOSING; k++) {
		struct scene s;

		make(&s);
		s.test = canned_test_new(&s.screen, s.history, (enum canned_state)(k / 2));
		press(&s.screen, k % 2 == 0 ? "t" : "t" ENTER);
		for (int rows = 1; rows <= 50; rows += rows < 26 ? 1 : 8) {
			for (int cols = 1; cols <= 240; cols += cols < 30 ? 3 : 35) {
				struct golden g = { "", rows, cols, cols % 2 == 0, "" };

				free(picture(&s.screen, &g));
			}
		}
		drop(&s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_screens),
		cmocka_unit_test(test_test_screens),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_before_the_first_figures),
		cmocka_unit_test(test_nothing_to_show),
		cmocka_unit_test(test_on_the_wire),
		cmocka_unit_test(test_between_the_parts),
		cmocka_unit_test(test_what_makes_incomplete),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_every_size),
		cmocka_unit_test(test_test_every_size),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
