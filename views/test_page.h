/*
 * What the test screen knows: the choice being made, what the runner found out about targets, and the test at
 * hand. The runner fills in its part and does what the screen requests. Main thread.
 */
#ifndef VIEWS_TEST_PAGE_H
#define VIEWS_TEST_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/result.h"
#include "db/runs.h"
#include "session/test.h"
#include "views/surface.h"

struct screen;

#define TEST_PLACES 48
#define TEST_EARLIER 20

enum test_stage { STAGE_WORKLOAD, STAGE_TARGET, STAGE_START, STAGES };
enum test_facts { FACTS_NONE, FACTS_ASKED, FACTS_KNOWN, FACTS_FAILED };

/* Directories with room and targets of earlier runs: found by a thread of the runner, since storage may be dead. */
struct test_survey {
	size_t n;
	struct test_place {
		char name[256], what[96];
	} places[TEST_PLACES];
};

/* Earlier runs of a workload, best first. */
struct test_earlier {
	char workload[128];
	int n;
	struct run_line lines[TEST_EARLIER];
	char why[160];		/* why there are none; "" */
};

struct test_page {
	/* The test at hand, set by test_page_status(). */
	const struct test_status *status;	/* NULL: none */
	const struct result *now;		/* while it runs, the last tick as a result; NULL: there is none */
	const struct result *const *results;	/* of the steps that have ended */
	size_t n_results;
	bool running;
	uint64_t opened_uid;		/* run whose workers have been unfolded */

	/* What is chosen. The texts do not change while a test runs: it points to them. */
	enum test_stage stage;
	size_t at[STAGES];		/* line selected */
	char workload[256], target[512];
	bool full;
	uint64_t runtime_ns;		/* UINT64_MAX: the workload's */
	unsigned workers, depth;	/* 0: the workload's */
	uint64_t size_bytes;		/* 0: default */

	/* From the runner. */
	struct test_survey survey;
	enum test_facts facts_state;
	struct target_facts facts;
	int facts_error;		/* errno */
	struct test_earlier earlier;
	char why[512];			/* why it did not start; "" */

	/* The question before data are lost, or load is added to a device in use. */
	bool asked;
	struct target_facts question;
	char question_amount[160];	/* what will be written; "": nothing */
	char wants[128];		/* what must be typed */
	char answer[128];		/* "" before */

	bool compare, details;
	bool to_earlier;		/* earlier runs are looked for, and stand at the top, until somebody scrolls */
	size_t result_top;
};

void test_page_init(struct test_page *);
/* Takes over the state of the test, valid until the next one is: the last tick of one that runs, and the steps that have ended. */
void test_page_status(struct screen *, const struct test_status *, bool running, const struct result *now,
	const struct result *const *, size_t n);
/* The session calls it while it starts a test: asks, or compares the answer. The argument is the page. */
bool test_page_confirm(void *page, const struct target_facts *, const char *amount, const char *wants);

/* enum where of the test screen as it is now. */
unsigned test_page_where(const struct screen *);
/* A share of the state at hand, 0 to 1; NaN where its end is not known. */
double test_page_share(const struct test_status *);

/* Choosing. */
void test_form_draw(struct screen *, struct surface *, int y, int rows);
/* What a thread found; the line selected stays selected, wherever it stands now. */
void test_form_survey(struct screen *, const struct test_survey *);
/* Workload and target in one line; of a test that has ended its number in the store. */
void test_title_draw(const struct test_status *, const struct result *ended, struct surface *, int y);
/* What went wrong, in words; how often, first: the words are of one I/O only. Lines used. */
int test_why_draw(const struct test_page *, struct surface *, int y, int end);
/* State and time of one that runs, with a bar. */
void test_progress_draw(const struct test_status *, struct surface *, int y);
/* Names and values of what people know a target by, "" where that is not known. */
void test_facts_each(const struct target_facts *, void (*fact)(void *arg, const char *name, const char *value), void *arg);
/* From line y on, before line `end`; return the lines used. The text goes over as many lines as it needs. */
int test_facts_draw(struct surface *, int y, int end, const struct target_facts *);
int test_text_draw(struct surface *, int y, int end, unsigned style, const char *text);
/* The words of a text that go into a line of so many columns; returns where the next line begins. */
size_t test_text_line(const char *text, int columns, char *line, size_t size);
/* A line of a result: what is doubtful in it has its colour. */
void test_line_draw(struct surface *, int y, const char *text);
void test_question_draw(const struct test_page *, struct surface *, int y, int end);
/* The end, and the details at any time. */
void test_result_draw(struct screen *, struct surface *, int y, int rows);
/* Charts of the whole test, of all its steps; at least 4 rows. */
void test_series_draw(const struct screen *, struct surface *, int y, int rows);
size_t test_series_points(const struct test_page *);

/* What was typed: an answer to the prompt of that name. Only the one to the question may be empty. */
void test_take_job_file(struct screen *);
void test_take_target(struct screen *);
void test_take_duration(struct screen *);
void test_take_workers(struct screen *);
void test_take_depth(struct screen *);
void test_take_size(struct screen *);
void test_take_answer(struct screen *);

/* Actions of the keys. */
void test_move(struct screen *, int by);
void test_choose(struct screen *, int argument);
void test_adjust(struct screen *, int by);
void test_back(struct screen *, int argument);
void test_stop_key(struct screen *, int argument);
void test_scroll(struct screen *, int by);
void test_scroll_page(struct screen *, int by);
void test_compare(struct screen *, int argument);
void test_another(struct screen *, int argument);
void test_details(struct screen *, int argument);

#endif
