/*
 * run where something is in its way: limits of the shell, outputs that take nothing, a store that cannot be written. The real
 * program, named by STORTOP.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/xalloc.h"

struct place {
	const char *program;
	char dir[64];
};

static int
setup(void **state)
{
	struct place *p = xcalloc(1, sizeof(*p));

	p->program = getenv("STORTOP");
	snprintf(p->dir, sizeof(p->dir), "/tmp/stortop-trouble-XXXXXX");
	if (mkdtemp(p->dir) == NULL)
		return -1;
	*state = p;
	return 0;
}

/*
 * Runs a shell command in the temporary directory; its exit status, 128 + the signal where one ended it. $S is the program,
 * $R makes a test of 0.2 s in the directory t.
 */
static int
shell(const struct place *p, const char *command)
{
	char *text = xasprintf("S=$(realpath '%s'); R=\"$S run ../j.fio . --no-record\"; cd '%s' && mkdir -p t && "
	    "printf '[a]\\nrw=randrw\\nsize=1m\\nruntime=200ms\\ntime_based\\n' >j.fio && cd t && { %s; }",
	    p->program != NULL ? p->program : "false", p->dir, command);
	int status = system(text);

	free(text);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Nothing to list is said, on standard error: a script reads no rows. */
static void
nothing_to_list(void **state)
{
	const struct place *p = *state;

	if (p->program == NULL)
		skip();
	assert_int_equal(shell(p, "mkdir -p ../none && for i in mounts:'NFS mount' sessions:'iSCSI session' devices:device; do "
	    "$S list ${i%:*} --root ../none >../out 2>../err && test ! -s ../out && "
	    "test \"$(cat ../err)\" = \"stortop: no ${i#*:} here\" || exit 1; done"), 0);
}

static int
teardown(void **state)
{
	struct place *p = *state;

	shell(p, "rm -rf \"${PWD%/t}\"");
	free(p);
	return 0;
}

static struct place *
need_program(void **state)
{
	struct place *p = *state;

	if (p->program == NULL) {
		print_message("STORTOP does not name the program\n");
		skip();
	}
	return p;
}

/* ulimit -f: an error like any other, not a death that leaves the test file behind. */
static void
file_size_limit(void **state)
{
	struct place *p = need_program(state);

	assert_int_equal(shell(p, "ulimit -f 64; $R >../out 2>../err"), 1);
	assert_int_equal(shell(p, "grep -q 'File too large' ../err && test -z \"$(ls -A)\""), 0);
}

static void
nohup(void **state)
{
	struct place *p = need_program(state);

	assert_int_equal(shell(p, "rm -f ../err; trap '' HUP; $R >../out 2>../err & while ! grep -qs measure ../err; do sleep 0.02; done; "
				  "kill -HUP $!; wait $!"), 0);
	assert_int_equal(shell(p, "rm -f ../err; trap - HUP; $R --runtime 20 >../out 2>../err & while ! grep -qs measure ../err; do sleep 0.02; "
				  "done; kill -HUP $!; wait $!"), 130);
}

/* Whatever the limits and handlers of ours, a command that is watched has its own. */
static void
signals_of_a_command(void **state)
{
	struct place *p = need_program(state);

	assert_int_equal(shell(p, "grep SigIgn /proc/self/status >../own; $S run exec --no-record --json -- "
				  "grep SigIgn /proc/self/status >../out 2>../err"), 0);
	/* Of the upper half, the C library keeps two for its threads, as it sees fit. */
	assert_int_equal(shell(p, "grep -q . ../own && test \"$(tail -c 9 ../own)\" = \"$(tail -c 9 ../err)\""), 0);
}

/* A signal to us alone is handed on. */
static void
end_of_a_command(void **state)
{
	struct place *p = need_program(state);

	assert_int_equal(shell(p, "$S run exec --no-record --json -- sh -c 'kill -TERM $PPID; exec sleep 20' >../out 2>../err"), 130);
	assert_int_equal(shell(p, "grep -q '\"exit_status\":143' ../out"), 0);
}

/* A reader that has gone had enough, however much was to come; one that takes nothing is a failure, told once. */
static void
outputs(void **state)
{
	struct place *p = need_program(state);

	assert_int_equal(shell(p, "{ $R 2>../err; echo $? >../status; } | true; test $(cat ../status) = 0"), 0);
	assert_int_equal(shell(p, "grep -c output ../err"), 1);
	assert_int_equal(shell(p, "{ $S list columns 2>../err; echo $? >../status; } | true; test $(cat ../status) = 0"), 0);
	assert_int_equal(shell(p, "$R >/dev/full 2>../err"), 1);
	assert_int_equal(shell(p, "test $(grep -c 'output: No space' ../err) = 1 && test $(grep -c output ../err) = 1"), 0);
	assert_int_equal(shell(p, "$R >&- 2>../err"), 1);
}

/* The result is printed, and that it is not kept is said. */
static void
not_recorded(void **state)
{
	struct place *p = need_program(state);

	assert_int_equal(shell(p, "echo something else >../x.db; $S run ../j.fio null: --db ../x.db >../out 2>../err"), 0);
	assert_int_equal(shell(p, "grep -q 'the result is not kept: ../x.db: not a stortop' ../err && grep -q ^total ../out"), 0);
	assert_int_equal(shell(p, "$S run exec --db ../x.db -- sleep 0.2 2>../err >../out && grep -q 'recording stopped' ../err"), 0);
	assert_int_equal(shell(p, "$S run ../j.fio null: --db ../y.db 2>../err >../out && ! grep recording ../err"), 0);
}

/* A test file that will not go is named. */
static void
leftover(void **state)
{
	struct place *p = need_program(state);

	if (geteuid() != 0 || shell(p, "chattr +a . 2>/dev/null && chattr -a .") != 0) {
		print_message("needs root, and a file system with attributes\n");
		skip();
	}
	/* files can be made in it, and not be removed */
	assert_int_equal(shell(p, "chattr +a .; $R >../out 2>../err; s=$?; chattr -a .; exit $s"), 0);
	assert_int_equal(shell(p, "grep -q 't/stortop-.*still there.*not permitted' ../err && rm stortop-*.test"), 0);
}

/* The null engine stands ready at once: the measurement begins within a millisecond of the tick before. */
static void
phases_at_once(void **state)
{
	struct place *p = need_program(state);

	for (int i = 0; i < 3; i++)
		assert_int_equal(shell(p, "$S run ../j.fio null: --no-record 2>../err | grep -q ^total"), 0);
}

/* io_uring counts as locked memory: which limit it is, not "Cannot allocate memory". */
static void
locked_memory(void **state)
{
	struct place *p = need_program(state);

	if (geteuid() != 0 || shell(p, "setpriv --version >/dev/null") != 0) {
		print_message("needs root, and setpriv\n");
		skip();
	}
	assert_int_equal(shell(p, "cp \"$S\" ../s && chmod 755 .. && chmod 777 . && ulimit -l 0 && setpriv --reuid 65534 --regid 65534 "
				  "--clear-groups ../s run ../j.fio . --no-record >../out 2>../err"), 0);
	assert_int_equal(shell(p, "grep -q 'ENGINE.*ulimit -l\\|ENGINE.*forbidden' ../out"), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_to_list),
		cmocka_unit_test(file_size_limit),
		cmocka_unit_test(nohup),
		cmocka_unit_test(signals_of_a_command),
		cmocka_unit_test(end_of_a_command),
		cmocka_unit_test(outputs),
		cmocka_unit_test(not_recorded),
		cmocka_unit_test(leftover),
		cmocka_unit_test(phases_at_once),
		cmocka_unit_test(locked_memory),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
