/*
 * stortop(1) against the tables that the program is driven by: no key and no option without a word on it.
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
manual(void)
{
	FILE *file = fopen("man/stortop.1", "r");
	char *text = slurp(file);

	if (file != NULL)
		fclose(file);
	if (text == NULL) {
		print_message("man/stortop.1 is not below the working directory\n");
		skip();
	}
	return text;
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys),
		cmocka_unit_test(options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
