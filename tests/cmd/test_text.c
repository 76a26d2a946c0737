/*
 * -b and export, as people call them: the real program, named by STORTOP.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdbool.h>
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
	snprintf(p->dir, sizeof(p->dir), "/tmp/stortop-test-XXXXXX");
	if (mkdtemp(p->dir) == NULL)
		return -1;
	*state = p;
	return 0;
}

/* Runs a shell command in the temporary directory, $S being the program; its exit status. */
static int
shell(const struct place *p, const char *command)
{
	char *text = xasprintf("S=$(realpath '%s'); cd '%s' && { %s; }", p->program != NULL ? p->program : "false", p->dir, command);
	int status = system(text);

	free(text);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int
teardown(void **state)
{
	struct place *p = *state;

	shell(p, "rm -rf \"$PWD\"");
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

/*
 * A root directory of our own, with a disk that is always busy and one that never is: other tests plug devices
 * in and out of the real one.
 */
static void
make_root(const struct place *p)
{
	static const char script[] =
	    "while i=$((i + 1)); do\n"
	    "	{\n"
	    "		echo 8 0 sda $((3 * i)) 1 $((24 * i)) $((2 * i)) $((5 * i)) 2 $((80 * i)) $((9 * i)) 1 $((7 * i)) $((11 * i))\n"
	    "		echo 8 16 sdb 7 0 56 7 0 0 0 0 0 7 7\n"
	    "	} >root/proc/next\n"
	    "	mv root/proc/next root/proc/diskstats\n"
	    "	sleep 0.03\n"
	    "done\n";
	char *name = xasprintf("%s/writer", p->dir);
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	fputs(script, file);
	fclose(file);
	free(name);
	assert_int_equal(shell(p, "mkdir -p root/proc"), 0);
}

static void
same_figures(void **state, const char *format)
{
	struct place *p = need_program(state);
	char *command = xasprintf("reads() { cut -d' ' -f4 root/proc/diskstats | head -n 1; }; rm -f x.db* root/proc/diskstats; "
				  "timeout 60 sh writer & W=$!; until test -s root/proc/diskstats; do sleep 0.01; done; N=$(reads); "
				  "\"$S\" --root root -b -d 0.1 -n 4 --db x.db --format %s >live 2>notes; M=$(reads); kill $W; "
				  "\"$S\" export --db x.db --format %s >recorded 2>notes && grep -q sda live && "
				  "test $M -gt $N && cmp live recorded",
	    format, format);

	make_root(p);
	assert_int_equal(shell(p, command), 0);
	free(command);
}

static void
same_figures_pdh(void **state)
{
	same_figures(state, "pdh");
}

static void
same_figures_tidy(void **state)
{
	same_figures(state, "tidy");
}

static void
same_figures_json(void **state)
{
	same_figures(state, "json");
}

/* Recorded intervals add up to longer ones: all of them to one, however long each took. */
static void
longer_steps(void **state)
{
	struct place *p = need_program(state);

	assert_int_equal(shell(p, "rm -f x.db*; \"$S\" -b -d 0.1 -n 4 --db x.db >live 2>notes && "
				  "\"$S\" export --db x.db --kind total --format json >each && "
				  "\"$S\" export --db x.db --every 1h --kind total --format json >sum && "
				  "test $(wc -l <each) = 4 && test $(wc -l <sum) = 1"), 0);
}

static void
bad_spans(void **state)
{
	struct place *p = need_program(state);

	assert_int_equal(shell(p, "\"$S\" export --db none.db >out 2>err"), 1);
	assert_int_equal(shell(p, "test ! -s out && test $(wc -l <err) = 1 && grep -q none.db err"), 0);
	assert_int_equal(shell(p, "rm -f x.db*; \"$S\" -b -d 0.1 -n 1 --db x.db >out 2>notes && "
				  "\"$S\" export --db x.db --to 2001-01-01 >out 2>err"), 1);
	assert_int_equal(shell(p, "test ! -s out && test $(wc -l <err) = 1"), 0);
	assert_int_equal(shell(p, "\"$S\" export --from 1m --to 2m >out 2>err"), 2);
}

/* Figures must not go into a file that happened to get the number of a closed output. */
static void
closed_output(void **state)
{
	struct place *p = need_program(state);

	assert_int_equal(shell(p, "rm -f x.db*; \"$S\" -b -d 0.1 -n 1 --db x.db >&- 2>err"), 1);
	assert_int_equal(shell(p, "grep -q 'standard output: Bad file descriptor' err && "
				  "\"$S\" export --db x.db >out 2>notes && test $(wc -l <out) = 2"), 0);
	assert_int_equal(shell(p, "\"$S\" -b -d 0.1 -n 1 >/dev/full 2>err"), 1);
	assert_int_equal(shell(p, "grep -q 'standard output: No space' err"), 0);
	/* what is printed, not written: buffered, so that only the end can tell */
	assert_int_equal(shell(p, "\"$S\" list columns >/dev/full 2>err"), 1);
	assert_int_equal(shell(p, "grep -q 'standard output: ' err && \"$S\" --version >/dev/full 2>err"), 1);
	assert_int_equal(shell(p, "grep -q 'standard output: ' err && \"$S\" --help >&- 2>err"), 1);
}

/* What could not be read, all kinds of it, is said once; the disks too, though there is a /sys to fall back to. */
static void
troubles_are_said(void **state)
{
	struct place *p = need_program(state);

	assert_int_equal(shell(p, "mkdir -p bare/proc/diskstats bare/sys/block && "
				  "\"$S\" --root bare -b -d 0.1 -n 3 --format json >out 2>err && test $(wc -l <out) = 3"), 0);
	assert_int_equal(shell(p, "test $(grep -c 'cpu: cannot read .*proc/stat' err) = 1"), 0);
	assert_int_equal(shell(p, "test $(grep -c 'block: cannot read .*proc/diskstats: Is a dir' err) = 1"), 0);
}

/* However many options stand before the one that does not belong there. */
static void
misfit(void **state)
{
	struct place *p = need_program(state);

	assert_int_equal(shell(p, "\"$S\" -b -n 1 -a -a -a -a -a -a -a -a -a -a -a -a -a -a -a -a -a --every 1 >out 2>err"), 2);
	assert_int_equal(shell(p, "test ! -s out && grep -q -- '--every: does not go with -b' err"), 0);
}

/* The configuration counts without a screen too: what keeps a recording, and the interval of `record`. */
static void
configured(void **state)
{
	struct place *p = need_program(state);

	assert_int_equal(shell(p, "printf '[retention]\\ncap = much\\n' >bad.ini; "
				  "\"$S\" -b -d 0.1 -n 1 --db x.db --config bad.ini >out 2>err"), 2);
	assert_int_equal(shell(p, "test ! -s out && grep -q 'cap = much' err"), 0);
	assert_int_equal(shell(p, "printf '[stortop]\\ninterval = 0.1\\n' >fast.ini; rm -f y.db*; "
				  "timeout -s INT 1.5 \"$S\" record --db y.db --config fast.ini 2>err; "
				  "\"$S\" export --db y.db --kind total --format json >out && test $(wc -l <out) -gt 2"), 0);
}

/* Starts the program with its output in a pipe. */
static pid_t
start(const struct place *p, int *out, const char *rows)
{
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(fds[1], STDOUT_FILENO);
		close(fds[0]);
		close(fds[1]);
		execl(p->program, p->program, "-b", "-d", "0.1", "--format", "tidy", "-n", rows, (char *)NULL);
		_exit(99);
	}
	close(fds[1]);
	*out = fds[0];
	return pid;
}

static int
end(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void
interrupted(void **state)
{
	struct place *p = need_program(state);
	char buf[4096], last = 0;
	bool killed = false;
	ssize_t n;
	int out;
	pid_t pid = start(p, &out, "1000");

	while ((n = read(out, buf, sizeof(buf))) > 0) {
		last = buf[n - 1];
		if (!killed)
			kill(pid, SIGINT);
		killed = true;
	}
	assert_int_equal(last, '\n');
	assert_int_equal(end(pid), 130);
	close(out);
}

static void
reader_gone(void **state)
{
	struct place *p = need_program(state);
	char buf[10];
	int out;
	pid_t pid = start(p, &out, "1000");

	assert_true(read(out, buf, sizeof(buf)) > 0);
	close(out);
	assert_int_equal(end(pid), 0);
}

/* Names come from servers: neither a control character, of 7 or 8 bits, nor what turns the line round reaches the terminal. */
static void
harmless_list(void **state)
{
	struct place *p = need_program(state);

	assert_int_equal(shell(p, "mkdir -p odd/proc/self odd/sys/block && cd odd/proc && : >diskstats &&"
	    "printf '36 35 0:50 / /m rw - nfs4 nas:/x rw\\n' >self/mountinfo &&"
	    "printf 'device nas:/a\\033[2J\\2332J\\302\\2332J\\342\\200\\256\\303\\274 mounted on /m with fstype nfs4 statvers=1.1\\n' >self/mountstats"), 0);
	assert_int_equal(shell(p, "$S list mounts --root odd >odd.out 2>odd.err && grep -qF 'nas:/a?[2J?2J?2J?ü' odd.out"), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_figures_pdh),
		cmocka_unit_test(same_figures_tidy),
		cmocka_unit_test(same_figures_json),
		cmocka_unit_test(longer_steps),
		cmocka_unit_test(bad_spans),
		cmocka_unit_test(closed_output),
		cmocka_unit_test(troubles_are_said),
		cmocka_unit_test(misfit),
		cmocka_unit_test(harmless_list),
		cmocka_unit_test(configured),
		cmocka_unit_test(interrupted),
		cmocka_unit_test(reader_gone),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
