/*
 * run as a user calls it, on files of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "../db/tape.h"
#include "core/xalloc.h"
#include "db/place.h"

static int
set_up(void **state)
{
	*state = tape_dir();
	return 0;
}

static int
tear_down(void **state)
{
	tape_remove_dir(*state);
	return 0;
}

/* In the directory of the test; what is to be found is in either stream. */
static void
expect(const char *dir, const char *words, int status, const char *part)
{
	const char *program = getenv("STORTOP");
	char *path, *command, *text = NULL;
	size_t cap = 0;
	FILE *pipe;
	int got;

	if (program == NULL) {
		print_message("STORTOP does not name the program\n");
		skip();
	}
	path = realpath(program, NULL);
	command = xasprintf("exec </dev/null 2>&1; cd %s && LC_ALL=C %s %s %s", dir, path, strstr(words, "--db") != NULL ? "" : "--no-record", words);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	if (getdelim(&text, &cap, '\0', pipe) < 0 && text != NULL)
		text[0] = '\0';
	got = WEXITSTATUS(pclose(pipe));
	if (got != status || text == NULL || strstr(text, part) == NULL)
		fail_msg("%s: status %d, without '%s':\n%s", words, got, part, text != NULL ? text : "");
	free(path);
	free(command);
	free(text);
}

static void
job(const char *dir, const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", dir, name);
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
	free(path);
}

/* What a thread found out comes out as the status of the program. */
static void
test_not_begun(void **state)
{
	job(*state, "mixed.fio", "[a]\ndirect=1\n[b]\nbs=8k\n");
	job(*state, "foreign", "mine\n");
	expect(*state, "run no-such-thing null:", 2, "there is no such workload");
	expect(*state, "run mixed.fio null:", 2, "mixed.fio:3: direct: [b]");
	expect(*state, "run oltp-4k foreign", 3, "it exists and was not made by stortop");
	expect(*state, "run oltp-4k /dev/no-such-device", 3, "nothing is created under /dev");
}

/* It is run for what it leaves, so it says what that is, and what is next. */
static void
test_precondition(void **state)
{
	expect(*state, "run precondition . --size 1m", 0, "--keep leaves it");
	expect(*state, "run precondition . --size 1m --keep", 0, "filled: now `stortop run WORKLOAD ");
}

static void
test_sections_in_order(void **state)
{
	/* 0.2 s each: what is over between two looks of the sampler has no row. */
	job(*state, "s.fio", "[global]\nrate_iops=100\nnumber_ios=20\n[one]\n[two]\nstonewall\n[three]\nstonewall\n");
	expect(*state, "run s.fio null: --json | grep -o '\"name\":\"[a-z]*\",\"se' | tr '\\n' ' '", 0,
	    "\"name\":\"one\",\"se \"name\":\"two\",\"se \"name\":\"three\",\"se \"name\":\"total\",\"se ");
}

/* A result is read elsewhere than where the test was started. */
static void
test_whole_name(void **state)
{
	char *dir = realpath(*state, NULL), *here = xasprintf("s.fio on %s   ", dir), *below = xasprintf("s.fio on %s/new   ", dir);

	job(*state, "s.fio", "[one]\nnumber_ios=20\n");
	expect(*state, "run s.fio . --size 1m", 0, here);
	expect(*state, "run s.fio ./new --size 1m", 0, below);
	expect(*state, "run s.fio new --size 1m", 0, below);
	expect(*state, "run s.fio null:", 0, "s.fio on null:   ");
	free(below);
	free(here);
	free(dir);
}

/* A dashboard records, say. Of a test that never began there was nothing to keep. */
static void
test_not_kept(void **state)
{
	char *path = xasprintf("%s/t.db", (const char *)*state), *name, why[200] = "";
	int lock = place_lock(path, &name, why, sizeof(why));

	assert_true(lock >= 0);
	job(*state, "s.fio", "[global]\nrate_iops=100\nnumber_ios=30\n[one]\n");
	expect(*state, "run s.fio null: --db t.db", 0, "the result is not kept: ");
	expect(*state, "run s.fio null: --db t.db", 0, "t.db: another stortop is recording to it; with --db and another file it is");
	expect(*state, "run no-such-thing null: --db t.db 2>&1 | grep -c .", 0, "1\n");
	place_unlock(lock, name);
	free(path);
}

static void
test_exec_takes_no_load_options(void **state)
{
	expect(*state, "run exec --name a --json -- true", 0, "\"name\":\"a\"");
	expect(*state, "run exec --start-at 5m -- true", 2, "--start-at: not of run exec, which makes no load");
	expect(*state, "run exec --keep -- true", 2, "--keep: not of run exec");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_not_begun, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_precondition, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_whole_name, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_not_kept, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_sections_in_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_exec_takes_no_load_options, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
