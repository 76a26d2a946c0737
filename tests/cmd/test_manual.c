/*
 * The manuals against the tables that the program is driven by: no key, option or workload without a word on it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"
#include "load/job_option.h"
#include "load/workload.h"
#include "views/keys.h"

/* The text of a file or a command; NULL where there is none. */
static char *
slurp(FILE *file)
{
	char *text = NULL;
	size_t cap = 0;
	ssize_t len = file != NULL ? getdelim(&text, &cap, '\0', file) : -1;

	if (len < 0) {
		free(text);
		return NULL;
	}
	return text;
}

static char *
page(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = slurp(file);

	if (file != NULL)
		fclose(file);
	if (text == NULL) {
		print_message("%s is not below the working directory\n", path);
		skip();
	}
	return text;
}

static char *
manual(void)
{
	return page("man/stortop.1");
}

/* Is the word among the arguments of this macro, in a line that begins with one of these? */
static bool
has(const char *text, const char *word, const char *const *lines, const char *macro)
{
	char *copy = xstrdup(text), *line, *rest = copy, *token, *tokens;
	bool found = false;

	while (!found && (line = strsep(&rest, "\n")) != NULL) {
		bool on = false, right = false;

		for (const char *const *l = lines; *l != NULL; l++)
			right = right || strncmp(line, *l, strlen(*l)) == 0;
		for (tokens = line; right && (token = strsep(&tokens, " ")) != NULL;) {
			if (strcmp(token, macro) == 0)
				on = true;
			else if (on && strcmp(token, word) == 0)
				found = true;
		}
	}
	free(copy);
	return found;
}

static void
keys(void **state)
{
	static const char *const lines[] = { ".It Ic ", ".Ic ", NULL };
	char *text = manual();

	(void)state;
	for (const struct key *k = key_table; k->action != NULL; k++) {
		char *copy = xstrdup(k->label), *rest = copy, *word;

		while ((word = strsep(&rest, " ")) != NULL) {
			const char *roff = strcmp(word, "\\") == 0 ? "\\e" : strcmp(word, "?") == 0 ? "?\\&" : word;

			if (!has(text, roff, lines, "Ic") && !has(text, roff, &lines[1], ".Ic"))
				fail_msg("the key %s (%s) is not in stortop(1)", word, k->help);
		}
		free(copy);
	}
	free(text);
}

static void
options(void **state)
{
	static const char *const lines[] = { ".It Fl ", NULL };
	const char *program = getenv("STORTOP");
	char *text, *help, *rest, *line, *command;
	size_t n = 0;
	FILE *pipe;

	(void)state;
	if (program == NULL) {
		print_message("STORTOP does not name the program\n");
		skip();
	}
	text = manual();
	command = xasprintf("%s --help", program);
	pipe = popen(command, "r");
	help = slurp(pipe);
	assert_non_null(help);
	assert_int_equal(pclose(pipe), 0);
	for (rest = help; (line = strsep(&rest, "\n")) != NULL;) {
		char name[32];

		if (sscanf(line, "  -%31[a-z-] ", name) != 1)
			continue;
		n++;
		if (!has(text, name, lines, "Fl"))
			fail_msg("the option -%s is not in stortop(1)", name);
	}
	assert_true(n > 10);
	free(help);
	free(command);
	free(text);
}

static void
job_options(void **state)
{
	static const char *const lines[] = { ".It Li ", ".Li ", NULL };
	char *text = page("man/stortop-workloads.7");

	(void)state;
	for (const struct job_option *o = job_option_table; o->name != NULL; o++) {
		const char *names[] = { o->name, o->alias };

		for (int i = 0; i < 2; i++)
			if (names[i] != NULL && !has(text, names[i], lines, "Li") && !has(text, names[i], &lines[1], ".Li"))
				fail_msg("the option %s is not in stortop-workloads(7)", names[i]);
	}
	free(text);
}

static void
workloads(void **state)
{
	char *text = page("man/stortop-workloads.7");

	(void)state;
	for (size_t i = 0; workload_table[i] != NULL; i++) {
		const struct workload *w = workload_table[i];
		char *item = xasprintf(".It Ic %s\n", w->name), *source = xasprintf("\nSource: %s.\n", w->source), *at, *next;

		at = strstr(text, item);
		if (at == NULL)
			fail_msg("the workload %s is not in stortop-workloads(7)", w->name);
		next = strstr(at, source);
		if (strstr(at, w->pattern + 1) == NULL || next == NULL || (strstr(at + 1, ".It ") != NULL && strstr(at + 1, ".It ") < next))
			fail_msg("%s: stortop-workloads(7) has another pattern or source", w->name);
		free(item);
		free(source);
	}
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys),
		cmocka_unit_test(options),
		cmocka_unit_test(job_options),
		cmocka_unit_test(workloads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
