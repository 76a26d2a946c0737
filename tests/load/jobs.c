#include "tests/load/jobs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "core/xalloc.h"

struct job_file *
job_of(const char *text)
{
	char why[300] = "";
	struct job_file *file = job_parse("t.fio", text, strlen(text), why, sizeof(why));

	if (file == NULL)
		fail_msg("refused: %s", why);
	return file;
}

/* The only job of a text with these lines in one section. */
struct job_file *
job_of_lines(const char *lines, const struct job **job)
{
	char *text = xasprintf("[w]\n%s\n", lines);
	struct job_file *file = job_of(text);

	assert_int_equal(file->n_jobs, 1);
	*job = &file->jobs[0];
	free(text);
	return file;
}

void
job_refused(const char *text, const char *message)
{
	char why[300] = "";
	struct job_file *file = job_parse("t.fio", text, strlen(text), why, sizeof(why));

	if (file != NULL)
		fail_msg("taken: %s", text);
	assert_string_equal(why, message);
}
