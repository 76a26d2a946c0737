#include "views/prompt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/settings.h"
#include "views/help.h"
#include "views/text.h"

#define ANSWER_LEAST 12		/* columns; with less the question gets short */

void
prompt_open(struct screen *s, enum prompt prompt)
{
	if (prompt == PROMPT_NONE) {
		if (s->help_search[0] != '\0' && !help_find(s, true))
			screen_notice(s, "%s: not in the help", s->help_search);
		return;
	}
	s->prompt = prompt;
	s->typed[0] = '\0';
	s->before_search = screen_table(s)->selected;
	if (prompt == PROMPT_FILTER && screen_table(s)->filter_text != NULL)
		snprintf(s->typed, sizeof(s->typed), "%s", screen_table(s)->filter_text);
}

static void
take_interval(struct screen *s)
{
	uint64_t ns;

	if (!settings_duration(s->typed, &ns) || ns < UINT64_C(100000000) || ns > UINT64_C(3600000000000))
		screen_notice(s, "%.40s: not a time from 0.1 s to an hour", s->typed);
	else
		s->requests.interval_ns = ns;
}

static void
take_rows(struct screen *s)
{
	char *end;
	long n = strtol(s->typed, &end, 10);

	if (end == s->typed)
		return;
	if (*end != '\0' || n < 0 || n > 1000000) {
		screen_notice(s, "%.40s: not a number of rows", s->typed);
		return;
	}
	screen_table(s)->limit = (size_t)n;
	screen_rebuild(s);
}

static void
take_capture(struct screen *s)
{
	if (strlen(s->typed) >= sizeof(s->requests.capture))
		screen_notice(s, "%.40s: not the name of a network interface", s->typed);
	else
		strcpy(s->requests.capture, s->typed);
}

static void
take_filter(struct screen *s)
{
	char why[100];

	if (table_filter(screen_table(s), s->typed, why, sizeof(why)) != 0)
		screen_notice(s, "%.60s: %s", s->typed, why);
	screen_rebuild(s);
}

static void
take_search(struct screen *s)
{
	table_search(screen_table(s), s->typed);
	if (s->typed[0] != '\0' && !table_find(screen_table(s), false))
		screen_notice(s, "%.60s: no row of that name", s->typed);
}

static void
take_help_search(struct screen *s)
{
	snprintf(s->help_search, sizeof(s->help_search), "%.63s", s->typed);
	if (s->typed[0] != '\0' && !help_find(s, false))
		screen_notice(s, "%.60s: not in the help", s->typed);
}

/* In full, and for screens where the answer would have no room; who takes the answer, and whether none is one too. */
static const struct question {
	const char *text, *brief;
	void (*take)(struct screen *);
	bool blank;
} questions[] = {
	[PROMPT_NONE] = { "", "", NULL, false },
	[PROMPT_INTERVAL] = { "seconds between measurements: ", "seconds: ", take_interval, false },
	[PROMPT_SEARCH] = { "/", "/", take_search, true },
	[PROMPT_FILTER] = { "show only (regular expression): ", "\\ ", take_filter, true },
	[PROMPT_ROWS] = { "rows at most (0: all): ", "rows: ", take_rows, false },
	[PROMPT_CAPTURE] = { "network interface to watch: ", "interface: ", take_capture, false },
	[PROMPT_HELP_SEARCH] = { "/", "/", take_help_search, true },
	[PROMPT_JOB_FILE] = { "fio job file: ", "job: ", test_take_job_file, false },
	[PROMPT_TARGET] = { "directory, file, device or URL: ", "target: ", test_take_target, false },
	[PROMPT_DURATION] = { "quick, full or a time (90, 5m): ", "time: ", test_take_duration, false },
	[PROMPT_WORKERS] = { "workers (0: the workload's): ", "workers: ", test_take_workers, false },
	[PROMPT_DEPTH] = { "I/Os in flight, each worker (0: the workload's): ", "depth: ", test_take_depth, false },
	[PROMPT_SIZE] = { "size (512M, 20G; 0: default): ", "size: ", test_take_size, false },
	[PROMPT_CONFIRM] = { "type it to go on, Esc leaves all as it is: ", "type it: ", test_take_answer, true },
	/* one key answers it */
	[PROMPT_QUIT] = { "a test runs: stop it and quit? y or n ", "stop test? ", NULL, false },
};

const char *
prompt_question(const struct screen *s, int columns)
{
	const struct question *q = &questions[s->prompt];

	return columns - 2 - text_columns(q->text) >= ANSWER_LEAST ? q->text : q->brief;
}

static void
accept(struct screen *s)
{
	const struct question *q = &questions[s->prompt];

	s->prompt = PROMPT_NONE;
	if (q->blank || s->typed[0] != '\0')
		q->take(s);
}

static void
cancel(struct screen *s)
{
	if (s->prompt == PROMPT_SEARCH) {
		table_search(screen_table(s), NULL);
		table_select(screen_table(s), s->before_search);
	}
	if (s->prompt == PROMPT_CONFIRM)
		s->test.asked = false;
	s->prompt = PROMPT_NONE;
}

/* The first match is selected while the name is being typed. */
static void
search_along(struct screen *s)
{
	struct table *t = screen_table(s);

	if (s->prompt != PROMPT_SEARCH)
		return;
	table_search(t, s->typed);
	table_select(t, s->before_search);
	table_find(t, false);
}

static void
erase_last(struct screen *s)
{
	size_t len = strlen(s->typed);

	/* back over the continuation bytes of UTF-8 */
	while (len > 0 && (s->typed[len - 1] & 0xC0) == 0x80)
		len--;
	s->typed[len > 0 ? len - 1 : 0] = '\0';
}

static void
type(struct screen *s, uint32_t ch)
{
	size_t len = strlen(s->typed);
	char bytes[4];
	size_t n = text_encode(bytes, ch);

	if (ch < ' ' || ch >= INPUT_FIRST || len + n >= sizeof(s->typed))
		return;
	memcpy(s->typed + len, bytes, n);
	s->typed[len + n] = '\0';
}

void
prompt_key(struct screen *s, uint32_t code)
{
	/* one key answers it, and only y says yes */
	if (s->prompt == PROMPT_QUIT) {
		s->requests.quit = code == 'y' || code == 'Y';
		s->prompt = PROMPT_NONE;
		return;
	}
	switch (code) {
	case INPUT_ENTER:
		accept(s);
		return;
	case INPUT_ESC:
	case INPUT_CLICK:
		cancel(s);
		return;
	case INPUT_BACKSPACE:
		if (s->typed[0] == '\0')
			cancel(s);
		else
			erase_last(s);
		break;
	case INPUT_CTRL('U'):
		s->typed[0] = '\0';
		break;
	default:
		type(s, code);
		break;
	}
	search_along(s);
}
