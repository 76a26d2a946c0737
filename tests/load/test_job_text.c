/*
 * The text of a job file: sections, comments, variables, include. What fio does with the same files
 * was seen by its --showcmd.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/xalloc.h"
#include "load/job.h"
#include "tests/load/jobs.h"

static void
globals_hold_for_sections_below(void **state)
{
	struct job_file *file = job_of("[first]\n"
				       "[global]\n"
				       "bs=8k\niodepth=3\n"
				       "[second]\n"
				       "iodepth=5\n"
				       "[global again]\n"
				       "sync=1\n"
				       "[third]\n"
				       "rw=randwrite\n");

	(void)state;
	assert_int_equal(file->n_jobs, 3);
	assert_int_equal(file->jobs[0].pattern.bs[IO_READ], 4096);
	assert_int_equal(file->jobs[0].iodepth, 1);
	assert_int_equal(file->jobs[1].pattern.bs[IO_READ], 8192);
	assert_int_equal(file->jobs[1].iodepth, 5);
	assert_false(file->jobs[1].sync);
	assert_int_equal(file->jobs[2].pattern.bs[IO_READ], 8192);
	assert_int_equal(file->jobs[2].iodepth, 3);
	assert_true(file->jobs[2].sync);
	assert_int_equal(file->jobs[2].line, 9);
	assert_true(job_writes(file));
	job_free(file);
	/* Case counts, as in fio. */
	file = job_of("[Global]\nbs=8k\n[a]\n");
	assert_int_equal(file->n_jobs, 2);
	assert_string_equal(file->jobs[0].name, "Global");
	assert_int_equal(file->jobs[1].pattern.bs[IO_READ], 4096);
	job_free(file);
}

static void
lines_and_comments(void **state)
{
	struct job_file *file = job_of("\xef\xbb\xbf; a comment\r\n"
				       "\t# another\r\n"
				       "  [ my job ] ; here\r\n"
				       "bs=16k # 32k\r\n"
				       "\tiodepth=7;8\r\n"
				       "direct\r\n"
				       "description=a = b\r\n");

	(void)state;
	assert_int_equal(file->n_jobs, 1);
	assert_string_equal(file->jobs[0].name, " my job ");
	assert_int_equal(file->jobs[0].pattern.bs[IO_READ], 16384);
	assert_int_equal(file->jobs[0].iodepth, 7);
	assert_true(file->jobs[0].direct);
	assert_string_equal(file->jobs[0].description, "a = b");
	job_free(file);
}

/* fio runs "bs = 8k" with 8 bytes. */
static void
blanks_keep_the_unit(void **state)
{
	const struct job *job;
	struct job_file *file = job_of_lines("bs = 8k\niodepth = 4", &job);

	(void)state;
	assert_int_equal(job->pattern.bs[IO_READ], 8192);
	assert_int_equal(job->iodepth, 4);
	assert_int_equal(
	    file->n_notes, 2); /* the other one: fio would keep a depth of 1 without an ioengine */
	assert_string_equal(file->notes[0],
	    "t.fio:2: bs: 8k with its unit, which fio does not read behind a blank");
	job_free(file);
}

static void
variables(void **state)
{
	const struct job *job;
	struct job_file *file;

	(void)state;
	setenv("STORTOP_TEST_BS", "32", 1);
	unsetenv("STORTOP_TEST_NONE");
	file = job_of_lines("bs=${STORTOP_TEST_BS}k\ndescription=<${STORTOP_TEST_NONE}>\nsize=3*$"
			    "pagesize\nnumjobs=$ncpus\n"
			    "name=$x${STORTOP_TEST_BS",
	    &job);
	assert_int_equal(job->pattern.bs[IO_WRITE], 32768);
	assert_string_equal(job->description, "<>");
	assert_int_equal(job->size.bytes, 3 * sysconf(_SC_PAGESIZE));
	assert_int_equal(job->numjobs, sysconf(_SC_NPROCESSORS_ONLN));
	assert_string_equal(job->name, "$x${STORTOP_TEST_BS");
	job_free(file);
	unsetenv("STORTOP_TEST_BS");
	job_refused("[w]\nbs=${STORTOP_TEST_NONE}\n",
	    "t.fio:2: bs: needs a value: STORTOP_TEST_NONE is not set in the environment");
	job_refused(
	    "[w]\nbs=${STORTOP_TEST_NONE}k\n", "t.fio:2: bs: k: not a block size from 1 to 1g");
}

/* Only of what is off or on can it be guessed. */
static void
keys_without_a_value(void **state)
{
	const struct job *job;
	struct job_file *file =
	    job_of_lines("direct\nnorandommap\ngroup_reporting\ndescription=", &job);

	(void)state;
	assert_true(job->direct);
	assert_string_equal(job->description, "");
	job_free(file);
	job_refused(
	    "[w]\niodepth\n", "t.fio:2: iodepth: needs a value: I/Os in flight of each worker (1)");
	job_refused("[w]\nsize=\n", "t.fio:2: size: needs a value: the area and the amount, in "
				    "bytes or per cent of TARGET");
	job_refused("[w]\ninclude\n", "t.fio:2: include: needs the name of a file");
	job_refused(
	    "[w]\nexitall\n", "t.fio:2: exitall: 1: not supported: sections end by themselves");
}

static void
not_text(void **state)
{
	static const char text[] = "[w]\nbs=8k\nsize=\0 1m\n";
	char why[300] = "";

	(void)state;
	assert_null(job_parse("t.fio", text, sizeof(text) - 1, why, sizeof(why)));
	assert_string_equal(why, "t.fio:3: a byte of 0: not a text file");
}

static void
refused(void **state)
{
	(void)state;
	job_refused("bs=8k\n[w]\n", "t.fio:1: bs=8k: an option outside of any [section]");
	job_refused("[global]\nbs=8k\n", "t.fio:1: no section that could be run");
	job_refused("[w\n", "t.fio:1: [w: a section's line ends with ]");
	job_refused("", "t.fio:1: no section that could be run");
}

static void
put(const char *dir, const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", dir, name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	free(path);
}

static void
includes(void **state)
{
	static const char *const names[] = { "a.fio", "b.inc", "c.inc", "loop.inc", "loop.fio",
		"s.fio", "s.inc", "n.fio", "e.fio" };
	char dir[] = "/tmp/stortop-job-XXXXXX", why[300] = "", *path, *wanted;
	struct job_file *file;

	(void)state;
	assert_non_null(mkdtemp(dir));
	put(dir, "a.fio", "[global]\ninclude b.inc # comment\n[w]\niodepth=2\nioengine=null\n");
	put(dir, "b.inc", "bs=16k\n  include c.inc\n");
	put(dir, "c.inc", "direct=1\nthread\n");
	put(dir, "loop.fio", "[w]\ninclude loop.inc\n");
	put(dir, "loop.inc", "bs=8k\ninclude loop.inc\n");
	put(dir, "s.fio", "[w]\ninclude s.inc\n");
	put(dir, "s.inc", "\n[x]\n");
	put(dir, "n.fio", "[w]\ninclude none.inc\n");
	put(dir, "e.fio", "[w]\ninclude=b.inc\n");

	path = xasprintf("%s/a.fio", dir);
	file = job_load(path, why, sizeof(why));
	assert_non_null(file);
	assert_int_equal(file->jobs[0].pattern.bs[IO_READ], 16384);
	assert_true(file->jobs[0].direct);
	wanted = xasprintf("%s/c.inc:2: thread: ignored: workers are always threads", dir);
	assert_string_equal(file->notes[0], wanted);
	free(wanted);
	free(path);
	job_free(file);

	path = xasprintf("%s/e.fio", dir);
	file = job_load(path, why, sizeof(why));
	assert_non_null(file);
	assert_int_equal(file->jobs[0].pattern.bs[IO_READ], 16384);
	free(path);
	job_free(file);

	path = xasprintf("%s/loop.fio", dir);
	assert_null(job_load(path, why, sizeof(why)));
	assert_non_null(
	    strstr(why, "loop.inc:2: include: loop.inc: more than 10 files within each other"));
	free(path);
	path = xasprintf("%s/s.fio", dir);
	assert_null(job_load(path, why, sizeof(why)));
	assert_non_null(strstr(why, "s.inc:2: [x]: an included file has no sections"));
	free(path);
	path = xasprintf("%s/n.fio", dir);
	assert_null(job_load(path, why, sizeof(why)));
	assert_non_null(strstr(why, "n.fio:2: include: "));
	assert_non_null(strstr(why, "No such file"));
	free(path);
	assert_null(job_load(dir, why, sizeof(why)));
	assert_non_null(strstr(why, "Is a directory"));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		path = xasprintf("%s/%s", dir, names[i]);
		unlink(path);
		free(path);
	}
	assert_int_equal(rmdir(dir), 0);
}

/* As fio looks: from where the program runs, then beside the file. */
static void
includes_from_here_first(void **state)
{
	char dir[] = "/tmp/stortop-job-XXXXXX", why[300] = "", *old = getcwd(NULL, 0), *here;
	struct job_file *file;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_non_null(old);
	here = xasprintf("%s/here", dir);
	assert_int_equal(mkdir(here, 0700), 0);
	put(dir, "a.fio", "[w]\ninclude x.inc\n");
	put(dir, "x.inc", "bs=64k\n");
	put(here, "x.inc", "bs=32k\n");
	assert_int_equal(chdir(here), 0);
	file = job_load("../a.fio", why, sizeof(why));
	assert_non_null(file);
	assert_int_equal(file->jobs[0].pattern.bs[IO_READ], 32768);
	job_free(file);
	assert_int_equal(unlink("x.inc"), 0);
	file = job_load("../a.fio", why, sizeof(why));
	assert_non_null(file);
	assert_int_equal(file->jobs[0].pattern.bs[IO_READ], 65536);
	job_free(file);
	assert_int_equal(unlink("../a.fio") | unlink("../x.inc") | rmdir(here) | rmdir(dir), 0);
	assert_int_equal(chdir(old), 0);
	free(here);
	free(old);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(globals_hold_for_sections_below),
		cmocka_unit_test(lines_and_comments),
		cmocka_unit_test(blanks_keep_the_unit),
		cmocka_unit_test(variables),
		cmocka_unit_test(keys_without_a_value),
		cmocka_unit_test(not_text),
		cmocka_unit_test(refused),
		cmocka_unit_test(includes),
		cmocka_unit_test(includes_from_here_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
